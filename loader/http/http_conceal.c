/*
 * http_conceal.c - see http_conceal.h.
 */
#include "http/http_conceal.h"

#include <string.h>
#include <strings.h>

/* What is shorter is no secret, and would be found anywhere; of a header's value nobody knows whether
 * it is one. */
#define SECRET_MIN 4
#define VALUE_MIN  8

/* How much of the text's beginning is the secret, or, where the text is cut, a beginning of it. */
static size_t
secret_length(const char *text, const char *secret, bool is_escaped)
{
	const char *at = text;
	size_t matched = 0;

	for (; secret[matched] != '\0' && *at != '\0'; matched++, at++)
	{
		/* JSON may put a backslash before more than must have one */
		if (is_escaped && at[0] == '\\' && (at[1] == secret[matched] || at[1] == '\0'))
			at++;
		if (*at != secret[matched])
			break;
	}
	return secret[matched] == '\0' || (*at == '\0' && matched >= SECRET_MIN) ? (size_t) (at - text)
																			 : 0;
}

static void
conceal(char *text, const char *secret)
{
	if (strlen(secret) < SECRET_MIN)
		return;
	while (*text != '\0')
	{
		size_t length = secret_length(text, secret, false);

		if (length == 0)
			length = secret_length(text, secret, true);
		memset(text, '*', length);
		text += length > 0 ? length : 1;
	}
}

static bool
is_authorization(const char *header)
{
	return strncasecmp(header, "Authorization:", strlen("Authorization:")) == 0 ||
		   strncasecmp(header, "Proxy-Authorization:", strlen("Proxy-Authorization:")) == 0;
}

/* A header as http_header_check lets it pass. */
static void
conceal_value(char *text, const char *header)
{
	const char *value = strchr(header, ':') + 1, *credentials;

	value += strspn(value, " \t");
	if (strlen(value) >= VALUE_MIN)
		conceal(text, value);
	if (!is_authorization(header))
		return;
	/* the scheme need not be repeated */
	credentials = value + strcspn(value, " \t");
	conceal(text, credentials + strspn(credentials, " \t"));
}

void
http_conceal(const HttpOptions *options, char *text)
{
	if (options->token != NULL)
		conceal(text, options->token);
	for (int i = 0; i < options->header_count; i++)
		conceal_value(text, options->headers[i]);
}
