#include "rows/value_money.h"
#include "rows/digits.h"

/* Adds a digit unless that leaves the range of an int64's magnitude, or nearly. */
static bool
add_digit(uint64_t *magnitude, char digit)
{
	if (*magnitude > INT64_MAX / 10)
		return false;
	*magnitude = *magnitude * 10 + (uint64_t) (digit - '0');
	return true;
}

/* Digits and commas; at least one digit. */
static bool
take_whole(const char **text, const char *end, uint64_t *magnitude)
{
	bool any = false;

	for (; *text < end && (is_digit(**text) || (any && **text == ',')); ++*text)
	{
		if (**text == ',')
			continue;
		any = true;
		if (!add_digit(magnitude, **text))
			return false;
	}
	return any && (*text)[-1] != ',';
}

bool
value_money_parse(const char *text, size_t length, int64_t *cents)
{
	const char *end = text + length;
	bool is_negative = take_byte(&text, end, '-');
	uint64_t magnitude = 0;
	const char *point;

	take_byte(&text, end, '$');
	if (!take_whole(&text, end, &magnitude))
		return false;
	point = text;
	if (take_byte(&text, end, '.') && text == end)
		return false;
	for (int i = 1; i <= 2; i++)
		if (!add_digit(&magnitude, end - point > i ? point[i] : '0'))
			return false;
	text = skip_digits(text, end);
	if (text != end || end - point > 3 || magnitude > (uint64_t) INT64_MAX + is_negative)
		return false;
	*cents = is_negative ? (int64_t) (0 - magnitude) : (int64_t) magnitude;
	return true;
}

size_t
value_money_print(int64_t cents, char *buffer)
{
	uint64_t magnitude = magnitude_of(cents);
	char digits[DIGITS_MAX];
	int count = (int) (put_digits(digits, magnitude / 100, 1) - digits);
	char *to = buffer;

	if (cents < 0)
		*to++ = '-';
	*to++ = '$';
	for (int i = 0; i < count; i++)
	{
		if (i > 0 && (count - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to++ = '.';
	to = put_digits(to, magnitude % 100, 2);
	return (size_t) (to - buffer);
}
