/* row_format_columns.c - one object of arrays, a column each; written once all rows are known. */
#include "rows/column_spool.h"
#include "rows/row_format.h"

#include <stdlib.h>
#include <string.h>

struct RowWriter
{
	JsonEncoder encoder;
	int columns;
	const RowColumnHead *heads;
	ColumnSpool *spool;
	bool any_row;
	char buffer[ROW_WRITER_BUFFER];
};

static void
close_writer(RowWriter *writer)
{
	if (writer == NULL)
		return;
	column_spool_free(writer->spool);
	free(writer);
}

static RowWriter *
open_columns(const RowWriterOptions *options)
{
	RowWriter *writer = calloc(1, sizeof(RowWriter));

	if (writer == NULL)
		return NULL;
	writer->columns = options->columns;
	writer->heads = options->heads;
	writer->spool = column_spool_create(options->columns, options->max_spool_bytes);
	if (writer->spool == NULL)
	{
		close_writer(writer);
		return NULL;
	}
	json_encoder_init(&writer->encoder, writer->buffer, sizeof(writer->buffer), options->sink,
					  options->sink_context);
	return writer;
}

static bool
put_row(RowWriter *writer, const RowField *fields)
{
	bool failed = false;

	for (int i = 0; i < writer->columns; i++)
	{
		JsonEncoder *encoder = column_spool_encoder(writer->spool, i);

		if (writer->any_row)
			json_encode_char(encoder, ',');
		row_format_put_value(encoder, writer->heads[i].kind, &fields[i]);
		failed |= encoder->failed;
	}
	writer->any_row = true;
	return !failed;
}

static bool
finish(RowWriter *writer)
{
	JsonEncoder *encoder = &writer->encoder;

	for (int i = 0; i < writer->columns; i++)
	{
		json_encode_char(encoder, i == 0 ? '{' : ',');
		json_encode_string(encoder, writer->heads[i].name, strlen(writer->heads[i].name));
		json_encode_literal(encoder, ":[");
		if (!column_spool_copy(writer->spool, i, encoder))
			return false;
		json_encode_char(encoder, ']');
	}
	json_encode_char(encoder, '}');
	return json_encoder_flush(encoder);
}

static bool
flush_nothing(RowWriter *writer)
{
	(void) writer;
	return true;
}

static const char *
problem(const RowWriter *writer)
{
	return column_spool_problem(writer->spool);
}

static int64_t
spool_ns(const RowWriter *writer)
{
	return column_spool_ns(writer->spool);
}

const RowFormat row_format_columns = {
	.name = "columns",
	/* said, since an array as the first column's value looks like a row of NDJSON */
	.media_type = "application/json; shape=columns",
	.is_json = true,
	.writes_late = true,
	.open = open_columns,
	.row = put_row,
	.finish = finish,
	.flush = flush_nothing,
	.problem = problem,
	.spool_ns = spool_ns,
	.close = close_writer,
};
