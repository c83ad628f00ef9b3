#include "rows/row_format.h"

#include <string.h>

const RowFormat *const row_formats[] = {&row_format_rows, &row_format_columns, &row_format_ndjson,
										&row_format_csv, NULL};

const RowFormat *
row_format_find(const char *name, size_t length)
{
	for (const RowFormat *const *format = row_formats; *format != NULL; format++)
		if (strlen((*format)->name) == length && memcmp((*format)->name, name, length) == 0)
			return *format;
	return NULL;
}

/* OIDs of built-in types never change: src/include/catalog/pg_type.dat. */
ValueKind
value_kind_of_type(unsigned type_oid)
{
	switch (type_oid)
	{
		case 16: /* bool */
			return VALUE_BOOL;
		case 20:   /* int8 */
		case 21:   /* int2 */
		case 23:   /* int4 */
		case 26:   /* oid */
		case 700:  /* float4 */
		case 701:  /* float8 */
		case 1700: /* numeric */
			return VALUE_NUMBER;
		case 114:  /* json */
		case 3802: /* jsonb */
			return VALUE_JSON;
		default:
			return VALUE_STRING;
	}
}

const char *
value_kind_name(ValueKind kind)
{
	static const char *const names[] = {[VALUE_STRING] = "string",
										[VALUE_NUMBER] = "number",
										[VALUE_BOOL] = "boolean",
										[VALUE_JSON] = "any"};

	return names[kind];
}

static bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Of what the server writes for a number only NaN and the infinities have no digit here. */
static bool
is_finite_number(const RowField *field)
{
	return is_digit(field->text[0]) || (field->text[0] == '-' && is_digit(field->text[1]));
}

void
row_format_put_value(JsonEncoder *encoder, ValueKind kind, const RowField *field)
{
	if (field->text == NULL)
		json_encode_raw(encoder, "null", 4);
	else if (kind == VALUE_NUMBER && is_finite_number(field))
		json_encode_raw(encoder, field->text, field->length);
	else if (kind == VALUE_BOOL)
		json_encode_literal(encoder, *field->text == 't' ? "true" : "false");
	else if (kind == VALUE_JSON)
		json_encode_one_line(encoder, field->text, field->length);
	else
		json_encode_string(encoder, field->text, field->length);
}

const char *
row_writer_no_problem(const RowWriter *writer)
{
	(void) writer;
	return "";
}

int64_t
row_writer_no_spool(const RowWriter *writer)
{
	(void) writer;
	return 0;
}
