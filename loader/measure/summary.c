#include "measure/summary.h"
#include "clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CROSSING_RESAMPLES 1000
#define US_PER_MS          1000.0

static double
elapsed_ms(const Trial *trial)
{
	return clock_ns_to_ms(trial->elapsed_ns);
}

/* A trial that counts: timed, and whole. */
static bool
is_sample(const Trial *trial, TransferDirection direction, const char *path)
{
	return trial->number > 0 && trial->status == TRIAL_OK && trial->direction == direction &&
		   strcmp(trial->path, path) == 0;
}

typedef double (*Figure)(const Trial *trial, int which);

/* Median over the samples; NaN when it is not known for each of them. */
static double
median_of(const Run *run, const ComparisonRow *row, Figure figure, int which, double *scratch)
{
	size_t count = 0;

	for (size_t i = 0; i < run->trials; i++)
	{
		const Trial *trial = &run->trial[i];
		double value;

		if (trial->size != row->size || !is_sample(trial, row->direction, row->summary.path))
			continue;
		value = figure(trial, which);
		if (isnan(value))
			return NAN;
		scratch[count++] = value;
	}
	return count == 0 ? NAN : statistics_summarise(scratch, count).median;
}

static double
known_ms(int64_t us)
{
	return us == COST_UNKNOWN ? NAN : (double) us / US_PER_MS;
}

static double
client_cpu(const Trial *trial, int which)
{
	(void) which;
	if (trial->cost.client_cpu_user_us == COST_UNKNOWN ||
		trial->cost.client_cpu_system_us == COST_UNKNOWN)
		return NAN;
	return known_ms(trial->cost.client_cpu_user_us + trial->cost.client_cpu_system_us);
}

static double
backend_cpu(const Trial *trial, int which)
{
	(void) which;
	return known_ms(trial->cost.backend_cpu_us);
}

/* Both together or not at all: a part is not what an API costs. */
static double
api_cpu(const Trial *trial, int which)
{
	(void) which;
	return known_ms(trial->cost.api_cpu_us) + known_ms(trial->cost.api_backend_cpu_us);
}

static double
machine_cpu(const Trial *trial, int which)
{
	(void) which;
	return known_ms(trial->cost.machine_cpu_us);
}

static double
phase(const Trial *trial, int which)
{
	return trial->phase_ns[which] == TRIAL_UNKNOWN ? NAN : clock_ns_to_ms(trial->phase_ns[which]);
}

static int64_t
larger_known(int64_t so_far, int64_t value)
{
	return value > so_far ? value : so_far;
}

static int64_t
sum_known(int64_t one, int64_t other)
{
	return one == COST_UNKNOWN || other == COST_UNKNOWN ? COST_UNKNOWN : one + other;
}

/* Counts, and figures of which the largest is told. */
static size_t
take_trials(const Run *run, ComparisonRow *row, double *times)
{
	PathSummary *summary = &row->summary;
	size_t count = 0;

	for (size_t i = 0; i < run->trials; i++)
	{
		const Trial *trial = &run->trial[i];
		const Cost *cost = &trial->cost;

		if (trial->number == 0 || trial->direction != row->direction || trial->size != row->size ||
			strcmp(trial->path, summary->path) != 0)
			continue;
		if (trial->status != TRIAL_OK)
		{
			summary->trials_failed++;
			continue;
		}
		times[count++] = elapsed_ms(trial);
		summary->bytes = trial->bytes;
		summary->client_peak_bytes =
			larger_known(summary->client_peak_bytes, cost->client_peak_bytes);
		summary->backend_peak_bytes =
			larger_known(summary->backend_peak_bytes, cost->backend_peak_bytes);
		summary->api_peak_bytes = larger_known(
			summary->api_peak_bytes, sum_known(cost->api_peak_bytes, cost->api_backend_peak_bytes));
	}
	return count;
}

static void
fill_summary(const Run *run, ComparisonRow *row, double *scratch)
{
	PathSummary *summary = &row->summary;
	const char *path = summary->path;
	size_t count;

	*summary = (PathSummary){
		.path = path,
		.client_peak_bytes = COST_UNKNOWN,
		.backend_peak_bytes = COST_UNKNOWN,
		.api_peak_bytes = COST_UNKNOWN,
	};
	count = take_trials(run, row, scratch);
	summary->trials_ok = (int) count;
	summary->elapsed_ms = statistics_summarise(scratch, count);
	summary->rows_per_second = (double) row->size / summary->elapsed_ms.median * 1000;
	summary->client_cpu_ms = median_of(run, row, client_cpu, 0, scratch);
	summary->backend_cpu_ms = median_of(run, row, backend_cpu, 0, scratch);
	summary->api_cpu_ms = median_of(run, row, api_cpu, 0, scratch);
	summary->machine_cpu_ms = median_of(run, row, machine_cpu, 0, scratch);
	for (int i = 0; i < PHASE_COUNT; i++)
		summary->phase_ms[i] = median_of(run, row, phase, i, scratch);
}

static bool
is_same_block(const Trial *one, const Trial *other)
{
	return one->block == other->block && one->size == other->size &&
		   one->direction == other->direction;
}

/* The sample of another path that was measured beside this one. Blocks are looked at as they ran, one
 * after another: of thousands of trials a search for each would take its time. */
static const Trial *
find_partner(const Run *run, size_t index, const char *path)
{
	const Trial *trial = &run->trial[index];
	size_t at = index;

	while (at > 0 && is_same_block(&run->trial[at - 1], trial))
		at--;
	for (; at < run->trials && is_same_block(&run->trial[at], trial); at++)
		if (is_sample(&run->trial[at], trial->direction, path))
			return &run->trial[at];
	return NULL;
}

static size_t
collect_pairs(const Run *run, TransferDirection direction, const char *first_path, const char *path,
			  CostSample *samples)
{
	size_t count = 0;

	for (size_t i = 0; i < run->trials; i++)
	{
		const Trial *trial = &run->trial[i];
		const Trial *first;

		if (!is_sample(trial, direction, path))
			continue;
		first = find_partner(run, i, first_path);
		if (first != NULL)
			samples[count++] = (CostSample){
				.size = (double) trial->size,
				.block = trial->block,
				.native_ms = elapsed_ms(first),
				.http_ms = elapsed_ms(trial),
			};
	}
	return count;
}

static void
fill_toll(ComparisonRow *row, const CostSample *pairs, size_t count, double *scratch)
{
	double *numerators = scratch, *denominators = scratch + count;
	size_t of_size = 0;

	row->toll = (StatisticsRatio){.ratio = NAN, .low = NAN, .high = NAN};
	row->extra_ms = row->extra_us_per_row = NAN;
	for (size_t i = 0; i < count; i++)
	{
		if (pairs[i].size != (double) row->size)
			continue;
		numerators[of_size] = pairs[i].http_ms;
		denominators[of_size++] = pairs[i].native_ms;
	}
	if (of_size == 0)
		return;
	row->toll = statistics_paired_ratio(numerators, denominators, of_size, scratch + 2 * count);
	row->extra_ms = statistics_summarise(numerators, of_size).median -
					statistics_summarise(denominators, of_size).median;
	row->extra_us_per_row = row->extra_ms * US_PER_MS / (double) row->size;
}

bool
summary_fill_row(const Run *run, const char *first_path, ComparisonRow *row)
{
	double *scratch = calloc(4 * run->trials + 1, sizeof(double));
	CostSample *pairs = calloc(run->trials + 1, sizeof(CostSample));
	size_t count = 0;

	if (scratch != NULL && pairs != NULL)
	{
		fill_summary(run, row, scratch);
		/* against itself there is no ratio */
		if (strcmp(row->summary.path, first_path) != 0)
			count = collect_pairs(run, row->direction, first_path, row->summary.path, pairs);
		fill_toll(row, pairs, count, scratch);
	}
	free(scratch);
	free(pairs);
	return scratch != NULL && pairs != NULL;
}

static CostFit
fit_path(const Run *run, const PathCost *cost, double *sizes, double *times)
{
	size_t count = 0;

	for (size_t i = 0; i < run->trials; i++)
	{
		if (!is_sample(&run->trial[i], cost->direction, cost->path))
			continue;
		sizes[count] = (double) run->trial[i].size;
		times[count++] = elapsed_ms(&run->trial[i]);
	}
	return cost_fit(sizes, times, count);
}

bool
summary_fill_cost(const Run *run, const char *first_path, PathCost *cost)
{
	double *scratch = calloc(2 * run->trials + 1, sizeof(double));
	CostSample *pairs = calloc(run->trials + 1, sizeof(CostSample));

	if (scratch != NULL && pairs != NULL)
	{
		cost->fit = fit_path(run, cost, scratch, scratch + run->trials);
		cost->crossing = (CostCrossing){.kind = COST_CROSSING_UNKNOWN};
		if (strcmp(cost->path, first_path) != 0)
			cost->crossing = cost_crossing(
				pairs, collect_pairs(run, cost->direction, first_path, cost->path, pairs),
				run->budget, CROSSING_RESAMPLES, (uint64_t) run->order_seed);
	}
	free(scratch);
	free(pairs);
	return scratch != NULL && pairs != NULL;
}
