/*
 * comparison.c - see comparison.h.
 */
#include "postgres.h"

#include <math.h>

#include "comparison.h"
#include "splitmix64.h"
#include "trial_runner.h"

/* the trials of one path, block by block */
typedef struct TrialSeries
{
	BenchPath *path;
	BenchTrial *trials; /* [blocks] */
} TrialSeries;

static void
refuse_shortfall(const BenchPath *path, int64 rows, const Verification *verification, int64 n)
{
	if (rows == n)
		return;
	ereport(ERROR,
			errcode(path->source_is_remote ? ERRCODE_EXTERNAL_ROUTINE_EXCEPTION
										   : ERRCODE_INVALID_PARAMETER_VALUE),
			errmsg("%s delivered " INT64_FORMAT " of " INT64_FORMAT " rows", path->name, rows, n),
			errdetail("Compared row by row: %s.", verification_summary(verification)),
			errhint("Compare sizes that both have, over the same rows."));
}

/* Which path goes first in a block: drawn for each two blocks, the second the other way round. */
static int
first_of_block(int64 order_seed, int block)
{
	uint64 drawn =
		splitmix64_mix((uint64) order_seed + SPLITMIX64_GAMMA * (uint64) (block / 2 + 1));

	return (int) (drawn & 1) ^ (block & 1);
}

static void
run_blocks(TrialSeries series[2], int64 n, int blocks, int64 order_seed)
{
	for (int block = 0; block < blocks; block++)
	{
		int first = first_of_block(order_seed, block);

		for (int turn = 0; turn < 2; turn++)
		{
			TrialSeries *next = &series[first ^ turn];

			trial_runner_attempt(next->path, n, block + 1, &next->trials[block]);
		}
	}
}

static bool
is_ok(const BenchTrial *trial)
{
	return trial->status_kind == BENCH_TRIAL_OK;
}

static ComparisonSide
summarise_side(const TrialSeries *series, int blocks)
{
	ComparisonSide side = {.peak_memory_bytes = BENCH_UNKNOWN};
	double *elapsed_ms = palloc(sizeof(double) * blocks);
	double *cpu_ms = palloc(sizeof(double) * blocks);
	int ok = 0, with_cpu = 0;

	for (int i = 0; i < blocks; i++)
	{
		const BenchTrial *trial = &series->trials[i];

		if (!is_ok(trial))
			continue;
		elapsed_ms[ok++] = trial->elapsed_ns / 1e6;
		if (bench_trial_cpu_us(trial) != BENCH_UNKNOWN)
			cpu_ms[with_cpu++] = bench_trial_cpu_us(trial) / 1e3;
		side.peak_memory_bytes = Max(side.peak_memory_bytes, trial->peak_memory_bytes);
	}
	side.elapsed_ms = statistics_summarise(elapsed_ms, ok);
	/* some trials with and some without would make a figure of nothing */
	side.cpu_ms = with_cpu == ok ? statistics_summarise(cpu_ms, with_cpu).median : NAN;
	return side;
}

/* The interval is over the blocks in which both trials were good. */
static StatisticsRatio
paired_toll(const TrialSeries series[2], int blocks)
{
	double *native_ms = palloc(sizeof(double) * blocks);
	double *http_ms = palloc(sizeof(double) * blocks);
	int pairs = 0;

	for (int i = 0; i < blocks; i++)
	{
		if (!is_ok(&series[0].trials[i]) || !is_ok(&series[1].trials[i]))
			continue;
		native_ms[pairs] = series[0].trials[i].elapsed_ns / 1e6;
		http_ms[pairs] = series[1].trials[i].elapsed_ns / 1e6;
		pairs++;
	}
	if (pairs == 0)
		return (StatisticsRatio){NAN, NAN, NAN};
	return statistics_paired_ratio(http_ms, native_ms, pairs, palloc(sizeof(double) * 2 * pairs));
}

static void
count_trials(Comparison *comparison, const TrialSeries *series, int blocks)
{
	for (int i = 0; i < blocks; i++)
	{
		const BenchTrial *trial = &series->trials[i];

		comparison->cpu_is_partial |= trial->cpu_is_partial;
		if (is_ok(trial))
			comparison->trials_ok++;
		else
		{
			comparison->trials_failed++;
			if (comparison->first_failure == NULL)
				comparison->first_failure = trial->status;
		}
	}
}

Comparison *
comparison_run(BenchPath *native, BenchPath *http, int64 n, int trials, int64 order_seed)
{
	Comparison *comparison = palloc0(sizeof(Comparison));
	TrialSeries series[2] = {
		{.path = native, .trials = palloc0(sizeof(BenchTrial) * trials)},
		{.path = http, .trials = palloc0(sizeof(BenchTrial) * trials)},
	};

	comparison->n = n;
	comparison->verification = verification_run(native, http, n);
	refuse_shortfall(native, comparison->verification->native_rows, comparison->verification, n);
	refuse_shortfall(http, comparison->verification->http_rows, comparison->verification, n);

	run_blocks(series, n, trials, order_seed);

	comparison->native = summarise_side(&series[0], trials);
	comparison->http = summarise_side(&series[1], trials);
	comparison->toll = paired_toll(series, trials);
	/* of the medians that stand beside it, also when a trial of a pair failed */
	comparison->toll.ratio =
		comparison->http.elapsed_ms.median / comparison->native.elapsed_ms.median;
	comparison->extra_us_per_row =
		(comparison->http.elapsed_ms.median - comparison->native.elapsed_ms.median) * 1e3 / n;
	for (int i = 0; i < 2; i++)
		count_trials(comparison, &series[i], trials);
	return comparison;
}
