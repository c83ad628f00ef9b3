/*
 * value_float.c - see value_float.h.
 *
 * A float is c * 2^q. The decimal numbers that read back as it are those between
 * the midpoints to its neighbours. With k such that 10^k is at most the width of that
 * interval, and 10^(k+1) more, the interval holds one or more multiples of 10^k and at most
 * one of 10^(k+1): this one is the shortest if it exists, else the multiple of 10^k
 * next to the float is. (R. Giulietti, 'The Schubfach way to render doubles', 2020,
 * proves it.) A midpoint itself is left out, as PostgreSQL leaves it out: how it
 * reads back is the reader's rounding.
 *
 * All comparisons are made in quarters of 10^k, of which at most 59 bits are before
 * the point. They are exact although the powers of ten are rounded up to 128 bits:
 * that adds less than 2^-68 to a product, while a product that is no integer is
 * more than 2^-66 above one and more than 2^-64 below the next. (Least and largest
 * fractions over all c, for every q, computed by continued fractions.)
 */
#include "rows/value_float.h"
#include "rows/digits.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- powers of ten ------------------------------------------------------------- */

#define LEAST_POWER   (-292)
#define LARGEST_POWER 324
#define POWERS        (LARGEST_POWER - LEAST_POWER + 1)

/* 10^324 and 2^1152 / 10^292, the latter with 128 bits and more */
#define BIG_WORDS 36

typedef struct Power
{
	uint64_t high, low; /* the first 128 bits of 10^e, rounded up */
} Power;

static Power powers[POWERS];
static locale_t c_locale;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void
big_multiply_by_ten(uint32_t *big)
{
	uint64_t carry = 0;

	for (int i = 0; i < BIG_WORDS; i++)
	{
		carry += (uint64_t) big[i] * 10;
		big[i] = (uint32_t) carry;
		carry >>= 32;
	}
}

static void
big_divide_by_ten(uint32_t *big, uint64_t rest)
{
	for (int i = BIG_WORDS - 1; i >= 0; i--)
	{
		rest = rest << 32 | big[i];
		big[i] = (uint32_t) (rest / 10);
		rest %= 10;
	}
}

/* The bits [from, from + 64) of a big number; those outside of it are 0. */
static uint64_t
big_bits(const uint32_t *big, int from)
{
	uint64_t bits = 0;

	for (int i = 63; i >= 0; i--)
	{
		int place = from + i;
		uint64_t bit = place < 0 ? 0 : big[place / 32] >> (place % 32) & 1;

		bits = bits << 1 | bit;
	}
	return bits;
}

/* The first 128 bits; one is added in the last place when more follow. */
static Power
big_power(const uint32_t *big, bool more_follows)
{
	int top = BIG_WORDS * 32 - 1;
	Power power;

	while ((big[top / 32] >> (top % 32) & 1) == 0)
		top--;
	for (int place = top - 128; place >= 0 && !more_follows; place--)
		more_follows = big[place / 32] >> (place % 32) & 1;
	power.high = big_bits(big, top - 63);
	power.low = big_bits(big, top - 127);
	if (more_follows && ++power.low == 0)
		power.high++;
	return power;
}

static void
prepare(void)
{
	uint32_t big[BIG_WORDS] = {1};

	for (int e = 0; e <= LARGEST_POWER; e++)
	{
		powers[e - LEAST_POWER] = big_power(big, false);
		big_multiply_by_ten(big);
	}

	/* 2^1152: a one that stands before the first word */
	memset(big, 0, sizeof(big));
	big_divide_by_ten(big, 1);
	for (int e = -1; e >= LEAST_POWER; e--)
	{
		powers[e - LEAST_POWER] = big_power(big, true);
		big_divide_by_ten(big, 0);
	}

	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t) 0);
}

/* --- the shortest digits --------------------------------------------------------- */

/* digits * 10^exponent */
typedef struct Decimal
{
	uint64_t digits;
	int exponent;
} Decimal;

/* These three are exact for all exponents of floats (|q| <= 1080, |e| <= 325), and rely on >> of a
 * negative number being arithmetic, as it is with every compiler of PostgreSQL. */
static inline int
floor_log10_of_power_of_2(int q)
{
	return (q * 1262611) >> 22;
}

static inline int
floor_log10_of_three_quarters(int q) /* of 3/4 * 2^q */
{
	return (q * 1262611 - 524031) >> 22;
}

static inline int
floor_log2_of_power_of_10(int e)
{
	return (e * 1741647) >> 19;
}

/* The 128 bits of a * b. */
static inline uint64_t
multiply(uint64_t a, uint64_t b, uint64_t *low)
{
	uint64_t a_low = (uint32_t) a, a_high = a >> 32;
	uint64_t b_low = (uint32_t) b, b_high = b >> 32;
	uint64_t first = a_low * b_low;
	uint64_t second = a_high * b_low + (first >> 32);
	uint64_t third = a_low * b_high + (uint32_t) second;

	*low = third << 32 | (uint32_t) first;
	return a_high * b_high + (second >> 32) + (third >> 32);
}

/*
 * factor * power / 2^128 without its fraction; but with the last bit set when there is
 * one ('rounding to odd'), so that comparing with an even number is exact.
 */
static inline uint64_t
scale(uint64_t factor, Power power)
{
	uint64_t rest, fraction, carry, whole;

	carry = multiply(factor, power.low, &rest);
	whole = multiply(factor, power.high, &fraction);
	fraction += carry;
	whole += fraction < carry;
	/* of what is below 2^-64 only the bits that the rounded power cannot have made */
	return whole | ((fraction | rest >> 61) != 0);
}

/* `at_power_of_2`: the neighbour below is only half as far as the one above. */
static Decimal
shortest_digits(uint64_t c, int q, bool at_power_of_2)
{
	int k = at_power_of_2 ? floor_log10_of_three_quarters(q) : floor_log10_of_power_of_2(q);
	Power power = powers[-k - LEAST_POWER];
	int shift = q + floor_log2_of_power_of_10(-k) + 1;
	uint64_t lower = scale((4 * c - (at_power_of_2 ? 1 : 2)) << shift, power);
	uint64_t exact = scale((4 * c) << shift, power);
	uint64_t upper = scale((4 * c + 2) << shift, power);
	uint64_t below = exact / 4; /* the multiple of 10^k there, or next below */
	uint64_t tens = below / 10 * 10;
	bool below_fits, above_fits;

	if (lower < 4 * tens)
		return (Decimal){tens / 10, k + 1};
	if (4 * (tens + 10) < upper)
		return (Decimal){tens / 10 + 1, k + 1};
	below_fits = lower < 4 * below;
	above_fits = 4 * (below + 1) < upper;
	if (below_fits && above_fits)
		above_fits = exact > 4 * below + 2 || (exact == 4 * below + 2 && below % 2 == 1);
	return (Decimal){below + above_fits, k};
}

static size_t
put_plain(char *buffer, const char *digits, int count, int exponent)
{
	int before_point = count + exponent;
	char *to = buffer;

	if (before_point <= 0)
	{
		memcpy(to, "0.0000", 6);
		to += 2 - before_point;
		before_point = 0;
	}
	else if (before_point >= count)
	{
		memcpy(to, digits, (size_t) count);
		memset(to + count, '0', (size_t) exponent);
		return (size_t) before_point;
	}
	else
	{
		memcpy(to, digits, (size_t) before_point);
		to += before_point;
		*to++ = '.';
	}
	memcpy(to, digits + before_point, (size_t) (count - before_point));
	return (size_t) (to - buffer) + (size_t) (count - before_point);
}

static size_t
put_with_exponent(char *buffer, const char *digits, int count, int exponent)
{
	char *to = buffer;

	*to++ = *digits;
	if (count > 1)
	{
		*to++ = '.';
		memcpy(to, digits + 1, (size_t) count - 1);
		to += count - 1;
	}
	*to++ = 'e';
	*to++ = exponent < 0 ? '-' : '+';
	to = put_digits(to, magnitude_of(exponent), 2);
	return (size_t) (to - buffer);
}

/* `plain_below`: the power of ten from which on an exponent is written. */
static size_t
put_decimal(char *buffer, Decimal decimal, int plain_below)
{
	char digits[DIGITS_MAX];
	int count, exponent;

	while (decimal.digits % 10 == 0)
	{
		decimal.digits /= 10;
		decimal.exponent++;
	}
	count = (int) (put_digits(digits, decimal.digits, 1) - digits);
	exponent = decimal.exponent + count - 1;
	if (exponent >= -4 && exponent < plain_below)
		return put_plain(buffer, digits, count, decimal.exponent);
	return put_with_exponent(buffer, digits, count, exponent);
}

/* NaN, the infinities and zeros; 0 when the value is none of these. */
static size_t
put_special(char *buffer, double value)
{
	const char *text;

	if (isnan(value))
		text = "NaN";
	else if (isinf(value))
		text = value > 0 ? "Infinity" : "-Infinity";
	else if (value == 0)
		text = signbit(value) ? "-0" : "0";
	else
		return 0;
	memcpy(buffer, text, strlen(text));
	return strlen(text);
}

/* `mantissa` and `biased_exponent` as IEEE 754 has them, with so many bits of mantissa. */
static size_t
put_finite(char *to, uint64_t mantissa, int biased_exponent, int mantissa_bits, int bias,
		   int plain_below)
{
	bool at_power_of_2 = mantissa == 0 && biased_exponent > 1;
	int q = (biased_exponent == 0 ? 1 : biased_exponent) - bias - mantissa_bits;

	if (biased_exponent > 0)
		mantissa |= UINT64_C(1) << mantissa_bits;
	return put_decimal(to, shortest_digits(mantissa, q, at_power_of_2), plain_below);
}

size_t
value_float8_print(double value, char *buffer)
{
	size_t length = put_special(buffer, value);
	uint64_t bits;

	if (length > 0)
		return length;
	pthread_once(&prepared, prepare);
	memcpy(&bits, &value, sizeof(bits));
	if (value < 0)
		buffer[length++] = '-';
	return length + put_finite(buffer + length, bits & ((UINT64_C(1) << 52) - 1),
							   (int) (bits >> 52 & 0x7ff), 52, 1023, 15);
}

size_t
value_float4_print(float value, char *buffer)
{
	size_t length = put_special(buffer, value);
	uint32_t bits;

	if (length > 0)
		return length;
	pthread_once(&prepared, prepare);
	memcpy(&bits, &value, sizeof(bits));
	if (value < 0)
		buffer[length++] = '-';
	return length + put_finite(buffer + length, bits & ((UINT32_C(1) << 23) - 1),
							   (int) (bits >> 23 & 0xff), 23, 127, 6);
}

/* --- parsing -------------------------------------------------------------------- */

#define SHORT_NUMBER 64

static bool
is_decimal_number(const char *text, const char *end)
{
	const char *digits, *point;

	if (text < end && (*text == '-' || *text == '+'))
		text++;
	digits = text;
	point = text = skip_digits(text, end);
	if (take_byte(&text, end, '.'))
		text = skip_digits(point + 1, end);
	if (text - digits - (text > point) <= 0)
		return false;
	if (text < end && (*text | 0x20) == 'e')
	{
		text++;
		if (text < end && (*text == '-' || *text == '+'))
			text++;
		if (text == end || !is_digit(*text))
			return false;
		text = skip_digits(text, end);
	}
	return text == end;
}

static bool
parse_special(const char *text, size_t length, double *value)
{
	bool has_sign = length > 0 && (*text == '-' || *text == '+');
	bool negative = has_sign && *text == '-';

	if (is_word(text, length, "nan"))
	{
		*value = NAN;
		return true;
	}
	text += has_sign;
	length -= has_sign;
	*value = negative ? -INFINITY : INFINITY;
	return is_word(text, length, "infinity") || is_word(text, length, "inf");
}

/* What the library reads in the C locale, out of terminated text that is a number. */
static bool
convert(const char *text, bool is_float4, double *value)
{
	errno = 0;
	*value = is_float4 ? strtof_l(text, NULL, c_locale) : strtod_l(text, NULL, c_locale);
	/* small numbers with fewer bits raise the error too, and are fine */
	return errno != ERANGE || (*value != 0 && !isinf(*value));
}

static bool
parse(const char *text, size_t length, bool is_float4, double *value)
{
	char short_copy[SHORT_NUMBER];
	char *copy = short_copy;
	bool parsed;

	if (!is_decimal_number(text, text + length))
		return parse_special(text, length, value);
	pthread_once(&prepared, prepare);
	if (length >= sizeof(short_copy))
		copy = malloc(length + 1);
	if (copy == NULL || c_locale == (locale_t) 0)
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	parsed = convert(copy, is_float4, value);
	if (copy != short_copy)
		free(copy);
	return parsed;
}

bool
value_float8_parse(const char *text, size_t length, double *value)
{
	return parse(text, length, false, value);
}

bool
value_float4_parse(const char *text, size_t length, double *value)
{
	return parse(text, length, true, value);
}
