/*
 * json_value.c - see json_value.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "json_encode.h"
#include "json_number.h"
#include "json_value.h"

#define ENCODED_PIECE_BYTES 1024

/* --- as text ------------------------------------------------------------------------- */

char *
json_value_server_text(const char *utf8, size_t length, size_t *server_length)
{
	char *text;

	if (memchr(utf8, '\0', length) != NULL)
		ereport(ERROR, errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				errmsg("unsupported Unicode escape sequence"),
				errdetail("\\u0000 cannot be converted to text."));
	text = pg_any_to_server(utf8, (int) length, PG_UTF8);
	*server_length = text == utf8 ? length : strlen(text);
	return text;
}

char *
json_value_text(const JsonField *field)
{
	size_t length;
	const char *text;

	switch (field->kind)
	{
		case JSON_FIELD_BOOL:
			return pstrdup(field->boolean ? "true" : "false");
		case JSON_FIELD_INTEGER:
			return psprintf(INT64_FORMAT, field->integer);
		case JSON_FIELD_STRING:
		case JSON_FIELD_ARRAY:
		case JSON_FIELD_OBJECT:
			text = json_value_server_text(field->text, field->length, &length);
			return pnstrdup(text, length);
		default:
			return pnstrdup(field->text, field->length);
	}
}

/* The encoder's flush. Out of memory jumps over the encoder, which holds nothing. */
static bool
append_piece(void *context, const char *bytes, size_t length)
{
	appendBinaryStringInfo((StringInfo) context, bytes, (int) length);
	return true;
}

char *
json_value_quoted(const JsonField *field)
{
	char piece[ENCODED_PIECE_BYTES];
	JsonEncoder encoder;
	StringInfoData quoted;

	initStringInfo(&quoted);
	json_encoder_init(&encoder, piece, sizeof(piece), append_piece, &quoted);
	json_encode_string(&encoder, field->text, field->length);
	(void) json_encoder_flush(&encoder);
	return pg_any_to_server(quoted.data, quoted.len, PG_UTF8);
}

/* --- as a number --------------------------------------------------------------------- */

bool
json_value_is_number(const JsonField *field)
{
	return field->kind == JSON_FIELD_INTEGER || field->kind == JSON_FIELD_NUMBER;
}

static int64
field_int64(const JsonField *field, const char *type_name)
{
	int64 value = field->integer;

	if (field->kind == JSON_FIELD_INTEGER)
		return value;
	switch (json_number_to_int64(field->text, field->length, &value))
	{
		case JSON_NUMBER_OK:
			break;
		case JSON_NUMBER_OUT_OF_RANGE:
			ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("value \"%s\" is out of range for type %s", json_value_text(field),
						   type_name));
			break;
		case JSON_NUMBER_NOT_INTEGRAL:
			ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("invalid input syntax for type %s: \"%s\"", type_name,
						   json_value_text(field)),
					errdetail("The number has a fraction."));
			break;
	}
	return value;
}

int64
json_value_integer(const JsonField *field, const char *type_name, int64 lowest, int64 highest)
{
	int64 value = field_int64(field, type_name);

	if (value < lowest || value > highest)
		ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				errmsg("value \"" INT64_FORMAT "\" is out of range for type %s", value, type_name));
	return value;
}
