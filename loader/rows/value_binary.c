#include "rows/value_binary.h"
#include "rows/network_order.h"
#include "rows/value_datetime.h"
#include "rows/value_numeric.h"

#include <string.h>

#define JSONB_VERSION  1 /* src/backend/utils/adt/jsonb.c, jsonb_send */
#define LENGTH_OF_NULL UINT32_MAX

/* --- reading ------------------------------------------------------------------------ */

static bool
lend_text(const char *bytes, size_t length, Value *value)
{
	value->text.bytes = bytes;
	value->text.length = length;
	return true;
}

static bool
read_bool(const char *bytes, size_t length, Value *value)
{
	value->boolean = length == 1 && *bytes != 0;
	return length == 1;
}

/* Of 2, 4 or 8 bytes, all of the field. */
static bool
read_integer(const char *bytes, size_t length, size_t wanted, int64_t *value)
{
	if (length != wanted)
		return false;
	if (wanted == 2)
		*value = (int16_t) load_uint16(bytes);
	else if (wanted == 4)
		*value = (int32_t) load_uint32(bytes);
	else
		*value = (int64_t) load_uint64(bytes);
	return true;
}

static bool
read_float4(const char *bytes, size_t length, Value *value)
{
	uint32_t bits;
	float real;

	if (length != sizeof(real))
		return false;
	bits = load_uint32(bytes);
	memcpy(&real, &bits, sizeof(real));
	value->real = real;
	return true;
}

static bool
read_float8(const char *bytes, size_t length, Value *value)
{
	uint64_t bits;

	if (length != sizeof(value->real))
		return false;
	bits = load_uint64(bytes);
	memcpy(&value->real, &bits, sizeof(value->real));
	return true;
}

static bool
read_numeric(const char *bytes, size_t length, char **scratch, Value *value)
{
	char *end = value_numeric_from_binary(bytes, length, *scratch);

	if (end == NULL)
		return false;
	lend_text(*scratch, (size_t) (end - *scratch), value);
	*scratch = end;
	return true;
}

static bool
read_uuid(const char *bytes, size_t length, Value *value)
{
	if (length != sizeof(value->uuid))
		return false;
	memcpy(value->uuid, bytes, sizeof(value->uuid));
	return true;
}

static bool
read_jsonb(const char *bytes, size_t length, Value *value)
{
	return length > 0 && *bytes == JSONB_VERSION && lend_text(bytes + 1, length - 1, value);
}

bool
value_from_binary(ColumnType type, const char *bytes, size_t length, char **scratch, Value *value)
{
	value->is_null = value->is_missing = false;
	switch (type)
	{
		case COLUMN_BOOL:
			return read_bool(bytes, length, value);
		case COLUMN_INT2:
			return read_integer(bytes, length, 2, &value->integer);
		case COLUMN_INT4:
			return read_integer(bytes, length, 4, &value->integer);
		case COLUMN_INT8:
		case COLUMN_MONEY:
			return read_integer(bytes, length, 8, &value->integer);
		case COLUMN_FLOAT4:
			return read_float4(bytes, length, value);
		case COLUMN_FLOAT8:
			return read_float8(bytes, length, value);
		case COLUMN_NUMERIC:
			return read_numeric(bytes, length, scratch, value);
		case COLUMN_DATE:
			return read_integer(bytes, length, 4, &value->integer) &&
				   value_date_in_range(value->integer);
		case COLUMN_TIME:
			return read_integer(bytes, length, 8, &value->integer) &&
				   value_time_in_range(value->integer);
		case COLUMN_TIMESTAMP:
		case COLUMN_TIMESTAMPTZ:
			return read_integer(bytes, length, 8, &value->integer) &&
				   value_timestamp_in_range(value->integer);
		case COLUMN_UUID:
			return read_uuid(bytes, length, value);
		case COLUMN_JSONB:
			return read_jsonb(bytes, length, value);
		case COLUMN_TEXT:
		case COLUMN_BPCHAR:
		case COLUMN_BYTEA:
		case COLUMN_JSON:
		case COLUMN_ENUM:
		case COLUMN_ARRAY:
		case COLUMN_COMPOSITE:
		case COLUMN_OTHER:
			return lend_text(bytes, length, value);
	}
	return false;
}

/* --- writing ------------------------------------------------------------------------ */

/* Writes the length and an integer of 1, 2, 4 or 8 bytes. */
static void
put_word(JsonEncoder *to, uint64_t word, uint32_t length)
{
	char bytes[4 + 8];
	char *at = store_uint32(bytes, length);

	switch (length)
	{
		case 1:
			*at = (char) word;
			break;
		case 2:
			store_uint16(at, (uint16_t) word);
			break;
		case 4:
			store_uint32(at, (uint32_t) word);
			break;
		default:
			store_uint64(at, word);
	}
	json_encode_raw(to, bytes, 4 + length);
}

static void
put_length(JsonEncoder *to, uint32_t length)
{
	char bytes[4];

	store_uint32(bytes, length);
	json_encode_raw(to, bytes, sizeof(bytes));
}

static bool
put_bytes(JsonEncoder *to, const char *bytes, size_t length)
{
	if (length > INT32_MAX)
		return false;
	put_length(to, (uint32_t) length);
	json_encode_raw(to, bytes, length);
	return true;
}

static bool
put_jsonb(JsonEncoder *to, const char *json, size_t length)
{
	if (length >= INT32_MAX)
		return false;
	put_length(to, (uint32_t) length + 1);
	json_encode_char(to, JSONB_VERSION);
	json_encode_raw(to, json, length);
	return true;
}

static uint32_t
bits_of_float(float real)
{
	uint32_t bits;

	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static uint64_t
bits_of_double(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

/* False when the type's binary form is no word of a fixed length. */
static bool
put_fixed(JsonEncoder *to, ColumnType type, const Value *value)
{
	switch (type)
	{
		case COLUMN_BOOL:
			put_word(to, value->boolean, 1);
			return true;
		case COLUMN_INT2:
			put_word(to, (uint64_t) value->integer, 2);
			return true;
		case COLUMN_INT4:
		case COLUMN_DATE:
			put_word(to, (uint64_t) value->integer, 4);
			return true;
		case COLUMN_INT8:
		case COLUMN_MONEY:
		case COLUMN_TIME:
		case COLUMN_TIMESTAMP:
		case COLUMN_TIMESTAMPTZ:
			put_word(to, (uint64_t) value->integer, 8);
			return true;
		case COLUMN_FLOAT4:
			put_word(to, bits_of_float((float) value->real), 4);
			return true;
		case COLUMN_FLOAT8:
			put_word(to, bits_of_double(value->real), 8);
			return true;
		default:
			return false;
	}
}

bool
value_put_binary(JsonEncoder *to, ColumnType type, const Value *value)
{
	if (value->is_null)
	{
		put_length(to, LENGTH_OF_NULL);
		return true;
	}
	if (put_fixed(to, type, value))
		return true;
	switch (type)
	{
		case COLUMN_NUMERIC:
			return value_numeric_put_binary(to, value->text.bytes, value->text.length);
		case COLUMN_UUID:
			return put_bytes(to, (const char *) value->uuid, sizeof(value->uuid));
		case COLUMN_JSONB:
			return put_jsonb(to, value->text.bytes, value->text.length);
		case COLUMN_TEXT:
		case COLUMN_BPCHAR:
		case COLUMN_BYTEA:
		case COLUMN_JSON:
		case COLUMN_ENUM:
		case COLUMN_ARRAY:
		case COLUMN_COMPOSITE:
			return put_bytes(to, value->text.bytes, value->text.length);
		default:
			return false;
	}
}
