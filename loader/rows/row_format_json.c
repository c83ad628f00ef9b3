/* row_format_json.c - an object per row: within one array, or one a line (NDJSON). */
#include "rows/row_format.h"

#include <stdlib.h>
#include <string.h>

typedef struct Key
{
	const char *text; /* what goes before the value: {"id": or ,"x": */
	size_t length;
} Key;

struct RowWriter
{
	JsonEncoder encoder;
	int columns;
	const RowColumnHead *heads;
	bool lines;
	bool any_row;
	Key *keys; /* [columns], in key_text */
	char *key_text;
	size_t key_length; /* while it grows */
	char buffer[ROW_WRITER_BUFFER];
};

static void
close_writer(RowWriter *writer)
{
	if (writer == NULL)
		return;
	free(writer->keys);
	free(writer->key_text);
	free(writer);
}

static bool
grow_key_text(void *context, const char *bytes, size_t length)
{
	RowWriter *writer = context;
	char *grown = realloc(writer->key_text, writer->key_length + length);

	if (grown == NULL)
		return false;
	memcpy(grown + writer->key_length, bytes, length);
	writer->key_text = grown;
	writer->key_length += length;
	return true;
}

/* The keys are encoded once; a row only copies them. */
static bool
prepare_keys(RowWriter *writer)
{
	const char *text;

	json_encoder_init(&writer->encoder, writer->buffer, sizeof(writer->buffer), grow_key_text,
					  writer);
	for (int i = 0; i < writer->columns; i++)
	{
		size_t before = writer->key_length;

		json_encode_char(&writer->encoder, i == 0 ? '{' : ',');
		json_encode_string(&writer->encoder, writer->heads[i].name, strlen(writer->heads[i].name));
		json_encode_char(&writer->encoder, ':');
		if (!json_encoder_flush(&writer->encoder))
			return false;
		writer->keys[i].length = writer->key_length - before;
	}
	text = writer->key_text;
	for (int i = 0; i < writer->columns; i++)
	{
		writer->keys[i].text = text;
		text += writer->keys[i].length;
	}
	return true;
}

static RowWriter *
open_writer(const RowWriterOptions *options, bool lines)
{
	RowWriter *writer = calloc(1, sizeof(RowWriter));

	if (writer == NULL)
		return NULL;
	writer->columns = options->columns;
	writer->heads = options->heads;
	writer->lines = lines;
	writer->keys = calloc((size_t) options->columns, sizeof(Key));
	if (writer->keys == NULL || !prepare_keys(writer))
	{
		close_writer(writer);
		return NULL;
	}
	json_encoder_init(&writer->encoder, writer->buffer, sizeof(writer->buffer), options->sink,
					  options->sink_context);
	return writer;
}

static RowWriter *
open_rows(const RowWriterOptions *options)
{
	return open_writer(options, false);
}

static RowWriter *
open_ndjson(const RowWriterOptions *options)
{
	return open_writer(options, true);
}

static bool
put_row(RowWriter *writer, const RowField *fields)
{
	JsonEncoder *encoder = &writer->encoder;

	if (!writer->lines)
		json_encode_char(encoder, writer->any_row ? ',' : '[');
	writer->any_row = true;
	for (int i = 0; i < writer->columns; i++)
	{
		json_encode_raw(encoder, writer->keys[i].text, writer->keys[i].length);
		row_format_put_value(encoder, writer->heads[i].kind, &fields[i]);
	}
	json_encode_char(encoder, '}');
	if (writer->lines)
		json_encode_char(encoder, '\n');
	return !encoder->failed;
}

static bool
finish(RowWriter *writer)
{
	if (!writer->lines)
		json_encode_literal(&writer->encoder, writer->any_row ? "]" : "[]");
	return json_encoder_flush(&writer->encoder);
}

static bool
flush(RowWriter *writer)
{
	return json_encoder_flush(&writer->encoder);
}

const RowFormat row_format_rows = {
	.name = "rows",
	.media_type = "application/json",
	.is_json = true,
	.open = open_rows,
	.row = put_row,
	.finish = finish,
	.flush = flush,
	.problem = row_writer_no_problem,
	.spool_ns = row_writer_no_spool,
	.close = close_writer,
};

const RowFormat row_format_ndjson = {
	.name = "ndjson",
	.media_type = "application/x-ndjson",
	.is_json = true,
	.open = open_ndjson,
	.row = put_row,
	.finish = finish,
	.flush = flush,
	.problem = row_writer_no_problem,
	.spool_ns = row_writer_no_spool,
	.close = close_writer,
};
