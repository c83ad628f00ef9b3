/*
 * nested_write_json.c - arrays and composites as to_json (src/backend/utils/adt/json.c) writes
 * them.
 */
#include "rows/nested_codec_internal.h"
#include "rows/value_json.h"

#include <string.h>

static bool
put_member(NestedBuild *build, const NestedMember *member, const NestedField *field,
		   JsonEncoder *to)
{
	Value value = {.is_null = field->is_null};

	if (!field->is_null && member->nested != NULL)
		return nested_write_json(build, member->nested, field->bytes, field->length, to);
	if (!field->is_null)
		nested_leaf(member, field, build->numeric, &value);
	value_put_json(to, member->type, &value);
	return true;
}

static bool
begins_at_one(const NestedArray *array)
{
	for (int i = 0; i < array->dimensions; i++)
	{
		if (array->lower_bounds[i] != 1)
			return false;
	}
	return true;
}

/* The text form, which has the bounds. */
static bool
put_as_text(NestedBuild *build, const NestedType *type, const char *bytes, size_t length,
			JsonEncoder *to)
{
	if (!nested_writer_begin(build->to, build->to->limit))
		return false;
	nested_write_text(build, type, bytes, length);
	if (build->to->to.failed)
		return false;
	json_encode_string(to, build->to->to.buffer, nested_writer_length(build->to));
	return true;
}

static bool
write_array(NestedBuild *build, const NestedType *type, const char *bytes, size_t length,
			JsonEncoder *to)
{
	size_t strides[NESTED_MAX_DIMENSIONS];
	NestedArray array;
	NestedField field;

	if (!nested_array_begin(&array, bytes, length))
		return false;
	if (!begins_at_one(&array))
		return put_as_text(build, type, bytes, length, to);
	if (array.elements == 0)
		json_encode_raw(to, "[]", 2);
	nested_array_strides(&array, strides);
	for (size_t i = 0; i < array.elements && nested_take_field(&array.cursor, &field); i++)
	{
		if (i > 0)
			json_encode_char(to, ',');
		for (int d = 0; d < array.dimensions; d++)
			if (i % (strides[d] * (size_t) array.lengths[d]) == 0)
				json_encode_char(to, '[');
		if (!put_member(build, &type->member[0], &field, to))
			return false;
		for (int d = 0; d < array.dimensions; d++)
			if ((i + 1) % (strides[d] * (size_t) array.lengths[d]) == 0)
				json_encode_char(to, ']');
	}
	return true;
}

static bool
write_composite(NestedBuild *build, const NestedType *type, const char *bytes, size_t length,
				JsonEncoder *to)
{
	NestedCursor cursor;
	NestedField field;

	if (!nested_composite_begin(&cursor, type, bytes, length))
		return false;
	json_encode_char(to, '{');
	for (int i = 0; i < type->members; i++)
	{
		const char *name = type->member[i].name;

		if (i > 0)
			json_encode_char(to, ',');
		json_encode_string(to, name, strlen(name));
		json_encode_char(to, ':');
		if (!nested_take_attribute(&cursor, &field) ||
			!put_member(build, &type->member[i], &field, to))
			return false;
	}
	json_encode_char(to, '}');
	return true;
}

bool
nested_write_json(NestedBuild *build, const NestedType *type, const char *bytes, size_t length,
				  JsonEncoder *to)
{
	return type->type == COLUMN_ARRAY ? write_array(build, type, bytes, length, to)
									  : write_composite(build, type, bytes, length, to);
}
