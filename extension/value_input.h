/*
 * value_input.h - a JSON field into a PostgreSQL value of one type, at any depth.
 *
 * Numbers become values from their own digits; a double is passed only when
 * the type is one. Integer types take any number that is integral after its
 * decimal shift (9.007199254740993e15). JSON arrays become arrays
 * (array_input.h), objects composites (composite_input.h); json and jsonb take
 * any JSON as it is; all else goes through the type's input function. Domains
 * have their say about values and nulls. Errors are the types' own.
 */
#ifndef TRANSFERBENCH_VALUE_INPUT_H
#define TRANSFERBENCH_VALUE_INPUT_H

#include "json_field.h"

typedef struct ValueInput ValueInput;

/* What is said of all the values within one column. */
typedef struct ValueInputCounts
{
	int64 missing_attributes; /* attributes of composites that had no key */
} ValueInputCounts;

/* Lives in the current context, as does what it makes later for the types within; `counts` must
 * outlive it. The type is no pseudo-type, nor a domain over one. */
extern ValueInput *value_input_create(Oid type, int32 typmod, ValueInputCounts *counts);

/* The value or null of a field, whose text need not be terminated, in the current context, which
 * takes the garbage too. */
extern Datum value_input_convert(ValueInput *input, const JsonField *field, bool *is_null);

/* The same of the text of one value, compact, within the text of a field. */
extern Datum value_input_convert_text(ValueInput *input, const char *json, const char *json_end,
									  bool *is_null);

extern bool value_input_is_array(const ValueInput *input);

/* Whether the type takes a JSON array as one value: arrays, json. */
extern bool value_input_takes_array(const ValueInput *input);

/* Whether the string "NA" can only mean that there is no value: numbers, booleans, dates and
 * times. An enum or json could have it for a value. */
extern bool value_input_na_is_null(const ValueInput *input);

#endif
