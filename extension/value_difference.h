/*
 * value_difference.h - shows a person where two values of one column differ.
 *
 * Arrays and composites of the same shape are looked into, down to the first
 * element or attribute that differs by its digest.
 */
#ifndef TRANSFERBENCH_VALUE_DIFFERENCE_H
#define TRANSFERBENCH_VALUE_DIFFERENCE_H

#include "value_hasher.h"

/* A value with what hashes it. */
typedef struct HashedValue
{
	ValueHasher *hasher;
	Datum value;
	bool is_null;
} HashedValue;

typedef struct ValueDifference
{
	char *place; /* within the column's value: '[3].b', or "" for all of it */
	/* as JSON would have it: numbers bare, text in quotes with its escapes, null; long ones cut
	 * round the place where they begin to differ */
	char *texts[2];
} ValueDifference;

/* Lives in the current context, which takes garbage of the values' size. */
extern ValueDifference value_difference_show(const HashedValue *a, const HashedValue *b);

#endif
