/*
 * value_float.h - floats and their text.
 *
 * Written as PostgreSQL writes them with extra_float_digits >= 1: the fewest digits
 * that read back the same, and of those the number next to the value
 * (src/common/d2s.c, f2s.c); plain from 0.0001 on and below 1e+15, or 1e+06 for
 * float4, else with an exponent. No locale of this machine matters.
 */
#ifndef TRANSFERBENCH_VALUE_FLOAT_H
#define TRANSFERBENCH_VALUE_FLOAT_H

#include <stdbool.h>
#include <stddef.h>

#define VALUE_FLOAT_TEXT_MAX 25 /* -1.2345678901234567e-308 */

/*
 * Reads [sign] digits [. digits] [e exponent], or NaN, [-]Infinity, [-]inf in any case;
 * correctly rounded. False for anything else, and for a number so large or so small
 * that the type has nothing but infinity or zero for it. float4 comes widened.
 */
extern bool value_float8_parse(const char *text, size_t length, double *value);
extern bool value_float4_parse(const char *text, size_t length, double *value);

/* Writes up to VALUE_FLOAT_TEXT_MAX bytes; returns how many. */
extern size_t value_float8_print(double value, char *buffer);
extern size_t value_float4_print(float value, char *buffer);

#endif
