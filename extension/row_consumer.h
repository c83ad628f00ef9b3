/*
 * row_consumer.h - the one end of every path in the backend.
 *
 * A trial ends when every row is a typed value at its destination; here the
 * destination is this function, the same for rows of the executor, of the
 * generator and of HTTP: it deforms all attributes, fetches and decompresses
 * every out-of-line value (a receiver that does not is 100 times too fast over
 * toasted rows), forms one tuple in a per-row context and drops it.
 */
#ifndef TRANSFERBENCH_ROW_CONSUMER_H
#define TRANSFERBENCH_ROW_CONSUMER_H

#include "executor/tuptable.h"

/* Sees each row's values before they are dropped; only untimed passes have one. */
typedef void (*RowObserver)(void *context, const Datum *values, const bool *nulls);

typedef struct RowConsumer
{
	int64 rows; /* consumed so far */

	/*
	 * A producer may build a row's values in here; reset after every row. Child
	 * of the context that was current at creation.
	 */
	MemoryContext row_context;

	TupleDesc row_desc;
	RowObserver observer; /* or NULL */
	void *observer_context;
	int varlena_count;
	int *varlena_attributes; /* [varlena_count], 0-based */
	Datum *values;
	bool *nulls;
} RowConsumer;

/* Lives in the current context; `row_desc` must outlive it. */
extern RowConsumer *row_consumer_create(TupleDesc row_desc, RowObserver observer,
										void *observer_context);

/* Consumes one row; the slot's descriptor equals row_desc. */
extern void row_consumer_consume(RowConsumer *consumer, TupleTableSlot *slot);

#endif
