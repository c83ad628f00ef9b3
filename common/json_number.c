/*
 * json_number.c - see json_number.h.
 *
 * The digits of the mantissa, the point left out, are numbered from 0; the
 * value is the integer that they spell, from the first to the last digit that
 * is not 0, times a power of ten. Everything is decided by counting digits,
 * before a single one is added up.
 */
#include "json_number.h"

#include <stdbool.h>

/* digits of the longest uint64 that any 19 digits fit into */
#define MAX_DIGITS 19

/* far beyond any count of digits in memory, and far from overflow when such a count is added */
#define EXPONENT_CAP (INT64_MAX / 4)

typedef struct Mantissa
{
	const char *first;   /* its first digit other than 0; NULL when all are 0 */
	const char *last;    /* its last digit other than 0 */
	int64_t first_index; /* their indexes among the digits */
	int64_t last_index;
	int64_t before_point; /* digits before the point */
} Mantissa;

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns where the mantissa ends: at the exponent's letter or at `end`. */
static const char *
read_mantissa(const char *p, const char *end, Mantissa *mantissa)
{
	int64_t digits = 0;
	bool after_point = false;

	*mantissa = (Mantissa){0};
	for (; p < end && (is_digit(*p) || *p == '.'); p++)
	{
		if (*p == '.')
		{
			mantissa->before_point = digits;
			after_point = true;
			continue;
		}
		if (*p != '0')
		{
			if (mantissa->first == NULL)
			{
				mantissa->first = p;
				mantissa->first_index = digits;
			}
			mantissa->last = p;
			mantissa->last_index = digits;
		}
		digits++;
	}
	if (!after_point)
		mantissa->before_point = digits;
	return p;
}

static int64_t
read_exponent(const char *p, const char *end)
{
	int64_t exponent = 0;
	bool negative = false;

	if (p == end)
		return 0;
	p++; /* e or E */
	if (p < end && (*p == '+' || *p == '-'))
		negative = *p++ == '-';
	for (; p < end && exponent < EXPONENT_CAP / 10; p++)
		exponent = exponent * 10 + (*p - '0');
	return negative ? -exponent : exponent;
}

static uint64_t
read_digits(const Mantissa *mantissa)
{
	uint64_t value = 0;

	for (const char *p = mantissa->first; p <= mantissa->last; p++)
	{
		if (*p != '.')
			value = value * 10 + (uint64_t) (*p - '0');
	}
	return value;
}

JsonNumberResult
json_number_to_int64(const char *text, size_t length, int64_t *value)
{
	const char *end = text + length;
	bool negative = length > 0 && *text == '-';
	Mantissa mantissa;
	int64_t power;
	uint64_t magnitude;

	text = read_mantissa(text + negative, end, &mantissa);
	if (mantissa.first == NULL)
	{
		*value = 0;
		return JSON_NUMBER_OK;
	}

	/* the power of ten that the last digit other than 0 stands at */
	power = read_exponent(text, end) + mantissa.before_point - 1 - mantissa.last_index;
	if (power < 0)
		return JSON_NUMBER_NOT_INTEGRAL;
	if (mantissa.last_index - mantissa.first_index + 1 + power > MAX_DIGITS)
		return JSON_NUMBER_OUT_OF_RANGE;

	magnitude = read_digits(&mantissa);
	for (; power > 0; power--) /* at most 18 times, by the check above */
		magnitude *= 10;
	if (magnitude > (uint64_t) INT64_MAX + negative)
		return JSON_NUMBER_OUT_OF_RANGE;
	/* the magnitude of INT64_MIN is no int64: -(m - 1) - 1 */
	*value = negative ? -(int64_t) (magnitude - 1) - 1 : (int64_t) magnitude;
	return JSON_NUMBER_OK;
}
