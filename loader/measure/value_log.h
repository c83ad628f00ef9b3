/*
 * value_log.h - which values of two passes over the same rows differ, row by row, in memory that
 * does not grow with them.
 *
 * The first pass writes the hash of each value to a temporary file without a name; the second is
 * compared with it as it comes. Rows are paired by their place, so both passes must have an order.
 */
#ifndef TRANSFERBENCH_VALUE_LOG_H
#define TRANSFERBENCH_VALUE_LOG_H

#include "rows/value_digest.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ValueLog ValueLog;

/* NULL when out of memory or without a file. */
extern ValueLog *value_log_create(int columns);
extern void value_log_free(ValueLog *log); /* NULL is fine */

/* From here on rows are compared with those written before. */
extern bool value_log_compare(ValueLog *log);
/* Takes the hashes of the row that was added to the digest last; false when the file fails. */
extern bool value_log_take(ValueLog *log, const ValueDigest *digest);

/* What the first pass had in the row that was compared last, which must be one of its. */
extern uint64_t value_log_first_hash(const ValueLog *log, int column);

/* Rows and values that differed; rows beyond those of the first pass count as surplus. */
extern int64_t value_log_changed(const ValueLog *log, int column);
extern int64_t value_log_changed_values(const ValueLog *log);
extern int64_t value_log_rows(const ValueLog *log, bool second_pass);

#endif
