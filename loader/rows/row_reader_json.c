/*
 * row_reader_json.c - rows of JSON, in each shape of a body that json_frames.h knows.
 */
#include "rows/row_reader_internal.h"
#include "rows/row_reader_json_columns.h"

#include "json_decode.h"
#include "rows/value_json.h"

#include <inttypes.h>
#include <stdlib.h>

#define FIRST_TEXTS_BYTES 1024

typedef struct JsonReader
{
	RowReader base;
	JsonShape shape; /* as was asked for */
	JsonFrames *frames;
	JsonDecoder *decoder;
	JsonField *fields;    /* [columns] */
	JsonColumns *columns; /* NULL until a body of columns comes */
	bool columns_are_whole;
	bool refuses_compounds;
	char *texts; /* what values need of room of their own, all of a row */
	size_t texts_capacity;
} JsonReader;

/* --- one row ------------------------------------------------------------------------------- */

static bool
refuse_row(JsonReader *json, JsonDecodeResult result)
{
	RowReader *reader = &json->base;

	if (result == JSON_DECODE_OUT_OF_MEMORY)
		return row_reader_fail_memory(reader);
	if (result == JSON_DECODE_NOT_AN_OBJECT)
		return row_reader_fail_row(reader, "not a JSON object");
	return row_reader_fail_row(reader, "json-c refused it: %s",
							   json_decoder_message(json->decoder));
}

/* {"error": ...} and the like: an answer, and no row. */
static bool
has_any_column(const JsonReader *json)
{
	for (int i = 0; i < json->base.type->columns; i++)
	{
		if (json->fields[i].kind != JSON_FIELD_MISSING)
			return true;
	}
	return false;
}

/* Room for what the row's values need beside the fields. */
static bool
reserve_texts(JsonReader *json)
{
	const RowType *type = json->base.type;
	size_t wanted = 0;
	size_t capacity;
	char *grown;

	for (int i = 0; i < type->columns; i++)
		wanted += value_json_room(type->column[i].type, &json->fields[i]);
	if (wanted <= json->texts_capacity)
		return true;
	capacity = wanted > 2 * json->texts_capacity ? wanted : 2 * json->texts_capacity;
	grown = realloc(json->texts, capacity);
	if (grown == NULL)
		return row_reader_fail_memory(&json->base);
	json->texts = grown;
	json->texts_capacity = capacity;
	return true;
}

static bool
has_text(const JsonField *field)
{
	return field->kind == JSON_FIELD_NUMBER || field->kind == JSON_FIELD_STRING ||
		   field->kind == JSON_FIELD_ARRAY || field->kind == JSON_FIELD_OBJECT;
}

static bool
refuse_field(JsonReader *json, int column, const char *why)
{
	RowReader *reader = &json->base;
	const JsonField *field = &json->fields[column];
	const char *type_name = reader->type->column[column].type_name;
	char quoted[ROW_READER_QUOTED_MAX];

	if (has_text(field))
		return row_reader_fail_column(reader, column, "%s is no %s: %s",
									  row_reader_quote(field->text, field->length, quoted),
									  type_name, why);
	if (field->kind == JSON_FIELD_INTEGER)
		return row_reader_fail_column(reader, column, "%" PRId64 " is no %s: %s", field->integer,
									  type_name, why);
	return row_reader_fail_column(reader, column, "%s is no %s: %s",
								  field->boolean ? "true" : "false", type_name, why);
}

static bool
take_nested(JsonReader *json, int column, Value *value)
{
	const JsonField *field = &json->fields[column];
	NestedCodec *nested = json->base.nested;

	value->is_missing = field->kind == JSON_FIELD_MISSING;
	value->is_null = field->kind == JSON_FIELD_MISSING || field->kind == JSON_FIELD_NULL;
	return value->is_null || nested_codec_from_json(nested, column, field, value) ||
		   refuse_field(json, column, nested_codec_why(nested));
}

static bool
take_scalar(JsonReader *json, int column, char *room, size_t size, Value *value)
{
	const JsonField *field = &json->fields[column];
	const char *why = "";

	if (json->refuses_compounds && json->base.type->column[column].is_compound &&
		(field->kind == JSON_FIELD_ARRAY || field->kind == JSON_FIELD_OBJECT))
		return refuse_field(json, column,
							"JSON is not read into it, since its parts are of types not known "
							"here: give it as PostgreSQL writes it, in a string");
	if (!value_from_json(json->base.type->column[column].type, field, room, size, value, &why))
		return refuse_field(json, column, why);
	json->base.na_values += value->is_null && field->kind == JSON_FIELD_STRING;
	return true;
}

static bool
take_fields(JsonReader *json, Value *values)
{
	RowReader *reader = &json->base;
	char *room = json->texts;

	for (int i = 0; i < reader->type->columns; i++)
	{
		const RowColumn *column = &reader->type->column[i];
		size_t size = value_json_room(column->type, &json->fields[i]);

		if (column->nested != NULL ? !take_nested(json, i, &values[i])
								   : !take_scalar(json, i, room, size, &values[i]))
			return false;
		room += size;
		reader->missing_values += values[i].is_missing;
	}
	return true;
}

static RowReadResult
take_row(JsonReader *json, const char *text, size_t length, bool has_wide_integers, Value *values)
{
	int unknown_keys;
	JsonDecodeResult decoded = json_decode_row(json->decoder, text, length, has_wide_integers,
											   json->fields, &unknown_keys);
	bool taken;

	if (decoded != JSON_DECODE_OK)
		taken = refuse_row(json, decoded);
	else if (unknown_keys > 0 && !has_any_column(json))
		taken = row_reader_fail_row(&json->base, "it has other keys, and none of the columns");
	else
		taken = reserve_texts(json) && take_fields(json, values);
	json->base.unknown_keys += unknown_keys;
	return taken ? ROW_READ_ROW : ROW_READ_FAILED;
}

/* --- a body of columns ----------------------------------------------------------------------- */

/* The column of a key as it came, quotes included: the decoder finds it in {key:null}. *column is
 * left alone when there is none. */
static bool
find_column(JsonReader *json, const char *key, size_t length, int *column)
{
	static const char rest[] = ":null}";
	char *row = malloc(1 + length + sizeof(rest));
	JsonDecodeResult decoded;
	int unknown_keys;

	if (row == NULL)
		return row_reader_fail_memory(&json->base);
	row[0] = '{';
	memcpy(row + 1, key, length);
	memcpy(row + 1 + length, rest, sizeof(rest));
	decoded = json_decode_row(json->decoder, row, length + sizeof(rest), false, json->fields,
							  &unknown_keys);
	free(row);
	if (decoded != JSON_DECODE_OK)
		return refuse_row(json, decoded);
	for (int i = 0; i < json->base.type->columns; i++)
	{
		if (json->fields[i].kind == JSON_FIELD_NULL)
			*column = i;
	}
	return true;
}

static bool
begin_column(JsonReader *json, const JsonFrame *frame)
{
	int column = JSON_COLUMNS_UNKNOWN;

	if (json->columns == NULL)
		json->columns = json_columns_create(&json->base);
	if (json->columns == NULL)
		return row_reader_fail_memory(&json->base);
	return find_column(json, frame->text, frame->length, &column) &&
		   json_columns_begin(json->columns, frame->text, frame->length, column);
}

static RowReadResult
next_of_columns(JsonReader *json, Value *values)
{
	const char *row;
	size_t length;
	bool has_wide_integers;
	RowReadResult result = json_columns_next(json->columns, &row, &length, &has_wide_integers);

	if (result != ROW_READ_ROW)
		return result;
	return take_row(json, row, length, has_wide_integers, values);
}

/* The body is over, and well formed. */
static RowReadResult
end_body(JsonReader *json, Value *values)
{
	if (json_frames_shape(json->frames) != JSON_SHAPE_COLUMNS || json->columns == NULL)
		return ROW_READ_END;
	if (!json_columns_finish(json->columns))
		return ROW_READ_FAILED;
	json->columns_are_whole = true;
	return next_of_columns(json, values);
}

/* --- the reader ------------------------------------------------------------------------------ */

static RowReadResult
refuse_body(JsonReader *json)
{
	const JsonFramesError *error = json_frames_error(json->frames);

	row_reader_fail(&json->base, "%s, at byte %" PRId64, error->message, error->offset + 1);
	return ROW_READ_FAILED;
}

static RowReadResult
next_frame(JsonReader *json, Value *values)
{
	JsonFrame frame;
	bool taken = true;

	while (taken)
	{
		switch (json_frames_next(json->frames, &frame))
		{
			case JSON_FRAME_ROW:
				return take_row(json, frame.text, frame.length, frame.has_wide_integers, values);
			case JSON_FRAME_COLUMN:
				taken = begin_column(json, &frame);
				break;
			case JSON_FRAME_VALUE:
				taken = json_columns_add(json->columns, frame.text, frame.length,
										 frame.has_wide_integers);
				break;
			case JSON_FRAME_MORE:
				return ROW_READ_MORE;
			case JSON_FRAME_END:
				return end_body(json, values);
			case JSON_FRAME_ERROR:
				return refuse_body(json);
		}
	}
	return ROW_READ_FAILED;
}

static RowReadResult
next_json(RowReader *reader, Value *values)
{
	JsonReader *json = (JsonReader *) reader;

	if (json->columns_are_whole)
		return next_of_columns(json, values);
	if (reader->at < reader->end)
	{
		json_frames_feed(json->frames, reader->at, (size_t) (reader->end - reader->at));
		reader->at = reader->end;
	}
	if (reader->finished)
		json_frames_finish(json->frames);
	return next_frame(json, values);
}

static void
reset_json(RowReader *reader)
{
	JsonReader *json = (JsonReader *) reader;

	json_frames_reset(json->frames, json->shape);
	json->columns_are_whole = false;
	if (json->columns != NULL)
		json_columns_reset(json->columns);
}

static void
free_json(RowReader *reader)
{
	JsonReader *json = (JsonReader *) reader;

	json_frames_free(json->frames);
	json_decoder_free(json->decoder);
	json_columns_free(json->columns);
	free(json->fields);
	free(json->texts);
}

/* {"tags":["a"]} is a row when tags is a column of arrays. */
static bool
key_takes_array(void *context, const char *key, size_t length)
{
	const RowType *type = context;

	for (int i = 0; i < type->columns; i++)
	{
		const RowColumn *column = &type->column[i];

		if (strlen(column->name) == length && memcmp(column->name, key, length) == 0)
			return column->type == COLUMN_JSON || column->type == COLUMN_JSONB ||
				   column->type == COLUMN_ARRAY || strchr(column->type_name, '[') != NULL;
	}
	return false;
}

static JsonDecoder *
create_decoder(const RowType *type)
{
	const char **names = calloc((size_t) type->columns, sizeof(char *));
	JsonDecoder *decoder;

	if (names == NULL)
		return NULL;
	for (int i = 0; i < type->columns; i++)
		names[i] = type->column[i].name;
	decoder = json_decoder_create(names, type->columns);
	free(names);
	return decoder;
}

RowReader *
row_reader_json(const RowType *type, JsonShape shape, size_t max_row_bytes)
{
	static const RowReaderFormat format = {next_json, reset_json, free_json};
	JsonFramesOptions options = {
		.max_row_bytes = max_row_bytes,
		.shape = shape,
		.key_takes_array = key_takes_array,
		.context = (void *) type, /* only read */
	};
	RowReader *reader = row_reader_create(&format, sizeof(JsonReader), type, max_row_bytes);
	JsonReader *json = (JsonReader *) reader;

	if (reader == NULL)
		return NULL;
	json->shape = shape;
	json->frames = json_frames_create(&options);
	json->decoder = create_decoder(type);
	json->fields = calloc((size_t) type->columns, sizeof(JsonField));
	json->texts = malloc(FIRST_TEXTS_BYTES);
	json->texts_capacity = FIRST_TEXTS_BYTES;
	if (json->frames == NULL || json->decoder == NULL || json->fields == NULL ||
		json->texts == NULL)
	{
		row_reader_free(reader);
		return NULL;
	}
	return reader;
}

void
row_reader_json_reset(RowReader *reader, JsonShape shape)
{
	((JsonReader *) reader)->shape = shape;
	row_reader_reset(reader);
}

void
row_reader_json_refuse_compounds(RowReader *reader)
{
	((JsonReader *) reader)->refuses_compounds = true;
}
