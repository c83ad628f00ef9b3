/*
 * row_reader.h - typed rows out of a stream of bytes, in one of the formats that rows
 * travel in. Pieces may be cut anywhere.
 *
 * One interface for COPY text, CSV, COPY binary and JSON: the caller feeds a
 * piece, takes rows until MORE is wanted, and says when the stream is over.
 *
 *   COPY text    https://www.postgresql.org/docs/15/sql-copy.html, 'Text Format', as
 *                COPY TO writes it: tab, \N, backslash escapes; the end mark \. ends the
 *                data; LF or CR LF, one throughout
 *   CSV          the same page, 'CSV Format', RFC 4180 quoting; an unquoted empty field is null
 *   COPY binary  the same page, 'Binary Format': signature, flags, tuples, trailer
 *   JSON         an array of objects, NDJSON, or one object of columns (json_frames.h);
 *                columns are spooled to a temporary file
 *
 * Strict: what is not of the format or not of a column's type ends the reading with a
 * problem that names row and column. Memory is bounded by the longest row.
 */
#ifndef TRANSFERBENCH_ROW_READER_H
#define TRANSFERBENCH_ROW_READER_H

#include "json_frames.h"
#include "rows/row_type.h"

#define ROW_READER_MAX_ROW_BYTES (64 * 1024 * 1024) /* default of max_row_bytes */

typedef enum RowReadResult
{
	ROW_READ_ROW,
	ROW_READ_MORE,   /* feed the next piece, or finish */
	ROW_READ_END,    /* after finish: the stream was whole */
	ROW_READ_FAILED, /* see row_reader_problem; every later call says the same */
} RowReadResult;

typedef struct RowReader RowReader;

/* All lend `type`, and return NULL when out of memory. Fields come in the order of the type's
 * columns; with a header (CSV) or keys (JSON) by their names, and then columns that are not there
 * are null. */
extern RowReader *row_reader_copy_text(const RowType *type, size_t max_row_bytes);
extern RowReader *row_reader_copy_binary(const RowType *type, size_t max_row_bytes);
extern RowReader *row_reader_csv(const RowType *type, bool has_header, size_t max_row_bytes);
/* `shape`: as in JsonFramesOptions. */
extern RowReader *row_reader_json(const RowType *type, JsonShape shape, size_t max_row_bytes);
/* From now on JSON of an array or composite whose parts are not known here (is_compound) is refused:
 * for values that are written to a database, which reads its own text alone. Else it is taken as the
 * JSON text that it is, to be compared. */
extern void row_reader_json_refuse_compounds(RowReader *reader);
extern void row_reader_free(RowReader *reader); /* NULL is fine */
/* Back to the start of a new stream of the same format; counts are kept. */
extern void row_reader_reset(RowReader *reader);
/* The same of JSON, whose shape may be another one. */
extern void row_reader_json_reset(RowReader *reader, JsonShape shape);

/* Lends bytes until MORE is returned. */
extern void row_reader_feed(RowReader *reader, const char *bytes, size_t length);
extern void row_reader_finish(RowReader *reader);
/* `values` [columns]; texts are lent until the next call. */
extern RowReadResult row_reader_next(RowReader *reader, Value *values);

/* One line, printable: 'row 3, column "amount": "abc" is no numeric'. */
extern const char *row_reader_problem(const RowReader *reader);
extern int64_t row_reader_rows(const RowReader *reader);
/* JSON: keys that no column has, values and attributes of composites that were not there, "NA" taken for
 * null; 0 elsewhere. */
extern int64_t row_reader_unknown_keys(const RowReader *reader);
extern int64_t row_reader_missing_values(const RowReader *reader);
extern int64_t row_reader_na_values(const RowReader *reader);
/* Time spent on a temporary file, and its bytes. */
extern int64_t row_reader_spool_ns(const RowReader *reader);
extern int64_t row_reader_spool_bytes(const RowReader *reader);

#endif
