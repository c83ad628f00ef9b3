/*
 * parallel_watch.c - see parallel_watch.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"

#include "parallel_watch.h"

static ExecutorEnd_hook_type next_hook;

static uint64 workers_launched;

static bool
count_workers(PlanState *state, void *context)
{
	if (IsA(state, GatherState))
		workers_launched += castNode(GatherState, state)->nworkers_launched;
	else if (IsA(state, GatherMergeState))
		workers_launched += castNode(GatherMergeState, state)->nworkers_launched;
	return planstate_tree_walker(state, count_workers, context);
}

static void
watch_executor_end(QueryDesc *query)
{
	if (query->plannedstmt->parallelModeNeeded && query->planstate != NULL)
		(void) count_workers(query->planstate, NULL);
	if (next_hook != NULL)
		next_hook(query);
	else
		standard_ExecutorEnd(query);
}

void
parallel_watch_install(void)
{
	next_hook = ExecutorEnd_hook;
	ExecutorEnd_hook = watch_executor_end;
}

uint64
parallel_watch_workers(void)
{
	return workers_launched;
}
