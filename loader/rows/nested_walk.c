#include "rows/nested_walk.h"
#include "json_encode.h"
#include "rows/value_binary.h"

#include <string.h>

/* ArrayGetNItems and ArrayCheckBounds of src/backend/utils/adt/arrayutils.c. */
static bool
take_dimension(NestedArray *array, int dimension, const char *bytes)
{
	int32_t length = (int32_t) load_uint32(bytes);
	int32_t lower_bound = (int32_t) load_uint32(bytes + 4);
	uint64_t items;

	array->lengths[dimension] = length;
	array->lower_bounds[dimension] = lower_bound;
	if (length < 0 || (int64_t) lower_bound + length > INT32_MAX)
		return false;
	items = (uint64_t) array->elements * (uint64_t) length;
	array->elements = items <= INT32_MAX ? (size_t) items : 0;
	return items <= INT32_MAX;
}

bool
nested_array_begin(NestedArray *array, const char *bytes, size_t length)
{
	uint32_t dimensions, flags;

	if (length < NESTED_ARRAY_HEAD)
		return false;
	dimensions = load_uint32(bytes);
	flags = load_uint32(bytes + 4);
	array->element_oid = load_uint32(bytes + 8);
	if (dimensions > NESTED_MAX_DIMENSIONS || flags > 1 ||
		length - NESTED_ARRAY_HEAD < dimensions * NESTED_DIMENSION)
		return false;
	array->dimensions = (int) dimensions;
	array->elements = dimensions > 0;
	array->cursor.at = bytes + NESTED_ARRAY_HEAD;
	array->cursor.end = bytes + length;
	for (int i = 0; i < array->dimensions; i++, array->cursor.at += NESTED_DIMENSION)
	{
		if (!take_dimension(array, i, array->cursor.at))
			return false;
	}
	if (array->elements == 0)
		array->dimensions = 0;
	return array->elements * NESTED_LENGTH_BYTES <= (size_t) (array->cursor.end - array->cursor.at);
}

void
nested_array_strides(const NestedArray *array, size_t strides[NESTED_MAX_DIMENSIONS])
{
	size_t stride = 1;

	for (int i = array->dimensions - 1; i >= 0; i--)
	{
		strides[i] = stride;
		stride *= (size_t) array->lengths[i];
	}
}

bool
nested_leaf(const NestedMember *member, const NestedField *field, char *scratch, Value *value)
{
	char *end = scratch;

	return value_from_binary(member->type, field->bytes, field->length, &end, value);
}

bool
nested_has_good_characters(ColumnType type, const Value *value)
{
	switch (type)
	{
		case COLUMN_TEXT:
		case COLUMN_BPCHAR:
		case COLUMN_JSON:
		case COLUMN_JSONB:
		case COLUMN_ENUM:
			return value->text.length == 0 ||
				   (memchr(value->text.bytes, '\0', value->text.length) == NULL &&
					json_encode_is_utf8(value->text.bytes, value->text.length));
		default:
			return true;
	}
}

/* --- checking all of it ----------------------------------------------------------------- */

static bool
refuse(const char **why, const char *words)
{
	*why = words;
	return false;
}

static bool
check_member(const NestedMember *member, const NestedField *field, char *scratch, const char **why)
{
	Value value;

	if (field->is_null)
		return true;
	if (member->nested != NULL)
		return nested_check(member->nested, field->bytes, field->length, scratch, why);
	if (!nested_leaf(member, field, scratch, &value))
		return refuse(why, "a value within is not of its type");
	return nested_has_good_characters(member->type, &value) ||
		   refuse(why, "a text within is no UTF-8, or holds a NUL character");
}

static bool
check_array(const NestedType *type, const char *bytes, size_t length, char *scratch,
			const char **why)
{
	NestedArray array;
	NestedField field;

	if (!nested_array_begin(&array, bytes, length))
		return refuse(why, "an array's head is wrong");
	if (array.element_oid != type->member[0].type_oid)
		return refuse(why, "an array's elements are of another type");
	for (size_t i = 0; i < array.elements; i++)
	{
		if (!nested_take_field(&array.cursor, &field))
			return refuse(why, "an array's elements do not fit into it");
		if (!check_member(&type->member[0], &field, scratch, why))
			return false;
	}
	return array.cursor.at == array.cursor.end ||
		   refuse(why, "there is more behind an array's elements");
}

static bool
check_composite(const NestedType *type, const char *bytes, size_t length, char *scratch,
				const char **why)
{
	NestedCursor cursor;
	NestedField field;

	if (!nested_composite_begin(&cursor, type, bytes, length))
		return refuse(why, "a composite has not the attributes of its type");
	for (int i = 0; i < type->members; i++)
	{
		if (!nested_take_attribute(&cursor, &field))
			return refuse(why, "a composite's attributes do not fit into it");
		if (field.type_oid != type->member[i].type_oid)
			return refuse(why, "an attribute is of another type");
		if (!check_member(&type->member[i], &field, scratch, why))
			return false;
	}
	return cursor.at == cursor.end || refuse(why, "there is more behind a composite's attributes");
}

bool
nested_check(const NestedType *type, const char *bytes, size_t length, char *scratch,
			 const char **why)
{
	return type->type == COLUMN_ARRAY ? check_array(type, bytes, length, scratch, why)
									  : check_composite(type, bytes, length, scratch, why);
}
