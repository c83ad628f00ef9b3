/*
 * column_spool.c - see column_spool.h.
 *
 * A column is a sequence of records: a uint32 with the value's length and,
 * as its lowest bit, whether it has wide integers; then the value's text.
 */
#include "postgres.h"

#include "storage/buffile.h"
#include "utils/memutils.h"

#include "column_spool.h"
#include "printable.h"

typedef struct SpooledColumn
{
	char *key;             /* JSON text, quotes included */
	StringInfoData buffer; /* all records, or none once there is a file; allocated when one comes */
	BufFile *file;         /* NULL while the column fits in memory */
	int read_position;     /* in buffer */
} SpooledColumn;

struct ColumnSpool
{
	MemoryContext context;
	int max_buffered_bytes;
	int64 buffered_bytes; /* in all columns' buffers */
	int64 spilled_bytes;
	int columns, columns_allocated;
	SpooledColumn *column; /* [columns_allocated] */

	/* the column that is being written, kept or not, and the first one, to compare it with */
	StringInfoData key, first_key;
	int64 rows, first_rows;
	bool has_first;
	bool is_kept;
};

#define FIRST_COLUMNS 16

ColumnSpool *
column_spool_create(int max_buffered_bytes)
{
	ColumnSpool *spool = palloc0(sizeof(ColumnSpool));

	spool->context = CurrentMemoryContext;
	spool->max_buffered_bytes = max_buffered_bytes;
	spool->columns_allocated = FIRST_COLUMNS;
	spool->column = palloc(sizeof(SpooledColumn) * FIRST_COLUMNS);
	initStringInfo(&spool->key);
	initStringInfo(&spool->first_key);
	return spool;
}

void
column_spool_free(ColumnSpool *spool)
{
	for (int i = 0; i < spool->columns; i++)
	{
		if (spool->column[i].file != NULL)
			BufFileClose(spool->column[i].file);
		if (spool->column[i].buffer.data != NULL)
			pfree(spool->column[i].buffer.data);
		pfree(spool->column[i].key);
	}
	pfree(spool->column);
	pfree(spool->key.data);
	pfree(spool->first_key.data);
	pfree(spool);
}

/* The column that was being written is over. */
static void
end_column(ColumnSpool *spool)
{
	if (spool->key.len == 0)
		return;
	if (!spool->has_first)
	{
		spool->has_first = true;
		spool->first_rows = spool->rows;
		appendBinaryStringInfo(&spool->first_key, spool->key.data, spool->key.len);
	}
	if (spool->rows != spool->first_rows)
		ereport(ERROR, errcode(ERRCODE_INVALID_JSON_TEXT),
				errmsg("columns of unequal length: %s has " INT64_FORMAT
					   " values, %s has " INT64_FORMAT,
					   printable_text(spool->first_key.data), spool->first_rows,
					   printable_text(spool->key.data), spool->rows));
}

static void
keep_column(ColumnSpool *spool)
{
	if (spool->columns == COLUMN_SPOOL_MAX_COLUMNS)
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("the columns of the row type come more than %d times",
					   COLUMN_SPOOL_MAX_COLUMNS));
	if (spool->columns == spool->columns_allocated)
	{
		spool->columns_allocated *= 2;
		spool->column = repalloc(spool->column, sizeof(SpooledColumn) * spool->columns_allocated);
	}
	spool->column[spool->columns++] =
		(SpooledColumn){.key = MemoryContextStrdup(spool->context, spool->key.data)};
}

void
column_spool_begin_column(ColumnSpool *spool, const char *key, size_t length, bool keep)
{
	end_column(spool);
	resetStringInfo(&spool->key);
	appendBinaryStringInfo(&spool->key, key, length);
	spool->rows = 0;
	spool->is_kept = keep;
	if (keep)
		keep_column(spool);
}

static void
write_file(ColumnSpool *spool, SpooledColumn *column, const void *bytes, size_t length)
{
	/* BufFileWrite takes its input for const in newer servers only */
	BufFileWrite(column->file, unconstify(void *, bytes), length);
	spool->spilled_bytes += length;
}

/* Moves what the column has so far to a file; what follows goes there directly. */
static void
spill(ColumnSpool *spool, SpooledColumn *column)
{
	MemoryContext caller_context = MemoryContextSwitchTo(spool->context);

	column->file = BufFileCreateTemp(false);
	MemoryContextSwitchTo(caller_context);
	if (column->buffer.data == NULL)
		return;
	write_file(spool, column, column->buffer.data, column->buffer.len);
	spool->buffered_bytes -= column->buffer.maxlen;
	pfree(column->buffer.data);
	column->buffer.data = NULL;
}

/* Appends to the column's buffer, counting what is allocated rather than what is used. */
static void
buffer_bytes(ColumnSpool *spool, SpooledColumn *column, const void *bytes, size_t length)
{
	MemoryContext caller_context = MemoryContextSwitchTo(spool->context);

	if (column->buffer.data == NULL)
		initStringInfo(&column->buffer);
	else
		spool->buffered_bytes -= column->buffer.maxlen;
	appendBinaryStringInfo(&column->buffer, bytes, length);
	spool->buffered_bytes += column->buffer.maxlen;
	MemoryContextSwitchTo(caller_context);
}

void
column_spool_add(ColumnSpool *spool, const char *value, size_t length, bool has_wide_integers)
{
	uint32 record = (uint32) length << 1 | has_wide_integers;
	SpooledColumn *column;

	spool->rows++;
	if (!spool->is_kept)
		return;
	column = &spool->column[spool->columns - 1];
	if (column->file == NULL &&
		spool->buffered_bytes + sizeof(record) + length > (size_t) spool->max_buffered_bytes)
		spill(spool, column);
	if (column->file != NULL)
	{
		write_file(spool, column, &record, sizeof(record));
		write_file(spool, column, value, length);
	}
	else
	{
		buffer_bytes(spool, column, &record, sizeof(record));
		buffer_bytes(spool, column, value, length);
	}
}

int64
column_spool_column_rows(const ColumnSpool *spool)
{
	return spool->rows;
}

int
column_spool_columns(const ColumnSpool *spool)
{
	return spool->columns;
}

int64
column_spool_finish(ColumnSpool *spool)
{
	end_column(spool);
	for (int i = 0; i < spool->columns; i++)
	{
		SpooledColumn *column = &spool->column[i];

		if (column->file != NULL && BufFileSeek(column->file, 0, 0, SEEK_SET) != 0)
			ereport(ERROR, errcode_for_file_access(), errmsg("could not rewind a temporary file"));
	}
	return spool->first_rows;
}

static void
read_bytes(SpooledColumn *column, void *bytes, size_t length)
{
	if (column->file == NULL)
	{
		memcpy(bytes, column->buffer.data + column->read_position, length);
		column->read_position += length;
	}
	else if (BufFileRead(column->file, bytes, length) != length)
		ereport(ERROR, errcode_for_file_access(),
				errmsg("could not read a temporary file: it is too short"));
}

void
column_spool_next_row(ColumnSpool *spool, StringInfo row, bool *has_wide_integers)
{
	resetStringInfo(row);
	*has_wide_integers = false;
	for (int i = 0; i < spool->columns; i++)
	{
		SpooledColumn *column = &spool->column[i];
		uint32 record;
		uint32 length;

		appendStringInfoChar(row, i == 0 ? '{' : ',');
		appendStringInfoString(row, column->key);
		appendStringInfoChar(row, ':');
		read_bytes(column, &record, sizeof(record));
		length = record >> 1;
		*has_wide_integers |= record & 1;
		enlargeStringInfo(row, length);
		read_bytes(column, row->data + row->len, length);
		row->len += length;
		row->data[row->len] = '\0';
	}
	appendStringInfoChar(row, '}');
}

int64
column_spool_spilled_bytes(const ColumnSpool *spool)
{
	return spool->spilled_bytes;
}
