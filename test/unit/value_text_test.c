/*
 * value_text_test.c - values out of PostgreSQL's text, and that text out of values.
 *
 * What the server writes: value_vectors.h. What people write, and what is refused: here.
 */
#include "rows/value_text.h"

#include <stdlib.h>

#include "unit.h"
#include "value_vectors.h"

/* Reads a copy that ends where the text ends, so that a sanitizer sees a byte too far. */
static bool
read_text(ColumnType type, const char *text, char **copy, Value *value)
{
	size_t length = strlen(text);

	*copy = malloc(length == 0 ? 1 : length);
	memcpy(*copy, text, length);
	memset(value, 0, sizeof(*value));
	return value_from_text(type, *copy, length, value);
}

static void
test_vector(const ValueVector *vector)
{
	ColumnType type = column_type_of_name(vector->type_name);
	char printed[VALUE_TEXT_MAX] = "";
	char name[VECTOR_NAME_MAX];
	char *copy;
	Value value;

	value_vector_name(vector, "is read", name);
	unit_ok(read_text(type, vector->text, &copy, &value), name);
	value_vector_name(vector, "is written", name);
	if (!column_type_is_text(type))
		unit_equal_bytes(printed, value_print(type, &value, printed), vector->text, name);
	else if (type != COLUMN_BYTEA)
		unit_equal_bytes(value.text.bytes, value.text.length, vector->text, name);
	free(copy);
}

static const struct
{
	const char *type_name;
	const char *text;
	const char *wanted; /* what it is written as; NULL: refused */
} readings[] = {
	{"boolean", "true", "t"},
	{"boolean", "FALSE", "f"},
	{"boolean", "yes", "t"},
	{"boolean", "0", "f"},
	{"boolean", "", NULL},
	{"boolean", "tr", NULL},
	{"boolean", "t ", NULL},
	{"smallint", "32768", NULL},
	{"smallint", "-32769", NULL},
	{"integer", "2147483648", NULL},
	{"integer", "-2147483649", NULL},
	{"bigint", "+5", "5"},
	{"bigint", "-007", "-7"},
	{"bigint", "000000000000000000000000000001", "1"},
	{"bigint", "9223372036854775808", NULL},
	{"bigint", "-9223372036854775809", NULL},
	{"bigint", "99999999999999999999", NULL},
	{"bigint", "", NULL},
	{"bigint", "-", NULL},
	{"bigint", "1.0", NULL},
	{"bigint", " 1", NULL},
	{"bigint", "12a", NULL},
	{"double precision", "1e23", "9.999999999999999e+22"},
	{"double precision", "17976931348623157e292", "1.7976931348623157e+308"},
	{"double precision", ".5", "0.5"},
	{"double precision", "5.", "5"},
	{"double precision", "+1E2", "100"},
	{"double precision", "nan", "NaN"},
	{"double precision", "-inf", "-Infinity"},
	{"double precision", "INFINITY", "Infinity"},
	{"double precision", "0e-400", "0"},
	{"double precision", "1e-320", "1e-320"},
	{"double precision",
	 "0."
	 "1000000000000000055511151231257827021181583404541015625000000000000000000000000000000000001",
	 "0.1"},
	{"double precision", "1e400", NULL},
	{"double precision", "-1e309", NULL},
	{"double precision", "1e-400", NULL},
	{"double precision", "", NULL},
	{"double precision", ".", NULL},
	{"double precision", "1e", NULL},
	{"double precision", "1e+", NULL},
	{"double precision", "0x10", NULL},
	{"double precision", "1,5", NULL},
	{"double precision", "nan(1)", NULL},
	{"double precision", "infinit", NULL},
	{"double precision", "1 ", NULL},
	/* halfway between two floats, and a little more: by way of a double both would be even */
	{"real", "1.00000005960464477539062500000000001", "1.0000001"},
	{"real", "1.000000059604644775390625", "1"},
	{"real", "3.5e38", NULL},
	{"real", "1e-46", NULL},
	{"numeric", "1e+05", "1e+05"},
	{"numeric", "1e131071", "1e131071"},
	{"numeric", "1e-16383", "1e-16383"},
	{"numeric", "1e131072", NULL},
	{"numeric", "1e-16384", NULL},
	{"numeric", "0e-16384", NULL},
	{"numeric", "1e99999999999999999999", NULL},
	{"numeric", "", NULL},
	{"numeric", "-", NULL},
	{"numeric", "nan", NULL},
	{"numeric", "1.", NULL},
	{"numeric", ".5", NULL},
	{"numeric", "01", NULL},
	{"numeric", "+1", NULL},
	{"numeric", "1e", NULL},
	{"numeric", "1.5.5", NULL},
	{"money", "1", "$1.00"},
	{"money", "-12.5", "-$12.50"},
	{"money", "$1234567.89", "$1,234,567.89"},
	{"money", "$92,233,720,368,547,758.08", NULL},
	{"money", "-$92,233,720,368,547,758.09", NULL},
	{"money", "$1.234", NULL},
	{"money", "$1.", NULL},
	{"money", "$", NULL},
	{"money", "$1.x", NULL},
	{"money", "1e3", NULL},
	{"date", "Infinity", "infinity"},
	{"date", "2023-02-29", NULL},
	{"date", "1900-02-29", NULL},
	{"date", "0000-01-01", NULL},
	{"date", "2000-13-01", NULL},
	{"date", "2000-00-01", NULL},
	{"date", "2000-01-00", NULL},
	{"date", "2000-1-1", NULL},
	{"date", "4714-11-23 BC", NULL},
	{"date", "5874898-01-01", NULL},
	{"date", "12345678-01-01", NULL},
	{"date", "2000-01-01 AD", NULL},
	{"date", "2000-01-01T00:00:00", NULL},
	{"date", "", NULL},
	{"time", "12:34", "12:34:00"},
	{"time", "23:59:60", "24:00:00"},
	{"time", "00:00:00.1234565", "00:00:00.123456"},
	{"time", "23:59:59.9999999", "24:00:00"},
	{"time", "24:00:00.000001", NULL},
	{"time", "24:01:00", NULL},
	{"time", "12:60:00", NULL},
	{"time", "12:00:61", NULL},
	{"time", "12:00:00.", NULL},
	{"time", "12:00:00+00", NULL},
	{"time", "1:00:00", NULL},
	{"timestamp", "2024-02-29T24:00", "2024-03-01 00:00:00"},
	{"timestamp", "2024-01-01 10:20:30+02", "2024-01-01 10:20:30"},
	{"timestamp", "2024-01-01 10:20:30.5Z", "2024-01-01 10:20:30.5"},
	{"timestamp", "4714-11-23 23:59:59 BC", NULL},
	{"timestamp", "294277-01-01 00:00:00", NULL},
	{"timestamp", "2024-01-01", NULL},
	{"timestamp", "2024-01-01 ", NULL},
	{"timestamp", "2024-01-01  10:20:30", NULL},
	{"timestamptz", "2024-03-31T01:30:00Z", "2024-03-31 01:30:00+00"},
	{"timestamptz", "2024-03-31t01:30:00z", "2024-03-31 01:30:00+00"},
	{"timestamptz", "2024-03-31 03:30:00+02", "2024-03-31 01:30:00+00"},
	{"timestamptz", "2024-03-31 07:00:00+05:30", "2024-03-31 01:30:00+00"},
	{"timestamptz", "2024-03-30 22:00:00.25-0330", "2024-03-31 01:30:00.25+00"},
	{"timestamptz", "2024-03-30 21:59:45-03:30:15", "2024-03-31 01:30:00+00"},
	{"timestamptz", "2024-03-31 01:30:00", "2024-03-31 01:30:00+00"},
	{"timestamptz", "0044-03-15 13:00:00+01:00 BC", "0044-03-15 12:00:00+00 BC"},
	{"timestamptz", "294277-01-01 00:00:00+01", "294276-12-31 23:00:00+00"},
	{"timestamptz", "4714-11-23 23:00:00-02 BC", "4714-11-24 01:00:00+00 BC"},
	{"timestamptz", "4714-11-24 00:00:00+01 BC", NULL},
	{"timestamptz", "294276-12-31 23:59:59-01", NULL},
	{"timestamptz", "2024-03-31 01:30:00+16", NULL},
	{"timestamptz", "2024-03-31 01:30:00+01:60", NULL},
	{"timestamptz", "2024-03-31 01:30:00+", NULL},
	{"timestamptz", "2024-03-31 01:30:00+1", NULL},
	{"timestamptz", "2024-03-31 01:30:00 UTC", NULL},
	{"uuid", "00112233445566778899AABBCCDDEEFF", "00112233-4455-6677-8899-aabbccddeeff"},
	{"uuid", "00112233-4455-6677-8899-aabbccddeef", NULL},
	{"uuid", "00112233-4455-6677-8899+aabbccddeeff", NULL},
	{"uuid", "00112233-4455-6677-8899-aabbccddeefg", NULL},
	{"bytea", "\\x41424A", "ABJ"},
	{"bytea", "\\x4", NULL},
	{"bytea", "\\xg0", NULL},
	{"bytea", "ab", NULL},
	{"bytea", "\\", NULL},
	{"bytea", "", NULL},
};

static void
test_reading(size_t i)
{
	ColumnType type = column_type_of_name(readings[i].type_name);
	char printed[VALUE_TEXT_MAX] = "";
	char name[256];
	char *copy;
	Value value;
	bool is_read = read_text(type, readings[i].text, &copy, &value);

	snprintf(name, sizeof(name), "%s '%s': %s", readings[i].type_name, readings[i].text,
			 readings[i].wanted == NULL ? "is refused" : "is read");
	unit_ok(is_read == (readings[i].wanted != NULL), name);
	snprintf(name, sizeof(name), "%s '%s': is written as it should be", readings[i].type_name,
			 readings[i].text);
	if (is_read && readings[i].wanted != NULL)
	{
		if (column_type_is_text(type))
			unit_equal_bytes(value.text.bytes, value.text.length, readings[i].wanted, name);
		else
			unit_equal_bytes(printed, value_print(type, &value, printed), readings[i].wanted, name);
	}
	free(copy);
}

static void
test_members(void)
{
	char *copy;
	Value value;

	unit_ok(read_text(COLUMN_TIMESTAMPTZ, "2000-01-01 00:00:01.5+00", &copy, &value) &&
				value.integer == 1500000,
			"a timestamptz is microseconds from 2000 on, UTC");
	free(copy);
	unit_ok(read_text(COLUMN_DATE, "1999-12-31", &copy, &value) && value.integer == -1,
			"a date is days from 2000-01-01 on");
	free(copy);
	unit_ok(read_text(COLUMN_DATE, "-infinity", &copy, &value) && value.integer == INT32_MIN,
			"a date's infinity is that of 32 bits");
	free(copy);
	unit_ok(read_text(COLUMN_TIMESTAMP, "infinity", &copy, &value) && value.integer == INT64_MAX,
			"a timestamp's infinity is that of 64 bits");
	free(copy);
	unit_ok(read_text(COLUMN_FLOAT4, "0.1", &copy, &value) && value.real == (double) 0.1f,
			"a real is widened exactly");
	free(copy);
	unit_ok(read_text(COLUMN_BYTEA, "\\x00ff", &copy, &value) && value.text.bytes == copy &&
				value.text.length == 2 && memcmp(copy, "\x00\xff", 2) == 0,
			"bytea is decoded in place");
	free(copy);
	value.is_null = value.is_missing = true;
	copy = malloc(1);
	unit_ok(value_from_text(COLUMN_TEXT, copy, 0, &value) && !value.is_null && !value.is_missing &&
				value.text.length == 0,
			"an empty text is not null");
	free(copy);
}

/* Every day of some years around what is special, and there and back. */
static void
test_calendar(void)
{
	static const int64_t starts[] = {-2451545, -730500, -36600, 2145031949 - 800};
	bool same = true, in_order = true;
	char before[VALUE_TEXT_MAX], text[VALUE_TEXT_MAX];

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
	{
		memset(before, 0, sizeof(before));
		for (int64_t days = starts[i]; days < starts[i] + 800; days++)
		{
			Value value = {.integer = days}, back;
			size_t length = value_print(COLUMN_DATE, &value, text);

			same &= value_from_text(COLUMN_DATE, text, length, &back) && back.integer == days;
			in_order &= memcmp(before, text, length) != 0;
			memcpy(before, text, length);
		}
	}
	unit_ok(same, "days read back as what they were written from");
	unit_ok(in_order, "no day is written twice");
}

/* Every exponent, with mantissas at both ends and in between. */
static void
test_all_exponents(void)
{
	static const uint64_t mantissas[] = {
		0, 1, 2, UINT64_C(0x8000000000000), UINT64_C(0xfffffffffffff), UINT64_C(0x5555555555555)};
	int different = 0;

	for (uint64_t exponent = 0; exponent < 2047; exponent++)
		for (size_t i = 0; i < sizeof(mantissas) / sizeof(mantissas[0]); i++)
		{
			uint64_t bits = exponent << 52 | mantissas[i];
			char text[VALUE_TEXT_MAX];
			Value value, back;
			size_t length;

			memcpy(&value.real, &bits, sizeof(bits));
			length = value_print(COLUMN_FLOAT8, &value, text);
			different += !value_from_text(COLUMN_FLOAT8, text, length, &back) ||
						 memcmp(&back.real, &value.real, sizeof(bits)) != 0;
		}
	unit_equal_int(different, 0, "doubles of every exponent read back the same");
}

int
main(void)
{
	for (size_t i = 0; i < VALUE_VECTORS; i++)
		test_vector(&value_vectors[i]);
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
		test_reading(i);
	test_members();
	test_calendar();
	test_all_exponents();
	return unit_done();
}
