/*
 * batch_sharing.h - what the cursors of one supply share; for batch_supply.c and
 * batch_cursor.c alone.
 */
#ifndef TRANSFERBENCH_BATCH_SHARING_H
#define TRANSFERBENCH_BATCH_SHARING_H

#include "measure/batch_store.h"
#include "measure/batch_supply.h"

#include <pthread.h>
#include <stdatomic.h>

#define BATCH_PROBLEM_SIZE 512

struct BatchSupply
{
	BatchSupplyOptions options;
	int64_t last_row;
	BatchStore *store; /* of all batches, once they were pregenerated */
	char problem[BATCH_PROBLEM_SIZE];
	_Atomic int64_t bytes; /* handed out, where there is a limit of them */
	pthread_mutex_t lock;  /* of what follows, and of the source */
	RowFeed *feed;         /* NULL where the source can seek: then each cursor has its own */
	int64_t next_row;      /* the first of the next range, where each has its own */
	int64_t batches;       /* handed out */
};

/* Where batches are made by one thread alone: pieces need not be built whole to let others go on. */
extern void batch_cursor_set_alone(BatchCursor *cursor);

#endif
