/*
 * media_type.c - see media_type.h.
 */
#include "media_type.h"

#include <string.h>
#include <strings.h>

static const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* To behind a token, which may be empty. */
static const char *
token_end(const char *at, const char *end)
{
	while (at < end && memchr(";=\" \t", *at, 5) == NULL)
		at++;
	return at;
}

/* Takes `length` more bytes to be the next of `wanted`; NULL once they differ. */
static const char *
match(const char *wanted, const char *bytes, size_t length)
{
	return wanted != NULL && strncasecmp(wanted, bytes, length) == 0 && strlen(wanted) >= length
			   ? wanted + length
			   : NULL;
}

/* Compares a value, of either form, and returns the end of it. */
static const char *
take_value(const char *at, const char *end, const char *wanted, bool *is_wanted)
{
	const char *start = at;

	if (at == end || *at != '"')
	{
		at = token_end(at, end);
		wanted = match(wanted, start, (size_t) (at - start));
	}
	else
	{
		for (at++; at < end && *at != '"'; at++)
		{
			if (*at == '\\' && at + 1 < end)
				at++;
			wanted = match(wanted, at, 1);
		}
		if (at == end)
			wanted = NULL; /* it was never closed */
		else
			at++;
	}
	*is_wanted = wanted != NULL && *wanted == '\0';
	return at;
}

/* To behind the next semicolon; none that is quoted. */
static const char *
next_parameter(const char *at, const char *end)
{
	bool is_quoted = false;

	for (; at < end && (is_quoted || *at != ';'); at++)
	{
		if (*at == '"')
			is_quoted = !is_quoted;
		else if (is_quoted && *at == '\\' && at + 1 < end)
			at++;
	}
	return at < end ? at + 1 : end;
}

bool
media_type_says(const char *value, size_t length, const char *name, const char *wanted)
{
	const char *end = value + length;
	const char *at = next_parameter(value, end);

	while (at < end)
	{
		const char *start = skip_blanks(at, end);
		const char *name_end = token_end(start, end);
		const char *sign = skip_blanks(name_end, end);
		bool is_named = (size_t) (name_end - start) == strlen(name) &&
						strncasecmp(start, name, strlen(name)) == 0;
		bool is_wanted = false;

		if (sign < end && *sign == '=')
			start = take_value(skip_blanks(sign + 1, end), end, wanted, &is_wanted);
		if (is_named && is_wanted)
			return true;
		at = next_parameter(start, end);
	}
	return false;
}
