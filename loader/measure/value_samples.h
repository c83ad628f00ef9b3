/*
 * value_samples.h - the first values that differ between two passes over the same rows, as text.
 *
 * The second pass, while it is compared (value_log.h), says which values these are and what it has
 * for them; one more pass over the first path's rows finds what that has.
 */
#ifndef TRANSFERBENCH_VALUE_SAMPLES_H
#define TRANSFERBENCH_VALUE_SAMPLES_H

#include "measure/value_log.h"

#define VALUE_SAMPLES_MAX 3

typedef struct ValueSamples ValueSamples;

/* `type`, of the rows of both passes, is lent. NULL when out of memory. */
extern ValueSamples *value_samples_create(const RowType *type);
extern void value_samples_free(ValueSamples *samples); /* NULL is fine */

/* Keeps what the row that the log took last has otherwise than the first pass had it, as long as there
 * is room. False when out of memory. */
extern bool value_samples_gather(ValueSamples *samples, const Value *values, const ValueLog *log,
								 const ValueDigest *digest);

/* From here on rows are those of the first path, from the first one on; they must come as before. */
extern void value_samples_search(ValueSamples *samples);
/* The next of these rows, which the digest took last. False when out of memory. */
extern bool value_samples_find(ValueSamples *samples, const Value *values,
							   const ValueDigest *digest);
/* Rows to search, counted from the first: 0 when nothing was gathered. */
extern int64_t value_samples_rows_to_search(const ValueSamples *samples);

/*
 * "row 3, ratio: 0.12345 -> 0.1235; ..." of the values that were found in both passes, as JSON
 * has them, arrays and composites as strings of PostgreSQL's text; of long ones a part about their
 * first difference. NULL when there are none, or out of memory; the caller frees.
 */
extern char *value_samples_text(const ValueSamples *samples);

#endif
