/*
 * reference_rows.h - the reference rows as PostgreSQL values, and the path
 * 'in-server-generated' that makes and consumes them.
 */
#ifndef TRANSFERBENCH_REFERENCE_ROWS_H
#define TRANSFERBENCH_REFERENCE_ROWS_H

#include "bench_path.h"

/* Descriptor of the type bench_reference_row, a copy in the current context. */
extern TupleDesc reference_rows_desc(void);

/* Path over the rows 1..n of seed 0; lives in the current context. */
extern BenchPath *generated_path_create(void);

#endif
