#include "serve/copy_value.h"
#include "json_number.h"
#include "json_scan.h"

#include <stdio.h>
#include <string.h>

/*
 * Literals within literals: at depth d a quotation mark or a backslash of a value has
 * been quoted d times, each time by a backslash before every one of them, and COPY doubles
 * the backslashes once more. (A row literal takes backslashes as an array literal does.)
 */
typedef struct Writer
{
	JsonEncoder *to;
	unsigned depth;
	CopyValueResult result;
} Writer;

static void put_json(Writer *writer, const TypeShape *shape, const char *p, const char *end);

/* --- text ------------------------------------------------------------------------------- */

static void
put_backslashes(Writer *writer, unsigned count)
{
	for (; count > 0; count--)
		json_encode_raw(writer->to, "\\\\", 2);
}

/* A character of a value that some layer gives a meaning. */
static void
put_special(Writer *writer, char c)
{
	switch (c)
	{
		case '\\':
			put_backslashes(writer, 1u << writer->depth);
			break;
		case '"':
			put_backslashes(writer, (1u << writer->depth) - 1);
			json_encode_char(writer->to, '"');
			break;
		case '\n':
			json_encode_raw(writer->to, "\\n", 2);
			break;
		case '\r':
			json_encode_raw(writer->to, "\\r", 2);
			break;
		case '\t':
			json_encode_raw(writer->to, "\\t", 2);
			break;
		default:
			writer->result = COPY_VALUE_NUL;
	}
}

static bool
is_special(char c)
{
	return c == '\\' || c == '"' || c == '\n' || c == '\r' || c == '\t' || c == '\0';
}

static void
put_text(Writer *writer, const char *text, const char *end)
{
	while (text < end)
	{
		const char *run = text;

		while (text < end && !is_special(*text))
			text++;
		json_encode_raw(writer->to, run, (size_t) (text - run));
		if (text < end)
			put_special(writer, *text++);
	}
}

/* --- JSON text: valid and without white space, as the decoder gives it ---------------------- */

static bool
is_null(const char *p)
{
	return *p == 'n';
}

/* The next piece of a string's characters, from *p to before `end`, its closing quote; its length. */
static const char *
next_piece(const char **p, const char *end, char utf8[4], size_t *length)
{
	const char *piece = *p;

	if (*piece == '\\')
	{
		*p = json_scan_take_escape(piece, utf8, length);
		return utf8;
	}
	*p = memchr(piece, '\\', (size_t) (end - piece));
	if (*p == NULL)
		*p = end;
	*length = (size_t) (*p - piece);
	return piece;
}

/* The characters of a string, from its opening quote to behind the closing one. */
static void
put_string(Writer *writer, const char *p, const char *end)
{
	for (p++, end--; p < end;)
	{
		char utf8[4];
		size_t length;
		const char *piece = next_piece(&p, end, utf8, &length);

		put_text(writer, piece, piece + length);
	}
}

static bool
string_equals(const char *p, const char *end, const char *wanted)
{
	size_t left = strlen(wanted);

	for (p++, end--; p < end;)
	{
		char utf8[4];
		size_t length;
		const char *piece = next_piece(&p, end, utf8, &length);

		if (length > left || memcmp(piece, wanted, length) != 0)
			return false;
		wanted += length;
		left -= length;
	}
	return left == 0;
}

/* --- literals -------------------------------------------------------------------------------- */

static void
put_integer_digits(Writer *writer, const char *p, const char *end)
{
	size_t length = (size_t) (end - p);
	int64_t value;

	if ((memchr(p, 'e', length) != NULL || memchr(p, 'E', length) != NULL ||
		 memchr(p, '.', length) != NULL) &&
		json_number_to_int64(p, length, &value) == JSON_NUMBER_OK)
		json_encode_int64(writer->to, value);
	else
		json_encode_raw(writer->to, p, length);
}

/* A value between quotation marks, one layer further in. */
static void
put_quoted(Writer *writer, const TypeShape *shape, const char *p, const char *end)
{
	put_special(writer, '"');
	writer->depth++;
	put_json(writer, shape, p, end);
	writer->depth--;
	put_special(writer, '"');
}

/*
 * What is dimension and what is element is told by the first element, as in json_populate_record:
 * [[1],[2]] has two dimensions for jsonb[], too. Arrays within an array of arrays (by a domain) are its
 * elements.
 */
static int
count_dimensions(const TypeShape *shape, const char *p, const char *end)
{
	int dimensions = 1;

	if (shape->element->kind == TYPE_SHAPE_ARRAY)
		return 1;
	for (p++; p < end && *p == '['; p++)
		dimensions++;
	return dimensions;
}

static void
put_array(Writer *writer, const TypeShape *shape, int dimensions, const char *p, const char *end)
{
	bool is_first = true;
	JsonScan scan;
	JsonItem item;

	json_encode_char(writer->to, '{');
	json_scan_begin(&scan, p, (size_t) (end - p));
	for (; json_scan_next(&scan, &item); is_first = false)
	{
		if (!is_first)
			json_encode_char(writer->to, shape->delimiter);
		if (is_null(item.value))
			json_encode_literal(writer->to, "NULL");
		else if (dimensions > 1 && *item.value == '[')
			put_array(writer, shape, dimensions - 1, item.value, item.value_end);
		else
			put_quoted(writer, shape->element, item.value, item.value_end);
	}
	json_encode_char(writer->to, '}');
}

/* The last one counts of a key that comes twice, as with the columns. */
static bool
find_member(const char *object, const char *end, const char *name, JsonItem *found)
{
	bool is_there = false;
	JsonScan scan;
	JsonItem member;

	json_scan_begin(&scan, object, (size_t) (end - object));
	while (json_scan_next(&scan, &member))
	{
		if (string_equals(member.key, member.key_end, name))
		{
			*found = member;
			is_there = true;
		}
	}
	return is_there;
}

static bool
has_attribute(const TypeShape *shape, const JsonItem *member)
{
	for (int i = 0; i < shape->attributes; i++)
		if (string_equals(member->key, member->key_end, shape->attribute[i].name))
			return true;
	return false;
}

static void
put_composite(Writer *writer, const TypeShape *shape, const char *object, const char *end)
{
	JsonScan scan;
	JsonItem member;

	json_scan_begin(&scan, object, (size_t) (end - object));
	while (json_scan_next(&scan, &member))
		if (!has_attribute(shape, &member))
			writer->result = COPY_VALUE_UNKNOWN_KEY;
	json_encode_char(writer->to, '(');
	for (int i = 0; i < shape->attributes; i++)
	{
		if (i > 0)
			json_encode_char(writer->to, ',');
		if (find_member(object, end, shape->attribute[i].name, &member) && !is_null(member.value))
			put_quoted(writer, shape->attribute[i].shape, member.value, member.value_end);
	}
	json_encode_char(writer->to, ')');
}

/* A value that is not null. */
static void
put_json(Writer *writer, const TypeShape *shape, const char *p, const char *end)
{
	if (shape->kind == TYPE_SHAPE_JSON)
		put_text(writer, p, end);
	else if (*p == '"')
		put_string(writer, p, end);
	else if (*p == '[' && shape->kind == TYPE_SHAPE_ARRAY)
		put_array(writer, shape, count_dimensions(shape, p, end), p, end);
	else if (*p == '{' && shape->kind == TYPE_SHAPE_COMPOSITE)
		put_composite(writer, shape, p, end);
	else if (*p != '[' && *p != '{' && shape->kind == TYPE_SHAPE_INTEGER)
		put_integer_digits(writer, p, end);
	else
		put_text(writer, p, end);
}

/* --- fields of a row ------------------------------------------------------------------------- */

/* A string for a json column: what the decoder took off is put back. */
static void
put_json_string(Writer *writer, const char *text, const char *end)
{
	json_encode_char(writer->to, '"');
	for (; text < end; text++)
	{
		char escaped[8];

		if (*text == '"' || *text == '\\')
			put_special(writer, '\\');
		if ((unsigned char) *text >= ' ')
			put_text(writer, text, text + 1);
		else
		{
			snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned) (unsigned char) *text);
			put_text(writer, escaped, escaped + strlen(escaped));
		}
	}
	json_encode_char(writer->to, '"');
}

CopyValueResult
copy_value_put(JsonEncoder *to, const TypeShape *shape, const JsonField *field)
{
	Writer writer = {.to = to, .result = COPY_VALUE_OK};

	switch (field->kind)
	{
		case JSON_FIELD_MISSING:
		case JSON_FIELD_NULL:
			json_encode_raw(to, "\\N", 2);
			break;
		case JSON_FIELD_BOOL:
			json_encode_literal(to, field->boolean ? "true" : "false");
			break;
		case JSON_FIELD_INTEGER:
			json_encode_int64(to, field->integer);
			break;
		case JSON_FIELD_STRING:
			if (shape->kind == TYPE_SHAPE_JSON)
				put_json_string(&writer, field->text, field->text + field->length);
			else
				put_text(&writer, field->text, field->text + field->length);
			break;
		default:
			put_json(&writer, shape, field->text, field->text + field->length);
	}
	return writer.result;
}
