/*
 * composite_input.h - a JSON object into a composite value, attribute by attribute.
 *
 * Attributes are matched by name, in UTF-8. A member that is no attribute is
 * ignored; of a key that comes twice the last counts; an attribute that has no
 * member is a null, and counted. Each attribute is a value of its type
 * (value_input.h); dropped ones are null.
 */
#ifndef TRANSFERBENCH_COMPOSITE_INPUT_H
#define TRANSFERBENCH_COMPOSITE_INPUT_H

#include "value_input.h"

typedef struct CompositeInput CompositeInput;

/* For values of a composite type, which is no domain. Lives in the current context. */
extern CompositeInput *composite_input_create(Oid type, ValueInputCounts *counts);

/* `json`: a compact JSON object. The value is in the current context. Raises what the attributes
 * raise. Not to be entered again before it returns. */
extern Datum composite_input_convert(CompositeInput *input, const char *json, size_t length);

#endif
