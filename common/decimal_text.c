/* decimal_text.c - see decimal_text.h. */
#include "decimal_text.h"

/* numeric_in refuses exponents from INT_MAX / 2 on, before it looks at the digits */
#define EXPONENT_LIMIT (INT32_MAX / 2)

static inline bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static inline const char *
skip_digits(const char *text, const char *end)
{
	while (text < end && is_digit(*text))
		text++;
	return text;
}

/* Reads the exponent, behind its letter and up to the end. */
static bool
read_exponent(const char *text, const char *end, int64_t *exponent)
{
	bool is_negative = false;

	if (text < end && (*text == '+' || *text == '-'))
		is_negative = *text++ == '-';
	if (text == end)
		return false;
	*exponent = 0;
	for (; text < end && is_digit(*text) && *exponent < EXPONENT_LIMIT; text++)
		*exponent = *exponent * 10 + (*text - '0');
	if (is_negative)
		*exponent = -*exponent;
	return text == end && *exponent<EXPONENT_LIMIT && * exponent> - EXPONENT_LIMIT;
}

/* Finds the ends of the digits that count, given where all of them begin and end. */
static void
strip_zeros(DecimalText *decimal, const char *point)
{
	const char *first = decimal->first;
	const char *end = decimal->end;

	while (first < end && (*first == '0' || *first == '.'))
		first++;
	while (end > first && (end[-1] == '0' || end[-1] == '.'))
		end--;
	decimal->first = first;
	decimal->end = end;
	decimal->digits = (size_t) (end - first) - (first < point && point < end);
	decimal->integer_digits = point - first + (first > point);
}

bool
decimal_text_read(const char *text, size_t length, DecimalText *decimal)
{
	const char *end = text + length;
	const char *point, *digits_end;
	int64_t exponent = 0;

	decimal->is_negative = length > 0 && *text == '-';
	decimal->first = text + decimal->is_negative;
	point = digits_end = skip_digits(decimal->first, end);
	if (point == decimal->first || (*decimal->first == '0' && point - decimal->first > 1))
		return false;
	if (point < end && *point == '.')
	{
		digits_end = skip_digits(point + 1, end);
		if (digits_end == point + 1)
			return false;
	}
	if (digits_end < end && ((*digits_end != 'e' && *digits_end != 'E') ||
							 !read_exponent(digits_end + 1, end, &exponent)))
		return false;

	decimal->end = digits_end;
	decimal->scale = (digits_end > point ? digits_end - point - 1 : 0) - exponent;
	if (decimal->scale < 0)
		decimal->scale = 0;
	strip_zeros(decimal, point);
	decimal->integer_digits += exponent;
	if (decimal->digits == 0)
	{
		decimal->is_negative = false;
		decimal->integer_digits = 0;
	}
	return decimal->scale <= DECIMAL_MAX_SCALE &&
		   decimal->integer_digits <= DECIMAL_MAX_INTEGER_DIGITS;
}
