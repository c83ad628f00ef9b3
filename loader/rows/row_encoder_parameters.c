/*
 * row_encoder_parameters.c - values as parameters of a statement, in text form: ready to
 * be pointed at, each behind its length and followed by the terminator that libpq wants.
 */
#include "rows/hex_encode.h"
#include "rows/row_encoder_text.h"
#include "rows/value_text.h"

#include <string.h>

static void
put_length(JsonEncoder *to, int32_t length)
{
	char word[sizeof(int32_t)];

	memcpy(word, &length, sizeof(word));
	json_encode_raw(to, word, sizeof(word));
}

static void
put_parameter(JsonEncoder *to, const char *text, size_t length)
{
	put_length(to, (int32_t) length);
	json_encode_raw(to, text, length);
	json_encode_char(to, '\0');
}

static bool
put_text(JsonEncoder *to, const char *text, size_t length)
{
	if (length > INT32_MAX || (length > 0 && memchr(text, '\0', length) != NULL))
		return false;
	put_parameter(to, text, length);
	return true;
}

static bool
put_bytea(JsonEncoder *to, const char *bytes, size_t length)
{
	if (length > (INT32_MAX - 2) / 2)
		return false;
	put_length(to, (int32_t) (2 + 2 * length));
	json_encode_raw(to, "\\x", 2);
	hex_encode(to, bytes, length);
	json_encode_char(to, '\0');
	return true;
}

static bool
put_nested(RowEncoderState *state, int column, const Value *value, JsonEncoder *to)
{
	size_t length;
	const char *text = nested_codec_text(state->nested, column, value, &length);

	return text != NULL && put_text(to, text, length);
}

static bool
put_value(RowEncoderState *state, int column, const Value *value, JsonEncoder *to)
{
	ColumnType type = state->type->column[column].type;
	char printed[VALUE_TEXT_MAX];

	if (value->is_null)
		put_length(to, -1);
	else if (type == COLUMN_BYTEA)
		return put_bytea(to, value->text.bytes, value->text.length);
	else if (!column_type_is_text(type))
		put_parameter(to, printed, value_print(type, value, printed));
	else if (state->type->column[column].nested != NULL)
		return put_nested(state, column, value, to);
	else
		return put_text(to, value->text.bytes, value->text.length);
	return true;
}

static bool
put_row(RowEncoderState *state, const Value *values, bool first, JsonEncoder *to, int *column)
{
	const RowType *type = state->type;

	(void) first;
	for (int i = 0; i < type->columns; i++)
	{
		if (!put_value(state, i, &values[i], to))
		{
			*column = i;
			return false;
		}
	}
	return true;
}

const RowEncoder row_encoder_parameters = {
	.name = "parameters",
	.open = row_encoder_text_open,
	.close = row_encoder_text_close,
	.begin = row_encoder_text_put_nothing,
	.row = put_row,
	.end = row_encoder_text_put_nothing,
};
