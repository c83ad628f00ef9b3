/*
 * row_sink.h - where every reading path ends: one and the same function takes each row of
 * typed values.
 *
 * Timed trials count; an untimed pass adds each row to a digest, and may keep the hashes of every
 * value in order, so that another pass can be told value by value where it differs.
 */
#ifndef TRANSFERBENCH_ROW_SINK_H
#define TRANSFERBENCH_ROW_SINK_H

#include "rows/value_digest.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct RowSink
{
	const RowType *type; /* of the rows that come */
	int64_t rows;
	int64_t nulls;                     /* values; a use of each that no compiler can leave out */
	int64_t missing_values, na_values; /* of the nulls: keys left out, "NA"; set by http-json */
	ValueDigest *digest;               /* NULL in timed trials */
	struct ValueLog *log;              /* NULL unless values are compared one by one */
	struct ValueSamples *samples;      /* NULL unless some are to be shown: gathered with a log that
	                                    * compares, searched for without a log */
	bool interrupted;                  /* why row_sink_take was false: a stop was asked for, ... */
	const char *problem;               /* ... else static words */
} RowSink;

/* [type->columns]. False when the row cannot be taken: no memory, a full disk; and when a stop
 * was asked for, which a sender that is never waited for would not let be seen. */
extern bool row_sink_take(RowSink *sink, const Value *values);

#endif
