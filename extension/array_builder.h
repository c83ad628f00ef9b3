/*
 * array_builder.h - puts an array together element by element, in the form that it
 * is stored in.
 *
 * Memory is the array's own: PostgreSQL's ArrayBuildState keeps a pointer, a flag and
 * a copy of every element beside it.
 */
#ifndef TRANSFERBENCH_ARRAY_BUILDER_H
#define TRANSFERBENCH_ARRAY_BUILDER_H

#include "utils/array.h"

typedef struct ArrayElementType
{
	Oid type;
	int16 length;
	bool by_value;
	char alignment;
} ArrayElementType;

typedef struct ArrayBuilder
{
	const ArrayElementType *element_type;
	char *bytes; /* what array there is: its header's room, then the elements */
	Size used, capacity;
	bits8 *null_bitmap;  /* NULL until the first null */
	int bitmap_capacity; /* elements */
	int elements;
} ArrayBuilder;

/* Allocates in the current context, here and in all that follows. `element_type` is lent. */
extern void array_builder_begin(ArrayBuilder *builder, const ArrayElementType *element_type);
/* Copies the element. Raises 54000 when the array would be larger than a value can be. */
extern void array_builder_add(ArrayBuilder *builder, Datum value, bool is_null);
/* The array: all dimensions have lower bound 1, and their product is the number of elements. */
extern ArrayType *array_builder_end(ArrayBuilder *builder, int ndims, const int *dims);

#endif
