#include "measure/report_figures.h"
#include "measure/report_parts.h"
#include "quantity_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A figure of a trial and how it is headed: held by the trial, or worked out. */
typedef struct TrialColumn
{
	ReportColumn shape; /* without a header: the last */
	ReportFigure held;
	double (*derived)(const Trial *trial);
} TrialColumn;

#define HELD(member, divisor)                                                                      \
	{                                                                                              \
#member, offsetof(Trial, member), divisor                                                  \
	}
#define HELD_NS(member) HELD(member, 1000000)
#define HELD_US(member) HELD(member, 1000)

#define COUNT_COLUMN(title) .kind = REPORT_KIND_COUNT, .header = title
#define TIME_COLUMN(title)  .kind = REPORT_KIND_TIME, .header = title
#define BYTES_COLUMN(title) .kind = REPORT_KIND_BYTES, .header = title

static const TrialColumn time_columns[] = {
	{{COUNT_COLUMN("rows")}, HELD(rows, 1), NULL},
	{{TIME_COLUMN("time\n%s")}, {0}, report_elapsed_ms},
	{{.kind = REPORT_KIND_ROUNDED, .header = "rows/s"}, {0}, report_rows_per_second},
	{{BYTES_COLUMN("%s/s")}, {0}, report_bytes_per_second},
	{{COUNT_COLUMN("requests")}, HELD(requests, 1), NULL},
	{{COUNT_COLUMN("retries"), .hides_zero = true}, HELD(retries, 1), NULL},
	{{TIME_COLUMN("waited\n%s"), .group = 1, .hides_zero = true}, HELD_NS(retry_wait_ns), NULL},
	{{0}, {0}, NULL},
};

static const TrialColumn cost_columns[] = {
	{{TIME_COLUMN("client\nCPU %s")}, {0}, report_client_cpu_ms},
	{{TIME_COLUMN("backend\nCPU %s")}, HELD_US(cost.backend_cpu_us), NULL},
	{{TIME_COLUMN("API\nCPU %s")}, {0}, report_api_cpu_ms},
	{{TIME_COLUMN("machine\nCPU %s")}, HELD_US(cost.machine_cpu_us), NULL},
	{{BYTES_COLUMN("client\npeak %s")}, HELD(cost.client_peak_bytes, 1), NULL},
	{{BYTES_COLUMN("backend\npeak %s")}, HELD(cost.backend_peak_bytes, 1), NULL},
	{{BYTES_COLUMN("API\npeak %s")}, {0}, report_api_peak_bytes},
	{{BYTES_COLUMN("memory\nin use %s"), .group = 1}, HELD(cost.system_memory_bytes, 1), NULL},
	{{0}, {0}, NULL},
};

static const TrialColumn phase_columns[PHASE_COUNT + 1] = {
	[PHASE_CONNECT] = {{TIME_COLUMN("connect\n%s")}, HELD_NS(phase_ns[PHASE_CONNECT]), NULL},
	[PHASE_GENERATE] = {{TIME_COLUMN("make\nrows %s")}, HELD_NS(phase_ns[PHASE_GENERATE]), NULL},
	[PHASE_ENCODE] = {{TIME_COLUMN("encode\n%s")}, HELD_NS(phase_ns[PHASE_ENCODE]), NULL},
	[PHASE_READ_BACK] = {{TIME_COLUMN("read\nback %s")}, HELD_NS(phase_ns[PHASE_READ_BACK]), NULL},
	[PHASE_TRANSFER] = {{TIME_COLUMN("transfer\n%s")}, HELD_NS(phase_ns[PHASE_TRANSFER]), NULL},
	[PHASE_FIRST_BYTE] = {{TIME_COLUMN("first\nbyte %s")},
						  HELD_NS(phase_ns[PHASE_FIRST_BYTE]),
						  NULL},
	[PHASE_DECODE] = {{TIME_COLUMN("decode\n%s")}, HELD_NS(phase_ns[PHASE_DECODE]), NULL},
	[PHASE_COMMIT] = {{TIME_COLUMN("commit\n%s")}, HELD_NS(phase_ns[PHASE_COMMIT]), NULL},
};

ReportColumn
report_phase_column(int phase)
{
	return phase_columns[phase].shape;
}

static double
figure_of(const TrialColumn *column, const Trial *trial)
{
	return column->derived != NULL ? column->derived(trial) : report_figure(&column->held, trial);
}

static bool
has_both_directions(const Run *run)
{
	for (size_t i = 1; i < run->trials; i++)
		if (run->trial[i].direction != run->trial[0].direction)
			return true;
	return false;
}

static bool
has_several_sizes(const Run *run)
{
	for (size_t i = 1; i < run->trials; i++)
		if (run->trial[i].size != run->trial[0].size)
			return true;
	return false;
}

/* The columns that tell trials apart. */
enum
{
	COLUMN_DIRECTION,
	COLUMN_PATH,
	COLUMN_SIZE,
	COLUMN_NUMBER,
	COLUMN_FIRST_FIGURE,
};

static void
add_columns(ReportGrid *grid, const TrialColumn *columns)
{
	report_grid_add_column(grid, (ReportColumn){.header = ""});
	report_grid_add_column(grid, (ReportColumn){.header = "path"});
	report_grid_add_column(grid, (ReportColumn){COUNT_COLUMN("size")});
	report_grid_add_column(grid, (ReportColumn){COUNT_COLUMN("trial")});
	for (const TrialColumn *column = columns; column->shape.header != NULL; column++)
		report_grid_add_column(grid, column->shape);
}

static void
put_figures(ReportGrid *grid, const TrialColumn *columns, const Trial *trial)
{
	report_grid_put_text(grid, COLUMN_PATH, trial->path);
	report_grid_put(grid, COLUMN_NUMBER, trial->number);
	if (trial->number == 0)
		report_grid_put_text(grid, COLUMN_NUMBER, "warm-up");
	for (int i = 0; columns[i].shape.header != NULL; i++)
		report_grid_put(grid, COLUMN_FIRST_FIGURE + i, figure_of(&columns[i], trial));
}

static void
draw_grid(ReportPage *page, const Run *run, const TrialColumn *columns, bool with_status)
{
	ReportGrid grid;
	bool tells_direction = has_both_directions(run);
	bool tells_size = has_several_sizes(run);
	int status;

	report_grid_init(&grid);
	add_columns(&grid, columns);
	status = report_grid_add_column(&grid, (ReportColumn){.header = "status"});
	for (size_t i = 0; i < run->trials; i++)
	{
		const Trial *trial = &run->trial[i];

		report_grid_add_row(&grid);
		put_figures(&grid, columns, trial);
		if (tells_direction)
			report_grid_put_text(&grid, COLUMN_DIRECTION,
								 transfer_direction_name(trial->direction));
		if (tells_size)
			report_grid_put(&grid, COLUMN_SIZE, (double) trial->size);
		if (with_status)
			report_grid_put_text(&grid, status, trial_status_name(trial->status));
	}
	report_page_put_grid(page, &grid);
}

static bool
has_known(const Run *run, const TrialColumn *columns)
{
	for (size_t i = 0; i < run->trials; i++)
		for (const TrialColumn *column = columns; column->shape.header != NULL; column++)
			if (!isnan(figure_of(column, &run->trial[i])))
				return true;
	return false;
}

static bool
is_same_kind(const Trial *left, const Trial *right)
{
	return left->direction == right->direction && left->size == right->size &&
		   strcmp(left->path, right->path) == 0;
}

/* Of the trials that are samples of the same thing as trial `first`; false when it is not the first
 * of them, or alone. */
static bool
summarise(const Run *run, size_t first, double *scratch, StatisticsSummary *summary)
{
	size_t samples = 0;

	for (size_t i = 0; i < run->trials; i++)
	{
		const Trial *trial = &run->trial[i];

		if (!report_is_sample(trial) || !is_same_kind(trial, &run->trial[first]))
			continue;
		if (samples == 0 && i != first)
			return false;
		scratch[samples++] = report_elapsed_ms(trial);
	}
	if (samples < 2)
		return false;
	*summary = statistics_summarise(scratch, samples);
	return true;
}

static void
put_median(ReportPage *page, const Trial *trial, const StatisticsSummary *summary)
{
	char interval[96] = "";

	if (!isnan(summary->low))
		snprintf(interval, sizeof(interval), " (95 %% interval %s - %s)",
				 quantity_ms(summary->low).text, quantity_ms(summary->high).text);
	report_page_put(page, page->line, "%s, %s rows: median %s%s over %zu trials, %s rows/s%s",
					trial->path, quantity_count(trial->size).text,
					quantity_ms(summary->median).text, interval, summary->samples,
					quantity_rounded((double) trial->size / summary->median * 1000).text,
					summary->outliers > 0 ? ", outliers among them" : "");
}

static void
draw_medians(ReportPage *page, const Run *run)
{
	double *scratch = malloc(run->trials * sizeof(*scratch));
	StatisticsSummary summary;
	bool has_median = false;

	if (scratch == NULL)
	{
		page->failed = true;
		return;
	}
	for (size_t i = 0; i < run->trials; i++)
	{
		if (!summarise(run, i, scratch, &summary))
			continue;
		put_median(page, &run->trial[i], &summary);
		has_median = true;
	}
	free(scratch);
	if (has_median)
		page->gap(page->out);
}

void
report_draw_trials(ReportPage *page, const Run *run)
{
	if (run->trials == 0)
	{
		page->line(page->out, "No trial was run.");
		page->gap(page->out);
		return;
	}
	report_draw_durability(page, run);
	draw_grid(page, run, time_columns, true);
	draw_medians(page, run);
	if (has_known(run, cost_columns))
	{
		page->block(page->out, "CPU time and peak memory");
		draw_grid(page, run, cost_columns, false);
	}
	if (has_known(run, phase_columns))
	{
		page->block(page->out, "Where the time went");
		draw_grid(page, run, phase_columns, false);
	}
}
