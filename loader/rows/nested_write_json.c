/*
 * nested_write_json.c - arrays and composites as to_json (src/backend/utils/adt/json.c) writes
 * them, as far as json_populate_record makes the same of that again.
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

/* Whether each document is one that stands for itself: an array would be a dimension, and null one
 * of SQL. */
static bool
has_plain_documents(const NestedArray *array)
{
	NestedCursor cursor = array->cursor;
	NestedField field;

	for (size_t i = 0; i < array->elements && nested_take_field(&cursor, &field); i++)
	{
		size_t skipped = 0;

		/* the version of a jsonb is no blank, and no part of the document */
		while (skipped < field.length && strchr(" \t\r\n\1", field.bytes[skipped]) != NULL)
			skipped++;
		if (skipped < field.length && strchr("[n", field.bytes[skipped]) != NULL)
			return false;
	}
	return true;
}

/* JSON has no bounds, and one notation for dimensions and for arrays that are elements. */
static bool
is_exact_in_json(const NestedType *type, const NestedArray *array)
{
	ColumnType element = type->member[0].type;

	if (array->elements == 0)
		return true;
	if (!begins_at_one(array) || element == COLUMN_ARRAY)
		return false;
	if (element != COLUMN_JSON && element != COLUMN_JSONB)
		return true;
	return array->dimensions == 1 && has_plain_documents(array);
}

/* The text form, in a string, which whatever reads JSON for PostgreSQL takes. */
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
	if (!is_exact_in_json(type, &array))
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
