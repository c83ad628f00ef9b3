/*
 * run.h - all that one invocation measured, with the conditions it ran under: what the
 * reports are made of. Reports read it and know no path.
 */
#ifndef TRANSFERBENCH_RUN_H
#define TRANSFERBENCH_RUN_H

#include "cost_fit.h"
#include "measure/environment.h"
#include "measure/trial.h"
#include "statistics.h"

#define RUN_ID_LENGTH          12 /* lower-case hex digits */
#define VALUES_CHANGED_UNKNOWN (-1)

/* One path at one size: statistics over the trials that were ok. */
typedef struct PathSummary
{
	const char *path;
	StatisticsSummary elapsed_ms;
	double rows_per_second; /* at the median */
	int64_t bytes;          /* of one trial */
	/* medians in ms and maxima in bytes; NaN, COST_UNKNOWN when not known */
	double client_cpu_ms, backend_cpu_ms, api_cpu_ms; /* api: its backends with it */
	double machine_cpu_ms;
	int64_t client_peak_bytes, backend_peak_bytes, api_peak_bytes;
	double phase_ms[PHASE_COUNT]; /* medians */
	int trials_ok, trials_failed;
} PathSummary;

/* One path against the native path at one size. The first path of a size is the native one: its own
 * ratio is NaN. */
typedef struct ComparisonRow
{
	TransferDirection direction;
	int64_t size;
	PathSummary summary;
	StatisticsRatio toll; /* against the first path; NaN for that one */
	double extra_ms;      /* medians' difference; NaN likewise */
	double extra_us_per_row;
	bool rows_equal;        /* by the verification pass */
	bool verified;          /* false: no such pass was asked for */
	int64_t values_changed; /* VALUES_CHANGED_UNKNOWN: not counted one by one */
	char *changed_columns;  /* "ratio (12), label (3)"; NULL for none; the run's */
} ComparisonRow;

typedef struct PathCost
{
	TransferDirection direction;
	const char *path;
	CostFit fit;
	CostCrossing
		crossing; /* of the budget over the first path of the direction; UNKNOWN for that */
} PathCost;

typedef struct Run
{
	char id[RUN_ID_LENGTH + 1];
	const char *command; /* "copy", "post", "fetch", "compare" */
	const char *table;   /* written to, or read from; NULL when there is none */
	char *url;           /* without secrets; NULL when there is none */
	int64_t order_seed;
	int64_t batch_rows; /* rows per transaction; 0 where not applicable */
	bool as_shipped;    /* each path kept its own */
	int jobs;
	bool unlogged;
	bool has_budget;
	CostBudget budget;
	Environment environment;

	Trial *trial; /* [trials], in the order they ran, warm-ups and failures among them */
	size_t trials;
	ComparisonRow *comparison; /* [comparisons]; by direction, size, path; none but in compare */
	size_t comparisons;
	PathCost *cost; /* [costs] */
	size_t costs;
	char **note; /* [notes], one line each: what the figures do not show */
	size_t notes;
	int exit_status; /* ExitStatus */
} Run;

extern void run_init(Run *run, const char *command); /* draws the id */
/* What it holds, but `command`, `table` and the paths, which are lent. */
extern void run_free(Run *run);
/* Takes the trial over (its ranges too); false when out of memory: then it stays the caller's. */
extern bool run_add_trial(Run *run, const Trial *trial);
/* A note that is there already is not added again. */
extern bool run_add_note(Run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
