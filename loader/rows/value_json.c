#include "rows/value_json.h"
#include "json_number.h"
#include "rows/digits.h"
#include "rows/hex_encode.h"
#include "rows/value_datetime.h"
#include "rows/value_float.h"
#include "rows/value_money.h"
#include "rows/value_numeric.h"
#include "rows/value_text.h"

#define OUT_OF_RANGE "it is out of range"
#define NO_ROOM      "the buffer for it is too small"

/* Columns that take what is no string by its JSON text. */
static bool
takes_any_json(ColumnType type)
{
	return type == COLUMN_TEXT || type == COLUMN_BPCHAR || type == COLUMN_ENUM ||
		   type == COLUMN_OTHER || type == COLUMN_JSON || type == COLUMN_JSONB;
}

static bool
is_json_type(ColumnType type)
{
	return type == COLUMN_JSON || type == COLUMN_JSONB;
}

static bool
refuse(const char **why, const char *words)
{
	*why = words;
	return false;
}

static bool
lend_text(const char *text, size_t length, Value *value)
{
	value->text.bytes = text;
	value->text.length = length;
	return true;
}

/* --- reading: numbers ------------------------------------------------------------------ */

static bool
fits_integer(ColumnType type, int64_t value)
{
	switch (type)
	{
		case COLUMN_INT2:
			return value >= INT16_MIN && value <= INT16_MAX;
		case COLUMN_INT4:
			return value >= INT32_MIN && value <= INT32_MAX;
		default:
			return true;
	}
}

static bool
take_integer(ColumnType type, int64_t integer, Value *value, const char **why)
{
	value->integer = integer;
	return fits_integer(type, integer) || refuse(why, OUT_OF_RANGE);
}

static bool
take_integral_number(ColumnType type, const JsonField *field, Value *value, const char **why)
{
	int64_t integer;

	switch (json_number_to_int64(field->text, field->length, &integer))
	{
		case JSON_NUMBER_OK:
			return take_integer(type, integer, value, why);
		case JSON_NUMBER_NOT_INTEGRAL:
			return refuse(why, "it has a fraction");
		default:
			return refuse(why, OUT_OF_RANGE);
	}
}

/* A number by its digits; they stay lent. */
static bool
take_digits_of_number(ColumnType type, const char *digits, size_t length, Value *value,
					  const char **why)
{
	bool taken;

	switch (type)
	{
		case COLUMN_FLOAT4:
			taken = value_float4_parse(digits, length, &value->real);
			break;
		case COLUMN_FLOAT8:
			taken = value_float8_parse(digits, length, &value->real);
			break;
		case COLUMN_NUMERIC:
			taken = value_numeric_is_valid(digits, length) && lend_text(digits, length, value);
			break;
		case COLUMN_MONEY:
			taken = value_money_parse(digits, length, &value->integer);
			break;
		default:
			if (!takes_any_json(type))
				return refuse(why, "it is a number");
			taken = lend_text(digits, length, value);
	}
	return taken || refuse(why, OUT_OF_RANGE);
}

static bool
take_number(ColumnType type, const JsonField *field, Value *value, const char **why)
{
	if (type == COLUMN_INT8 || type == COLUMN_INT4 || type == COLUMN_INT2)
		return take_integral_number(type, field, value, why);
	return take_digits_of_number(type, field->text, field->length, value, why);
}

static bool
take_whole_number(ColumnType type, int64_t integer, char *buffer, size_t capacity, Value *value,
				  const char **why)
{
	char digits[DIGITS_MAX + 1];
	size_t length;

	switch (type)
	{
		case COLUMN_INT2:
		case COLUMN_INT4:
		case COLUMN_INT8:
			return take_integer(type, integer, value, why);
		case COLUMN_FLOAT8:
			value->real = (double) integer;
			return true;
		case COLUMN_FLOAT4:
			value->real = (float) integer;
			return true;
		case COLUMN_BOOL: /* as the server reads its digits */
			value->boolean = integer == 1;
			return integer == 0 || integer == 1 || refuse(why, "it is neither 0 nor 1");
		default:
			length = (size_t) (put_signed(digits, integer) - digits);
			if (length > capacity)
				return refuse(why, NO_ROOM);
			memcpy(buffer, digits, length);
			return take_digits_of_number(type, buffer, length, value, why);
	}
}

/* --- reading: strings and the rest -------------------------------------------------------- */

typedef struct Room
{
	char *next;
	size_t left;
} Room;

static bool
fill_room(void *context, const char *bytes, size_t length)
{
	Room *room = context;

	if (length > room->left)
		return false;
	memcpy(room->next, bytes, length);
	room->next += length;
	room->left -= length;
	return true;
}

/* A JSON document that is a string: the text of it, quotes and all. */
static bool
quote_string(const JsonField *field, char *buffer, size_t capacity, Value *value, const char **why)
{
	char piece[JSON_ENCODE_MIN_BUFFER];
	Room room = {buffer, capacity};
	JsonEncoder encoder;

	json_encoder_init(&encoder, piece, sizeof(piece), fill_room, &room);
	json_encode_string(&encoder, field->text, field->length);
	if (!json_encoder_flush(&encoder))
		return refuse(why, NO_ROOM);
	return lend_text(buffer, (size_t) (room.next - buffer), value);
}

static size_t
quoted_length(const char *text, size_t length)
{
	size_t quoted = length + 2;

	for (size_t i = 0; i < length; i++)
	{
		if (text[i] == '"' || text[i] == '\\')
			quoted++;
		else if ((unsigned char) text[i] < ' ')
			quoted += text[i] == '\0' || strchr("\b\t\n\f\r", text[i]) == NULL ? 5 : 1;
	}
	return quoted;
}

static bool
take_string(ColumnType type, const JsonField *field, char *buffer, size_t capacity, Value *value,
			const char **why)
{
	bool is_text = takes_any_json(type);

	if ((is_text && type != COLUMN_JSON) && memchr(field->text, '\0', field->length) != NULL)
		return refuse(why, "it holds the character \\u0000");
	if (is_json_type(type))
		return quote_string(field, buffer, capacity, value, why);
	if (is_text)
		return lend_text(field->text, field->length, value);
	if (type != COLUMN_BYTEA && type != COLUMN_UUID && field->length == 2 &&
		memcmp(field->text, "NA", 2) == 0)
	{
		value->is_null = true;
		return true;
	}
	if (field->length > capacity)
		return refuse(why, NO_ROOM);
	memcpy(buffer, field->text, field->length);
	return value_from_text(type, buffer, field->length, value) ||
		   refuse(why, "it has not the form of one, or is out of range");
}

static bool
take_bool(ColumnType type, bool boolean, Value *value, const char **why)
{
	if (type == COLUMN_BOOL)
	{
		value->boolean = boolean;
		return true;
	}
	if (!takes_any_json(type))
		return refuse(why, "it is a boolean");
	return boolean ? lend_text("true", 4, value) : lend_text("false", 5, value);
}

static bool
take_document(ColumnType type, const JsonField *field, Value *value, const char **why)
{
	if (!takes_any_json(type))
		return refuse(why, field->kind == JSON_FIELD_ARRAY ? "it is an array" : "it is an object");
	return lend_text(field->text, field->length, value);
}

bool
value_from_json(ColumnType type, const JsonField *field, char *buffer, size_t capacity,
				Value *value, const char **why)
{
	value->is_missing = field->kind == JSON_FIELD_MISSING;
	value->is_null = field->kind == JSON_FIELD_MISSING || field->kind == JSON_FIELD_NULL;
	switch (field->kind)
	{
		case JSON_FIELD_MISSING:
		case JSON_FIELD_NULL:
			return true;
		case JSON_FIELD_BOOL:
			return take_bool(type, field->boolean, value, why);
		case JSON_FIELD_INTEGER:
			return take_whole_number(type, field->integer, buffer, capacity, value, why);
		case JSON_FIELD_NUMBER:
			return take_number(type, field, value, why);
		case JSON_FIELD_STRING:
			return take_string(type, field, buffer, capacity, value, why);
		case JSON_FIELD_ARRAY:
		case JSON_FIELD_OBJECT:
			return take_document(type, field, value, why);
	}
	return refuse(why, "it is of no kind that JSON has");
}

size_t
value_json_room(ColumnType type, const JsonField *field)
{
	char digits[DIGITS_MAX + 1];

	if (field->kind == JSON_FIELD_INTEGER)
		return (size_t) (put_signed(digits, field->integer) - digits);
	if (field->kind != JSON_FIELD_STRING)
		return 0;
	return is_json_type(type) ? quoted_length(field->text, field->length) : field->length;
}

/* --- writing ------------------------------------------------------------------------------- */

static void
put_quoted(JsonEncoder *to, const char *plain, size_t length)
{
	json_encode_char(to, '"');
	json_encode_raw(to, plain, length);
	json_encode_char(to, '"');
}

/* NaN and the infinities, unlike a number, begin or end with a letter. */
static void
put_number(JsonEncoder *to, const char *text, size_t length)
{
	if (is_digit(text[length - 1]))
		json_encode_raw(to, text, length);
	else
		put_quoted(to, text, length);
}

static void
put_timestamp(JsonEncoder *to, int64_t timestamp_us, const char *zone)
{
	char text[VALUE_DATETIME_TEXT_MAX];

	put_quoted(to, text, value_timestamp_print(timestamp_us, 'T', zone, text));
}

/* What value_print writes, as a number or within quotes. */
static void
put_printed(JsonEncoder *to, ColumnType type, const Value *value, bool is_number)
{
	char text[VALUE_TEXT_MAX];
	size_t length = value_print(type, value, text);

	if (is_number)
		put_number(to, text, length);
	else
		put_quoted(to, text, length);
}

static void
put_bytea(JsonEncoder *to, const char *bytes, size_t length)
{
	json_encode_literal(to, "\"\\\\x");
	hex_encode(to, bytes, length);
	json_encode_char(to, '"');
}

static void
put_not_null(JsonEncoder *to, ColumnType type, const Value *value)
{
	switch (type)
	{
		case COLUMN_BOOL:
			json_encode_literal(to, value->boolean ? "true" : "false");
			break;
		case COLUMN_INT2:
		case COLUMN_INT4:
		case COLUMN_INT8:
			json_encode_int64(to, value->integer);
			break;
		case COLUMN_FLOAT4:
		case COLUMN_FLOAT8:
			put_printed(to, type, value, true);
			break;
		case COLUMN_NUMERIC:
			put_number(to, value->text.bytes, value->text.length);
			break;
		case COLUMN_MONEY:
		case COLUMN_DATE:
		case COLUMN_TIME:
		case COLUMN_UUID:
			put_printed(to, type, value, false);
			break;
		case COLUMN_TIMESTAMP:
			put_timestamp(to, value->integer, "");
			break;
		case COLUMN_TIMESTAMPTZ:
			put_timestamp(to, value->integer, "+00:00");
			break;
		case COLUMN_BYTEA:
			put_bytea(to, value->text.bytes, value->text.length);
			break;
		case COLUMN_JSON:
		case COLUMN_JSONB:
			json_encode_one_line(to, value->text.bytes, value->text.length);
			break;
		case COLUMN_TEXT:
		case COLUMN_BPCHAR:
		case COLUMN_ENUM:
		case COLUMN_OTHER:
			json_encode_string(to, value->text.bytes, value->text.length);
			break;
		case COLUMN_ARRAY:
		case COLUMN_COMPOSITE:
			break;
	}
}

void
value_put_json(JsonEncoder *to, ColumnType type, const Value *value)
{
	if (value->is_null)
		json_encode_raw(to, "null", 4);
	else
		put_not_null(to, type, value);
}
