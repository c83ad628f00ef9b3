/*
 * column_spool.h - keeps the values of each column apart until all rows are known,
 * in memory that does not grow with them.
 *
 * Each column has one block in memory. Full blocks go to one temporary file without
 * a name, in TMPDIR (or /tmp), and are chained by the number of the next one. A
 * result that fits into the blocks never touches the disk.
 */
#ifndef TRANSFERBENCH_COLUMN_SPOOL_H
#define TRANSFERBENCH_COLUMN_SPOOL_H

#include "json_encode.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ColumnSpool ColumnSpool;

/* NULL when out of memory. `max_bytes` bounds the file; 0: no limit. */
extern ColumnSpool *column_spool_create(int columns, int64_t max_bytes);
extern void column_spool_free(ColumnSpool *spool); /* NULL is fine */

/* What is written to this encoder is the column's; its `failed` tells of a full disk. */
extern JsonEncoder *column_spool_encoder(ColumnSpool *spool, int column);

/* Writes all of a column to another encoder, once; false when reading or writing failed. */
extern bool column_spool_copy(ColumnSpool *spool, int column, JsonEncoder *to);

/* What went wrong with the file; "" while nothing has. */
extern const char *column_spool_problem(const ColumnSpool *spool);
/* Time spent writing and reading the file. */
extern int64_t column_spool_ns(const ColumnSpool *spool);

#endif
