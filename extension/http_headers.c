/*
 * http_headers.c - see http_headers.h.
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "http_headers.h"

/* RFC 9110, 5.6.2: the characters of a token beside letters and digits */
#define TOKEN_CHARACTERS "!#$%&'*+-.^_`|~"

#define DELETE_CHARACTER 0x7f

bool
http_headers_is_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		char c = name[i];

		if (c == '\0' || IS_HIGHBIT_SET(c) ||
			(!isalnum((unsigned char) c) && strchr(TOKEN_CHARACTERS, c) == NULL))
			return false;
	}
	return length > 0;
}

bool
http_headers_is_ours(const char *name, size_t length)
{
	static const char *const names[] = {
		"Connection", "Content-Length", "Expect",  "Host",
		"TE",         "Trailer",        "Upgrade", "Transfer-Encoding"};

	for (int i = 0; i < lengthof(names); i++)
	{
		if (strlen(names[i]) == length && pg_strncasecmp(names[i], name, length) == 0)
			return true;
	}
	return false;
}

bool
http_headers_is_value(const char *value)
{
	for (; *value != '\0'; value++)
	{
		if (((unsigned char) *value < ' ' && *value != '\t') || *value == DELETE_CHARACTER)
			return false;
	}
	return true;
}

bool
http_headers_have(List *headers, const char *name, size_t length)
{
	ListCell *cell;

	foreach (cell, headers)
	{
		const char *header = lfirst(cell);

		/* "Name;" is one with an empty value, see below */
		if (strcspn(header, ":;") == length && pg_strncasecmp(header, name, length) == 0)
			return true;
	}
	return false;
}

static void
check_name(const char *name)
{
	if (!http_headers_is_name(name, strlen(name)))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("headers: a name is empty or has characters that header names do not have"),
				errhint("The name is the key, its value the value: {\"Accept\": \"text/csv\"}."));
	if (http_headers_is_ours(name, strlen(name)))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("headers: \"%s\" is not for a caller to set", name));
}

static void
check_value(const char *name, const char *value)
{
	if (!http_headers_is_value(value))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("headers: the value of \"%s\" contains a control character", name));
}

static char *
value_text(const char *name, const JsonbValue *value)
{
	if (value->type == jbvString)
	{
		char *text = pnstrdup(value->val.string.val, value->val.string.len);

		return pg_server_to_any(text, strlen(text), PG_UTF8);
	}
	if (value->type == jbvNumeric)
		return DatumGetCString(
			DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("headers: the value of \"%s\" must be a string or a number", name));
}

List *
http_headers_from_jsonb(Jsonb *headers)
{
	List *lines = NIL;
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue key, value;

	if (!JB_ROOT_IS_OBJECT(headers))
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("headers must be a JSON object of names and values"));
	iterator = JsonbIteratorInit(&headers->root);
	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		char *name, *text;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(key.val.string.val, key.val.string.len);
		check_name(name);
		(void) JsonbIteratorNext(&iterator, &value, true);
		text = value_text(name, &value);
		check_value(name, text);
		text += strspn(text, " \t");
		/* libcurl takes "Name;" for a header with an empty value */
		lines =
			lappend(lines, *text == '\0' ? psprintf("%s;", name) : psprintf("%s: %s", name, text));
	}
	return lines;
}
