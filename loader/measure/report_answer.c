/*
 * report_answer.c - what each path costs, and from which size on HTTP costs too much.
 */
#include "measure/report_parts.h"
#include "quantity_text.h"

#include <math.h>
#include <string.h>

/* What the measured sizes say of one path and its budget. */
typedef struct Exceeded
{
	double smallest, largest; /* sizes measured */
	char at[160];             /* sizes at which it is exceeded: "10,000 and 100,000" */
} Exceeded;

static void
put_cost(ReportPage *page, const PathCost *cost)
{
	if (cost->fit.known)
		report_page_put(page, page->item, "%s: %s + %s us per row (medians within %.0f %% of it)",
						cost->path, quantity_ms(cost->fit.fixed_ms).text,
						quantity_figures(cost->fit.per_row_us).text,
						fmax(1, ceil(cost->fit.worst_relative_error * 100)));
	else
		report_page_put(page, page->item, "%s: not known from fewer than two sizes", cost->path);
}

/* "2x of copy-binary", "500 ms over copy-binary" */
static void
budget_text(CostBudget budget, const char *native_path, char *text, size_t size)
{
	if (budget.kind == COST_BUDGET_RATIO)
		snprintf(text, size, "%gx of %s", budget.value, native_path);
	else
		snprintf(text, size, "%g %s over %s",
				 budget.value >= 1000 ? budget.value / 1000 : budget.value,
				 budget.value >= 1000 ? "s" : "ms", native_path);
}

static bool
is_exceeded(const ComparisonRow *row, CostBudget budget)
{
	return (budget.kind == COST_BUDGET_RATIO ? row->toll.ratio : row->extra_ms) > budget.value;
}

/* Sizes up to `below`: where the budget is exceeded without staying so. */
static Exceeded
look_at_sizes(const Run *run, const PathCost *cost, double below)
{
	Exceeded exceeded = {.smallest = NAN, .largest = NAN};
	size_t length = 0;

	for (size_t i = 0; i < run->comparisons; i++)
	{
		const ComparisonRow *row = &run->comparison[i];
		double size = (double) row->size;

		if (row->direction != cost->direction || strcmp(row->summary.path, cost->path) != 0)
			continue;
		exceeded.smallest = fmin(exceeded.smallest, size);
		exceeded.largest = fmax(exceeded.largest, size);
		if (size < below && is_exceeded(row, run->budget) && length < sizeof(exceeded.at))
			length += (size_t) snprintf(exceeded.at + length, sizeof(exceeded.at) - length, "%s%s",
										length == 0 ? "" : ", ", quantity_count(row->size).text);
	}
	return exceeded;
}

/* " (9,500 - 16,000)"; an end that was cut is told as one. */
static void
interval_text(const CostCrossing *crossing, const Exceeded *sizes, char *text, size_t size)
{
	const char *or_fewer = crossing->low <= sizes->smallest ? " or fewer" : "";
	const char *or_more = crossing->high >= sizes->largest ? " or more" : "";

	if (isnan(crossing->low) || isnan(crossing->high))
		snprintf(text, size, " (no interval from fewer than %d trials)",
				 STATISTICS_INTERVAL_MIN_SAMPLES);
	else
		snprintf(text, size, " (%s%s - %s%s)", quantity_rounded(crossing->low).text, or_fewer,
				 quantity_rounded(crossing->high).text, or_more);
}

static void
put_within(ReportPage *page, const char *claim, const CostCrossing *crossing, const Exceeded *sizes)
{
	char interval[96];

	interval_text(crossing, sizes, interval, sizeof(interval));
	report_page_put(page, page->line, "%s from about %s rows on%s%s%s", claim,
					quantity_rounded(crossing->rows).text, interval,
					*sizes->at != '\0' ? ", and besides at " : "", sizes->at);
}

static void
put_above(ReportPage *page, const char *claim, const Exceeded *sizes)
{
	QuantityText largest = quantity_count((int64_t) sizes->largest);

	if (*sizes->at == '\0')
		report_page_put(page, page->line, "%s at no size measured, up to %s rows", claim,
						largest.text);
	else
		report_page_put(page, page->line, "%s only at %s rows, no longer at %s", claim, sizes->at,
						largest.text);
}

static void
put_answer(ReportPage *page, const Run *run, const PathCost *cost, const char *native_path)
{
	const CostCrossing *crossing = &cost->crossing;
	double below = crossing->kind == COST_CROSSING_WITHIN ? crossing->rows : INFINITY;
	Exceeded sizes = look_at_sizes(run, cost, below);
	char budget[96];
	char claim[192];

	budget_text(run->budget, native_path, budget, sizeof(budget));
	snprintf(claim, sizeof(claim), "%s costs more than %s", report_path_in_words(cost->path),
			 budget);
	switch (crossing->kind)
	{
		case COST_CROSSING_UNKNOWN:
			report_page_put(page, page->line, "Whether %s cannot be said: trials are missing",
							claim);
			return;
		case COST_CROSSING_BELOW:
			report_page_put(page, page->line, "%s at every size measured, from %s rows on", claim,
							quantity_count((int64_t) sizes.smallest).text);
			return;
		case COST_CROSSING_WITHIN:
			put_within(page, claim, crossing, &sizes);
			return;
		case COST_CROSSING_ABOVE:
			put_above(page, claim, &sizes);
			return;
	}
}

static void
draw_direction(ReportPage *page, const Run *run, TransferDirection direction)
{
	const char *native_path = NULL;

	for (size_t i = 0; i < run->costs; i++)
	{
		if (run->cost[i].direction != direction)
			continue;
		if (native_path == NULL)
		{
			native_path = run->cost[i].path;
			page->block(page->out, direction == TRANSFER_READ ? "Reading" : "Writing");
		}
		put_cost(page, &run->cost[i]);
	}
	if (native_path == NULL)
		return;
	page->gap(page->out);
	for (size_t i = 0; run->has_budget && i < run->costs; i++)
		if (run->cost[i].direction == direction && strcmp(run->cost[i].path, native_path) != 0)
			put_answer(page, run, &run->cost[i], native_path);
	if (run->has_budget)
		page->gap(page->out);
}

void
report_draw_answer(ReportPage *page, const Run *run)
{
	if (run->costs == 0)
		return;
	page->heading(page->out, "What it costs, fitted over the sizes");
	draw_direction(page, run, TRANSFER_READ);
	draw_direction(page, run, TRANSFER_WRITE);
}
