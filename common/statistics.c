/*
 * statistics.c - medians, their intervals, outliers.
 *
 * The interval of the median: of n independent samples the number below the
 * median is binomial (n, 1/2), so the interval between the sample of rank r
 * from below and the one of rank r from above (0-based) misses the median with
 * probability 2 * P(B <= r) (H. A. David, H. N. Nagaraja, 'Order Statistics',
 * 3rd ed. 2003, section 7.1).
 *
 * Outliers: B. Iglewicz, D. Hoaglin, 'How to Detect and Handle Outliers', 1993.
 */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

#define INTERVAL_MISSES_AT_MOST 0.05 /* both sides together */

/* Standard normal: the 0.75 quantile, by which the median absolute deviation estimates the
 * standard deviation; and sqrt(pi / 2), by which the mean absolute deviation does. */
#define NORMAL_QUARTILE       0.6745
#define NORMAL_MEAN_DEVIATION 1.253314
#define OUTLIER_MODIFIED_Z    3.5

static int
compare_doubles(const void *left, const void *right)
{
	double l = *(const double *) left;
	double r = *(const double *) right;

	return (l > r) - (l < r);
}

static void
sort(double *values, size_t samples)
{
	if (samples > 1) /* qsort may not be given NULL */
		qsort(values, samples, sizeof(values[0]), compare_doubles);
}

static double
median_of_sorted(const double *sorted, size_t samples)
{
	size_t middle = samples / 2;

	if (samples == 0)
		return NAN;
	if (samples % 2 == 1)
		return sorted[middle];
	return (sorted[middle - 1] + sorted[middle]) / 2;
}

static void
interval_of_sorted(const double *sorted, size_t samples, double *low, double *high)
{
	size_t rank;

	*low = *high = NAN;
	if (statistics_median_interval_rank(samples, &rank))
	{
		*low = sorted[rank];
		*high = sorted[samples - 1 - rank];
	}
}

/* Summed as differences from the median, so that equal values have exactly that mean. */
static double
mean_of(const double *values, size_t samples, double median)
{
	double sum = 0;

	for (size_t i = 0; i < samples; i++)
		sum += values[i] - median;
	return median + sum / (double) samples;
}

static double
standard_deviation_of(const double *values, size_t samples, double mean)
{
	double sum = 0;

	if (samples < 2)
		return NAN;
	for (size_t i = 0; i < samples; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (double) (samples - 1));
}

/* Deviations grow on both sides of the median: merging the sides up to the middle needs neither
 * memory nor another sort. At least one sample. */
static double
median_absolute_deviation(const double *sorted, size_t samples, double median)
{
	size_t below = samples / 2; /* values left on the lower side: sorted[0 .. below - 1] */
	size_t above = below;       /* next value of the upper side */
	double previous = 0;
	double current = 0;

	for (size_t taken = 0; taken <= samples / 2; taken++)
	{
		bool take_below =
			below > 0 && (above == samples || median - sorted[below - 1] <= sorted[above] - median);

		previous = current;
		current = take_below ? median - sorted[--below] : sorted[above++] - median;
	}
	return samples % 2 == 1 ? current : (previous + current) / 2;
}

static double
mean_absolute_deviation(const double *values, size_t samples, double median)
{
	double sum = 0;

	for (size_t i = 0; i < samples; i++)
		sum += fabs(values[i] - median);
	return sum / (double) samples;
}

/* The spread in units of which a modified z-score counts. When more than half of the samples are
 * equal the median absolute deviation is 0 and says nothing: then the mean one; 0 when all are. */
static double
robust_spread(const double *sorted, size_t samples, double median)
{
	double spread = median_absolute_deviation(sorted, samples, median) / NORMAL_QUARTILE;

	if (spread > 0)
		return spread;
	return mean_absolute_deviation(sorted, samples, median) * NORMAL_MEAN_DEVIATION;
}

static size_t
count_outliers(const double *sorted, size_t samples, double median)
{
	double limit = OUTLIER_MODIFIED_Z * robust_spread(sorted, samples, median);
	size_t outliers = 0;

	for (size_t i = 0; i < samples; i++)
		outliers += fabs(sorted[i] - median) > limit;
	return outliers;
}

StatisticsSummary
statistics_summarise(double *values, size_t samples)
{
	StatisticsSummary summary = {
		.samples = samples,
		.median = NAN,
		.low = NAN,
		.high = NAN,
		.mean = NAN,
		.minimum = NAN,
		.maximum = NAN,
		.standard_deviation = NAN,
	};

	if (samples == 0)
		return summary;
	sort(values, samples);
	summary.median = median_of_sorted(values, samples);
	interval_of_sorted(values, samples, &summary.low, &summary.high);
	summary.mean = mean_of(values, samples, summary.median);
	summary.minimum = values[0];
	summary.maximum = values[samples - 1];
	summary.standard_deviation = standard_deviation_of(values, samples, summary.mean);
	summary.outliers = count_outliers(values, samples, summary.median);
	return summary;
}

/* The probability that a binomial (n, 1/2) is at most n / 2, in units of that of n / 2 itself.
 * From the middle outwards the terms only shrink: nothing overflows, and what underflows is too
 * small to count. P(k - 1) = P(k) * k / (n - k + 1). */
static double
lower_half_weight(size_t n)
{
	double weight = 1;
	double sum = 1;

	for (size_t k = n / 2; k > 0 && weight > 0; k--)
	{
		weight *= (double) k / (double) (n - k + 1);
		sum += weight;
	}
	return sum;
}

bool
statistics_median_interval_rank(size_t samples, size_t *rank)
{
	size_t k = samples / 2;
	double weight = 1;
	double tail = lower_half_weight(samples); /* of 0..k */
	/* for an even count the middle belongs to both halves */
	double total = 2 * tail - (samples % 2 == 0 ? 1 : 0);

	if (samples < STATISTICS_INTERVAL_MIN_SAMPLES)
		return false;
	while (k > 0 && 2 * tail > INTERVAL_MISSES_AT_MOST * total)
	{
		tail -= weight;
		weight *= (double) k / (double) (samples - k + 1);
		k--;
	}
	*rank = k;
	return true;
}

StatisticsRatio
statistics_paired_ratio(const double *numerators, const double *denominators, size_t pairs,
						double *scratch)
{
	StatisticsRatio result;
	double *numerators_sorted = scratch;
	double *denominators_sorted = scratch + pairs;
	double *ratios = scratch;

	for (size_t i = 0; i < pairs; i++)
	{
		numerators_sorted[i] = numerators[i];
		denominators_sorted[i] = denominators[i];
	}
	sort(numerators_sorted, pairs);
	sort(denominators_sorted, pairs);
	result.ratio =
		median_of_sorted(numerators_sorted, pairs) / median_of_sorted(denominators_sorted, pairs);

	for (size_t i = 0; i < pairs; i++)
		ratios[i] = numerators[i] / denominators[i];
	sort(ratios, pairs);
	interval_of_sorted(ratios, pairs, &result.low, &result.high);
	return result;
}
