/*
 * digits.h - decimal digits, written and read by hand: no locale, no terminator, no
 * format string on the way of every value.
 */
#ifndef TRANSFERBENCH_DIGITS_H
#define TRANSFERBENCH_DIGITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 20 /* of a uint64 */

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

/* Writes at least `width` digits, zeros in front; returns the end. */
static inline char *
put_digits(char *to, uint64_t value, int width)
{
	char digits[DIGITS_MAX];
	int count = 0;

	do
	{
		digits[DIGITS_MAX - ++count] = (char) ('0' + value % 10);
		value /= 10;
	} while (value > 0);
	for (; count < width; width--)
		*to++ = '0';
	memcpy(to, digits + DIGITS_MAX - count, (size_t) count);
	return to + count;
}

/* The last two digits of a value, for what is written so often that the loop above shows. */
static inline char *
put_two_digits(char *to, unsigned value)
{
	to[0] = (char) ('0' + value / 10 % 10);
	to[1] = (char) ('0' + value % 10);
	return to + 2;
}

static inline uint64_t
magnitude_of(int64_t value)
{
	return value < 0 ? -(uint64_t) value : (uint64_t) value;
}

static inline char *
put_signed(char *to, int64_t value)
{
	if (value < 0)
		*to++ = '-';
	return put_digits(to, magnitude_of(value), 1);
}

/* Reads exactly `count` digits (at most 9) at *text and moves it behind them. */
static inline bool
take_digits(const char **text, const char *end, int count, int *value)
{
	const char *at = *text;

	if (end - at < count)
		return false;
	*value = 0;
	for (int i = 0; i < count; i++, at++)
	{
		if (!is_digit(*at))
			return false;
		*value = *value * 10 + (*at - '0');
	}
	*text = at;
	return true;
}

static inline bool
take_byte(const char **text, const char *end, char byte)
{
	if (*text == end || **text != byte)
		return false;
	++*text;
	return true;
}

static inline char
lower_case(char byte)
{
	return byte >= 'A' && byte <= 'Z' ? (char) (byte | 0x20) : byte;
}

/* Whether the text is this word, which is in lower case, in any case of its letters. */
static inline bool
is_word(const char *text, size_t length, const char *word)
{
	for (size_t i = 0; i < length; i++)
		if (word[i] == '\0' || lower_case(text[i]) != word[i])
			return false;
	return word[length] == '\0';
}

#endif
