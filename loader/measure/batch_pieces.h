/*
 * batch_pieces.h - encoded pieces of batches, and how they are kept in a spool: each
 * behind a head that tells its length and rows.
 */
#ifndef TRANSFERBENCH_BATCH_PIECES_H
#define TRANSFERBENCH_BATCH_PIECES_H

#include "rows/body_spool.h"

typedef struct BatchPiece
{
	const char *bytes; /* lent by whoever made or read it, until its next piece */
	size_t length;
	int rows; /* whole ones; 0 where only the end of a format is left */
} BatchPiece;

/* False: see body_spool_problem. */
extern bool batch_pieces_append(BodySpool *spool, const BatchPiece *piece);

/* Reads pieces back, one after the other. */
typedef struct BatchPieceReader
{
	BodySpool *spool;
	int64_t offset, end; /* of what is still to be read */
	char *buffer;
	size_t capacity;
	const char *problem; /* after a failure */
} BatchPieceReader;

/* {0} is a reader without pieces. The spool is lent. */
extern void batch_piece_reader_start(BatchPieceReader *reader, BodySpool *spool, int64_t offset,
									 int64_t end);
/* Length 0 at the end. False: see `problem`. */
extern bool batch_piece_reader_next(BatchPieceReader *reader, BatchPiece *piece);
extern void batch_piece_reader_free(BatchPieceReader *reader);

#endif
