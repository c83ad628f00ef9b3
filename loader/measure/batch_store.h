/*
 * batch_store.h - batches that were encoded beforehand, in temporary files.
 *
 * Written by one thread, then read by several.
 */
#ifndef TRANSFERBENCH_BATCH_STORE_H
#define TRANSFERBENCH_BATCH_STORE_H

#include "measure/batch_pieces.h"

typedef struct BatchRecord
{
	int64_t first_row, rows;
	int64_t bytes;  /* of the batch before compression */
	int64_t offset; /* of what is stored: pieces, or a body */
	int64_t length;
} BatchRecord;

typedef struct BatchStore BatchStore;

/* NULL when out of memory. */
extern BatchStore *batch_store_create(void);
extern void batch_store_free(BatchStore *store); /* NULL is fine */

/* To this the bytes of a batch are appended before it is added. */
extern BodySpool *batch_store_spool(BatchStore *store);
/* A batch whose bytes are those appended since the one before; `record` has rows and bytes. False:
 * see batch_store_problem, and so for the next. */
extern bool batch_store_add(BatchStore *store, const BatchRecord *record);
extern int64_t batch_store_batches(const BatchStore *store);
/* Batch `number`, 1-based. */
extern bool batch_store_find(BatchStore *store, int64_t number, BatchRecord *record);
extern const char *batch_store_problem(const BatchStore *store);

#endif
