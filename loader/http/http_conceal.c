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

static void
conceal_all(char *text, const char *secret, size_t length)
{
	for (char *found = text; (found = strstr(found, secret)) != NULL; found += length)
		memset(found, '*', length);
}

/* The longest beginning of it that the text ends with. */
static void
conceal_cut(char *text, const char *secret, size_t length)
{
	size_t whole = strlen(text);

	for (size_t part = length - 1; part >= SECRET_MIN; part--)
	{
		if (part > whole || memcmp(text + whole - part, secret, part) != 0)
			continue;
		memset(text + whole - part, '*', part);
		return;
	}
}

static void
conceal(char *text, const char *secret)
{
	size_t length = strlen(secret);

	if (length < SECRET_MIN)
		return;
	conceal_all(text, secret, length);
	conceal_cut(text, secret, length);
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
