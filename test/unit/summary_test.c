/*
 * summary_test.c - what a comparison says of trials whose figures are known.
 */
#include "measure/summary.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

#define NATIVE "copy-binary"
#define HTTP   "http-json"
#define MS     INT64_C(1000000) /* ns */

static Trial
make_trial(const char *path, int64_t size, int number, int64_t elapsed_ms)
{
	Trial trial;

	trial_init(&trial);
	trial.path = path;
	trial.size = trial.rows = size;
	trial.number = trial.block = number;
	trial.elapsed_ns = elapsed_ms * MS;
	trial.bytes = size * 100;
	return trial;
}

static void
add(Run *run, const char *path, int64_t size, int number, int64_t elapsed_ms)
{
	Trial trial = make_trial(path, size, number, elapsed_ms);

	run_add_trial(run, &trial);
}

static ComparisonRow
summarise(const Run *run, const char *path, int64_t size)
{
	ComparisonRow row = {.size = size, .summary = {.path = path}};

	unit_ok(summary_fill_row(run, NATIVE, &row), "summarised");
	return row;
}

static void
check_times(void)
{
	Run run = {0};
	ComparisonRow native, http;
	static const int64_t native_ms[] = {10, 12, 11, 10, 30, 11};
	static const int64_t http_ms[] = {40, 44, 41, 40, 60, 43};

	add(&run, NATIVE, 1000, 0, 900); /* warm-ups */
	add(&run, HTTP, 1000, 0, 900);
	for (int block = 1; block <= 6; block++)
	{
		add(&run, NATIVE, 1000, block, native_ms[block - 1]);
		add(&run, HTTP, 1000, block, http_ms[block - 1]);
	}
	add(&run, NATIVE, 2000, 1, 500); /* of another size */
	native = summarise(&run, NATIVE, 1000);
	http = summarise(&run, HTTP, 1000);
	unit_equal_int(native.summary.trials_ok, 6, "warm-ups and other sizes are left out");
	unit_equal_double(native.summary.elapsed_ms.median, 11, "median of the native path");
	unit_equal_double(http.summary.elapsed_ms.median, 42, "median of HTTP");
	unit_equal_double(http.summary.elapsed_ms.low, 40, "from the least, with six trials");
	unit_equal_double(http.summary.elapsed_ms.high, 60, "to the most");
	unit_equal_int((int64_t) native.summary.elapsed_ms.outliers, 1, "an outlier is kept");
	unit_equal_double(native.summary.elapsed_ms.maximum, 30, "and told");
	unit_equal_double(http.summary.rows_per_second, 1000.0 / 42 * 1000, "rows per second");
	unit_equal_int(http.summary.bytes, 100000, "bytes of a trial");
	unit_equal_double(http.toll.ratio, 42.0 / 11, "toll");
	unit_equal_double(http.toll.low, 2, "least of the paired ratios");
	unit_equal_double(http.toll.high, 4, "most of them");
	unit_equal_double(http.extra_ms, 31, "difference");
	unit_equal_double(http.extra_us_per_row, 31, "difference per row");
	unit_ok(isnan(native.toll.ratio) && isnan(native.extra_ms), "no toll against itself");
	run_free(&run);
}

/* Trials that failed are counted, and neither they nor their partners make a ratio. */
static void
check_failures(void)
{
	static const TrialStatus ends[] = {TRIAL_SHORT, TRIAL_FAILED, TRIAL_INTERRUPTED};
	Run run = {0};
	ComparisonRow http;

	add(&run, NATIVE, 10, 1, 10);
	add(&run, HTTP, 10, 1, 20);
	for (int block = 2; block <= 4; block++)
	{
		Trial failed = make_trial(HTTP, 10, block, 1);

		failed.status = ends[block - 2];
		add(&run, NATIVE, 10, block, 1000);
		run_add_trial(&run, &failed);
	}
	http = summarise(&run, HTTP, 10);
	unit_equal_int(http.summary.trials_ok, 1, "the one that was whole");
	unit_equal_int(http.summary.trials_failed, 3, "short, failed, interrupted");
	unit_equal_double(http.summary.elapsed_ms.median, 20, "failures are no samples");
	unit_equal_double(http.toll.ratio, 2, "nor are those beside them, of the ratio");
	unit_ok(isnan(http.toll.low), "one pair has no interval");
	run_free(&run);
}

static void
check_nothing(void)
{
	Run run = {0};
	ComparisonRow row = summarise(&run, HTTP, 10);

	unit_equal_int(row.summary.trials_ok, 0, "no trials");
	unit_ok(isnan(row.summary.elapsed_ms.median), "no median");
	unit_ok(isnan(row.summary.rows_per_second), "no rate");
	unit_ok(isnan(row.toll.ratio) && isnan(row.extra_us_per_row), "no toll");
	unit_ok(isnan(row.summary.client_cpu_ms), "no CPU time");
	unit_equal_int(row.summary.client_peak_bytes, COST_UNKNOWN, "no memory");
	add(&run, HTTP, 10, 1, 5);
	row = summarise(&run, HTTP, 10);
	unit_ok(isnan(row.toll.ratio), "no toll without a native trial beside it");
	unit_equal_double(row.summary.elapsed_ms.median, 5, "but its time");
	run_free(&run);
}

/* In the order of the run: blocks of one size and direction stand together. */
static void
check_directions(void)
{
	Run run = {0};
	ComparisonRow row;

	add(&run, HTTP, 10, 1, 30);
	add(&run, NATIVE, 10, 1, 10);
	for (int i = 0; i < 2; i++)
	{
		Trial writing = make_trial(i == 0 ? NATIVE : HTTP, 10, 1, i == 0 ? 100 : 700);

		writing.direction = TRANSFER_WRITE;
		run_add_trial(&run, &writing);
	}
	row = summarise(&run, HTTP, 10);
	unit_equal_double(row.toll.ratio, 3, "reading is compared with reading");
	row = (ComparisonRow){.direction = TRANSFER_WRITE, .size = 10, .summary = {.path = HTTP}};
	unit_ok(summary_fill_row(&run, NATIVE, &row), "summarised");
	unit_equal_double(row.toll.ratio, 7, "writing with writing");
	run_free(&run);
}

static void
add_cost(Run *run, int number, const Cost *cost)
{
	Trial trial = make_trial(HTTP, 10, number, 10);

	trial.cost = *cost;
	trial.phase_ns[PHASE_CONNECT] = number * MS;
	if (number < 3)
		trial.phase_ns[PHASE_FIRST_BYTE] = number * MS;
	run_add_trial(run, &trial);
}

/* Complete or not known: a figure that one trial lacks has no median. */
static void
check_costs(void)
{
	Cost cost = {
		.client_cpu_user_us = 1000,
		.client_cpu_system_us = 500,
		.client_peak_bytes = 100,
		.backend_cpu_us = COST_UNKNOWN,
		.backend_peak_bytes = COST_UNKNOWN,
		.api_cpu_us = 2000,
		.api_peak_bytes = 10,
		.api_backend_cpu_us = 3000,
		.api_backend_peak_bytes = 20,
		.machine_cpu_us = 10000,
		.system_memory_bytes = COST_UNKNOWN,
	};
	Run run = {0};
	PathSummary summary;

	add_cost(&run, 1, &cost);
	cost.client_cpu_user_us = 3000;
	cost.client_peak_bytes = 700;
	add_cost(&run, 2, &cost);
	cost.client_peak_bytes = 300;
	cost.api_backend_cpu_us = cost.api_backend_peak_bytes = cost.machine_cpu_us = COST_UNKNOWN;
	add_cost(&run, 3, &cost);
	summary = summarise(&run, HTTP, 10).summary;
	unit_equal_double(summary.client_cpu_ms, 3.5, "client: user and system, the median");
	unit_ok(isnan(summary.backend_cpu_ms), "backend: not known");
	unit_ok(isnan(summary.api_cpu_ms), "API: not known, since of one trial a part is not");
	unit_ok(isnan(summary.machine_cpu_ms), "machine: not known, since of one trial it is not");
	unit_equal_int(summary.client_peak_bytes, 700, "client: the largest peak");
	unit_equal_int(summary.api_peak_bytes, 30, "API: the largest sum that is known");
	unit_equal_double(summary.phase_ms[PHASE_CONNECT], 2, "a phase: its median");
	unit_ok(isnan(summary.phase_ms[PHASE_FIRST_BYTE]), "a phase that one trial lacks");
	unit_ok(isnan(summary.phase_ms[PHASE_COMMIT]), "a phase that all lack");
	run_free(&run);
}

static void
check_fits(void)
{
	static const int64_t sizes[] = {1000, 10000, 100000};
	Run run = {.budget = {.kind = COST_BUDGET_RATIO, .value = 2}};
	PathCost native = {.path = NATIVE}, http = {.path = HTTP};

	/* 10 ms + 1 us per row, and 5 ms + 4 us per row: twice as dear from 7500 rows on */
	for (int i = 0; i < 3; i++)
		for (int block = 1; block <= 6; block++)
		{
			add(&run, NATIVE, sizes[i], block, 10 + sizes[i] / 1000);
			add(&run, HTTP, sizes[i], block, 5 + sizes[i] * 4 / 1000);
		}
	unit_ok(summary_fill_cost(&run, NATIVE, &native) && summary_fill_cost(&run, NATIVE, &http),
			"fitted");
	unit_ok(fabs(native.fit.fixed_ms - 10) < 1e-6 && fabs(native.fit.per_row_us - 1) < 1e-6,
			"cost of the native path");
	unit_ok(fabs(http.fit.fixed_ms - 5) < 1e-6 && fabs(http.fit.per_row_us - 4) < 1e-6,
			"cost of HTTP");
	unit_equal_int(native.crossing.kind, COST_CROSSING_UNKNOWN, "no budget over itself");
	unit_equal_int(http.crossing.kind, COST_CROSSING_WITHIN, "the budget is exceeded");
	unit_ok(fabs(http.crossing.rows - 7500) < 1, "from where it was said");
	run.budget.value = 20;
	unit_ok(summary_fill_cost(&run, NATIVE, &http), "fitted again");
	unit_equal_int(http.crossing.kind, COST_CROSSING_ABOVE, "not exceeded in what was measured");
	run_free(&run);
}

int
main(void)
{
	check_times();
	check_failures();
	check_nothing();
	check_directions();
	check_costs();
	check_fits();
	return unit_done();
}
