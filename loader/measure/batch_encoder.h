/*
 * batch_encoder.h - rows of a feed as batches of bytes: where a batch ends by rows or by
 * bytes, and its pieces, a chunk of rows each.
 *
 * Memory is bounded by the longest row. For one thread at a time.
 */
#ifndef TRANSFERBENCH_BATCH_ENCODER_H
#define TRANSFERBENCH_BATCH_ENCODER_H

#include "measure/batch_pieces.h"
#include "measure/row_feed.h"
#include "rows/row_encoder.h"

typedef enum BatchResult
{
	BATCH_OK,
	BATCH_END,
	BATCH_FAILED, /* a problem text tells why */
	BATCH_INTERRUPTED,
} BatchResult;

typedef struct BatchEncoder BatchEncoder;

/* `max_batch_bytes`: 0 for none. `type` is lent. NULL, with a problem, when the type cannot be
 * encoded or out of memory. */
extern BatchEncoder *batch_encoder_create(const RowEncoder *encoder, const RowType *type,
										  int64_t batch_rows, int64_t max_batch_bytes,
										  char *problem, size_t problem_size);
extern void batch_encoder_free(BatchEncoder *batch); /* NULL is fine */

/* A new batch, whatever became of the one before. */
extern void batch_encoder_start(BatchEncoder *batch);
/* The next piece of the batch, out of the feed's next rows: OK with at least a byte, END after the
 * last piece. */
extern BatchResult batch_encoder_piece(BatchEncoder *batch, RowFeed *feed, BatchPiece *piece);
/* Of the batch so far. */
extern int64_t batch_encoder_rows(const BatchEncoder *batch);
extern int64_t batch_encoder_bytes(const BatchEncoder *batch);
/* One line: row, column, and why. */
extern const char *batch_encoder_problem(const BatchEncoder *batch);
/* Nanoseconds since the encoder was made. */
extern int64_t batch_encoder_generate_ns(const BatchEncoder *batch);
extern int64_t batch_encoder_encode_ns(const BatchEncoder *batch);

#endif
