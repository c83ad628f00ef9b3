/*
 * statistics.h - what is said about a set of trials.
 *
 * Pure functions over doubles. NaN stands for "not known": a caller turns it
 * into null. Order statistics need no assumption about the shape of the
 * distribution, which timings do not follow.
 */
#ifndef TRANSFERBENCH_STATISTICS_H
#define TRANSFERBENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* below this many samples a 95 % interval of the median does not exist (2 * 2^-5 > 5 %) */
#define STATISTICS_INTERVAL_MIN_SAMPLES 6

typedef struct StatisticsSummary
{
	size_t samples;
	double median;    /* mean of the middle two for an even count; NaN for no sample */
	double low, high; /* interval of the median, coverage at least 95 %; NaN below 6 */
	double mean, minimum, maximum;
	double standard_deviation; /* n - 1; NaN below 2 samples */
	size_t outliers;           /* modified z-score above 3.5 (Iglewicz and Hoaglin 1993) */
} StatisticsSummary;

/*
 * Summarises `samples` values; sorts `values` in place. No value may be NaN.
 */
extern StatisticsSummary statistics_summarise(double *values, size_t samples);

/*
 * Rank (0-based, from below and likewise from above) of the order statistics
 * that enclose the median with at least 95 % confidence, by the binomial
 * distribution (n, 1/2); false below 6 samples.
 */
extern bool statistics_median_interval_rank(size_t samples, size_t *rank);

/*
 * Ratio of medians with an interval from the ratios paired by block:
 * numerators[i] and denominators[i] were measured side by side. Denominators
 * are positive. Neither array is changed; `scratch` holds 2 * pairs doubles.
 */
typedef struct StatisticsRatio
{
	double ratio;     /* median(numerators) / median(denominators) */
	double low, high; /* interval of the median of the paired ratios; NaN below 6 pairs */
} StatisticsRatio;

extern StatisticsRatio statistics_paired_ratio(const double *numerators, const double *denominators,
											   size_t pairs, double *scratch);

#endif
