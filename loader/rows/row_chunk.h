/*
 * row_chunk.h - a bounded number of typed rows, to be handled together.
 *
 * Chunks are what sources fill and encoders empty: large enough that a reading of
 * the clock per chunk costs nothing, small enough to stay in the cache and to keep
 * memory constant. A chunk is full at ROW_CHUNK_ROWS rows or once its texts have
 * reached ROW_CHUNK_TEXT_BYTES; a single row may be longer than that.
 */
#ifndef TRANSFERBENCH_ROW_CHUNK_H
#define TRANSFERBENCH_ROW_CHUNK_H

#include "rows/row_type.h"

#define ROW_CHUNK_ROWS       256
#define ROW_CHUNK_TEXT_BYTES (256 * 1024)

typedef struct RowChunk RowChunk;

/* `type` is lent. NULL when out of memory. */
extern RowChunk *row_chunk_create(const RowType *type);
extern void row_chunk_free(RowChunk *chunk); /* NULL is fine */
/* Without rows; keeps its memory, but not that of an unusually long row. */
extern void row_chunk_reset(RowChunk *chunk);

extern bool row_chunk_is_full(const RowChunk *chunk);
extern int row_chunk_rows(const RowChunk *chunk);
/* Row `row` (0-based), [columns]. */
extern const Value *row_chunk_row(const RowChunk *chunk, int row);
extern const RowType *row_chunk_type(const RowChunk *chunk);

/* A further row to be filled in, [columns], all null; the chunk is not full. */
extern Value *row_chunk_add(RowChunk *chunk);
/* Takes back the row added last. */
extern void row_chunk_drop_last(RowChunk *chunk);
/* Copies a text into the chunk; valid until reset. NULL when out of memory. */
extern const char *row_chunk_text(RowChunk *chunk, const char *bytes, size_t length);
/* Adds a copy of a row, texts included; false when out of memory. */
extern bool row_chunk_copy_row(RowChunk *chunk, const Value *values);

#endif
