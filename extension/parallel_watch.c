/*
 * parallel_watch.c - see parallel_watch.h.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "parallel_watch.h"

static ExecutorStart_hook_type next_hook;

/* Outlives a statement that failed, without effect: it is read after a new beginning only. */
static bool plan_wants_workers;

static void
watch_executor_start(QueryDesc *query, int eflags)
{
	plan_wants_workers |= query->plannedstmt->parallelModeNeeded;
	if (next_hook != NULL)
		next_hook(query, eflags);
	else
		standard_ExecutorStart(query, eflags);
}

void
parallel_watch_install(void)
{
	next_hook = ExecutorStart_hook;
	ExecutorStart_hook = watch_executor_start;
}

bool
parallel_watch_begin(void)
{
	bool seen_before = plan_wants_workers;

	plan_wants_workers = false;
	return seen_before;
}

bool
parallel_watch_end(bool seen_before)
{
	bool seen = plan_wants_workers;

	plan_wants_workers |= seen_before;
	return seen;
}
