#include "rows/value_text.h"
#include "rows/digits.h"
#include "rows/value_bytea.h"
#include "rows/value_datetime.h"
#include "rows/value_float.h"
#include "rows/value_money.h"
#include "rows/value_numeric.h"

#define UUID_BYTES       16
#define UUID_TEXT_LENGTH 36

/* --- reading ------------------------------------------------------------------------ */

/* t and f, as the server writes them, and what people write, as the server reads it. */
static bool
parse_bool(const char *text, size_t length, bool *value)
{
	static const char *const trues[] = {"t", "true", "1", "y", "yes", "on"};
	static const char *const falses[] = {"f", "false", "0", "n", "no", "off"};

	for (size_t i = 0; i < sizeof(trues) / sizeof(trues[0]); i++)
	{
		*value = is_word(text, length, trues[i]);
		if (*value || is_word(text, length, falses[i]))
			return true;
	}
	return false;
}

static bool
parse_integer(const char *text, size_t length, int64_t least, int64_t largest, int64_t *value)
{
	const char *end = text + length;
	bool is_negative = length > 0 && *text == '-';
	uint64_t magnitude = 0;

	if (length > 0 && (*text == '-' || *text == '+'))
		text++;
	if (text == end)
		return false;
	for (; text < end; text++)
	{
		if (!is_digit(*text) || magnitude > INT64_MAX / 10)
			return false;
		magnitude = magnitude * 10 + (uint64_t) (*text - '0');
	}
	if (magnitude > (uint64_t) INT64_MAX + is_negative)
		return false;
	*value = is_negative ? (int64_t) (0 - magnitude) : (int64_t) magnitude;
	return *value >= least && *value <= largest;
}

/* 32 hex digits, with hyphens where they belong or with none. */
static bool
parse_uuid(const char *text, size_t length, uint8_t uuid[UUID_BYTES])
{
	bool has_hyphens = length == UUID_TEXT_LENGTH;

	if (!has_hyphens && length != 2 * UUID_BYTES)
		return false;
	for (int i = 0; i < UUID_BYTES; i++, text += 2)
	{
		int high, low;

		if (has_hyphens && (i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-')
			return false;
		high = value_hex_digit(text[0]);
		low = value_hex_digit(text[1]);
		if (high < 0 || low < 0)
			return false;
		uuid[i] = (uint8_t) (high << 4 | low);
	}
	return true;
}

static bool
lend_text(const char *text, size_t length, Value *value)
{
	value->text.bytes = text;
	value->text.length = length;
	return true;
}

static bool
decode_bytea(char *text, size_t length, Value *value)
{
	value->text.bytes = text;
	return value_bytea_decode(text, length, text, &value->text.length);
}

bool
value_from_text(ColumnType type, char *text, size_t length, Value *value)
{
	value->is_null = value->is_missing = false;
	switch (type)
	{
		case COLUMN_BOOL:
			return parse_bool(text, length, &value->boolean);
		case COLUMN_INT2:
			return parse_integer(text, length, INT16_MIN, INT16_MAX, &value->integer);
		case COLUMN_INT4:
			return parse_integer(text, length, INT32_MIN, INT32_MAX, &value->integer);
		case COLUMN_INT8:
			return parse_integer(text, length, INT64_MIN, INT64_MAX, &value->integer);
		case COLUMN_FLOAT4:
			return value_float4_parse(text, length, &value->real);
		case COLUMN_FLOAT8:
			return value_float8_parse(text, length, &value->real);
		case COLUMN_NUMERIC:
			return value_numeric_is_valid(text, length) && lend_text(text, length, value);
		case COLUMN_MONEY:
			return value_money_parse(text, length, &value->integer);
		case COLUMN_BYTEA:
			return decode_bytea(text, length, value);
		case COLUMN_DATE:
			return value_date_parse(text, length, &value->integer);
		case COLUMN_TIME:
			return value_time_parse(text, length, &value->integer);
		case COLUMN_TIMESTAMP:
			return value_timestamp_parse(text, length, false, &value->integer);
		case COLUMN_TIMESTAMPTZ:
			return value_timestamp_parse(text, length, true, &value->integer);
		case COLUMN_UUID:
			return parse_uuid(text, length, value->uuid);
		case COLUMN_TEXT:
		case COLUMN_BPCHAR:
		case COLUMN_JSON:
		case COLUMN_JSONB:
		case COLUMN_ENUM:
		case COLUMN_OTHER:
			return lend_text(text, length, value);
		case COLUMN_ARRAY:
		case COLUMN_COMPOSITE:
			break;
	}
	return false;
}

/* --- writing ---------------------------------------------------------------------- */

static size_t
print_uuid(const uint8_t uuid[UUID_BYTES], char *buffer)
{
	static const char hex[] = "0123456789abcdef";
	char *to = buffer;

	for (int i = 0; i < UUID_BYTES; i++)
	{
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*to++ = '-';
		*to++ = hex[uuid[i] >> 4];
		*to++ = hex[uuid[i] & 15];
	}
	return UUID_TEXT_LENGTH;
}

size_t
value_print(ColumnType type, const Value *value, char *buffer)
{
	switch (type)
	{
		case COLUMN_BOOL:
			*buffer = value->boolean ? 't' : 'f';
			return 1;
		case COLUMN_INT2:
		case COLUMN_INT4:
		case COLUMN_INT8:
			return (size_t) (put_signed(buffer, value->integer) - buffer);
		case COLUMN_FLOAT4:
			return value_float4_print((float) value->real, buffer);
		case COLUMN_FLOAT8:
			return value_float8_print(value->real, buffer);
		case COLUMN_MONEY:
			return value_money_print(value->integer, buffer);
		case COLUMN_DATE:
			return value_date_print(value->integer, buffer);
		case COLUMN_TIME:
			return value_time_print(value->integer, buffer);
		case COLUMN_TIMESTAMP:
			return value_timestamp_print(value->integer, ' ', "", buffer);
		case COLUMN_TIMESTAMPTZ:
			return value_timestamp_print(value->integer, ' ', "+00", buffer);
		case COLUMN_UUID:
			return print_uuid(value->uuid, buffer);
		default: /* text: the caller has it already */
			return 0;
	}
}
