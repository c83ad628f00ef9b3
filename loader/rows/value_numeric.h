/*
 * value_numeric.h - numerics as text and in PostgreSQL's binary form, exact and with
 * their scale.
 *
 * The binary form (numeric_send, src/backend/utils/adt/numeric.c), 16 bits each, of
 * network order: count of digits, weight, sign, scale, then digits of base 10000. The
 * first digit stands for 10000^weight; the scale is that of the text, in decimal digits.
 */
#ifndef TRANSFERBENCH_VALUE_NUMERIC_H
#define TRANSFERBENCH_VALUE_NUMERIC_H

#include "json_encode.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the text is what a Value of COLUMN_NUMERIC may hold. */
extern bool value_numeric_is_valid(const char *text, size_t length);
/* NaN or an infinity. */
extern bool value_numeric_is_special(const char *text, size_t length);
/* Digits after the point, as numeric_out writes it; 0 for NaN and the infinities. */
extern size_t value_numeric_scale(const char *text, size_t length);

/* Writes the text, of VALUE_NUMERIC_TEXT_MAX bytes (value_binary.h) at most; its end, or NULL when
 * the bytes are not of the form. */
extern char *value_numeric_from_binary(const char *bytes, size_t length, char *to);
/* With the length word before it; false, with nothing written, when the text is not valid. */
extern bool value_numeric_put_binary(JsonEncoder *to, const char *text, size_t length);

#endif
