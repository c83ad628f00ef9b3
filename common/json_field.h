/*
 * json_field.h - one value of a JSON text, exact: an int64, or the digits as they
 * were sent; strings unescaped; arrays and objects as they were sent but for white
 * space: digits, escapes, the order of keys and keys that come twice stay.
 */
#ifndef TRANSFERBENCH_JSON_FIELD_H
#define TRANSFERBENCH_JSON_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum JsonFieldKind
{
	JSON_FIELD_MISSING, /* no such key in the row */
	JSON_FIELD_NULL,
	JSON_FIELD_BOOL,
	JSON_FIELD_INTEGER, /* exact, in `integer`: no fraction, no exponent, an int64, and not -0 */
	JSON_FIELD_NUMBER,  /* text: any other number, as it was sent */
	JSON_FIELD_STRING,  /* text: UTF-8, unescaped; may hold NUL bytes */
	JSON_FIELD_ARRAY,   /* text: compact JSON, terminated */
	JSON_FIELD_OBJECT,  /* text: compact JSON, terminated */
} JsonFieldKind;

typedef struct JsonField
{
	JsonFieldKind kind;
	bool boolean;
	int64_t integer;
	const char *text; /* lent: how long it is valid, who made the field says */
	size_t length;    /* bytes */
} JsonField;

#endif
