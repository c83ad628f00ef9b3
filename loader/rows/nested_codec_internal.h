/*
 * nested_codec_internal.h - what the forms of nested_codec.h share; for them alone.
 */
#ifndef TRANSFERBENCH_NESTED_CODEC_INTERNAL_H
#define TRANSFERBENCH_NESTED_CODEC_INTERNAL_H

#include "json_scan.h"
#include "rows/nested_walk.h"
#include "rows/nested_writer.h"

/* One value on its way. */
typedef struct NestedBuild
{
	NestedWriter *to; /* its binary form, or, when it is written, its text */
	char *numeric;    /* room for the digits of one numeric; NULL when the type has none */
	char *texts;      /* JSON: room for the texts of one value within, twice as long as all of it */
	JsonItem *items;  /* JSON: of the objects that are open, */
	size_t items_used;          /* one within the other */
	int64_t missing_attributes; /* JSON: that had no key */
	const char *why;            /* static words once something is refused */
} NestedBuild;

static inline bool
nested_refuse(NestedBuild *build, const char *words)
{
	build->why = words;
	return false;
}

/* Reads text, over itself, into the binary form. */
extern bool nested_read_text(NestedBuild *build, const NestedType *type, char *text, size_t length);
/* Compact JSON. */
extern bool nested_read_json(NestedBuild *build, const NestedType *type, const char *json,
							 const char *end);
/* Adds the text of a binary form that was checked. */
extern void nested_write_text(NestedBuild *build, const NestedType *type, const char *bytes,
							  size_t length);
/* `build` is for texts. False when out of memory. */
extern bool nested_write_json(NestedBuild *build, const NestedType *type, const char *bytes,
							  size_t length, JsonEncoder *to);

/* --- an array that is being written ---------------------------------------------------------- */

typedef struct NestedArrayBuild
{
	const NestedMember *element;
	size_t start; /* in the writer */
	int dimensions;
	int32_t lengths[NESTED_MAX_DIMENSIONS]; /* -1 until one is known */
	int32_t lower_bounds[NESTED_MAX_DIMENSIONS];
	size_t elements;
	bool has_nulls;
} NestedArrayBuild;

/* At least one dimension; false when there are too many. */
extern bool nested_array_build_begin(NestedBuild *build, NestedArrayBuild *array,
									 const NestedType *type, int dimensions);
/* A row of a dimension is over, of so many; false when others had another number. */
extern bool nested_array_build_row(NestedBuild *build, NestedArrayBuild *array, int dimension,
								   int32_t length);
/* Fills in the head. */
extern bool nested_array_build_end(NestedBuild *build, NestedArrayBuild *array);
extern void nested_put_null(NestedBuild *build);
/* A value that is no array or composite, with its length; its characters are checked. */
extern bool nested_put_leaf(NestedBuild *build, const NestedMember *member, const Value *value);

#endif
