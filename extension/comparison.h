/*
 * comparison.h - the native path against the HTTP path at one size: verified
 * first, then timed side by side in a fair order.
 */
#ifndef TRANSFERBENCH_COMPARISON_H
#define TRANSFERBENCH_COMPARISON_H

#include "bench_path.h"
#include "statistics.h"
#include "verification.h"

typedef struct ComparisonSide
{
	StatisticsSummary elapsed_ms; /* over the trials that were ok */
	double cpu_ms;                /* median; NaN when unknown */
	int64 peak_memory_bytes;      /* largest; BENCH_UNKNOWN */
} ComparisonSide;

typedef struct Comparison
{
	int64 n;
	const Verification *verification;
	ComparisonSide native, http;
	StatisticsRatio toll;         /* NaN when there is no pair of good trials */
	double extra_us_per_row;      /* (median HTTP - median native) / n; NaN likewise */
	int trials_ok, trials_failed; /* of both paths */
	const char *first_failure;    /* status of a failed trial, or NULL */
	bool cpu_is_partial;
} Comparison;

/*
 * The verification is each path's uncounted warm-up too. Then come `trials`
 * blocks of one trial each; the order within a block is drawn by the seed, and
 * reversed in the next block. Raises when either path has not n rows. Lives in the current context.
 */
extern Comparison *comparison_run(BenchPath *native, BenchPath *http, int64 n, int trials,
								  int64 order_seed);

#endif
