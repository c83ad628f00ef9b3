/*
 * cost_fit_test.c - fitted costs, budgets and crossings, by answers known beforehand.
 */
#include "cost_fit.h"
#include "splitmix64.h"

#include <math.h>

#include "unit.h"

#define MAX_TRIALS 256
#define BLOCKS     10
#define RESAMPLES  2000
#define SEED       42

static const double decades[] = {1e4, 1e5, 1e6};

static void
unit_near(double got, double wanted, double relative, const char *name)
{
	if (!unit_ok(fabs(got - wanted) <= relative * fabs(wanted), name))
		printf("# got %.17g, wanted %.17g within %g of it\n", got, wanted, relative);
}

/* From -1 to 1, the same on every machine. */
static double
noise(uint64_t *state)
{
	*state += SPLITMIX64_GAMMA;
	return (double) (splitmix64_mix(*state) >> 11) / (double) (UINT64_C(1) << 52) - 1;
}

static CostFit
fit_line_of(double fixed_ms, double per_row_us, double noise_share, int blocks)
{
	double sizes[MAX_TRIALS];
	double times[MAX_TRIALS];
	size_t trials = 0;
	uint64_t state = SEED;

	for (int block = 0; block < blocks; block++)
	{
		for (size_t s = 0; s < 3; s++)
		{
			sizes[trials] = decades[s];
			times[trials++] =
				(fixed_ms + per_row_us / 1000 * decades[s]) * (1 + noise_share * noise(&state));
		}
	}
	return cost_fit(sizes, times, trials);
}

static void
check_exact_lines(void)
{
	CostFit fit = fit_line_of(2.5, 6.25, 0, 3);
	CostFit no_fixed = fit_line_of(0, 6.25, 0, 3);
	CostFit flat = fit_line_of(40, 0, 0, 3);

	unit_ok(fit.known, "a line: known");
	unit_near(fit.fixed_ms, 2.5, 1e-9, "a line: its fixed part");
	unit_near(fit.per_row_us, 6.25, 1e-9, "a line: its part per row");
	unit_ok(fit.worst_relative_error < 1e-9, "a line: no error");
	unit_ok(no_fixed.fixed_ms >= 0 && no_fixed.fixed_ms < 1e-6,
			"through the origin: nothing fixed");
	unit_near(no_fixed.per_row_us, 6.25, 1e-9, "through the origin: the part per row");
	unit_near(flat.fixed_ms, 40, 1e-9, "flat: the fixed part");
	unit_ok(flat.per_row_us >= 0 && flat.per_row_us < 1e-9, "flat: nothing per row");
}

static void
check_noise(void)
{
	CostFit fit = fit_line_of(5, 2, 0.1, 40);

	unit_near(fit.per_row_us, 2, 0.05, "noise of 10 %: the part per row within 5 %");
	unit_near(fit.fixed_ms, 5, 0.25, "noise of 10 %: the fixed part is not lost");
	unit_ok(fit.worst_relative_error < 0.05, "noise of 10 %: medians close to the line");
}

static void
check_bounds(void)
{
	/* growing faster than the size, and falling */
	CostFit steep = cost_fit((const double[]){10, 100}, (const double[]){1, 100}, 2);
	CostFit falling = cost_fit((const double[]){10, 100}, (const double[]){8, 2}, 2);

	unit_equal_double(steep.fixed_ms, 0, "faster than a line: the fixed part stays at 0");
	/* sums of n / t and (n / t)^2: (10 + 1) / (100 + 1) ms per row */
	unit_near(steep.per_row_us, 11.0 / 101 * 1000, 1e-12, "faster than a line: the part per row");
	unit_near(steep.worst_relative_error, 1 - 1100.0 / 101 / 100, 1e-12,
			  "faster than a line: the worst error is told");
	unit_equal_double(falling.per_row_us, 0, "falling: nothing per row");
	/* sums of 1 / t and 1 / t^2: (1/8 + 1/2) / (1/64 + 1/4) */
	unit_near(falling.fixed_ms, (0.125 + 0.5) / (1.0 / 64 + 0.25), 1e-12,
			  "falling: the fixed part");
}

static void
check_few_sizes(void)
{
	CostFit none = cost_fit(NULL, NULL, 0);
	CostFit one_size = cost_fit((const double[]){5, 5, 5}, (const double[]){1, 2, 3}, 3);
	CostFit unsorted = cost_fit((const double[]){1e9, 1, 1e9, 1},
								(const double[]){1e6 + 1, 1.001, 1e6 + 1, 1.001}, 4);

	unit_ok(!none.known, "no trial: unknown");
	unit_equal_double(none.fixed_ms, NAN, "no trial: no number");
	unit_ok(!one_size.known, "trials of one size: unknown");
	unit_equal_double(one_size.per_row_us, NAN, "trials of one size: no number");
	unit_ok(unsorted.known, "two sizes in any order: known");
	unit_near(unsorted.fixed_ms, 1, 1e-9, "sizes of 1 and 10^9: the fixed part");
	unit_near(unsorted.per_row_us, 1, 1e-9, "sizes of 1 and 10^9: the part per row");
}

static void
check_outlier(void)
{
	CostFit fit = cost_fit((const double[]){10, 10, 10, 100, 100, 100},
						   (const double[]){2, 2, 200, 11, 11, 11}, 6);

	unit_near(fit.fixed_ms, 1, 1e-12, "one disturbed trial: the fixed part");
	unit_near(fit.per_row_us, 100, 1e-12, "one disturbed trial: the part per row");
}

static void
check_budget(const char *text, CostBudgetKind kind, double value)
{
	CostBudget budget = {0};

	unit_ok(cost_budget_parse(text, &budget), text);
	unit_equal_int(budget.kind, kind, "  its kind");
	unit_equal_double(budget.value, value, "  its value");
}

static void
check_budgets(void)
{
	static const char *const refused[] = {"",         "x",        "2",
										  "1x",       "0.5x",     "2xx",
										  "-2x",      "2X",       "0ms",
										  "0s",       "2.",       ".5x",
										  "2.x",      "ms",       "2 s",
										  "1e3ms",    "nan",      "infx",
										  "2m",       "2min",     "1.0x",
										  "1.2.3x",   "+2x",      "1,5x",
										  "2000000x", "1e99999s", "1234567890123456x",
										  "9999999s"};

	check_budget("2x", COST_BUDGET_RATIO, 2);
	check_budget("1.5x", COST_BUDGET_RATIO, 1.5);
	check_budget("1.05x", COST_BUDGET_RATIO, 1.05);
	check_budget("500ms", COST_BUDGET_EXTRA_MS, 500);
	check_budget("0.25ms", COST_BUDGET_EXTRA_MS, 0.25);
	check_budget("2s", COST_BUDGET_EXTRA_MS, 2000);
	check_budget("0.1s", COST_BUDGET_EXTRA_MS, 100);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
	{
		char name[64];
		CostBudget budget;

		snprintf(name, sizeof(name), "refused: \"%s\"", refused[i]);
		unit_ok(!cost_budget_parse(refused[i], &budget), name);
	}
}

typedef struct Line
{
	double fixed_ms, per_row_us;
} Line;

/* Every size in every block, with noise of either path. */
static size_t
make_samples(Line native, Line http, double noise_share, int blocks, CostSample *samples)
{
	size_t count = 0;
	uint64_t state = SEED;

	for (int block = 1; block <= blocks; block++)
	{
		for (size_t s = 0; s < 3; s++)
		{
			double size = decades[2 - s];

			samples[count++] = (CostSample){
				.size = size,
				.block = block,
				.native_ms = (native.fixed_ms + native.per_row_us / 1000 * size) *
							 (1 + noise_share * noise(&state)),
				.http_ms = (http.fixed_ms + http.per_row_us / 1000 * size) *
						   (1 + noise_share * noise(&state)),
			};
		}
	}
	return count;
}

static CostCrossing
cross(Line native, Line http, double noise_share, int blocks, const char *budget_text)
{
	CostSample samples[MAX_TRIALS];
	CostBudget budget = {0};
	size_t count = make_samples(native, http, noise_share, blocks, samples);

	cost_budget_parse(budget_text, &budget);
	return cost_crossing(samples, count, budget, RESAMPLES, SEED);
}

static void
check_exact_crossings(void)
{
	/* 5 + 2n = 2 * (10 + 0.5n) where n is 15 thousand */
	CostCrossing ratio = cross((Line){10, 0.5}, (Line){5, 2}, 0, BLOCKS, "2x");
	/* 5n more, and 275 ms where n is 55 thousand */
	CostCrossing extra = cross((Line){1, 1}, (Line){1, 6}, 0, BLOCKS, "275ms");

	unit_equal_int(ratio.kind, COST_CROSSING_WITHIN, "a ratio is reached between the sizes");
	unit_near(ratio.rows, 15000, 1e-9, "a ratio: at the known size");
	unit_near(ratio.low, 15000, 1e-9, "a ratio without noise: no width below");
	unit_near(ratio.high, 15000, 1e-9, "a ratio without noise: no width above");
	unit_equal_int(extra.kind, COST_CROSSING_WITHIN, "a difference is reached between the sizes");
	unit_near(extra.rows, 55000, 1e-9, "a difference: at the known size");
}

static void
check_ends(void)
{
	CostCrossing below = cross((Line){1, 1}, (Line){1, 6}, 0, BLOCKS, "2x");
	CostCrossing above = cross((Line){1, 1}, (Line){1, 1.5}, 0, BLOCKS, "2x");
	/* dear when small, cheap in the end */
	CostCrossing falling = cross((Line){1, 1}, (Line){500, 1.1}, 0, BLOCKS, "2x");
	/* exactly met at the largest size is not exceeded */
	CostCrossing met = cross((Line){0, 1}, (Line){0, 2}, 0, BLOCKS, "2x");

	unit_equal_int(below.kind, COST_CROSSING_BELOW, "exceeded at every size: below");
	unit_equal_double(below.rows, NAN, "below: never a number");
	unit_equal_double(below.low, 1e4, "below: the interval is cut to the smallest size");
	unit_equal_double(below.high, 1e4, "below: on both sides");
	unit_equal_int(above.kind, COST_CROSSING_ABOVE, "exceeded at no size: above");
	unit_equal_double(above.rows, NAN, "above: never a number");
	unit_equal_double(above.high, 1e6, "above: the interval is cut to the largest size");
	unit_equal_int(falling.kind, COST_CROSSING_ABOVE,
				   "exceeded at small sizes only: there is no size from which on it is");
	unit_equal_int(met.kind, COST_CROSSING_ABOVE, "a budget that is met is not exceeded");
}

static void
check_last_crossing(void)
{
	/* exceeded at 10, not at 100, exceeded at 1000 */
	const CostSample samples[] = {{1000, 1, 100, 300}, {10, 1, 1, 5}, {100, 1, 10, 15}};
	CostCrossing crossing =
		cost_crossing(samples, 3, (CostBudget){COST_BUDGET_RATIO, 2}, 100, SEED);

	unit_equal_int(crossing.kind, COST_CROSSING_WITHIN, "twice exceeded: the last time counts");
	/* excess -5 at 100 and 100 at 1000 */
	unit_near(crossing.rows, 100 + 900 * 5.0 / 105, 1e-12, "twice exceeded: where it is for good");
	unit_equal_double(crossing.low, NAN, "one block: no interval");
	unit_equal_double(crossing.high, NAN, "one block: no interval on either side");
}

static void
check_intervals(void)
{
	Line native = {10, 0.5};
	Line http = {5, 2};
	CostCrossing noisy = cross(native, http, 0.1, BLOCKS, "2x");
	CostCrossing again = cross(native, http, 0.1, BLOCKS, "2x");
	CostCrossing many = cross(native, http, 0.1, 60, "2x");
	CostCrossing few = cross(native, http, 0.1, 5, "2x");

	unit_equal_int(noisy.kind, COST_CROSSING_WITHIN, "noise: reached between the sizes");
	unit_ok(noisy.low <= noisy.rows && noisy.rows <= noisy.high, "noise: low, rows, high");
	unit_ok(noisy.low < 15000 && 15000 < noisy.high, "noise: the known size is within");
	unit_ok(noisy.low >= 1e4 && noisy.high <= 1e6, "noise: not beyond the sizes measured");
	unit_ok(again.low == noisy.low && again.high == noisy.high, "the same seed, the same interval");
	unit_ok(many.high - many.low < noisy.high - noisy.low, "more blocks, a narrower interval");
	unit_near(few.rows, 15000, 0.2, "five blocks: a crossing");
	unit_equal_double(few.low, NAN, "five blocks: no interval");
}

static void
check_seeds(void)
{
	CostSample samples[MAX_TRIALS];
	CostBudget budget = {COST_BUDGET_RATIO, 2};
	size_t count = make_samples((Line){10, 0.5}, (Line){5, 2}, 0.1, BLOCKS, samples);
	CostCrossing one = cost_crossing(samples, count, budget, RESAMPLES, 1);
	CostCrossing other = cost_crossing(samples, count, budget, RESAMPLES, 2);
	CostCrossing none = cost_crossing(samples, count, budget, 0, 1);

	unit_ok(one.low != other.low || one.high != other.high, "another seed, another interval");
	unit_equal_double(one.rows, other.rows, "and the same crossing");
	unit_equal_double(samples[0].size, 1e6, "samples stay as they were");
	unit_equal_double(none.low, NAN, "no resample: no interval");
	unit_equal_int(cost_crossing(NULL, 0, budget, RESAMPLES, 1).kind, COST_CROSSING_UNKNOWN,
				   "no sample: unknown");
}

int
main(void)
{
	check_exact_lines();
	check_noise();
	check_bounds();
	check_few_sizes();
	check_outlier();
	check_budgets();
	check_exact_crossings();
	check_ends();
	check_last_crossing();
	check_intervals();
	check_seeds();
	return unit_done();
}
