/*
 * cost_fit.c - a line through the medians of each size.
 *
 * Medians, so that one disturbed trial does not bend the line; each counts as often as it has
 * trials. With two coefficients the best fit under 'neither below 0' is the free one, or lies where
 * the coefficient that came out negative is 0 (C. L. Lawson, R. J. Hanson, 'Solving Least Squares
 * Problems', 1974, chapter 23).
 */
#include "cost_fit.h"
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

#define US_PER_MS 1000.0

typedef struct SizedTime
{
	double size;
	double ms;
	double trials; /* that this is the median of; 1 before */
} SizedTime;

static int
compare_sizes(const void *left, const void *right)
{
	double l = ((const SizedTime *) left)->size;
	double r = ((const SizedTime *) right)->size;

	return (l > r) - (l < r);
}

/* Leaves the median of each size in `times`, ascending; their number. */
static size_t
reduce_to_medians(SizedTime *times, size_t trials, double *scratch)
{
	size_t medians = 0;
	size_t start = 0;

	qsort(times, trials, sizeof(times[0]), compare_sizes);
	while (start < trials)
	{
		double size = times[start].size;
		size_t count = 0;

		for (; start + count < trials && times[start + count].size == size; count++)
			scratch[count] = times[start + count].ms;
		times[medians++] = (SizedTime){
			.size = size,
			.ms = statistics_summarise(scratch, count).median,
			.trials = (double) count,
		};
		start += count;
	}
	return medians;
}

static double
weight_of(const SizedTime *time)
{
	return time->trials / (time->ms * time->ms);
}

/* t = fixed + per_row_ms * n, around the weighted means: sizes of 1 and of 10^9 go together. */
static void
fit_line(const SizedTime *times, size_t count, double *fixed_ms, double *per_row_ms)
{
	double weights = 0;
	double mean_size = 0;
	double mean_ms = 0;
	double covariance = 0;
	double variance = 0;

	for (size_t i = 0; i < count; i++)
	{
		weights += weight_of(&times[i]);
		mean_size += weight_of(&times[i]) * times[i].size;
		mean_ms += weight_of(&times[i]) * times[i].ms;
	}
	mean_size /= weights;
	mean_ms /= weights;
	for (size_t i = 0; i < count; i++)
	{
		double from_mean = times[i].size - mean_size;

		covariance += weight_of(&times[i]) * from_mean * (times[i].ms - mean_ms);
		variance += weight_of(&times[i]) * from_mean * from_mean;
	}
	*per_row_ms = covariance / variance;
	*fixed_ms = mean_ms - *per_row_ms * mean_size;
	if (*per_row_ms < 0)
	{
		*per_row_ms = 0;
		*fixed_ms = mean_ms;
	}
}

static double
slope_through_origin(const SizedTime *times, size_t count)
{
	double products = 0;
	double squares = 0;

	for (size_t i = 0; i < count; i++)
	{
		products += weight_of(&times[i]) * times[i].size * times[i].ms;
		squares += weight_of(&times[i]) * times[i].size * times[i].size;
	}
	return products / squares;
}

static double
worst_error(const SizedTime *times, size_t count, double fixed_ms, double per_row_ms)
{
	double worst = 0;

	for (size_t i = 0; i < count; i++)
		worst =
			fmax(worst, fabs(fixed_ms + per_row_ms * times[i].size - times[i].ms) / times[i].ms);
	return worst;
}

static CostFit
fit_medians(const SizedTime *times, size_t count)
{
	double fixed_ms;
	double per_row_ms;

	fit_line(times, count, &fixed_ms, &per_row_ms);
	if (fixed_ms < 0)
	{
		fixed_ms = 0;
		per_row_ms = slope_through_origin(times, count);
	}
	return (CostFit){
		.fixed_ms = fixed_ms,
		.per_row_us = per_row_ms * US_PER_MS,
		.known = true,
		.worst_relative_error = worst_error(times, count, fixed_ms, per_row_ms),
	};
}

CostFit
cost_fit(const double *sizes, const double *times_ms, size_t trials)
{
	CostFit fit = {.fixed_ms = NAN, .per_row_us = NAN, .worst_relative_error = NAN};
	SizedTime *times = malloc((trials + 1) * sizeof(*times));
	double *scratch = malloc((trials + 1) * sizeof(*scratch));

	if (times != NULL && scratch != NULL)
	{
		size_t medians;

		for (size_t i = 0; i < trials; i++)
			times[i] = (SizedTime){.size = sizes[i], .ms = times_ms[i], .trials = 1};
		medians = reduce_to_medians(times, trials, scratch);
		if (medians >= 2)
			fit = fit_medians(times, medians);
	}
	free(times);
	free(scratch);
	return fit;
}
