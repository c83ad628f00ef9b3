/*
 * row_source_internal.h - what the kinds of row_source.h share; for them alone.
 *
 * A kind's structure begins with a RowSource.
 */
#ifndef TRANSFERBENCH_ROW_SOURCE_INTERNAL_H
#define TRANSFERBENCH_ROW_SOURCE_INTERNAL_H

#include "rows/row_reader.h"
#include "rows/row_source.h"

#define ROW_SOURCE_PROBLEM_MAX 1024

typedef struct RowSourceKind
{
	/* ROWS: `max_rows` were added, or the chunk is full. The others may come after rows were added,
	 * and are then kept for the next call. */
	RowSourceResult (*next)(RowSource *source, RowChunk *chunk, int64_t max_rows);
	bool (*rewind)(RowSource *source);
	bool (*can_rewind)(const RowSource *source); /* NULL: always */
	void (*free)(RowSource *source);             /* what the kind owns; members may be NULL */
	RowSource *(*copy)(const RowSource *source); /* NULL: it cannot seek */
	void (*seek)(RowSource *source, int64_t row);
	bool (*bytes)(const RowSource *source, int64_t *read, int64_t *size); /* NULL: it has none */
} RowSourceKind;

struct RowSource
{
	const RowSourceKind *kind;
	const RowType *type;
	int64_t total;        /* -1: not known */
	RowSourceResult last; /* ROWS, unless the source has come to its end or a problem */
	char problem[ROW_SOURCE_PROBLEM_MAX];
};

/* A zeroed structure of `size` bytes; NULL when out of memory. */
extern RowSource *row_source_create(const RowSourceKind *kind, size_t size, const RowType *type);

/* Makes the problem; FAILED. */
extern RowSourceResult row_source_fail(RowSource *source, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* --- rows out of a stream ------------------------------------------------------------------ */

typedef struct RowStream
{
	RowReader *reader;
	Value *values;    /* [columns], one row */
	const char *name; /* of the stream, for problems; lent */
	/* Feeds the next piece, or finishes; ROWS when all went well. */
	RowSourceResult (*feed)(RowSource *source, RowReader *reader);
} RowStream;

/* Takes the reader over; false when that, or memory, is missing. */
extern bool row_stream_init(RowStream *stream, RowReader *reader, int columns, const char *name,
							RowSourceResult (*feed)(RowSource *source, RowReader *reader));
extern void row_stream_free(RowStream *stream);
/* As RowSourceKind's next. */
extern RowSourceResult row_stream_next(RowStream *stream, RowSource *source, RowChunk *chunk,
									   int64_t max_rows);

#endif
