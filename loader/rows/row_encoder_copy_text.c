/*
 * row_encoder_copy_text.c - rows as COPY ... FROM STDIN reads them by default: fields
 * parted by a tab, \N for null, backslash escapes
 * (https://www.postgresql.org/docs/15/sql-copy.html, 'Text Format').
 */
#include "rows/hex_encode.h"
#include "rows/row_encoder_text.h"
#include "rows/value_text.h"

#include <string.h>

#define WORD       sizeof(uint64_t)
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define HIGH_BITS  EACH(0x80)

/* By byte below 0x20: the letter of its escape, as COPY TO writes them; 0: it goes out as it is. */
static const char escape_letters[0x20] = {
	['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};

static inline bool
is_special(unsigned char byte)
{
	return byte < 0x20 || byte == '\\';
}

/*
 * Whether any of eight bytes is special. The subtraction may borrow from a byte
 * that is found into its neighbour, so the answer is exact for the word and not for
 * the place.
 */
static inline bool
word_is_special(uint64_t word)
{
	uint64_t backslash = word ^ EACH('\\');
	uint64_t control_found = (word - EACH(0x20)) & ~word;
	uint64_t backslash_found = (backslash - EACH(1)) & ~backslash;

	return ((control_found | backslash_found) & HIGH_BITS) != 0;
}

/* Bytes before the first special one. */
static size_t
plain_length(const char *text, size_t length)
{
	size_t done = 0;

	for (; length - done >= WORD; done += WORD)
	{
		uint64_t word;

		memcpy(&word, text + done, WORD);
		if (word_is_special(word))
			break;
	}
	while (done < length && !is_special((unsigned char) text[done]))
		done++;
	return done;
}

/* False for NUL, which no text of PostgreSQL can hold. */
static bool
put_special(JsonEncoder *to, unsigned char byte)
{
	char letter = byte == '\\' ? '\\' : escape_letters[byte];

	if (byte == '\0')
		return false;
	if (letter != 0)
		json_encode_char(to, '\\');
	json_encode_char(to, letter != 0 ? letter : (char) byte);
	return true;
}

static bool
put_text(JsonEncoder *to, const char *text, size_t length)
{
	for (;;)
	{
		size_t plain = plain_length(text, length);

		json_encode_raw(to, text, plain);
		if (plain == length)
			return true;
		if (!put_special(to, (unsigned char) text[plain]))
			return false;
		text += plain + 1;
		length -= plain + 1;
	}
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
		json_encode_raw(to, "\\N", 2);
	else if (type == COLUMN_BYTEA)
	{
		json_encode_literal(to, "\\\\x");
		hex_encode(to, value->text.bytes, value->text.length);
	}
	else if (!column_type_is_text(type))
		json_encode_raw(to, printed, value_print(type, value, printed));
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
		if (i > 0)
			json_encode_char(to, '\t');
		if (!put_value(state, i, &values[i], to))
		{
			*column = i;
			return false;
		}
	}
	json_encode_char(to, '\n');
	return true;
}

const RowEncoder row_encoder_copy_text = {
	.name = "copy-text",
	.open = row_encoder_text_open,
	.close = row_encoder_text_close,
	.begin = row_encoder_text_put_nothing,
	.row = put_row,
	.end = row_encoder_text_put_nothing,
};
