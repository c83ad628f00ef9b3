/*
 * nested_walk.h - steps through the binary form of an array or a composite (nested_type.h). Nothing
 * is believed: each step looks at the bytes that are left, and is false where they are not of the
 * form. Only nested_check looks at OIDs: a value that was checked may be compared with one of
 * another database, which has other OIDs for the same types.
 */
#ifndef TRANSFERBENCH_NESTED_WALK_H
#define TRANSFERBENCH_NESTED_WALK_H

#include "rows/nested_type.h"
#include "rows/network_order.h"

#define NESTED_MAX_DIMENSIONS 6 /* MAXDIM, src/include/c.h */
#define NESTED_LENGTH_BYTES   4
#define NESTED_NULL_LENGTH    (-1)
#define NESTED_ARRAY_HEAD     12 /* before the dimensions */
#define NESTED_DIMENSION      8
#define NESTED_COMPOSITE_HEAD 4
#define NESTED_OID_BYTES      4

typedef struct NestedCursor
{
	const char *at, *end;
} NestedCursor;

/* An element, or the value of an attribute; lent. */
typedef struct NestedField
{
	unsigned type_oid; /* of an attribute */
	bool is_null;
	const char *bytes;
	size_t length;
} NestedField;

typedef struct NestedArray
{
	unsigned element_oid;
	int dimensions; /* 0: it is empty */
	int32_t lengths[NESTED_MAX_DIMENSIONS];
	int32_t lower_bounds[NESTED_MAX_DIMENSIONS];
	size_t elements;
	NestedCursor cursor; /* before the first element */
} NestedArray;

static inline bool
nested_take_field(NestedCursor *cursor, NestedField *field)
{
	int32_t length;

	if (cursor->end - cursor->at < NESTED_LENGTH_BYTES)
		return false;
	length = (int32_t) load_uint32(cursor->at);
	cursor->at += NESTED_LENGTH_BYTES;
	field->is_null = length == NESTED_NULL_LENGTH;
	field->bytes = cursor->at;
	field->length = field->is_null || length < 0 ? 0 : (size_t) length;
	if ((length < 0 && !field->is_null) || length > cursor->end - cursor->at)
		return false;
	cursor->at += field->length;
	return true;
}

static inline bool
nested_take_attribute(NestedCursor *cursor, NestedField *field)
{
	if (cursor->end - cursor->at < NESTED_OID_BYTES)
		return false;
	field->type_oid = load_uint32(cursor->at);
	cursor->at += NESTED_OID_BYTES;
	return nested_take_field(cursor, field);
}

/* Before the first of its attributes, which are all that the type has. */
static inline bool
nested_composite_begin(NestedCursor *cursor, const NestedType *type, const char *bytes,
					   size_t length)
{
	cursor->at = bytes;
	cursor->end = bytes + length;
	if (length < NESTED_COMPOSITE_HEAD || load_uint32(bytes) != (uint32_t) type->members)
		return false;
	cursor->at += NESTED_COMPOSITE_HEAD;
	return true;
}

/* Reads the head. False also when there are more elements than the bytes that are left can hold, or
 * when a subscript would leave the range of an int32. */
extern bool nested_array_begin(NestedArray *array, const char *bytes, size_t length);

/* How many elements there are from one to the next of each dimension: the last has 1. */
extern void nested_array_strides(const NestedArray *array, size_t strides[NESTED_MAX_DIMENSIONS]);

/* The value of a member that is no array or composite. Numerics are written as text to
 * `scratch`, of VALUE_NUMERIC_TEXT_MAX bytes; else it lends. */
extern bool nested_leaf(const NestedMember *member, const NestedField *field, char *scratch,
						Value *value);

/* Checks all of the bytes, types and characters included. *why: a few static words when they are
 * not of the form. */
extern bool nested_check(const NestedType *type, const char *bytes, size_t length, char *scratch,
						 const char **why);
/* Whether a text is UTF-8 without a NUL, as far as values of the type have characters. */
extern bool nested_has_good_characters(ColumnType type, const Value *value);

#endif
