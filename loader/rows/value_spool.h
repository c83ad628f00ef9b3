/*
 * value_spool.h - values that come one column after the other, to be taken row by row.
 *
 * Written once, front to back: what does not fit into one buffer goes to a temporary file
 * without a name. A column's values then lie together, and each column is read on its own.
 */
#ifndef TRANSFERBENCH_VALUE_SPOOL_H
#define TRANSFERBENCH_VALUE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ValueSpool ValueSpool;

typedef struct SpooledValue
{
	const char *bytes; /* lent until the next value of the same column is taken */
	size_t length;
	bool mark; /* one bit of the caller's */
} SpooledValue;

/* NULL when out of memory. */
extern ValueSpool *value_spool_create(int columns);
extern void value_spool_free(ValueSpool *spool); /* NULL is fine */
/* Without values; keeps buffers and file. */
extern void value_spool_reset(ValueSpool *spool);

/* What is put from here on belongs to `column`, which had nothing before. */
extern void value_spool_begin(ValueSpool *spool, int column);
/* False when the disk or memory is full: see value_spool_problem. */
extern bool value_spool_put(ValueSpool *spool, const SpooledValue *value);

/* The column's next value; no more are taken than were put, and none is put any more. False when
 * reading failed. */
extern bool value_spool_take(ValueSpool *spool, int column, SpooledValue *value);

/* What went wrong, one line; "" while nothing has. */
extern const char *value_spool_problem(const ValueSpool *spool);
/* Time spent writing and reading the file, and bytes written to it; reset does not change them. */
extern int64_t value_spool_ns(const ValueSpool *spool);
extern int64_t value_spool_bytes(const ValueSpool *spool);

#endif
