/*
 * value_binary_test.c - values and PostgreSQL's binary form of them.
 */
#include "rows/value_binary.h"

#include <stdlib.h>

#include "rows/value_text.h"
#include "unit.h"
#include "unit_sink.h"
#include "value_vectors.h"

static Sink sink;
static char scratch[VALUE_NUMERIC_TEXT_MAX];

/* The bytes of hex digits, in memory of just that size. */
static char *
from_hex(const char *hex, size_t *length)
{
	char *bytes = malloc(strlen(hex) / 2 + 1);

	*length = strlen(hex) / 2;
	for (size_t i = 0; i < *length; i++)
	{
		unsigned byte;

		sscanf(hex + 2 * i, "%2x", &byte);
		bytes[i] = (char) byte;
	}
	return realloc(bytes, *length == 0 ? 1 : *length);
}

/* What was written, as hex; the length word checked and left out. */
static void
check_written(const char *wanted_hex, const char *name)
{
	static char hex[2 * sizeof(sink.bytes) + 1];
	const uint8_t *b = (const uint8_t *) sink.bytes;
	size_t length;

	if (!unit_ok(sink_end(&sink) && sink.length >= 4, name))
		return;
	length = (size_t) b[0] << 24 | (size_t) b[1] << 16 | (size_t) b[2] << 8 | b[3];
	for (size_t i = 4; i < sink.length; i++)
		snprintf(hex + 2 * (i - 4), 3, "%02x", b[i]);
	unit_equal_int((int64_t) length, (int64_t) sink.length - 4, name);
	unit_equal_bytes(hex, 2 * (sink.length - 4), wanted_hex, name);
}

/* jsonb_send writes the server's own spelling after the version; ours is as it came. */
static void
test_vector(const ValueVector *vector)
{
	ColumnType type = column_type_of_name(vector->type_name);
	char *text = malloc(strlen(vector->text) + 1);
	char printed[VALUE_TEXT_MAX] = "";
	char *next = scratch;
	char name[VECTOR_NAME_MAX];
	size_t length;
	char *bytes;
	Value value;

	value_vector_name(vector, "to binary", name);
	memcpy(text, vector->text, strlen(vector->text));
	value_from_text(type, text, strlen(vector->text), &value);
	if (unit_ok(value_put_binary(sink_begin(&sink), type, &value), name))
		check_written(vector->binary, name);
	free(text);

	value_vector_name(vector, "from binary", name);
	bytes = from_hex(vector->binary, &length);
	if (!unit_ok(value_from_binary(type, bytes, length, &next, &value), name))
		printf("# refused\n");
	else if (!column_type_is_text(type))
		unit_equal_bytes(printed, value_print(type, &value, printed), vector->text, name);
	else if (type != COLUMN_BYTEA)
		unit_equal_bytes(value.text.bytes, value.text.length, vector->text, name);
	else
		unit_ok(value.text.bytes == bytes && value.text.length == length, name);
	free(bytes);
}

static const struct
{
	const char *type_name;
	const char *hex;
} refused[] = {
	{"boolean", ""},
	{"boolean", "0001"},
	{"smallint", "000000"},
	{"integer", "0000"},
	{"bigint", "00000000"},
	{"real", "0000000000000000"},
	{"double precision", "00000000"},
	{"money", "00000000"},
	{"date", "ffda979600"},
	{"date", "ffda9796"},              /* the day before the first */
	{"time", "000000141dd76001"},      /* after 24:00:00 */
	{"time", "ffffffffffffffff"},      /* before 00:00:00 */
	{"timestamp", "7ffffffffffffffe"}, /* no infinity, and too late */
	{"uuid", "00112233445566778899aabbccddee"},
	{"jsonb", ""},
	{"jsonb", "027b7d"},
	{"numeric", "00000000000000"},
	{"numeric", "000100000000"},
	{"numeric", "0001000000000000"},     /* a digit is missing */
	{"numeric", "00000000000000000001"}, /* a digit too many */
	{"numeric", "00010000000000002710"}, /* the digit 10000 */
	{"numeric", "00010000100000000001"}, /* no such sign */
	{"numeric", "00010000000040000001"}, /* no such scale */
};

static void
test_refused(void)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
	{
		char *next = scratch;
		char name[128];
		size_t length;
		char *bytes = from_hex(refused[i].hex, &length);
		Value value;

		snprintf(name, sizeof(name), "%s 0x%s: is refused", refused[i].type_name, refused[i].hex);
		unit_ok(!value_from_binary(column_type_of_name(refused[i].type_name), bytes, length, &next,
								   &value),
				name);
		free(bytes);
	}
}

/* Forms that the server takes though it never writes them, with what it makes of them. */
static const struct
{
	const char *hex;
	const char *wanted;
} odd_numerics[] = {
	{"00010000400000000000", "0"},         /* minus zero */
	{"0001ffff4000000207d0", "-0.20"},     /* the scale is longer than the digits */
	{"0001ffff400000010032", "0.0"},       /* cut to the scale: nothing is left of -0.005 */
	{"0002000000000001000104d2", "1.1"},   /* cut to the scale */
	{"0003000200000000000000000001", "1"}, /* digits that are 0 before the first */
	{"00010002000000000001", "100000000"}, /* none behind the first */
	{"0001000000000000270f", "9999"},
	{"00010000c00000050001", "NaN"}, /* what else is there does not count */
};

static void
test_odd_numerics(void)
{
	for (size_t i = 0; i < sizeof(odd_numerics) / sizeof(odd_numerics[0]); i++)
	{
		char *next = scratch;
		char name[128];
		size_t length;
		char *bytes = from_hex(odd_numerics[i].hex, &length);
		Value value;

		snprintf(name, sizeof(name), "numeric 0x%s", odd_numerics[i].hex);
		if (unit_ok(value_from_binary(COLUMN_NUMERIC, bytes, length, &next, &value), name))
			unit_equal_bytes(value.text.bytes, value.text.length, odd_numerics[i].wanted, name);
		unit_ok(next == value.text.bytes + value.text.length, "the scratch is used up to its end");
		free(bytes);
	}
}

/* Numerics with an exponent, as JSON has them: the bytes of numeric_send of the same text. */
static const struct
{
	const char *text;
	const char *hex;
} exponents[] = {
	{"1e2", "00010000000000000064"},       {"1e+05", "0001000100000000000a"},
	{"15e-1", "000200000000000100011388"}, {"1.50e1", "0001000000000001000f"},
	{"-1.5E-3", "0001ffff40000004000f"},   {"0e5", "0000000000000000"},
	{"-0.00e1", "0000000000000001"},       {"123456.5e-2", "000200000000000304d21612"},
};

static void
test_exponents(void)
{
	for (size_t i = 0; i < sizeof(exponents) / sizeof(exponents[0]); i++)
	{
		Value value = {.text = {exponents[i].text, strlen(exponents[i].text)}};
		char name[128];

		snprintf(name, sizeof(name), "numeric %s: to binary", exponents[i].text);
		if (unit_ok(value_put_binary(sink_begin(&sink), COLUMN_NUMERIC, &value), name))
			check_written(exponents[i].hex, name);
	}
}

/* 131072 digits before and 16383 behind the point: the longest there is. */
static void
test_longest_numeric(void)
{
	enum
	{
		BEFORE = 131072,
		BEHIND = 16383,
		LENGTH = 1 + BEFORE + 1 + BEHIND
	};
	char *text = malloc(LENGTH);
	char *next = scratch;
	Value value = {.text = {text, LENGTH}}, back;

	for (int i = 0; i < LENGTH; i++)
		text[i] = (char) ('1' + i % 9);
	text[0] = '-';
	text[1 + BEFORE] = '.';
	unit_ok(value_put_binary(sink_begin(&sink), COLUMN_NUMERIC, &value) && sink_end(&sink),
			"the longest numeric: to binary");
	unit_equal_int((int64_t) sink.length, 4 + 8 + 2 * (BEFORE / 4 + (BEHIND + 3) / 4),
				   "the longest numeric: length");
	unit_ok(value_from_binary(COLUMN_NUMERIC, sink.bytes + 4, sink.length - 4, &next, &back) &&
				back.text.length == LENGTH && memcmp(back.text.bytes, text, LENGTH) == 0,
			"the longest numeric: and back");
	free(text);
}

static void
test_others(void)
{
	Value null = {.is_null = true};
	Value text = {.text = {"x", 1}};
	Value too_large = {.text = {"1e131072", 8}};
	char *next = scratch;
	Value value;

	for (int type = COLUMN_BOOL; type <= COLUMN_OTHER; type++)
	{
		unit_ok(value_put_binary(sink_begin(&sink), (ColumnType) type, &null) && sink_end(&sink),
				"null has a binary form, whatever its type");
		unit_equal_bytes(sink.bytes, sink.length, "\xff\xff\xff\xff", "null is the length -1");
	}
	unit_ok(!value_put_binary(sink_begin(&sink), COLUMN_OTHER, &text),
			"another type's value has no binary form");
	unit_ok(sink_end(&sink) && sink.length == 0, "and nothing is written");
	unit_ok(!value_put_binary(sink_begin(&sink), COLUMN_NUMERIC, &too_large),
			"a numeric beyond numeric's range has none");
	unit_ok(sink_end(&sink) && sink.length == 0, "and nothing is written for it");
	unit_ok(value_from_binary(COLUMN_OTHER, "\x01\x02", 2, &next, &value) &&
				value.text.length == 2 && next == scratch,
			"another type's bytes are lent");
}

int
main(void)
{
	for (size_t i = 0; i < VALUE_VECTORS; i++)
		if (value_vectors[i].binary != NULL)
			test_vector(&value_vectors[i]);
	test_refused();
	test_odd_numerics();
	test_exponents();
	test_longest_numeric();
	test_others();
	return unit_done();
}
