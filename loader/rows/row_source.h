/*
 * row_source.h - where the rows of a writing come from: the generator, a file, or
 * another connection. One row after the other, numbered from 1.
 */
#ifndef TRANSFERBENCH_ROW_SOURCE_H
#define TRANSFERBENCH_ROW_SOURCE_H

#include "database/database.h"
#include "rows/row_chunk.h"
#include "rows/row_type.h"

typedef enum RowSourceResult
{
	ROW_SOURCE_ROWS, /* at least one row was added */
	ROW_SOURCE_END,
	ROW_SOURCE_FAILED, /* see row_source_problem */
	ROW_SOURCE_INTERRUPTED,
} RowSourceResult;

typedef struct RowSource RowSource;

/* Reference rows 1..rows of a seed. */
extern RowSource *row_source_reference(int64_t rows, int64_t seed);

typedef enum RowFileFormat
{
	ROW_FILE_COPY_TEXT,
	ROW_FILE_CSV,        /* no header */
	ROW_FILE_CSV_HEADER, /* the first line names the columns */
	ROW_FILE_COPY_BINARY,
	ROW_FILE_JSON,   /* an array, lines or columns, told apart by the first bytes */
	ROW_FILE_NDJSON, /* lines, whatever the first one looks like */
} RowFileFormat;

/* By the ending of a name (.csv: CSV_HEADER, .json, .ndjson, .jsonl, .bin; else COPY text) unless
 * `format` ("text", "csv", "csv-header", "binary", "json", "ndjson") is given; false: unknown. */
extern bool row_file_format(const char *path, const char *format, RowFileFormat *result);

/* Opens the file ("-": standard input), `type` is lent. NULL, with a message, on failure. */
extern RowSource *row_source_file(const char *path, RowFileFormat format, const RowType *type);

/* Reads `sql` (one SELECT, as database/query_source.h makes it) by COPY (...) TO STDOUT within a
 * read-only transaction; text format when the type has a column without a binary form. The
 * database and `type` are lent, and the database is the source's own to use until it is freed. */
extern RowSource *row_source_database(Database *database, const char *begin_sql, const char *sql,
									  const RowType *type);

extern void row_source_free(RowSource *source); /* NULL is fine */
extern const RowType *row_source_type(const RowSource *source);
/* Total, or -1 when it is not known beforehand. */
extern int64_t row_source_total(const RowSource *source);
/* How many of a regular file's bytes were read so far, some of them ahead of the rows. False for other
 * sources. */
extern bool row_source_bytes(const RowSource *source, int64_t *read, int64_t *size);

/* Adds the next rows to the chunk until it is full, `max_rows` were added, or the end. */
extern RowSourceResult row_source_next(RowSource *source, RowChunk *chunk, int64_t max_rows);

/* Whether several copies can read different parts at once: the generator. */
extern bool row_source_can_seek(const RowSource *source);
/* A copy of its own; NULL when out of memory or it cannot seek. */
extern RowSource *row_source_copy(const RowSource *source);
/* The next row is number `row` (1-based). */
extern void row_source_seek(RowSource *source, int64_t row);
/* Back to row 1; false, with a problem, where that is impossible (standard input). */
extern bool row_source_rewind(RowSource *source);
/* Whether rows can be read more than once; of a pipe they cannot. */
extern bool row_source_can_rewind(const RowSource *source);

/* One line: the file's name, row and column. */
extern const char *row_source_problem(const RowSource *source);

#endif
