/*
 * json_number_test.c - exact integers from any spelling of a JSON number.
 */
#include "unit.h"

#include <stdlib.h>

#include "json_number.h"

typedef struct Case
{
	const char *text;
	JsonNumberResult result;
	int64_t value;
} Case;

static const Case cases[] = {
	{"0", JSON_NUMBER_OK, 0},
	{"-0", JSON_NUMBER_OK, 0},
	{"0.0", JSON_NUMBER_OK, 0},
	{"-0.000e-99999999999999999999", JSON_NUMBER_OK, 0},
	{"0e99999999999999999999", JSON_NUMBER_OK, 0},
	{"1", JSON_NUMBER_OK, 1},
	{"-1", JSON_NUMBER_OK, -1},
	{"10", JSON_NUMBER_OK, 10},
	{"1000000000000000000", JSON_NUMBER_OK, INT64_C(1000000000000000000)},
	{"9007199254740993", JSON_NUMBER_OK, INT64_C(9007199254740993)},
	{"9.007199254740993e15", JSON_NUMBER_OK, INT64_C(9007199254740993)},
	{"9.007199254740993E+15", JSON_NUMBER_OK, INT64_C(9007199254740993)},
	{"900719925474099300e-2", JSON_NUMBER_OK, INT64_C(9007199254740993)},
	{"0.00009007199254740993e20", JSON_NUMBER_OK, INT64_C(9007199254740993)},
	{"1.0", JSON_NUMBER_OK, 1},
	{"1.50e1", JSON_NUMBER_OK, 15},
	{"100e-2", JSON_NUMBER_OK, 1},
	{"100.00e-2", JSON_NUMBER_OK, 1},
	{"1e18", JSON_NUMBER_OK, INT64_C(1000000000000000000)},
	{"1e000000000000000000000000000000018", JSON_NUMBER_OK, INT64_C(1000000000000000000)},
	{"9223372036854775807", JSON_NUMBER_OK, INT64_MAX},
	{"9223372036854775807e0", JSON_NUMBER_OK, INT64_MAX},
	{"9.223372036854775807e18", JSON_NUMBER_OK, INT64_MAX},
	{"9223372036854775807.000", JSON_NUMBER_OK, INT64_MAX},
	{"-9223372036854775807", JSON_NUMBER_OK, -INT64_MAX},
	{"-9223372036854775808", JSON_NUMBER_OK, INT64_MIN},
	{"-9223372036854775808000e-3", JSON_NUMBER_OK, INT64_MIN},
	{"9223372036854775808", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"-9223372036854775809", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"9999999999999999999", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"18446744073709551615", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"18446744073709551617", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"1e19", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"-1e19", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"1e400", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"1e9223372036854775807", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"1.5e99999999999999999999999999", JSON_NUMBER_OUT_OF_RANGE, 0},
	{"1.5", JSON_NUMBER_NOT_INTEGRAL, 0},
	{"-0.5", JSON_NUMBER_NOT_INTEGRAL, 0},
	{"1e-1", JSON_NUMBER_NOT_INTEGRAL, 0},
	{"10e-2", JSON_NUMBER_NOT_INTEGRAL, 0},
	{"1.05e1", JSON_NUMBER_NOT_INTEGRAL, 0},
	{"12345678901234567890.5", JSON_NUMBER_NOT_INTEGRAL, 0},
	{"1e-99999999999999999999999999", JSON_NUMBER_NOT_INTEGRAL, 0},
	{"1e-9223372036854775808", JSON_NUMBER_NOT_INTEGRAL, 0},
};

static void
test_case(const Case *wanted)
{
	/* what follows the number is not looked at, nor is anything read behind it */
	size_t length = strlen(wanted->text);
	char *copy = malloc(length);
	int64_t value = 42;
	JsonNumberResult result;
	char name[128];

	memcpy(copy, wanted->text, length);
	result = json_number_to_int64(copy, length, &value);
	free(copy);
	snprintf(name, sizeof(name), "%s: result", wanted->text);
	unit_equal_int(result, wanted->result, name);
	if (wanted->result == JSON_NUMBER_OK)
	{
		snprintf(name, sizeof(name), "%s: value", wanted->text);
		unit_equal_int(value, wanted->value, name);
	}
}

/* A megabyte of digits on either side. */
static void
test_long_numbers(void)
{
	enum
	{
		ZEROS = 1000000
	};
	static char text[2 * ZEROS + 64];
	int64_t value = 0;
	int length;

	memset(text, '0', sizeof(text));
	text[0] = '7';
	length = snprintf(text + 1 + ZEROS, 64, "e-%d", ZEROS);
	/* snprintf ended the digits; the text is 7, the zeros, the exponent */
	unit_equal_int(json_number_to_int64(text, (size_t) (1 + ZEROS + length), &value),
				   JSON_NUMBER_OK, "7 with a million zeros and e-1000000: result");
	unit_equal_int(value, 7, "7 with a million zeros and e-1000000: value");

	memset(text, '0', sizeof(text));
	text[1] = '.';
	text[ZEROS] = '7';
	length = snprintf(text + 1 + ZEROS, 64, "e%d", ZEROS + 1);
	unit_equal_int(json_number_to_int64(text, (size_t) (1 + ZEROS + length), &value),
				   JSON_NUMBER_OK, "0.(zeros)7e1000001: result");
	unit_equal_int(value, 700, "0.(zeros)7e1000001: value");
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(&cases[i]);
	test_long_numbers();
	return unit_done();
}
