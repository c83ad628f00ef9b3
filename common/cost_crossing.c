/*
 * cost_crossing.c - from which size on a path exceeds a budget.
 *
 * The excess is what the costlier path takes beyond the budget, in ms: http - value * native for a
 * ratio, http - native - value for a difference. Where both times are lines, so is the excess, and
 * between two sizes it is taken for one; it changes its sign where the budget is met.
 *
 * The interval is that of the bootstrap's percentiles (B. Efron, R. Tibshirani, 'An Introduction to
 * the Bootstrap', 1993, chapter 13).
 */
#include "cost_fit.h"
#include "splitmix64.h"
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS       15 /* a double holds them */
#define MAX_RATIO        1e6
#define MAX_EXTRA_MS     1e9
#define MS_PER_S         1000.0
#define MISSES_EACH_SIDE 0.025

typedef struct SizeGroup
{
	const CostSample *sample; /* [count], by block */
	size_t count;
	double size;
	double excess_ms; /* of the medians that are looked at */
} SizeGroup;

typedef struct Crossings
{
	CostSample *sample; /* by size, then block */
	SizeGroup *group;   /* [groups], by size */
	size_t groups;
	double *native_ms, *http_ms; /* of one group */
	double *drawn;               /* [resamples] */
	uint64_t random_state;
} Crossings;

/* Digits with or without a fraction; NULL when there are none, or too many to be exact. */
static const char *
read_decimal(const char *text, double *value)
{
	double whole = 0;
	double scale = 1;
	int digits = 0;
	bool in_fraction = false;

	for (;; text++)
	{
		if (*text == '.' && !in_fraction && digits > 0)
			in_fraction = true;
		else if (*text < '0' || *text > '9')
			break;
		else
		{
			digits++;
			whole = whole * 10 + (*text - '0');
			scale *= in_fraction ? 10 : 1;
		}
	}
	if (digits == 0 || digits > MAX_DIGITS || text[-1] == '.')
		return NULL;
	*value = whole / scale;
	return text;
}

bool
cost_budget_parse(const char *text, CostBudget *budget)
{
	double value;
	const char *unit = read_decimal(text, &value);

	if (unit == NULL)
		return false;
	if (strcmp(unit, "x") == 0)
	{
		*budget = (CostBudget){.kind = COST_BUDGET_RATIO, .value = value};
		return value > 1 && value <= MAX_RATIO;
	}
	if (strcmp(unit, "s") == 0)
		value *= MS_PER_S;
	else if (strcmp(unit, "ms") != 0)
		return false;
	*budget = (CostBudget){.kind = COST_BUDGET_EXTRA_MS, .value = value};
	return value > 0 && value <= MAX_EXTRA_MS;
}

static int
compare_samples(const void *left, const void *right)
{
	const CostSample *l = left;
	const CostSample *r = right;

	if (l->size != r->size)
		return l->size > r->size ? 1 : -1;
	return (l->block > r->block) - (l->block < r->block);
}

static void
find_groups(Crossings *crossings, size_t count)
{
	qsort(crossings->sample, count, sizeof(crossings->sample[0]), compare_samples);
	for (size_t i = 0; i < count; i++)
	{
		const CostSample *sample = &crossings->sample[i];

		if (i == 0 || sample->size != sample[-1].size)
			crossings->group[crossings->groups++] =
				(SizeGroup){.sample = sample, .size = sample->size};
		crossings->group[crossings->groups - 1].count++;
	}
}

static bool
prepare(Crossings *crossings, const CostSample *samples, size_t count, int resamples)
{
	crossings->sample = malloc(count * sizeof(*crossings->sample));
	crossings->group = malloc(count * sizeof(*crossings->group));
	crossings->native_ms = malloc(count * sizeof(*crossings->native_ms));
	crossings->http_ms = malloc(count * sizeof(*crossings->http_ms));
	crossings->drawn = malloc((size_t) (resamples + 1) * sizeof(*crossings->drawn));
	if (crossings->sample == NULL || crossings->group == NULL || crossings->native_ms == NULL ||
		crossings->http_ms == NULL || crossings->drawn == NULL)
		return false;
	memcpy(crossings->sample, samples, count * sizeof(*samples));
	find_groups(crossings, count);
	return true;
}

static void
release(Crossings *crossings)
{
	free(crossings->sample);
	free(crossings->group);
	free(crossings->native_ms);
	free(crossings->http_ms);
	free(crossings->drawn);
}

/* Of the times that are in native_ms and http_ms. */
static double
excess_of_medians(Crossings *crossings, size_t count, CostBudget budget)
{
	double native_ms = statistics_summarise(crossings->native_ms, count).median;
	double http_ms = statistics_summarise(crossings->http_ms, count).median;

	if (budget.kind == COST_BUDGET_RATIO)
		return http_ms - budget.value * native_ms;
	return http_ms - native_ms - budget.value;
}

static void
take_all(Crossings *crossings, CostBudget budget)
{
	for (size_t g = 0; g < crossings->groups; g++)
	{
		SizeGroup *group = &crossings->group[g];

		for (size_t i = 0; i < group->count; i++)
		{
			crossings->native_ms[i] = group->sample[i].native_ms;
			crossings->http_ms[i] = group->sample[i].http_ms;
		}
		group->excess_ms = excess_of_medians(crossings, group->count, budget);
	}
}

static size_t
draw_below(Crossings *crossings, size_t bound)
{
	crossings->random_state += SPLITMIX64_GAMMA;
	return (size_t) ((splitmix64_mix(crossings->random_state) >> 32) * bound >> 32);
}

/* As many samples of the group as it has, whole blocks of them, with replacement. */
static void
draw_group(Crossings *crossings, const SizeGroup *group)
{
	size_t taken = 0;

	while (taken < group->count)
	{
		size_t i = draw_below(crossings, group->count);
		int block = group->sample[i].block;

		while (i > 0 && group->sample[i - 1].block == block)
			i--;
		for (; i < group->count && group->sample[i].block == block && taken < group->count; i++)
		{
			crossings->native_ms[taken] = group->sample[i].native_ms;
			crossings->http_ms[taken++] = group->sample[i].http_ms;
		}
	}
}

/* From the largest size down, as far as the budget is exceeded: 'from there on' must hold for all
 * that follows. */
static CostCrossingKind
find_crossing(const Crossings *crossings, double *rows)
{
	const SizeGroup *group = crossings->group;
	size_t first = crossings->groups;
	double share;

	while (first > 0 && group[first - 1].excess_ms > 0)
		first--;
	if (first == crossings->groups)
	{
		*rows = group[first - 1].size;
		return COST_CROSSING_ABOVE;
	}
	*rows = group[first].size;
	if (first == 0)
		return COST_CROSSING_BELOW;
	share = -group[first - 1].excess_ms / (group[first].excess_ms - group[first - 1].excess_ms);
	*rows = group[first - 1].size + share * (group[first].size - group[first - 1].size);
	return COST_CROSSING_WITHIN;
}

static bool
has_enough_blocks(const Crossings *crossings)
{
	for (size_t g = 0; g < crossings->groups; g++)
	{
		const SizeGroup *group = &crossings->group[g];
		size_t blocks = 1;

		for (size_t i = 1; i < group->count; i++)
			blocks += group->sample[i].block != group->sample[i - 1].block;
		if (blocks < STATISTICS_INTERVAL_MIN_SAMPLES)
			return false;
	}
	return true;
}

static void
find_interval(Crossings *crossings, CostBudget budget, int resamples, CostCrossing *crossing)
{
	size_t tail = (size_t) (MISSES_EACH_SIDE * resamples);
	double rows = 0;

	find_crossing(crossings, &rows);
	for (int r = 0; r < resamples; r++)
	{
		for (size_t g = 0; g < crossings->groups; g++)
		{
			draw_group(crossings, &crossings->group[g]);
			crossings->group[g].excess_ms =
				excess_of_medians(crossings, crossings->group[g].count, budget);
		}
		find_crossing(crossings, &crossings->drawn[r]);
	}
	statistics_summarise(crossings->drawn, (size_t) resamples); /* sorts */
	/* percentiles of few blocks may leave out what all of them say together */
	crossing->low = fmin(crossings->drawn[tail], rows);
	crossing->high = fmax(crossings->drawn[(size_t) resamples - 1 - tail], rows);
}

CostCrossing
cost_crossing(const CostSample *samples, size_t count, CostBudget budget, int resamples,
			  uint64_t seed)
{
	CostCrossing crossing = {.kind = COST_CROSSING_UNKNOWN, .rows = NAN, .low = NAN, .high = NAN};
	Crossings crossings = {.random_state = seed};

	if (count > 0 && resamples >= 0 && prepare(&crossings, samples, count, resamples))
	{
		take_all(&crossings, budget);
		crossing.kind = find_crossing(&crossings, &crossing.rows);
		if (resamples > 0 && has_enough_blocks(&crossings))
			find_interval(&crossings, budget, resamples, &crossing);
		if (crossing.kind != COST_CROSSING_WITHIN)
			crossing.rows = NAN;
	}
	release(&crossings);
	return crossing;
}
