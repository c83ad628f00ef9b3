/*
 * canonical_json.c - see canonical_json.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/json.h"
#include "utils/numeric.h"

#include "canonical_json.h"

static void
append_scalar(StringInfo text, const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvNull:
			appendStringInfoString(text, "null");
			break;
		case jbvBool:
			appendStringInfoString(text, value->val.boolean ? "true" : "false");
			break;
		case jbvNumeric:
			appendStringInfoString(text, numeric_normalize(value->val.numeric));
			break;
		case jbvString:
			escape_json(text, pnstrdup(value->val.string.val, value->val.string.len));
			break;
		default:
			ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
					errmsg("unexpected jsonb value of type %d", (int) value->type));
	}
}

/* A comma before all but the first of an array's elements or an object's keys. */
static void
append_separator(StringInfo text)
{
	char last = text->len > 0 ? text->data[text->len - 1] : '[';

	if (last != '[' && last != '{' && last != ':')
		appendStringInfoChar(text, ',');
}

char *
canonical_json_text(Jsonb *document)
{
	bool is_scalar = JB_ROOT_IS_SCALAR(document); /* comes as an array of one */
	JsonbIterator *iterator = JsonbIteratorInit(&document->root);
	JsonbIteratorToken token;
	JsonbValue value;
	StringInfoData text;

	initStringInfo(&text);
	while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		if (token == WJB_END_ARRAY)
		{
			appendStringInfoString(&text, is_scalar ? "" : "]");
			continue;
		}
		if (token == WJB_END_OBJECT)
		{
			appendStringInfoChar(&text, '}');
			continue;
		}
		append_separator(&text);
		if (token == WJB_BEGIN_ARRAY)
			appendStringInfoString(&text, is_scalar ? "" : "[");
		else if (token == WJB_BEGIN_OBJECT)
			appendStringInfoChar(&text, '{');
		else
			append_scalar(&text, &value);
		if (token == WJB_KEY)
			appendStringInfoChar(&text, ':');
	}
	return text.data;
}
