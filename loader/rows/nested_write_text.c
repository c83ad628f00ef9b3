/*
 * nested_write_text.c - arrays and composites as array_out (src/backend/utils/adt/arrayfuncs.c) and
 * record_out (rowtypes.c) write them.
 *
 * A member's text is written first, and then quoted where it stands if it must be.
 */
#include "rows/digits.h"
#include "rows/hex_encode.h"
#include "rows/nested_codec_internal.h"
#include "rows/value_text.h"

#include <string.h>

static void
put_leaf(NestedBuild *build, const NestedMember *member, const NestedField *field)
{
	JsonEncoder *to = &build->to->to;
	char printed[VALUE_TEXT_MAX];
	Value value;

	nested_leaf(member, field, build->numeric, &value);
	if (member->type == COLUMN_BYTEA)
	{
		json_encode_raw(to, "\\x", 2);
		hex_encode(to, value.text.bytes, value.text.length);
	}
	else if (column_type_is_text(member->type))
		json_encode_raw(to, value.text.bytes, value.text.length);
	else
		json_encode_raw(to, printed, value_print(member->type, &value, printed));
}

static void
put_member(NestedBuild *build, const NestedMember *member, const NestedField *field)
{
	if (member->nested != NULL)
		nested_write_text(build, member->nested, field->bytes, field->length);
	else
		put_leaf(build, member, field);
}

/* What the buffer got of one member; `text` is lent until more is written. */
typedef struct Written
{
	size_t mark; /* where it begins */
	const char *text;
	size_t length;
} Written;

static Written
write_member(NestedBuild *build, const NestedMember *member, const NestedField *field)
{
	size_t mark = nested_writer_length(build->to);

	put_member(build, member, field);
	return (Written){.mark = mark,
					 .text = build->to->to.buffer + mark,
					 .length = nested_writer_length(build->to) - mark};
}

/* --- quotes ----------------------------------------------------------------------------------- */

/* What a byte means to the text that it stands in. */
enum
{
	ESCAPED = 1,      /* a mark or a backslash */
	OF_ARRAYS = 2,    /* needs quotes in an array, besides the delimiter */
	OF_COMPOSITES = 4 /* in a composite */
};

#define BLANK (OF_ARRAYS | OF_COMPOSITES)

static const uint8_t meanings[256] = {
	['"'] = ESCAPED | OF_ARRAYS | OF_COMPOSITES,
	['\\'] = ESCAPED | OF_ARRAYS | OF_COMPOSITES,
	['{'] = OF_ARRAYS,
	['}'] = OF_ARRAYS,
	['('] = OF_COMPOSITES,
	[')'] = OF_COMPOSITES,
	[','] = OF_COMPOSITES,
	[' '] = BLANK,
	['\t'] = BLANK,
	['\n'] = BLANK,
	['\v'] = BLANK,
	['\f'] = BLANK,
	['\r'] = BLANK,
};

static size_t
count_bytes(const char *text, size_t length, int meaning)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += (meanings[(unsigned char) text[i]] & meaning) != 0;
	return count;
}

/*
 * Puts what was written from `mark` on between quotation marks. Before a mark or a backslash within
 * goes a backslash, or, doubled, the byte itself.
 */
static void
quote(NestedWriter *writer, size_t mark, bool doubled)
{
	size_t length = nested_writer_length(writer) - mark;
	size_t escapes = writer->to.failed ? 0 : count_bytes(writer->to.buffer + mark, length, ESCAPED);
	char *from, *to;

	for (size_t i = 0; i < escapes + 2; i++)
		json_encode_char(&writer->to, '\0');
	if (writer->to.failed)
		return;
	from = writer->to.buffer + mark + length;
	to = writer->to.position;
	*--to = '"';
	while (from > writer->to.buffer + mark)
	{
		char byte = *--from;

		*--to = byte;
		if (byte == '"' || byte == '\\')
			*--to = doubled ? byte : '\\';
	}
	*--to = '"';
}

/* --- arrays ----------------------------------------------------------------------------------- */

static void
put_bounds(JsonEncoder *to, const NestedArray *array)
{
	bool begins_at_one = true;

	for (int i = 0; i < array->dimensions; i++)
		begins_at_one &= array->lower_bounds[i] == 1;
	for (int i = 0; i < array->dimensions && !begins_at_one; i++)
	{
		json_encode_char(to, '[');
		json_encode_int64(to, array->lower_bounds[i]);
		json_encode_char(to, ':');
		json_encode_int64(to, (int64_t) array->lower_bounds[i] + array->lengths[i] - 1);
		json_encode_char(to, ']');
	}
	if (!begins_at_one)
		json_encode_char(to, '=');
}

static void
put_element(NestedBuild *build, const NestedType *type, const NestedField *field)
{
	Written written;

	if (field->is_null)
	{
		json_encode_raw(&build->to->to, "NULL", 4);
		return;
	}
	written = write_member(build, &type->member[0], field);
	if (build->to->to.failed)
		return;
	if (written.length == 0 || is_word(written.text, written.length, "null") ||
		memchr(written.text, type->delimiter, written.length) != NULL ||
		count_bytes(written.text, written.length, OF_ARRAYS) > 0)
		quote(build->to, written.mark, false);
}

static void
write_array(NestedBuild *build, const NestedType *type, const char *bytes, size_t length)
{
	JsonEncoder *to = &build->to->to;
	size_t strides[NESTED_MAX_DIMENSIONS];
	NestedArray array;
	NestedField field;

	if (!nested_array_begin(&array, bytes, length))
		return;
	put_bounds(to, &array);
	if (array.elements == 0)
		json_encode_raw(to, "{}", 2);
	nested_array_strides(&array, strides);
	for (size_t i = 0; i < array.elements && nested_take_field(&array.cursor, &field); i++)
	{
		if (i > 0)
			json_encode_char(to, type->delimiter);
		for (int d = 0; d < array.dimensions; d++)
			if (i % (strides[d] * (size_t) array.lengths[d]) == 0)
				json_encode_char(to, '{');
		put_element(build, type, &field);
		for (int d = 0; d < array.dimensions; d++)
			if ((i + 1) % (strides[d] * (size_t) array.lengths[d]) == 0)
				json_encode_char(to, '}');
	}
}

/* --- composites ------------------------------------------------------------------------------- */

static void
put_attribute(NestedBuild *build, const NestedMember *member, const NestedField *field)
{
	Written written;

	if (field->is_null)
		return;
	written = write_member(build, member, field);
	if (build->to->to.failed)
		return;
	if (written.length == 0 || count_bytes(written.text, written.length, OF_COMPOSITES) > 0)
		quote(build->to, written.mark, true);
}

static void
write_composite(NestedBuild *build, const NestedType *type, const char *bytes, size_t length)
{
	JsonEncoder *to = &build->to->to;
	NestedCursor cursor;
	NestedField field;

	if (!nested_composite_begin(&cursor, type, bytes, length))
		return;
	json_encode_char(to, '(');
	for (int i = 0; i < type->members; i++)
	{
		if (i > 0)
			json_encode_char(to, ',');
		if (nested_take_attribute(&cursor, &field))
			put_attribute(build, &type->member[i], &field);
	}
	json_encode_char(to, ')');
}

void
nested_write_text(NestedBuild *build, const NestedType *type, const char *bytes, size_t length)
{
	if (type->type == COLUMN_ARRAY)
		write_array(build, type, bytes, length);
	else
		write_composite(build, type, bytes, length);
}
