/*
 * nested_read_json.c - arrays and composites out of JSON, as json_populate_record
 * (src/backend/utils/adt/jsonfuncs.c) reads them, but for numbers, which value_json.h reads. "NA"
 * is no null here: only a whole column's value is.
 *
 * What is dimension and what is element is told by the first element: [[1],[2]] has two dimensions,
 * and so has [[1],[2]] for jsonb[].
 */
#include "rows/nested_codec_internal.h"
#include "rows/value_json.h"

#include <string.h>

static bool
put_leaf(NestedBuild *build, const NestedMember *member, const JsonItem *item)
{
	JsonField field;
	char *room = json_scan_field(&field, build->texts, item->value, item->value_end);
	size_t size = value_json_room(member->type, &field);
	Value value;

	if (!value_from_json(member->type, &field, room, size, &value, &build->why))
		return false;
	if (value.is_null)
		return nested_refuse(build, "\"NA\" within it is no value");
	return nested_put_leaf(build, member, &value);
}

/* A string: the text form. */
static bool
read_string(NestedBuild *build, const NestedType *type, const char *string, const char *end)
{
	char *text_end = json_scan_unescape(build->texts, string, end);

	return nested_read_text(build, type, build->texts, (size_t) (text_end - build->texts));
}

static bool
is_null(const JsonItem *item)
{
	return *item->value == 'n';
}

static bool
put_member(NestedBuild *build, const NestedMember *member, const JsonItem *item)
{
	size_t field;

	if (is_null(item))
	{
		nested_put_null(build);
		return true;
	}
	if (member->nested == NULL)
		return put_leaf(build, member, item);
	field = nested_writer_begin_field(build->to);
	if (!nested_read_json(build, member->nested, item->value, item->value_end))
		return false;
	nested_writer_end_field(build->to, field);
	return true;
}

/* --- arrays ----------------------------------------------------------------------------------- */

static bool
read_row(NestedBuild *build, NestedArrayBuild *array, int dimension, const char *json,
		 const char *end)
{
	bool holds_rows = dimension + 1 < array->dimensions;
	int32_t items = 0;
	JsonScan scan;
	JsonItem item;

	json_scan_begin(&scan, json, (size_t) (end - json));
	for (; json_scan_next(&scan, &item); items++)
	{
		if (holds_rows && *item.value != '[')
			return nested_refuse(build, "an array's rows are not of one depth");
		if (holds_rows ? !read_row(build, array, dimension + 1, item.value, item.value_end)
					   : !put_member(build, array->element, &item))
			return false;
		array->elements += !holds_rows;
		array->has_nulls |= !holds_rows && is_null(&item);
	}
	return nested_array_build_row(build, array, dimension, items);
}

/* Arrays within an array of arrays (by a domain) are its elements. */
static int
count_dimensions(const NestedType *type, const char *json, const char *end)
{
	int dimensions = 0;

	while (json < end && *json == '[')
	{
		dimensions++;
		json++;
	}
	return type->member[0].type == COLUMN_ARRAY ? 1 : dimensions;
}

static bool
read_array(NestedBuild *build, const NestedType *type, const char *json, const char *end)
{
	NestedArrayBuild array;

	if (*json != '[')
		return nested_refuse(build, "it is no array");
	return nested_array_build_begin(build, &array, type, count_dimensions(type, json, end)) &&
		   read_row(build, &array, 0, json, end) && nested_array_build_end(build, &array);
}

/* --- composites ------------------------------------------------------------------------------- */

typedef struct KeyText
{
	const char *bytes;
	size_t length;
} KeyText;

static KeyText
key_of(NestedBuild *build, const JsonItem *item)
{
	KeyText key = {item->key + 1, (size_t) (item->key_end - item->key) - 2};

	if (memchr(key.bytes, '\\', key.length) != NULL)
	{
		key.bytes = build->texts;
		key.length =
			(size_t) (json_scan_unescape(build->texts, item->key, item->key_end) - build->texts);
	}
	return key;
}

static bool
is_named(const NestedMember *member, KeyText key)
{
	return strlen(member->name) == key.length && memcmp(member->name, key.bytes, key.length) == 0;
}

/* The attribute of a key, or -1; mostly the one that is expected. */
static int
find_attribute(const NestedType *type, KeyText key, int expected)
{
	if (expected < type->members && is_named(&type->member[expected], key))
		return expected;
	for (int i = 0; i < type->members; i++)
	{
		if (is_named(&type->member[i], key))
			return i;
	}
	return -1;
}

/* The last one counts of a key that comes twice. */
static void
find_items(NestedBuild *build, const NestedType *type, const char *json, const char *end,
		   JsonItem *items)
{
	int expected = 0;
	JsonScan scan;
	JsonItem item;

	for (int i = 0; i < type->members; i++)
		items[i].value = NULL;
	json_scan_begin(&scan, json, (size_t) (end - json));
	while (json_scan_next(&scan, &item))
	{
		int found = find_attribute(type, key_of(build, &item), expected);

		if (found < 0)
			continue;
		items[found] = item;
		expected = found + 1;
	}
}

static bool
put_attribute(NestedBuild *build, const NestedMember *member, const JsonItem *item)
{
	nested_writer_put(build->to, member->type_oid);
	if (item->value != NULL)
		return put_member(build, member, item);
	build->missing_attributes++;
	nested_put_null(build);
	return true;
}

static bool
read_composite(NestedBuild *build, const NestedType *type, const char *json, const char *end)
{
	JsonItem *items = build->items + build->items_used;
	bool taken = true;

	if (*json != '{')
		return nested_refuse(build, "it is no object");
	find_items(build, type, json, end, items);
	build->items_used += (size_t) type->members;
	nested_writer_put(build->to, (uint32_t) type->members);
	for (int i = 0; i < type->members && taken; i++)
		taken = put_attribute(build, &type->member[i], &items[i]);
	build->items_used -= (size_t) type->members;
	return taken;
}

bool
nested_read_json(NestedBuild *build, const NestedType *type, const char *json, const char *end)
{
	if (*json == '"')
		return read_string(build, type, json, end);
	return type->type == COLUMN_ARRAY ? read_array(build, type, json, end)
									  : read_composite(build, type, json, end);
}
