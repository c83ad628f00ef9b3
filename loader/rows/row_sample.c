#include "rows/row_sample.h"
#include "message.h"

#define SAMPLE_BYTES                                                                               \
	(4 * 1024 * 1024)  /* of a file: what was read ahead of its rows is little then */
#define BINARY_BYTES 8 /* of a value that is no text */

/* The bytes of the values. */
static double
chunk_bytes(const RowChunk *chunk, const RowType *type)
{
	double bytes = 0;

	for (int row = 0; row < row_chunk_rows(chunk); row++)
	{
		const Value *values = row_chunk_row(chunk, row);

		for (int i = 0; i < type->columns; i++)
			if (!values[i].is_null)
				bytes += column_type_is_text(type->column[i].type) ? (double) values[i].text.length
																   : BINARY_BYTES;
	}
	return bytes;
}

/* A file that was read to its end may have kept its rows back until then, as one of columns does. */
static bool
is_enough(const RowSource *source)
{
	int64_t read, size;

	return !row_source_bytes(source, &read, &size) || (read >= SAMPLE_BYTES && read < size);
}

/* `seen` rows were read, and more are to come. */
static int64_t
estimate_rows(const RowSource *source, int64_t seen)
{
	int64_t read, size;

	if (!row_source_bytes(source, &read, &size) || read <= 0)
		return -1;
	return (int64_t) ((double) size / (double) read * (double) seen) + 1;
}

RowSourceResult
row_sample_take(RowSource *source, RowSample *sample)
{
	const RowType *type = row_source_type(source);
	RowChunk *chunk = row_chunk_create(type);
	RowSourceResult got;
	int64_t seen = 0;
	double bytes = 0;

	*sample = (RowSample){.rows = -1};
	if (chunk == NULL)
	{
		message_error("out of memory");
		return ROW_SOURCE_INTERRUPTED;
	}
	do
	{
		row_chunk_reset(chunk);
		got = row_source_next(source, chunk, ROW_CHUNK_ROWS);
		seen += row_chunk_rows(chunk);
		bytes += chunk_bytes(chunk, type);
	} while (got == ROW_SOURCE_ROWS && !is_enough(source));
	row_chunk_free(chunk);
	sample->rows = got == ROW_SOURCE_END ? seen : estimate_rows(source, seen);
	sample->value_bytes = seen > 0 ? bytes / (double) seen : 0;
	return got;
}
