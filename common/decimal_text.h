/*
 * decimal_text.h - a decimal number in text, taken apart; exact, whatever its length.
 *
 * The text is a number by the grammar of JSON (RFC 8259, section 6), which all that
 * PostgreSQL's numeric_out writes is too, but for NaN and the infinities. The limits are
 * those of numeric (src/backend/utils/adt/numeric.c), as its input function has them.
 */
#ifndef TRANSFERBENCH_DECIMAL_TEXT_H
#define TRANSFERBENCH_DECIMAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIMAL_MAX_INTEGER_DIGITS 131072
#define DECIMAL_MAX_SCALE          16383

/* +-0.DIGITS * 10^integer_digits */
typedef struct DecimalText
{
	bool is_negative;       /* zero is not */
	const char *first;      /* the first digit that is not 0; lent from the text */
	const char *end;        /* behind the last that is not 0; equal to first: zero */
	size_t digits;          /* from first to end; the decimal point may be among them */
	int64_t integer_digits; /* before the point, once the exponent is applied; below 0: zeros
	                         * between the point and the first digit. 0 for zero */
	int64_t scale; /* digits after the point, zeros included: 2 for 1.50, 0 for 1e2, 1 for 15e-1 */
} DecimalText;

/* False when it is no number, or beyond numeric's limits. */
extern bool decimal_text_read(const char *text, size_t length, DecimalText *decimal);

/* The next digit's value at *at, which is before `end`; moves *at behind it. */
static inline int
decimal_text_take(const char **at)
{
	if (**at == '.')
		++*at;
	return *(*at)++ - '0';
}

#endif
