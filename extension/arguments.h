/*
 * arguments.h - arguments of the SQL functions, checked.
 *
 * Null where a value is needed raises 22004, a value out of range 22023; both
 * name the argument.
 */
#ifndef TRANSFERBENCH_ARGUMENTS_H
#define TRANSFERBENCH_ARGUMENTS_H

#include "access/tupdesc.h"
#include "fmgr.h"
#include "nodes/pg_list.h"

extern int64 argument_int64(FunctionCallInfo fcinfo, int position, const char *name);
extern bool argument_bool(FunctionCallInfo fcinfo, int position, const char *name);
extern char *argument_required_text(FunctionCallInfo fcinfo, int position, const char *name);
/* NULL for null */
extern char *argument_text(FunctionCallInfo fcinfo, int position);

/* `url`: as UTF-8, whatever the database's encoding; its bytes are what is sent */
extern char *argument_url(FunctionCallInfo fcinfo, int position);

/* 0 .. BENCH_MAX_ROWS */
extern int64 argument_rows(FunctionCallInfo fcinfo, int position, const char *name);
/* `trials`: 1 .. BENCH_MAX_TRIALS */
extern int argument_trials(FunctionCallInfo fcinfo, int position);
/* `sizes`: a one-dimensional array of 1 .. BENCH_MAX_SIZES row counts; *count of them */
extern int64 *argument_sizes(FunctionCallInfo fcinfo, int position, int *count);
/* `page_rows`: 1 or more; 0 for null */
extern int64 argument_page_rows(FunctionCallInfo fcinfo, int position);
/* `headers`: NIL for null */
extern List *argument_headers(FunctionCallInfo fcinfo, int position);
/* `row_type`: descriptor of a table's or composite type's row, a copy in the current context; NULL
 * for null; 42809 for an index or sequence */
extern TupleDesc argument_row_desc(FunctionCallInfo fcinfo, int position);

#endif
