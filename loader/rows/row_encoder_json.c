/*
 * row_encoder_json.c - rows as objects of JSON: one array of them, or one on each line
 * (NDJSON, https://github.com/ndjson/ndjson-spec).
 */
#include "rows/nested_codec.h"
#include "rows/row_encoder.h"
#include "rows/value_json.h"

#include <stdlib.h>
#include <string.h>

typedef struct Key
{
	const char *text; /* what stands before the value: {"id": or ,"code": */
	size_t length;
} Key;

struct RowEncoderState
{
	const RowType *type;
	NestedCodec *nested;
	char *texts; /* of all keys */
	Key key[];   /* [columns] */
};

typedef struct KeyTexts
{
	char *bytes; /* NULL: only the length is wanted */
	size_t length;
} KeyTexts;

static bool
collect(void *context, const char *bytes, size_t length)
{
	KeyTexts *texts = context;

	if (texts->bytes != NULL)
		memcpy(texts->bytes + texts->length, bytes, length);
	texts->length += length;
	return true;
}

/* Writes all keys one after the other; each key's place is told as far as `key` is given. */
static void
put_keys(const RowType *type, KeyTexts *texts, Key *key)
{
	char buffer[JSON_ENCODE_MIN_BUFFER];
	JsonEncoder encoder;

	json_encoder_init(&encoder, buffer, sizeof(buffer), collect, texts);
	for (int i = 0; i < type->columns; i++)
	{
		size_t start = texts->length;

		json_encode_char(&encoder, i == 0 ? '{' : ',');
		json_encode_string(&encoder, type->column[i].name, strlen(type->column[i].name));
		json_encode_char(&encoder, ':');
		json_encoder_flush(&encoder);
		if (key != NULL)
			key[i] = (Key){.text = texts->bytes + start, .length = texts->length - start};
	}
}

static void
close_json(RowEncoderState *state)
{
	if (state == NULL)
		return;
	nested_codec_free(state->nested);
	free(state->texts);
	free(state);
}

static RowEncoderState *
open_json(const RowType *type, char *problem, size_t problem_size)
{
	RowEncoderState *state =
		calloc(1, sizeof(RowEncoderState) + (size_t) type->columns * sizeof(Key));
	KeyTexts texts = {0};

	(void) problem;
	(void) problem_size;
	if (state == NULL)
		return NULL;
	put_keys(type, &texts, NULL);
	state->type = type;
	state->nested = nested_codec_create(type, 0);
	state->texts = malloc(texts.length);
	if (state->nested == NULL || state->texts == NULL)
	{
		close_json(state);
		return NULL;
	}
	texts = (KeyTexts){.bytes = state->texts};
	put_keys(type, &texts, state->key);
	return state;
}

static void
put_nothing(RowEncoderState *state, JsonEncoder *to)
{
	(void) state;
	(void) to;
}

static void
put_array_start(RowEncoderState *state, JsonEncoder *to)
{
	(void) state;
	json_encode_char(to, '[');
}

static void
put_array_end(RowEncoderState *state, JsonEncoder *to)
{
	(void) state;
	json_encode_char(to, ']');
}

/* Never with a line break of its own: value_put_json writes none. */
static bool
put_object(RowEncoderState *state, const Value *values, JsonEncoder *to, int *column)
{
	const RowType *type = state->type;

	for (int i = 0; i < type->columns; i++)
	{
		json_encode_raw(to, state->key[i].text, state->key[i].length);
		if (type->column[i].nested == NULL || values[i].is_null)
			value_put_json(to, type->column[i].type, &values[i]);
		else if (!nested_codec_put_json(state->nested, i, &values[i], to))
		{
			*column = i;
			return false;
		}
	}
	json_encode_char(to, '}');
	return true;
}

static bool
put_array_row(RowEncoderState *state, const Value *values, bool first, JsonEncoder *to, int *column)
{
	if (!first)
		json_encode_char(to, ',');
	return put_object(state, values, to, column);
}

static bool
put_line(RowEncoderState *state, const Value *values, bool first, JsonEncoder *to, int *column)
{
	(void) first;
	if (!put_object(state, values, to, column))
		return false;
	json_encode_char(to, '\n');
	return true;
}

const RowEncoder row_encoder_json_array = {
	.name = "json",
	.media_type = "application/json",
	.open = open_json,
	.close = close_json,
	.begin = put_array_start,
	.row = put_array_row,
	.end = put_array_end,
	.end_bytes = 1,
};

const RowEncoder row_encoder_ndjson = {
	.name = "ndjson",
	.media_type = "application/x-ndjson",
	.open = open_json,
	.close = close_json,
	.begin = put_nothing,
	.row = put_line,
	.end = put_nothing,
};
