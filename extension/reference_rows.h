/*
 * reference_rows.h - the reference rows as PostgreSQL values, and the path
 * 'in-server-generated' that makes and consumes them.
 */
#ifndef TRANSFERBENCH_REFERENCE_ROWS_H
#define TRANSFERBENCH_REFERENCE_ROWS_H

#include "bench_path.h"
#include "reference_row.h"

/* Descriptor of the type bench_reference_row, a copy in the current context. */
extern TupleDesc reference_rows_desc(void);

/* Raises 0A000 in a database whose encoding cannot be relied on to have all their characters. */
extern void reference_rows_check_encoding(void);

/* Values of row i of a seed, in the current context. */
extern void reference_rows_make(int64 i, int64 seed, Datum values[REFERENCE_ROW_COLUMNS],
								bool nulls[REFERENCE_ROW_COLUMNS]);

/* Path over the rows 1..n of seed 0; lives in the current context. */
extern BenchPath *generated_path_create(void);

#endif
