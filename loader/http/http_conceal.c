/*
 * http_conceal.c - see http_conceal.h.
 */
#include "http/http_conceal.h"

#include <string.h>

/* What is shorter is no secret, and would be found anywhere. */
#define SECRET_MIN 4

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

void
http_conceal(const HttpOptions *options, char *text)
{
	if (options->token != NULL)
		conceal(text, options->token);
	for (int i = 0; i < options->header_count; i++)
	{
		const char *value = strchr(options->headers[i], ':') + 1;
		const char *blank;

		value += strspn(value, " \t");
		blank = strpbrk(value, " \t");
		/* the scheme need not be repeated */
		if (blank != NULL)
			conceal(text, blank + strspn(blank, " \t"));
		conceal(text, value);
	}
}
