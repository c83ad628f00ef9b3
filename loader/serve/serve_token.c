#include "serve/serve_token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>

static const char scheme[] = "Bearer";

static bool
make_digest(const char *text, size_t text_length, unsigned char digest[SERVE_TOKEN_DIGEST_SIZE])
{
	unsigned length;

	return EVP_Digest(text, text_length, digest, &length, EVP_sha256(), NULL) == 1 &&
		   length == SERVE_TOKEN_DIGEST_SIZE;
}

bool
serve_token_set(ServeToken *token, const char *text)
{
	return make_digest(text, strlen(text), token->digest);
}

bool
serve_token_fits(const ServeToken *token, const char *authorization)
{
	unsigned char digest[SERVE_TOKEN_DIGEST_SIZE];
	const char *text;
	size_t length;

	if (authorization == NULL || strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0)
		return false;
	text = authorization + sizeof(scheme) - 1;
	if (*text != ' ')
		return false;
	text += strspn(text, " ");
	length = strlen(text);
	/* blanks at the end are none of the value (RFC 9110, section 5.5); the library leaves them */
	while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		length--;
	return make_digest(text, length, digest) &&
		   CRYPTO_memcmp(digest, token->digest, sizeof(digest)) == 0;
}
