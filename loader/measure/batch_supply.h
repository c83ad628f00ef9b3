/*
 * batch_supply.h - the rows of one write trial as encoded batches, handed out to the
 * jobs that send them: every row in exactly one batch.
 *
 * One supply is shared by all jobs; each job has a cursor of its own, used by one thread at a
 * time. A batch ends after `batch_rows` rows, before it would exceed `max_batch_bytes`, or with
 * the rows. It comes in one of two ways:
 *
 *   pieces (COPY, parameters of INSERT): of whole rows, a chunk each, made as they are asked for
 *   held (bodies of HTTP): built whole first, so that its length is known and it can be read again
 *
 * Where the source can seek, each cursor makes its own range of `batch_rows` rows at a time, all at
 * once; a limit of bytes cuts such a range into several batches. Where it cannot, batches are
 * built one after the other, whole, while the others wait, except that with one job pieces stay
 * what they are. In either case batches are numbered without a gap in the order in which they are
 * handed out.
 *
 * Memory does not depend on the number of rows: what is built whole is in memory up to
 * BATCH_MEMORY_BYTES per cursor, beyond that in a temporary file.
 */
#ifndef TRANSFERBENCH_BATCH_SUPPLY_H
#define TRANSFERBENCH_BATCH_SUPPLY_H

#include "measure/batch_encoder.h" /* BatchResult: OK, END, FAILED, INTERRUPTED */
#include "rows/row_encoder.h"
#include "rows/row_source.h"

#define BATCH_MEMORY_BYTES (8 * 1024 * 1024)

typedef struct BatchSupplyOptions
{
	RowSource *source; /* lent, standing at row 1, and the supply's own to use until it is freed */
	const RowEncoder *encoder;
	const RowType *type;     /* of the source; lent */
	int64_t rows;            /* in all, 0 or more; -1: until the source ends */
	int64_t batch_rows;      /* at least 1 */
	int64_t max_batch_bytes; /* before compression; 0: no limit */
	int64_t max_bytes; /* likewise, of all that is handed out, trial by trial: --max-write-bytes */
	int jobs;          /* cursors in use at a time */
	bool hold;
	bool gzip; /* of held batches */
} BatchSupplyOptions;

typedef struct BatchSupply BatchSupply;
typedef struct BatchCursor BatchCursor;

/* NULL, with a problem (one line), when the type cannot be encoded or out of memory. */
extern BatchSupply *batch_supply_create(const BatchSupplyOptions *options, char *problem,
										size_t problem_size);
/* After all its cursors. NULL is fine. */
extern void batch_supply_free(BatchSupply *supply);

/* Encodes all batches now, into a temporary file; cursors then only read back. Once, before the
 * first cursor. OK, FAILED or INTERRUPTED. */
extern BatchResult batch_supply_pregenerate(BatchSupply *supply);
/* Back to batch 1, for the next trial; no cursor may exist. False, with a problem, where the source
 * cannot. */
extern bool batch_supply_rewind(BatchSupply *supply);
/* Why the last call on the supply failed: one line. */
extern const char *batch_supply_problem(const BatchSupply *supply);

typedef struct Batch
{
	int64_t number;     /* 1-based */
	int64_t first_row;  /* 1-based */
	int64_t rows;       /* of pieces that are made as they are asked for: those so far */
	int64_t bytes;      /* before compression; likewise */
	int64_t wire_bytes; /* length of the body as it is sent; -1 for pieces */
} Batch;

/* NULL when out of memory. May be called by the job itself. */
extern BatchCursor *batch_cursor_create(BatchSupply *supply);
extern void batch_cursor_free(BatchCursor *cursor); /* NULL is fine */

/*
 * The next batch: OK, with at least one row; END when all are handed out; FAILED, see
 * batch_cursor_problem; INTERRUPTED as interrupt.h says. A batch whose pieces were not all
 * taken is skipped first.
 */
extern BatchResult batch_cursor_next(BatchCursor *cursor, Batch *batch);
/* The current batch, as it stands now. */
extern const Batch *batch_cursor_batch(const BatchCursor *cursor);

/* The batch's next piece, lent until the next call: OK, of length 0 at the end; FAILED or
 * INTERRUPTED. A piece may have no row: the end of the format. */
extern BatchResult batch_cursor_piece(BatchCursor *cursor, const char **bytes, size_t *length,
									  int *rows);
/* Passes over the rest of the batch, so that its rows are known though it was not sent. */
extern BatchResult batch_cursor_skip(BatchCursor *cursor);

/* An HttpBodyRead (http/http_session.h) over the current held batch; `cursor` is the context. */
extern ssize_t batch_cursor_read_body(void *cursor, int64_t offset, char *bytes, size_t size);

/* One line: row and column, or the file, and why. */
extern const char *batch_cursor_problem(const BatchCursor *cursor);

typedef struct BatchCursorTimes
{
	int64_t generate_ns;  /* making rows, or waiting for the source that makes them */
	int64_t encode_ns;    /* rows to bytes, compression included */
	int64_t read_back_ns; /* from what was built whole or beforehand */
	int64_t bytes;        /* handed out, before compression */
} BatchCursorTimes;

/* Sums since the cursor was made. */
extern BatchCursorTimes batch_cursor_times(const BatchCursor *cursor);

#endif
