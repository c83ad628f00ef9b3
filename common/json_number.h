/*
 * json_number.h - exact values from the digits of a JSON number.
 *
 * The input is the text of a valid JSON number (RFC 8259, section 6), as
 * json_frames lets through; no double is passed on the way.
 */
#ifndef TRANSFERBENCH_JSON_NUMBER_H
#define TRANSFERBENCH_JSON_NUMBER_H

#include <stddef.h>
#include <stdint.h>

typedef enum JsonNumberResult
{
	JSON_NUMBER_OK,
	JSON_NUMBER_NOT_INTEGRAL, /* a fraction is left after the decimal shift: 1.5, 1e-1 */
	JSON_NUMBER_OUT_OF_RANGE, /* integral, but not an int64 */
} JsonNumberResult;

/*
 * 9007199254740993, 9.007199254740993e15, 100e-2 and -0 are integral; the value is
 * exact. Exponents of any length are handled without looping over their value.
 */
extern JsonNumberResult json_number_to_int64(const char *text, size_t length, int64_t *value);

#endif
