#include "serve/request_body.h"
#include "content_inflate.h"

#include <openssl/evp.h>
#include <stdlib.h>

#define OUTPUT_SIZE (64 * 1024)

struct RequestBody
{
	Upload *upload;
	ContentInflate *inflate; /* NULL: the bytes are as they are meant */
	bool has_input;          /* lent to `inflate` and not used up */
	EVP_MD_CTX *hash;        /* NULL: not wanted */
	int64_t max_bytes;
	int64_t bytes;
	char output[]; /* [OUTPUT_SIZE], only with `inflate` */
};

static bool
start_hash(RequestBody *body)
{
	body->hash = EVP_MD_CTX_new();
	return body->hash != NULL && EVP_DigestInit_ex(body->hash, EVP_sha256(), NULL) == 1;
}

RequestBody *
request_body_open(Upload *upload, bool gzip, bool hashed, int64_t max_bytes)
{
	RequestBody *body = calloc(1, sizeof(RequestBody) + (gzip ? OUTPUT_SIZE : 0));

	if (body == NULL)
		return NULL;
	body->upload = upload;
	body->max_bytes = max_bytes;
	if (gzip)
		body->inflate = content_inflate_create();
	if ((gzip && body->inflate == NULL) || (hashed && !start_hash(body)))
	{
		request_body_close(body);
		return NULL;
	}
	return body;
}

void
request_body_close(RequestBody *body)
{
	if (body == NULL)
		return;
	content_inflate_free(body->inflate);
	EVP_MD_CTX_free(body->hash);
	free(body);
}

/* Bytes as they came. */
static RequestBodyResult
take_plain(RequestBody *body, const char **bytes, size_t *length)
{
	switch (upload_take(body->upload, bytes, length))
	{
		case UPLOAD_BYTES:
			return REQUEST_BODY_BYTES;
		case UPLOAD_END:
			return REQUEST_BODY_END;
		default:
			return REQUEST_BODY_GONE;
	}
}

/* Lends the next compressed bytes to the inflater. */
static RequestBodyResult
feed(RequestBody *body)
{
	const char *bytes;
	size_t length;
	RequestBodyResult result = take_plain(body, &bytes, &length);

	if (result == REQUEST_BODY_BYTES)
		content_inflate_feed(body->inflate, bytes, length);
	else if (result == REQUEST_BODY_END && !content_inflate_complete(body->inflate))
		return REQUEST_BODY_CORRUPT;
	return result;
}

static RequestBodyResult
take_inflated(RequestBody *body, const char **bytes, size_t *length)
{
	for (;;)
	{
		if (!body->has_input)
		{
			RequestBodyResult fed = feed(body);

			if (fed != REQUEST_BODY_BYTES)
				return fed;
			body->has_input = true;
		}
		switch (content_inflate_next(body->inflate, body->output, OUTPUT_SIZE, length))
		{
			case CONTENT_INFLATE_OUTPUT:
				*bytes = body->output;
				return REQUEST_BODY_BYTES;
			case CONTENT_INFLATE_MORE:
				body->has_input = false;
				break;
			case CONTENT_INFLATE_CORRUPT:
				return REQUEST_BODY_CORRUPT;
			case CONTENT_INFLATE_OUT_OF_MEMORY:
				return REQUEST_BODY_OUT_OF_MEMORY;
		}
	}
}

RequestBodyResult
request_body_next(RequestBody *body, const char **bytes, size_t *length)
{
	RequestBodyResult result = body->inflate == NULL ? take_plain(body, bytes, length)
													 : take_inflated(body, bytes, length);

	if (result != REQUEST_BODY_BYTES)
		return result;
	body->bytes += (int64_t) *length;
	if (body->max_bytes > 0 && body->bytes > body->max_bytes)
		return REQUEST_BODY_TOO_LARGE;
	if (body->hash != NULL && EVP_DigestUpdate(body->hash, *bytes, *length) != 1)
		return REQUEST_BODY_OUT_OF_MEMORY;
	return result;
}

bool
request_body_digest(RequestBody *body, unsigned char digest[REQUEST_BODY_DIGEST_SIZE])
{
	unsigned length;

	return EVP_DigestFinal_ex(body->hash, digest, &length) == 1 &&
		   length == REQUEST_BODY_DIGEST_SIZE;
}
