/*
 * array_input.h - a JSON array into an SQL array, element by element.
 *
 * Dimensions are told as json_populate_record does: the brackets that the text
 * opens with are dimensions, and what stands within that many is an element, be
 * it an array itself (for json[]). An array whose elements are arrays by their
 * type (a domain over one, int2vector) has one dimension. Lower bounds are 1.
 * Each element is a value of its type (value_input.h), a JSON null a null.
 *
 * Memory beyond the array itself is that of one element; can be interrupted at each.
 */
#ifndef TRANSFERBENCH_ARRAY_INPUT_H
#define TRANSFERBENCH_ARRAY_INPUT_H

#include "value_input.h"

typedef struct ArrayInput ArrayInput;

/* For arrays of this type of element; `typmod` is the elements'. Lives in the current context. */
extern ArrayInput *array_input_create(Oid element_type, int32 typmod, ValueInputCounts *counts);

/* `json`: a compact JSON array. The array is in the current context. Raises what the elements
 * raise, 22P02 for dimensions that do not match, 54000 for too many. */
extern Datum array_input_convert(ArrayInput *input, const char *json, size_t length);

#endif
