/*
 * row_format_csv.c - a header line, then a line per row, as COPY ... WITH (FORMAT csv,
 * HEADER) writes and reads them: null is an empty field, the empty string is "".
 */
#include "rows/row_format.h"

#include <stdlib.h>
#include <string.h>

struct RowWriter
{
	JsonEncoder encoder; /* for its buffer; nothing of CSV is JSON */
	int columns;
	char buffer[ROW_WRITER_BUFFER];
};

/* COPY would take a line that is \. for the end of its data; blanks at the ends are quoted for
 * readers that trim. */
static bool
must_quote(const RowField *field)
{
	if (field->length == 0 || (field->length == 2 && memcmp(field->text, "\\.", 2) == 0) ||
		field->text[0] == ' ' || field->text[field->length - 1] == ' ')
		return true;
	for (size_t i = 0; i < field->length; i++)
	{
		char byte = field->text[i];

		if (byte == ',' || byte == '"' || byte == '\n' || byte == '\r')
			return true;
	}
	return false;
}

static void
put_quoted(JsonEncoder *encoder, const RowField *field)
{
	const char *rest = field->text;
	const char *end = rest + field->length;

	json_encode_char(encoder, '"');
	while (rest < end)
	{
		const char *quote = memchr(rest, '"', (size_t) (end - rest));
		const char *plain_end = quote == NULL ? end : quote + 1;

		json_encode_raw(encoder, rest, (size_t) (plain_end - rest));
		if (quote != NULL)
			json_encode_char(encoder, '"');
		rest = plain_end;
	}
	json_encode_char(encoder, '"');
}

static void
put_field(JsonEncoder *encoder, const RowField *field)
{
	if (field->text == NULL)
		return;
	if (must_quote(field))
		put_quoted(encoder, field);
	else
		json_encode_raw(encoder, field->text, field->length);
}

static bool
put_row(RowWriter *writer, const RowField *fields)
{
	for (int i = 0; i < writer->columns; i++)
	{
		if (i > 0)
			json_encode_char(&writer->encoder, ',');
		put_field(&writer->encoder, &fields[i]);
	}
	json_encode_char(&writer->encoder, '\n');
	return !writer->encoder.failed;
}

static RowWriter *
open_csv(const RowWriterOptions *options)
{
	RowWriter *writer = malloc(sizeof(RowWriter));

	if (writer == NULL)
		return NULL;
	writer->columns = options->columns;
	json_encoder_init(&writer->encoder, writer->buffer, sizeof(writer->buffer), options->sink,
					  options->sink_context);
	for (int i = 0; i < writer->columns; i++)
	{
		const char *name = options->heads[i].name;
		RowField head = {.text = name, .length = strlen(name)};

		if (i > 0)
			json_encode_char(&writer->encoder, ',');
		put_field(&writer->encoder, &head);
	}
	json_encode_char(&writer->encoder, '\n');
	return writer;
}

static bool
flush(RowWriter *writer)
{
	return json_encoder_flush(&writer->encoder);
}

static void
close_writer(RowWriter *writer)
{
	free(writer);
}

const RowFormat row_format_csv = {
	.name = "csv",
	.media_type = "text/csv; charset=utf-8; header=present",
	.open = open_csv,
	.row = put_row,
	.finish = flush,
	.flush = flush,
	.problem = row_writer_no_problem,
	.spool_ns = row_writer_no_spool,
	.close = close_writer,
};
