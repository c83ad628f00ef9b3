/*
 * json_number_fuzz.c - numbers against arithmetic on their digits: json_number_to_int64,
 * decimal_text_read, and the digest of a decimal, which its spelling must not move.
 */
#include "decimal_text.h"
#include "fuzz.h"
#include "json_number.h"
#include "json_oracle.h"
#include "row_digest.h"

#include <stdlib.h>
#include <string.h>

/* An exponent beyond this is as good as any: no digits of an input make up for it. */
#define EXPONENT_ENOUGH 100000000
/* Longer than an int64, shorter than an __int128. */
#define DIGITS_ENOUGH 30

/* digits * 10^exponent, the digits without zeros at either end; none: zero */
typedef struct Decimal
{
	bool is_negative;
	char *digits;
	size_t length;
	long exponent;
	long scale; /* of the text: digits after the point, once the exponent is applied */
} Decimal;

static long
read_exponent(const char *p, const char *end)
{
	long exponent = 0;
	bool is_negative = *p == '-';

	p += *p == '-' || *p == '+';
	for (; p < end && exponent < EXPONENT_ENOUGH; p++)
		exponent = exponent * 10 + (*p - '0');
	return is_negative ? -exponent : exponent;
}

/* Of a valid number. */
static Decimal
read_decimal(const char *text, size_t length)
{
	Decimal decimal = {.is_negative = *text == '-', .digits = fuzz_allocate(length)};
	const char *p = text + decimal.is_negative, *end = text + length;
	bool after_point = false;
	size_t leading = 0;

	for (; p < end && *p != 'e' && *p != 'E'; p++)
	{
		if (*p == '.')
		{
			after_point = true;
			continue;
		}
		decimal.digits[decimal.length++] = *p;
		decimal.exponent -= after_point;
	}
	if (p < end)
		decimal.exponent += read_exponent(p + 1, end);
	decimal.scale = decimal.exponent < 0 ? -decimal.exponent : 0;
	for (; decimal.length > 0 && decimal.digits[decimal.length - 1] == '0'; decimal.length--)
		decimal.exponent++;
	while (leading < decimal.length && decimal.digits[leading] == '0')
		leading++;
	memmove(decimal.digits, decimal.digits + leading, decimal.length - leading);
	decimal.length -= leading;
	return decimal;
}

static JsonNumberResult
wanted_integer(const Decimal *decimal, int64_t *value)
{
	__int128 sum = 0;

	*value = 0;
	if (decimal->length == 0)
		return JSON_NUMBER_OK;
	if (decimal->exponent < 0)
		return JSON_NUMBER_NOT_INTEGRAL;
	if (decimal->exponent > DIGITS_ENOUGH ||
		decimal->length + (size_t) decimal->exponent > DIGITS_ENOUGH)
		return JSON_NUMBER_OUT_OF_RANGE;
	for (size_t i = 0; i < decimal->length; i++)
		sum = sum * 10 + (decimal->digits[i] - '0');
	for (long i = 0; i < decimal->exponent; i++)
		sum *= 10;
	if (decimal->is_negative)
		sum = -sum;
	*value = (int64_t) sum;
	return sum >= INT64_MIN && sum <= INT64_MAX ? JSON_NUMBER_OK : JSON_NUMBER_OUT_OF_RANGE;
}

static void
check_integer(const char *text, size_t length, const Decimal *decimal)
{
	int64_t got = 0, wanted;
	JsonNumberResult wanted_result = wanted_integer(decimal, &wanted);
	JsonNumberResult result = json_number_to_int64(text, length, &got);

	fuzz_require(result == wanted_result, "result %d, wanted %d", result, wanted_result);
	fuzz_require(result != JSON_NUMBER_OK || got == wanted, "%lld, wanted %lld", (long long) got,
				 (long long) wanted);
}

static void
check_text(const DecimalText *got, const Decimal *wanted)
{
	const char *at = got->first;

	fuzz_require(got->digits == wanted->length, "%zu digits, wanted %zu", got->digits,
				 wanted->length);
	for (size_t i = 0; i < wanted->length; i++)
		fuzz_require(decimal_text_take(&at) == wanted->digits[i] - '0', "digit %zu", i);
	fuzz_require(at == got->end, "the end of the digits");
	fuzz_require(got->scale == wanted->scale, "scale %ld, wanted %ld", (long) got->scale,
				 wanted->scale);
	fuzz_require(got->is_negative == (wanted->is_negative && wanted->length > 0), "the sign");
	fuzz_require(wanted->length == 0 ||
					 got->integer_digits == (long) wanted->length + wanted->exponent,
				 "%ld digits before the point", (long) got->integer_digits);
}

/* numeric_in's limits; of its exponent, before it looks at the digits, see decimal_text.c. */
static bool
is_within_limits(const Decimal *decimal)
{
	return decimal->scale <= DECIMAL_MAX_SCALE &&
		   (decimal->length == 0 ||
			(long) decimal->length + decimal->exponent <= DECIMAL_MAX_INTEGER_DIGITS);
}

/* The same number, spelled in the shortest way with an exponent, has the same digest. */
static void
check_digest(const char *text, size_t length, const Decimal *decimal)
{
	FuzzLog other = {0};

	if (decimal->length == 0)
		fuzz_log(&other, "0");
	else
		fuzz_log(&other, "%s%.*s0E%ld", decimal->is_negative ? "-" : "", (int) decimal->length,
				 decimal->digits, decimal->exponent - 1);
	fuzz_require(row_digest_decimal(7, text, length) ==
					 row_digest_decimal(7, other.bytes, other.length),
				 "another digest than %.*s", (int) other.length, other.bytes);
	fuzz_log_free(&other);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_copy(data, size);
	JsonOracleFacts facts = {0};
	bool is_number = size > 0 && (*text == '-' || (*text >= '0' && *text <= '9')) &&
					 json_oracle_value(text, text + size, &facts) == text + size;
	DecimalText read;
	bool is_read = decimal_text_read(text, size, &read);

	fuzz_require(is_number || !is_read, "no number of JSON is read");
	if (is_number)
	{
		Decimal decimal = read_decimal(text, size);

		check_integer(text, size, &decimal);
		if (is_read)
			check_text(&read, &decimal);
		fuzz_require(is_read || !is_within_limits(&decimal) || decimal.length == 0 ||
						 labs(decimal.exponent) > EXPONENT_ENOUGH / 2,
					 "a number is refused");
		if (labs(decimal.exponent) < EXPONENT_ENOUGH / 2)
			check_digest(text, size, &decimal);
		free(decimal.digits);
	}
	free(text);
	return 0;
}
