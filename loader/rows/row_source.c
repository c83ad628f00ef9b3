/* row_source.c - see row_source.h: the dispatch, and what the kinds share. */
#include "rows/row_source_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

RowSource *
row_source_create(const RowSourceKind *kind, size_t size, const RowType *type)
{
	RowSource *source = calloc(1, size);

	if (source == NULL)
		return NULL;
	source->kind = kind;
	source->type = type;
	source->total = -1;
	source->last = ROW_SOURCE_ROWS;
	return source;
}

void
row_source_free(RowSource *source)
{
	if (source == NULL)
		return;
	source->kind->free(source);
	free(source);
}

const RowType *
row_source_type(const RowSource *source)
{
	return source->type;
}

int64_t
row_source_total(const RowSource *source)
{
	return source->total;
}

bool
row_source_bytes(const RowSource *source, int64_t *read, int64_t *size)
{
	return source->kind->bytes != NULL && source->kind->bytes(source, read, size);
}

RowSourceResult
row_source_next(RowSource *source, RowChunk *chunk, int64_t max_rows)
{
	int before = row_chunk_rows(chunk);

	if (source->last == ROW_SOURCE_ROWS)
		source->last = source->kind->next(source, chunk, max_rows);
	return row_chunk_rows(chunk) > before ? ROW_SOURCE_ROWS : source->last;
}

bool
row_source_can_seek(const RowSource *source)
{
	return source->kind->copy != NULL;
}

RowSource *
row_source_copy(const RowSource *source)
{
	return source->kind->copy == NULL ? NULL : source->kind->copy(source);
}

void
row_source_seek(RowSource *source, int64_t row)
{
	source->last = ROW_SOURCE_ROWS;
	source->kind->seek(source, row);
}

bool
row_source_rewind(RowSource *source)
{
	source->last = source->kind->rewind(source) ? ROW_SOURCE_ROWS : ROW_SOURCE_FAILED;
	return source->last == ROW_SOURCE_ROWS;
}

bool
row_source_can_rewind(const RowSource *source)
{
	return source->kind->can_rewind == NULL || source->kind->can_rewind(source);
}

const char *
row_source_problem(const RowSource *source)
{
	return source->problem;
}

RowSourceResult
row_source_fail(RowSource *source, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(source->problem, sizeof(source->problem), format, arguments);
	va_end(arguments);
	return ROW_SOURCE_FAILED;
}

/* --- rows out of a stream ------------------------------------------------------------------ */

bool
row_stream_init(RowStream *stream, RowReader *reader, int columns, const char *name,
				RowSourceResult (*feed)(RowSource *source, RowReader *reader))
{
	stream->reader = reader;
	stream->values = calloc((size_t) columns, sizeof(Value));
	stream->name = name;
	stream->feed = feed;
	return stream->reader != NULL && stream->values != NULL;
}

void
row_stream_free(RowStream *stream)
{
	row_reader_free(stream->reader);
	free(stream->values);
}

RowSourceResult
row_stream_next(RowStream *stream, RowSource *source, RowChunk *chunk, int64_t max_rows)
{
	RowReader *reader = stream->reader;
	RowSourceResult result = ROW_SOURCE_ROWS;

	while (max_rows > 0 && !row_chunk_is_full(chunk) && result == ROW_SOURCE_ROWS)
	{
		switch (row_reader_next(reader, stream->values))
		{
			case ROW_READ_ROW:
				max_rows--;
				if (!row_chunk_copy_row(chunk, stream->values))
					result = row_source_fail(source, "%s: out of memory", stream->name);
				break;
			case ROW_READ_MORE:
				result = stream->feed(source, reader);
				break;
			case ROW_READ_END:
				result = ROW_SOURCE_END;
				break;
			case ROW_READ_FAILED:
				result =
					row_source_fail(source, "%s: %s", stream->name, row_reader_problem(reader));
				break;
		}
	}
	return result;
}
