/*
 * nested_read_text.c - arrays and composites out of their text, as array_in
 * (src/backend/utils/adt/arrayfuncs.c) and record_in (rowtypes.c) read it.
 *
 * Each member's text is freed of its quotes where it stands, and read there: as a value, or once
 * more as the text of an array or a composite.
 */
#include "rows/digits.h"
#include "rows/nested_codec_internal.h"
#include "rows/value_text.h"

#define MALFORMED_ARRAY     "it is no text of an array"
#define MALFORMED_COMPOSITE "it is no text of a composite"

/* As isspace is in the C locale: array_isspace. */
static bool
is_blank(char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static char *
skip_blanks(char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static bool
put_member(NestedBuild *build, const NestedMember *member, char *text, size_t length)
{
	Value value;
	size_t field;

	if (member->nested != NULL)
	{
		field = nested_writer_begin_field(build->to);
		if (!nested_read_text(build, member->nested, text, length))
			return false;
		nested_writer_end_field(build->to, field);
		return true;
	}
	if (!value_from_text(member->type, text, length, &value))
		return nested_refuse(build, "a value within is not of its type");
	return nested_put_leaf(build, member, &value);
}

/* --- elements ------------------------------------------------------------------------------- */

typedef struct ArrayText
{
	NestedBuild *build;
	char delimiter;
	char *at, *end;
	NestedArrayBuild array;
} ArrayText;

/* From behind the opening quote; the text is moved to `to`. False when there is no closing one. */
static bool
take_quoted(ArrayText *text, char **to)
{
	while (text->at < text->end && *text->at != '"')
	{
		if (*text->at == '\\' && ++text->at == text->end)
			return false;
		*(*to)++ = *text->at++;
	}
	return text->at++ < text->end;
}

/* Up to what ends an element, blanks before that left out. *is_plain: no backslash was in it. */
static bool
take_unquoted(ArrayText *text, char **to, bool *is_plain)
{
	char *to_end = *to;

	*is_plain = true;
	while (text->at < text->end && *text->at != text->delimiter && *text->at != '}')
	{
		bool is_escaped = *text->at == '\\';

		if (*text->at == '"' || *text->at == '{' || (is_escaped && ++text->at == text->end))
			return false;
		*is_plain &= !is_escaped;
		*(*to)++ = *text->at;
		if (is_escaped || !is_blank(*text->at))
			to_end = *to;
		text->at++;
	}
	*to = to_end;
	return true;
}

static bool
take_element(ArrayText *text)
{
	bool is_quoted = *text->at == '"';
	char *start = text->at + is_quoted;
	char *to = start;
	bool is_plain = false;

	text->at = start;
	if (is_quoted ? !take_quoted(text, &to) : !take_unquoted(text, &to, &is_plain))
		return nested_refuse(text->build, MALFORMED_ARRAY);
	if (!is_quoted && to == start)
		return nested_refuse(text->build, MALFORMED_ARRAY);
	text->array.elements++;
	if (is_plain && is_word(start, (size_t) (to - start), "null"))
	{
		text->array.has_nulls = true;
		nested_put_null(text->build);
		return true;
	}
	return put_member(text->build, text->array.element, start, (size_t) (to - start));
}

static bool take_row(ArrayText *text, int dimension);

static bool
take_item(ArrayText *text, int dimension)
{
	bool is_row = *text->at == '{';

	if (is_row != (dimension + 1 < text->array.dimensions))
		return nested_refuse(text->build, "an array's rows are not of one depth");
	return is_row ? take_row(text, dimension + 1) : take_element(text);
}

/* Items in braces; text->at is the opening one. */
static bool
take_row(ArrayText *text, int dimension)
{
	int32_t items = 0;

	do
	{
		text->at = skip_blanks(text->at + 1, text->end);
		if (text->at == text->end)
			return nested_refuse(text->build, MALFORMED_ARRAY);
		if (*text->at == '}' && items == 0 && text->array.dimensions == 1)
			break;
		if (!take_item(text, dimension))
			return false;
		items++;
		text->at = skip_blanks(text->at, text->end);
	} while (text->at < text->end && *text->at == text->delimiter);
	if (text->at == text->end || *text->at != '}')
		return nested_refuse(text->build, MALFORMED_ARRAY);
	text->at++;
	return nested_array_build_row(text->build, &text->array, dimension, items);
}

/* --- bounds ----------------------------------------------------------------------------------- */

typedef struct Bounds
{
	int dimensions; /* 0: none are written */
	int64_t lower[NESTED_MAX_DIMENSIONS];
	int64_t upper[NESTED_MAX_DIMENSIONS];
} Bounds;

static bool
take_bound(char **at, const char *end, int64_t *bound)
{
	bool is_negative = *at < end && **at == '-';
	char *first = *at + (*at < end && (**at == '-' || **at == '+'));
	char *digit = first;

	*bound = 0;
	for (; digit < end && is_digit(*digit) && *bound <= INT32_MAX; digit++)
		*bound = *bound * 10 + (*digit - '0');
	*at = digit;
	if (is_negative)
		*bound = -*bound;
	return digit > first && *bound >= INT32_MIN && *bound <= INT32_MAX;
}

/* [2:3][0:1]=, or [3], which begins at 1. */
static bool
take_bounds(char **at, const char *end, Bounds *bounds)
{
	bounds->dimensions = 0;
	while (*at < end && **at == '[')
	{
		int number = bounds->dimensions++;

		++*at;
		if (number == NESTED_MAX_DIMENSIONS || !take_bound(at, end, &bounds->upper[number]))
			return false;
		bounds->lower[number] = 1;
		if (*at < end && **at == ':')
		{
			++*at;
			bounds->lower[number] = bounds->upper[number];
			if (!take_bound(at, end, &bounds->upper[number]))
				return false;
		}
		if (*at == end || **at != ']')
			return false;
		*at = skip_blanks(*at + 1, end);
	}
	if (bounds->dimensions == 0)
		return true;
	if (*at == end || **at != '=')
		return false;
	*at = skip_blanks(*at + 1, end);
	return true;
}

/* Those that are written must be those that the elements have. */
static bool
apply_bounds(ArrayText *text, const Bounds *bounds)
{
	NestedArrayBuild *array = &text->array;

	if (bounds->dimensions == 0)
		return true;
	if (bounds->dimensions != array->dimensions || array->elements == 0)
		return nested_refuse(text->build, "an array's bounds are not those of its elements");
	for (int i = 0; i < bounds->dimensions; i++)
	{
		if (bounds->upper[i] - bounds->lower[i] + 1 != array->lengths[i])
			return nested_refuse(text->build, "an array's bounds are not those of its elements");
		array->lower_bounds[i] = (int32_t) bounds->lower[i];
	}
	return true;
}

static int
count_dimensions(char *at, const char *end)
{
	int dimensions = 0;

	while (at < end && *at == '{')
	{
		dimensions++;
		at = skip_blanks(at + 1, end);
	}
	return dimensions;
}

static bool
read_array(NestedBuild *build, const NestedType *type, char *from, size_t length)
{
	ArrayText text = {.build = build, .delimiter = type->delimiter, .end = from + length};
	Bounds bounds;
	int dimensions;

	text.at = skip_blanks(from, text.end);
	if (!take_bounds(&text.at, text.end, &bounds))
		return nested_refuse(build, MALFORMED_ARRAY);
	dimensions = count_dimensions(text.at, text.end);
	if (dimensions == 0)
		return nested_refuse(build, MALFORMED_ARRAY);
	if (!nested_array_build_begin(build, &text.array, type, dimensions) || !take_row(&text, 0))
		return false;
	if (skip_blanks(text.at, text.end) != text.end)
		return nested_refuse(build, MALFORMED_ARRAY);
	return apply_bounds(&text, &bounds) && nested_array_build_end(build, &text.array);
}

/* --- composites ------------------------------------------------------------------------------- */

/* The text of one attribute, freed of its quotes where it stands; *at is moved to what ends it. */
static bool
take_attribute_text(char **at, const char *end, char **to)
{
	bool is_quoted = false;

	for (; *at < end && (is_quoted || (**at != ',' && **at != ')')); ++*at)
	{
		if (**at == '"' && !(is_quoted && end - *at > 1 && (*at)[1] == '"'))
		{
			is_quoted = !is_quoted;
			continue;
		}
		if ((**at == '\\' || **at == '"') && ++*at == end)
			return false;
		*(*to)++ = **at;
	}
	return *at < end;
}

static bool
take_attribute(NestedBuild *build, const NestedMember *member, char **at, const char *end)
{
	char *start = *at;
	char *to = start;

	nested_writer_put(build->to, member->type_oid);
	if (start < end && (*start == ',' || *start == ')'))
	{
		nested_put_null(build);
		return true;
	}
	if (!take_attribute_text(at, end, &to))
		return nested_refuse(build, MALFORMED_COMPOSITE);
	return put_member(build, member, start, (size_t) (to - start));
}

static bool
read_composite(NestedBuild *build, const NestedType *type, char *text, size_t length)
{
	const char *end = text + length;
	char *at = skip_blanks(text, end);

	if (at == end || *at++ != '(')
		return nested_refuse(build, MALFORMED_COMPOSITE);
	nested_writer_put(build->to, (uint32_t) type->members);
	for (int i = 0; i < type->members; i++)
	{
		if (i > 0 && (at == end || *at++ != ','))
			return nested_refuse(build, "a composite has too few attributes");
		if (!take_attribute(build, &type->member[i], &at, end))
			return false;
	}
	if (at < end && *at == ',')
		return nested_refuse(build, "a composite has too many attributes");
	if (at == end || *at++ != ')' || skip_blanks(at, end) != end)
		return nested_refuse(build, MALFORMED_COMPOSITE);
	return true;
}

bool
nested_read_text(NestedBuild *build, const NestedType *type, char *text, size_t length)
{
	return type->type == COLUMN_ARRAY ? read_array(build, type, text, length)
									  : read_composite(build, type, text, length);
}
