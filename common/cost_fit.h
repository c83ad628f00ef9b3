/*
 * cost_fit.h - what a path costs as a fixed part and a part per row, and from which
 * size on one path costs more than another by a given budget.
 *
 * The model is t(n) = fixed + per_row * n, fitted to the medians of the sizes by least squares with
 * weights 1 / t^2, so that relative errors count alike at all sizes; neither part is let below 0.
 * Pure functions over doubles; NaN stands for "not known".
 */
#ifndef TRANSFERBENCH_COST_FIT_H
#define TRANSFERBENCH_COST_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CostFit
{
	double fixed_ms;             /* 0 or more */
	double per_row_us;           /* 0 or more; microseconds per row */
	bool known;                  /* false with fewer than two different sizes */
	double worst_relative_error; /* of the medians: max |fit - t| / t, to be shown beside */
} CostFit;

/* One trial each: sizes in rows, times in ms (> 0). */
extern CostFit cost_fit(const double *sizes, const double *times_ms, size_t trials);

typedef enum CostBudgetKind
{
	COST_BUDGET_RATIO,    /* the costlier path takes more than `value` times the other's time */
	COST_BUDGET_EXTRA_MS, /* it takes more than `value` ms longer */
} CostBudgetKind;

typedef struct CostBudget
{
	CostBudgetKind kind;
	double value; /* > 1 for a ratio, > 0 for ms */
} CostBudget;

/* "2x", "1.5x", "500ms", "2s"; false: not of these forms or out of range. */
extern bool cost_budget_parse(const char *text, CostBudget *budget);

typedef enum CostCrossingKind
{
	COST_CROSSING_UNKNOWN,
	COST_CROSSING_BELOW,  /* exceeded already at the smallest size measured, and at all others */
	COST_CROSSING_WITHIN, /* at `rows` */
	COST_CROSSING_ABOVE,  /* not yet exceeded at the largest size measured */
} CostCrossingKind;

typedef struct CostCrossing
{
	CostCrossingKind kind;
	double rows;      /* WITHIN only; between the smallest and the largest size */
	double low, high; /* 95 % interval by resampling blocks; NaN when unknown; cut to the measured
	                   * sizes: equal to an end where it reaches or passes it */
} CostCrossing;

typedef struct CostSample
{
	double size;      /* rows */
	int block;        /* trials of one block and size were measured side by side */
	double native_ms; /* > 0 */
	double http_ms;   /* > 0 */
} CostSample;

/*
 * From where on, up to the largest size measured, the path `http` exceeds the budget over `native`,
 * by interpolation between the medians of the sizes measured (as the model has it, linear in the
 * size), never beyond them. The interval comes from `resamples` draws of blocks with replacement,
 * by the seed: the same seed, the same interval; it is unknown with fewer than 6 blocks at a size.
 * NULL-free: samples [count].
 */
extern CostCrossing cost_crossing(const CostSample *samples, size_t count, CostBudget budget,
								  int resamples, uint64_t seed);

#endif
