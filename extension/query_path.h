/*
 * query_path.h - the path 'in-server': one SELECT through the executor into
 * the row consumer, as its caller, read-only.
 */
#ifndef TRANSFERBENCH_QUERY_PATH_H
#define TRANSFERBENCH_QUERY_PATH_H

#include "bench_path.h"

/*
 * `query` must parse, alone, as exactly one SELECT (VALUES and TABLE are such)
 * without INTO or row locks: 42601, 0A000 or 25006 otherwise; it is analysed
 * here, so that errors in it come at once. parallel: whether workers may run.
 * Lives in the current context.
 */
extern BenchPath *query_path_create(const char *query, bool parallel);

/* Whether the query orders its rows (an outermost ORDER BY). */
extern bool query_path_is_ordered(const BenchPath *path);

/* Whether the query has more than n rows: executes it, untimed. */
extern bool query_path_has_more_rows(BenchPath *path, int64 n);

/* Raises 0A000 when the query reads a temporary table: nobody else sees its rows. */
extern void query_path_refuse_temporary_tables(BenchPath *path);

#endif
