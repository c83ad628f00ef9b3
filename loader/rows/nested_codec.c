#include "rows/nested_codec.h"
#include "rows/nested_codec_internal.h"
#include "rows/value_binary.h"

#include <stdlib.h>
#include <string.h>

#define OUT_OF_MEMORY "out of memory"
#define TOO_LONG      "it is longer than a value can be"
#define TEXT_MAX      ((size_t) 0x3fffffff) /* MaxAllocSize, src/include/utils/memutils.h */

struct NestedCodec
{
	const RowType *type;
	size_t max_bytes;
	NestedWriter *values; /* [columns] */
	NestedWriter text;
	char *numeric;
	JsonItem *items;
	char *texts;
	size_t texts_capacity;
	int64_t missing_attributes;
	const char *why;
};

/* --- its memory ------------------------------------------------------------------------------ */

/* What the most demanding of the columns needs. */
static void
measure_types(const RowType *type, size_t *open_attributes, bool *has_numerics)
{
	*open_attributes = 0;
	*has_numerics = false;
	for (int i = 0; i < type->columns; i++)
	{
		const NestedType *nested = type->column[i].nested;
		size_t open = nested == NULL ? 0 : nested_type_open_attributes(nested);

		if (open > *open_attributes)
			*open_attributes = open;
		*has_numerics |= nested != NULL && nested_type_has(nested, COLUMN_NUMERIC);
	}
}

static bool
allocate(NestedCodec *codec)
{
	size_t open_attributes;
	bool has_numerics;

	codec->values = calloc((size_t) codec->type->columns, sizeof(NestedWriter));
	measure_types(codec->type, &open_attributes, &has_numerics);
	codec->items = calloc(open_attributes + 1, sizeof(JsonItem));
	/* mostly never touched, so it costs addresses and hardly any memory */
	codec->numeric = malloc(has_numerics ? VALUE_NUMERIC_TEXT_MAX : 1);
	return codec->values != NULL && codec->items != NULL && codec->numeric != NULL;
}

NestedCodec *
nested_codec_create(const RowType *type, size_t max_bytes)
{
	NestedCodec *codec = calloc(1, sizeof(NestedCodec));

	if (codec == NULL)
		return NULL;
	codec->type = type;
	codec->max_bytes = max_bytes < TEXT_MAX ? max_bytes : TEXT_MAX;
	codec->why = "";
	if (allocate(codec))
		return codec;
	nested_codec_free(codec);
	return NULL;
}

void
nested_codec_free(NestedCodec *codec)
{
	if (codec == NULL)
		return;
	for (int i = 0; codec->values != NULL && i < codec->type->columns; i++)
		nested_writer_free(&codec->values[i]);
	nested_writer_free(&codec->text);
	free(codec->values);
	free(codec->numeric);
	free(codec->items);
	free(codec->texts);
	free(codec);
}

const char *
nested_codec_why(const NestedCodec *codec)
{
	return codec->why;
}

int64_t
nested_codec_missing_attributes(const NestedCodec *codec)
{
	return codec->missing_attributes;
}

/* --- reading ---------------------------------------------------------------------------------- */

static bool
refuse(NestedCodec *codec, const char *words)
{
	codec->why = words;
	return false;
}

static bool
lend(const char *bytes, size_t length, Value *value)
{
	value->is_null = value->is_missing = false;
	value->text.bytes = bytes;
	value->text.length = length;
	return true;
}

static bool
begin(NestedCodec *codec, int column, NestedBuild *build)
{
	*build = (NestedBuild){
		.to = &codec->values[column],
		.numeric = codec->numeric,
		.texts = codec->texts,
		.items = codec->items,
		.why = "",
	};
	return nested_writer_begin(build->to, codec->max_bytes) || refuse(codec, OUT_OF_MEMORY);
}

/* Whether there is a value, which the writer then holds. */
static bool
end(NestedCodec *codec, const NestedBuild *build, bool is_read, Value *value)
{
	const NestedWriter *writer = build->to;

	if (writer->to.failed)
		return refuse(codec, writer->is_too_long ? TOO_LONG : OUT_OF_MEMORY);
	if (!is_read)
		return refuse(codec, build->why);
	if (nested_writer_length(writer) > writer->limit)
		return refuse(codec, TOO_LONG);
	codec->missing_attributes += build->missing_attributes;
	return lend(writer->to.buffer, nested_writer_length(writer), value);
}

bool
nested_codec_from_text(NestedCodec *codec, int column, char *text, size_t length, Value *value)
{
	const NestedType *type = codec->type->column[column].nested;
	NestedBuild build;

	return begin(codec, column, &build) &&
		   end(codec, &build, nested_read_text(&build, type, text, length), value);
}

/* Room for the texts of a value of so many bytes of JSON. */
static bool
reserve_texts(NestedCodec *codec, size_t json_length)
{
	size_t wanted = 2 * json_length + 2;
	char *grown;

	if (wanted <= codec->texts_capacity)
		return true;
	if (wanted < 2 * codec->texts_capacity)
		wanted = 2 * codec->texts_capacity;
	grown = realloc(codec->texts, wanted);
	if (grown == NULL)
		return refuse(codec, OUT_OF_MEMORY);
	codec->texts = grown;
	codec->texts_capacity = wanted;
	return true;
}

/* The characters of a string are there already; they are written over. */
static bool
read_string(NestedBuild *build, const NestedType *type, const JsonField *field)
{
	memcpy(build->texts, field->text, field->length);
	return nested_read_text(build, type, build->texts, field->length);
}

static bool
read_field(NestedBuild *build, const NestedType *type, const JsonField *field)
{
	switch (field->kind)
	{
		case JSON_FIELD_STRING:
			return read_string(build, type, field);
		case JSON_FIELD_ARRAY:
		case JSON_FIELD_OBJECT:
			return nested_read_json(build, type, field->text, field->text + field->length);
		case JSON_FIELD_BOOL:
			return nested_refuse(build, "it is a boolean");
		default:
			return nested_refuse(build, "it is a number");
	}
}

bool
nested_codec_from_json(NestedCodec *codec, int column, const JsonField *field, Value *value)
{
	const NestedType *type = codec->type->column[column].nested;
	bool has_text = field->kind == JSON_FIELD_STRING || field->kind == JSON_FIELD_ARRAY ||
					field->kind == JSON_FIELD_OBJECT;
	NestedBuild build;

	return reserve_texts(codec, has_text ? field->length : 0) && begin(codec, column, &build) &&
		   end(codec, &build, read_field(&build, type, field), value);
}

bool
nested_codec_from_binary(NestedCodec *codec, int column, const char *bytes, size_t length,
						 Value *value)
{
	return nested_check(codec->type->column[column].nested, bytes, length, codec->numeric,
						&codec->why) &&
		   lend(bytes, length, value);
}

/* --- writing ---------------------------------------------------------------------------------- */

const char *
nested_codec_text(NestedCodec *codec, int column, const Value *value, size_t *length)
{
	NestedBuild build = {.to = &codec->text, .numeric = codec->numeric};

	if (!nested_writer_begin(build.to, TEXT_MAX))
		return NULL;
	nested_write_text(&build, codec->type->column[column].nested, value->text.bytes,
					  value->text.length);
	if (build.to->to.failed)
		return NULL;
	*length = nested_writer_length(build.to);
	return build.to->to.buffer;
}

bool
nested_codec_put_json(NestedCodec *codec, int column, const Value *value, JsonEncoder *to)
{
	NestedBuild build = {.to = &codec->text, .numeric = codec->numeric};

	codec->text.limit = TEXT_MAX;
	return nested_write_json(&build, codec->type->column[column].nested, value->text.bytes,
							 value->text.length, to);
}
