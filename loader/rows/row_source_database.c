/*
 * row_source_database.c - rows that a query of another database gives, by COPY TO STDOUT.
 *
 * The transaction begins with the first row that is wanted, and ends with the last: a rewind reads
 * what is there then.
 */
#include "rows/row_source_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "the source database"

typedef struct DatabaseSource
{
	RowSource base;
	RowStream stream;
	Database *database;
	char *begin_sql;
	char *copy_sql;
	bool has_begun;
} DatabaseSource;

/* What the connection says of a call that did not go well. */
static RowSourceResult
tell(DatabaseSource *source, DatabaseResult result)
{
	const Database *database = source->database;

	if (result == DATABASE_INTERRUPTED)
	{
		row_source_fail(&source->base, NAME ": interrupted");
		return ROW_SOURCE_INTERRUPTED;
	}
	if (database->sqlstate[0] == '\0')
		return row_source_fail(&source->base, NAME ": %s", database->message);
	return row_source_fail(&source->base, NAME ": %s (SQLSTATE %s)", database->message,
						   database->sqlstate);
}

static RowSourceResult
begin(DatabaseSource *source)
{
	DatabaseResult result =
		database_run(source->database, source->begin_sql, DATABASE_WAIT_FOREVER, NULL);

	if (result == DATABASE_OK)
		result = database_copy_out_begin(source->database, source->copy_sql);
	source->has_begun = true; /* whatever became of it is undone at the end */
	return result == DATABASE_OK ? ROW_SOURCE_ROWS : tell(source, result);
}

/* The rows count only once the server has said that they were all. */
static RowSourceResult
end(DatabaseSource *source, RowReader *reader)
{
	DatabaseResult result = database_run(source->database, "COMMIT", DATABASE_WAIT_FOREVER, NULL);

	if (result != DATABASE_OK)
		return tell(source, result);
	source->has_begun = false;
	row_reader_finish(reader);
	return ROW_SOURCE_ROWS;
}

static RowSourceResult
feed(RowSource *base, RowReader *reader)
{
	DatabaseSource *source = (DatabaseSource *) base;
	DatabaseResult result;
	char *bytes;
	size_t length;

	if (!source->has_begun)
		return begin(source);
	result = database_copy_out_next(source->database, &bytes, &length);
	if (result != DATABASE_OK)
		return tell(source, result);
	if (bytes == NULL)
		return end(source, reader);
	row_reader_feed(reader, bytes, length);
	return ROW_SOURCE_ROWS;
}

static RowSourceResult
next_of_database(RowSource *base, RowChunk *chunk, int64_t max_rows)
{
	return row_stream_next(&((DatabaseSource *) base)->stream, base, chunk, max_rows);
}

static void
stop(DatabaseSource *source)
{
	if (source->has_begun)
		database_make_idle(source->database);
	source->has_begun = false;
}

static bool
rewind_database(RowSource *base)
{
	DatabaseSource *source = (DatabaseSource *) base;

	stop(source);
	row_reader_reset(source->stream.reader);
	if (database_is_open(source->database))
		return true;
	row_source_fail(base, NAME ": the connection is lost");
	return false;
}

static void
free_database(RowSource *base)
{
	DatabaseSource *source = (DatabaseSource *) base;

	stop(source);
	row_stream_free(&source->stream);
	free(source->begin_sql);
	free(source->copy_sql);
}

static bool
has_binary(const RowType *type)
{
	for (int i = 0; i < type->columns; i++)
	{
		if (!column_type_has_binary(type->column[i].type))
			return false;
	}
	return true;
}

static bool
prepare(DatabaseSource *source, const char *begin_sql, const char *sql)
{
	const RowType *type = source->base.type;
	bool is_binary = has_binary(type);
	RowReader *reader = is_binary ? row_reader_copy_binary(type, ROW_READER_MAX_ROW_BYTES)
								  : row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);

	source->begin_sql = strdup(begin_sql);
	/* a line break: the query may end with a comment */
	if (asprintf(&source->copy_sql, "COPY (%s\n) TO STDOUT%s", sql,
				 is_binary ? " WITH (FORMAT binary)" : "") < 0)
		source->copy_sql = NULL;
	return row_stream_init(&source->stream, reader, type->columns, NAME, feed) &&
		   source->begin_sql != NULL && source->copy_sql != NULL;
}

RowSource *
row_source_database(Database *database, const char *begin_sql, const char *sql, const RowType *type)
{
	static const RowSourceKind kind = {
		.next = next_of_database, .rewind = rewind_database, .free = free_database};
	RowSource *source = row_source_create(&kind, sizeof(DatabaseSource), type);

	if (source == NULL)
		return NULL;
	((DatabaseSource *) source)->database = database;
	if (prepare((DatabaseSource *) source, begin_sql, sql))
		return source;
	row_source_free(source);
	return NULL;
}
