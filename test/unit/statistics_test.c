/*
 * statistics_test.c - summaries, interval ranks and paired ratios, by exact values.
 */
#include "statistics.h"

#include <math.h>

#include "unit.h"

#define MAX_SAMPLES 64

static StatisticsSummary
summarise(const double *values, size_t samples)
{
	double copy[MAX_SAMPLES];

	for (size_t i = 0; i < samples; i++)
		copy[i] = values[i];
	return statistics_summarise(copy, samples);
}

#define SUMMARISE(...)                                                                             \
	summarise((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void
check_few_samples(void)
{
	StatisticsSummary none = statistics_summarise(NULL, 0);
	StatisticsSummary one = SUMMARISE(7.25);
	StatisticsSummary two = SUMMARISE(3, 1);

	unit_equal_int((int64_t) none.samples, 0, "no sample: count");
	unit_equal_double(none.median, NAN, "no sample: median is unknown");
	unit_equal_double(none.mean, NAN, "no sample: mean is unknown");
	unit_equal_double(none.minimum, NAN, "no sample: minimum is unknown");
	unit_equal_double(none.maximum, NAN, "no sample: maximum is unknown");
	unit_equal_double(none.standard_deviation, NAN, "no sample: deviation is unknown");
	unit_equal_double(none.low, NAN, "no sample: interval is unknown");
	unit_equal_int((int64_t) none.outliers, 0, "no sample: no outlier");

	unit_equal_double(one.median, 7.25, "one sample: median");
	unit_equal_double(one.mean, 7.25, "one sample: mean");
	unit_equal_double(one.minimum, 7.25, "one sample: minimum");
	unit_equal_double(one.maximum, 7.25, "one sample: maximum");
	unit_equal_double(one.standard_deviation, NAN, "one sample: deviation is unknown");
	unit_equal_double(one.high, NAN, "one sample: interval is unknown");
	unit_equal_int((int64_t) one.outliers, 0, "one sample: no outlier");

	unit_equal_double(two.median, 2, "two samples: median");
	unit_equal_double(two.standard_deviation, sqrt(2), "two samples: deviation divides by n - 1");
}

static void
check_summary(void)
{
	double values[] = {9, 4, 2, 4, 7, 5, 4, 5};
	StatisticsSummary summary = statistics_summarise(values, 8);
	StatisticsSummary five = SUMMARISE(5, 1, 4, 2, 3);
	StatisticsSummary nine = SUMMARISE(90, 80, 70, 60, 50, 40, 30, 20, 10);

	unit_equal_int((int64_t) summary.samples, 8, "count");
	unit_equal_double(summary.median, 4.5, "median of an even count");
	unit_equal_double(summary.mean, 5, "mean");
	unit_equal_double(summary.minimum, 2, "minimum");
	unit_equal_double(summary.maximum, 9, "maximum");
	unit_equal_double(summary.standard_deviation, sqrt(32.0 / 7), "standard deviation");
	unit_equal_double(summary.low, 2, "interval of 8: lowest sample");
	unit_equal_double(summary.high, 9, "interval of 8: highest sample");
	unit_equal_double(values[0], 2, "values are sorted: first");
	unit_equal_double(values[7], 9, "values are sorted: last");

	unit_equal_double(five.median, 3, "median of an odd count");
	unit_equal_double(five.low, NAN, "no interval below 6 samples: low");
	unit_equal_double(five.high, NAN, "no interval below 6 samples: high");
	unit_equal_double(nine.low, 20, "interval of 9: second from below");
	unit_equal_double(nine.high, 80, "interval of 9: second from above");
}

static void
check_equal_samples(void)
{
	StatisticsSummary summary = SUMMARISE(0.1, 0.1, 0.1, 0.1, 0.1, 0.1);

	unit_equal_double(summary.mean, 0.1, "equal samples: mean without a rounding error");
	unit_equal_double(summary.standard_deviation, 0, "equal samples: no deviation");
	unit_equal_double(summary.low, 0.1, "equal samples: low");
	unit_equal_double(summary.high, 0.1, "equal samples: high");
	unit_equal_int((int64_t) summary.outliers, 0, "equal samples: no outlier");
}

static void
check_outliers(void)
{
	/* median 5.5, median absolute deviation 2.5: beyond 3.5 from 18.4725... on */
	unit_equal_int((int64_t) SUMMARISE(1, 2, 3, 4, 5, 6, 7, 8, 9, 100).outliers, 1, "one above");
	unit_equal_int((int64_t) SUMMARISE(1, 2, 3, 4, 5, 6, 7, 8, 9, 18.47).outliers, 0,
				   "a score just below 3.5");
	unit_equal_int((int64_t) SUMMARISE(1, 2, 3, 4, 5, 6, 7, 8, 9, 18.48).outliers, 1,
				   "a score just above 3.5");
	unit_equal_int((int64_t) SUMMARISE(-100, 2, 3, 4, 5, 6, 7, 8, 9, 100).outliers, 2,
				   "one below, one above");
	/* odd count: median 5, deviations 0 1 1 2 2 3 3 4 95: median 2 */
	unit_equal_int((int64_t) SUMMARISE(1, 2, 3, 4, 5, 6, 7, 8, 100).outliers, 1, "odd count");
	/* all values on one side of the median's deviations */
	unit_equal_int((int64_t) SUMMARISE(1, 1, 1, 1, 2, 3, 4, 5, 50).outliers, 1, "skewed");
}

static void
check_outliers_by_mean_deviation(void)
{
	/* median absolute deviation 0; mean 0.1: a score of 1 / 0.1253314 */
	unit_equal_int((int64_t) SUMMARISE(5, 5, 5, 5, 5, 5, 5, 5, 5, 6).outliers, 1,
				   "one value apart from nine equal ones");
	/* mean 0.4: a score of 1 / 0.5013256 */
	unit_equal_int((int64_t) SUMMARISE(5, 5, 5, 5, 5, 5, 6, 6, 6, 6).outliers, 0,
				   "four values apart from six equal ones");
}

static void
check_rank(size_t samples, int64_t wanted)
{
	size_t rank = 999999;
	char name[60];

	snprintf(name, sizeof(name), "interval rank of %zu samples", samples);
	unit_ok(statistics_median_interval_rank(samples, &rank), name);
	unit_equal_int((int64_t) rank, wanted, name);
}

static void
check_ranks(void)
{
	/* from exact integer binomials */
	static const struct
	{
		size_t samples;
		int64_t rank;
	} known[] = {{6, 0},   {7, 0},    {8, 0},      {9, 1},       {10, 1},
				 {11, 1},  {12, 2},   {15, 3},     {20, 5},      {30, 9},
				 {50, 17}, {100, 39}, {1000, 468}, {9999, 4901}, {10000, 4901}};
	size_t rank = 0;
	int64_t sum = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		check_rank(known[i].samples, known[i].rank);
	for (size_t samples = 0; samples < STATISTICS_INTERVAL_MIN_SAMPLES; samples++)
		unit_ok(!statistics_median_interval_rank(samples, &rank), "no rank below 6 samples");
	for (size_t samples = 6; samples <= 1000; samples++)
	{
		statistics_median_interval_rank(samples, &rank);
		sum += (int64_t) rank;
	}
	unit_equal_int(sum, 228593, "sum of the ranks of 6 to 1000 samples");
	/* n / 2 - 1.96 * sqrt(n) / 2, and no hang */
	statistics_median_interval_rank(100000000, &rank);
	unit_ok(rank > 49990198 && rank < 49990204, "interval rank of 10^8 samples");
}

static void
check_paired_ratio(void)
{
	const double http[] = {20, 40, 60, 80, 100, 120};
	const double native[] = {10, 10, 20, 20, 20, 10};
	double scratch[12];
	StatisticsRatio ratio = statistics_paired_ratio(http, native, 6, scratch);
	StatisticsRatio five = statistics_paired_ratio(http, native, 5, scratch);
	StatisticsRatio none = statistics_paired_ratio(NULL, NULL, 0, scratch);

	unit_equal_double(ratio.ratio, 70.0 / 15, "ratio of the medians");
	unit_equal_double(ratio.low, 2, "lowest paired ratio");
	unit_equal_double(ratio.high, 12, "highest paired ratio");
	unit_equal_double(http[5], 120, "numerators are not changed");
	unit_equal_double(native[2], 20, "denominators are not changed");
	unit_equal_double(five.ratio, 3, "ratio of five pairs");
	unit_equal_double(five.low, NAN, "no interval below 6 pairs: low");
	unit_equal_double(five.high, NAN, "no interval below 6 pairs: high");
	unit_equal_double(none.ratio, NAN, "no pair: unknown");
	unit_equal_double(none.low, NAN, "no pair: no interval");
}

/* Drift that both paths share cancels out of the pairs: every ratio is exactly 4. */
static void
check_ratio_under_drift(void)
{
	double native[9];
	double http[9];
	double scratch[18];
	StatisticsRatio ratio;

	for (int i = 0; i < 9; i++)
	{
		native[i] = 10 + i;
		http[i] = 4 * native[i];
	}
	ratio = statistics_paired_ratio(http, native, 9, scratch);
	unit_equal_double(ratio.ratio, 4, "drift: ratio");
	unit_equal_double(ratio.low, 4, "drift: low");
	unit_equal_double(ratio.high, 4, "drift: high");
}

int
main(void)
{
	check_few_samples();
	check_summary();
	check_equal_samples();
	check_outliers();
	check_outliers_by_mean_deviation();
	check_ranks();
	check_paired_ratio();
	check_ratio_under_drift();
	return unit_done();
}
