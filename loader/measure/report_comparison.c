#include "measure/report_figures.h"
#include "measure/report_parts.h"
#include "quantity_text.h"

#include <math.h>
#include <string.h>

/* Rows of the run of one direction and size, the native path first. */
typedef struct Block
{
	const ComparisonRow *row;
	size_t rows;
} Block;

enum
{
	GROUP_COMMON,
	GROUP_DIFFERENCE,
};

#define TIME_COLUMN(title)  .kind = REPORT_KIND_TIME, .header = title
#define BYTES_COLUMN(title) .kind = REPORT_KIND_BYTES, .header = title
#define INTERVAL_HEADER     "95 % interval"

enum
{
	TIME_PATH,
	TIME_MEDIAN,
	TIME_INTERVAL,
	TIME_TOLL,
	TIME_TOLL_INTERVAL,
	TIME_MORE,
	TIME_MORE_PER_ROW,
	TIME_OK,
	TIME_FAILED,
	TIME_COLUMNS,
};

static const ReportColumn time_columns[TIME_COLUMNS] = {
	[TIME_PATH] = {.header = "path"},
	[TIME_MEDIAN] = {TIME_COLUMN("time %s")},
	[TIME_INTERVAL] = {TIME_COLUMN(INTERVAL_HEADER), .is_interval = true},
	[TIME_TOLL] = {.kind = REPORT_KIND_NUMBER, .header = "toll"},
	[TIME_TOLL_INTERVAL] = {.kind = REPORT_KIND_NUMBER,
							.header = INTERVAL_HEADER,
							.is_interval = true},
	[TIME_MORE] = {TIME_COLUMN("more %s"), .group = GROUP_DIFFERENCE, .is_signed = true},
	[TIME_MORE_PER_ROW] = {.kind = REPORT_KIND_NUMBER,
						   .header = "more us/row",
						   .group = GROUP_DIFFERENCE,
						   .is_signed = true},
	[TIME_OK] = {.kind = REPORT_KIND_COUNT, .header = "ok"},
	[TIME_FAILED] = {.kind = REPORT_KIND_COUNT, .header = "failed", .hides_zero = true},
};

enum
{
	COST_PATH,
	COST_RATE,
	COST_BYTES,
	COST_CLIENT_CPU,
	COST_BACKEND_CPU,
	COST_API_CPU,
	COST_CLIENT_PEAK,
	COST_BACKEND_PEAK,
	COST_API_PEAK,
	COST_COLUMNS,
};

static const ReportColumn cost_columns[COST_COLUMNS] = {
	[COST_PATH] = {.header = "path"},
	[COST_RATE] = {.kind = REPORT_KIND_ROUNDED, .header = "rows/s"},
	[COST_BYTES] = {BYTES_COLUMN("data\n%s")},
	[COST_CLIENT_CPU] = {TIME_COLUMN("client\nCPU %s")},
	[COST_BACKEND_CPU] = {TIME_COLUMN("backend\nCPU %s")},
	[COST_API_CPU] = {TIME_COLUMN("API\nCPU %s")},
	[COST_CLIENT_PEAK] = {BYTES_COLUMN("client\npeak %s"), .group = GROUP_DIFFERENCE},
	[COST_BACKEND_PEAK] = {BYTES_COLUMN("backend\npeak %s"), .group = GROUP_DIFFERENCE},
	[COST_API_PEAK] = {BYTES_COLUMN("API\npeak %s"), .group = GROUP_DIFFERENCE},
};

static void
add_columns(ReportGrid *grid, const ReportColumn *columns, int count)
{
	report_grid_init(grid);
	for (int i = 0; i < count; i++)
		report_grid_add_column(grid, columns[i]);
}

/* How many trials each path has, when all have as many and none failed; else 0. */
static int
find_common_trials(const Block *block)
{
	int trials = block->row[0].summary.trials_ok;

	for (size_t i = 0; i < block->rows; i++)
		if (block->row[i].summary.trials_ok != trials || block->row[i].summary.trials_failed != 0)
			return 0;
	return trials;
}

static void
put_times(ReportGrid *grid, const ComparisonRow *row, bool is_native, bool tells_trials)
{
	const PathSummary *summary = &row->summary;

	report_grid_add_row(grid);
	report_grid_put_text(grid, TIME_PATH, summary->path);
	report_grid_put(grid, TIME_MEDIAN, summary->elapsed_ms.median);
	report_grid_put_interval(grid, TIME_INTERVAL, summary->elapsed_ms.low,
							 summary->elapsed_ms.high);
	report_grid_put(grid, TIME_TOLL, row->toll.ratio);
	report_grid_put_interval(grid, TIME_TOLL_INTERVAL, row->toll.low, row->toll.high);
	report_grid_put(grid, TIME_MORE, row->extra_ms);
	report_grid_put(grid, TIME_MORE_PER_ROW, row->extra_us_per_row);
	report_grid_put(grid, TIME_OK, tells_trials ? summary->trials_ok : NAN);
	report_grid_put(grid, TIME_FAILED, summary->trials_failed);
	/* against itself there is nothing to be known */
	for (int column = TIME_TOLL; is_native && column <= TIME_MORE_PER_ROW; column++)
		report_grid_put_text(grid, column, "");
}

static void
put_costs(ReportGrid *grid, const PathSummary *summary)
{
	report_grid_add_row(grid);
	report_grid_put_text(grid, COST_PATH, summary->path);
	report_grid_put(grid, COST_RATE, summary->rows_per_second);
	report_grid_put(grid, COST_BYTES, report_known(summary->bytes));
	report_grid_put(grid, COST_CLIENT_CPU, summary->client_cpu_ms);
	report_grid_put(grid, COST_BACKEND_CPU, summary->backend_cpu_ms);
	report_grid_put(grid, COST_API_CPU, summary->api_cpu_ms);
	report_grid_put(grid, COST_CLIENT_PEAK, report_known(summary->client_peak_bytes));
	report_grid_put(grid, COST_BACKEND_PEAK, report_known(summary->backend_peak_bytes));
	report_grid_put(grid, COST_API_PEAK, report_known(summary->api_peak_bytes));
}

/* What the verification pass found, of all paths together. */
static const char *
verdict_of(const Block *block)
{
	bool is_verified = block->rows > 1;

	for (size_t i = 1; i < block->rows; i++)
	{
		if (block->row[i].verified && !block->row[i].rows_equal)
			return "rows NOT EQUAL";
		is_verified = is_verified && block->row[i].verified;
	}
	return is_verified ? "rows equal" : "rows not compared";
}

static void
put_difference(ReportPage *page, const ComparisonRow *row, const char *native_path)
{
	if (row->values_changed > 0)
		report_page_put(page, page->item, "%s: %s %s changed%s%s", row->summary.path,
						quantity_count(row->values_changed).text,
						row->values_changed == 1 ? "value" : "values",
						row->changed_columns != NULL ? ": " : "",
						row->changed_columns != NULL ? row->changed_columns : "");
	else
		report_page_put(page, page->item, "%s: other rows than %s", row->summary.path, native_path);
}

/* What the figures that follow do not show. */
static void
draw_remarks(ReportPage *page, const Block *block)
{
	bool has_remarks = false;

	for (size_t i = 0; i < block->rows; i++)
	{
		const ComparisonRow *row = &block->row[i];
		size_t outliers = row->summary.elapsed_ms.outliers;
		bool is_different = row->verified && (!row->rows_equal || row->values_changed > 0);

		if (i > 0 && is_different)
			put_difference(page, row, block->row[0].summary.path);
		if (outliers > 0)
			report_page_put(page, page->item, "%s: %zu %s among the trials, kept",
							row->summary.path, outliers, outliers == 1 ? "outlier" : "outliers");
		has_remarks = has_remarks || outliers > 0 || (i > 0 && is_different);
	}
	if (has_remarks)
		page->gap(page->out);
}

static void
draw_block(ReportPage *page, const Block *block)
{
	ReportGrid times;
	ReportGrid costs;
	char trials[48] = "";
	int common_trials = find_common_trials(block);

	if (common_trials > 0)
		snprintf(trials, sizeof(trials), ", %d %s each", common_trials,
				 common_trials == 1 ? "trial" : "trials");
	report_page_put(page, page->block, "%s rows%s, %s", quantity_count(block->row[0].size).text,
					trials, verdict_of(block));
	add_columns(&times, time_columns, TIME_COLUMNS);
	add_columns(&costs, cost_columns, COST_COLUMNS);
	for (size_t i = 0; i < block->rows; i++)
	{
		put_times(&times, &block->row[i], i == 0, common_trials == 0);
		put_costs(&costs, &block->row[i].summary);
	}
	report_page_put_grid(page, &times);
	report_page_put_grid(page, &costs);
	draw_remarks(page, block);
}

static bool
has_phases(const Block *block)
{
	for (size_t i = 0; i < block->rows; i++)
		for (int phase = 0; phase < PHASE_COUNT; phase++)
			if (!isnan(block->row[i].summary.phase_ms[phase]))
				return true;
	return false;
}

static void
draw_phases(ReportPage *page, const Block *block)
{
	ReportGrid grid;

	if (!has_phases(block))
		return;
	report_page_put(page, page->block, "Where the time goes, medians at %s rows",
					quantity_count(block->row[0].size).text);
	report_grid_init(&grid);
	report_grid_add_column(&grid, (ReportColumn){.header = "path"});
	for (int phase = 0; phase < PHASE_COUNT; phase++)
		report_grid_add_column(&grid, report_phase_column(phase));
	report_grid_add_column(&grid, (ReportColumn){TIME_COLUMN("all CPUs\nbusy %s")});
	for (size_t i = 0; i < block->rows; i++)
	{
		report_grid_add_row(&grid);
		report_grid_put_text(&grid, 0, block->row[i].summary.path);
		for (int phase = 0; phase < PHASE_COUNT; phase++)
			report_grid_put(&grid, 1 + phase, block->row[i].summary.phase_ms[phase]);
		report_grid_put(&grid, 1 + PHASE_COUNT, block->row[i].summary.machine_cpu_ms);
	}
	report_page_put_grid(page, &grid);
}

static Block
find_block(const Run *run, size_t first)
{
	Block block = {.row = &run->comparison[first]};

	while (first + block.rows < run->comparisons &&
		   block.row[block.rows].direction == block.row[0].direction &&
		   block.row[block.rows].size == block.row[0].size)
		block.rows++;
	return block;
}

static void
draw_direction(ReportPage *page, const Run *run, TransferDirection direction)
{
	Block last = {0};

	for (size_t i = 0; i < run->comparisons;)
	{
		Block block = find_block(run, i);

		i += block.rows;
		if (block.row[0].direction != direction)
			continue;
		if (last.rows == 0)
			page->heading(page->out, direction == TRANSFER_READ ? "Reading from the database"
																: "Writing to the database");
		if (last.rows == 0 && direction == TRANSFER_WRITE)
			report_draw_durability(page, run);
		draw_block(page, &block);
		last = block;
	}
	if (last.rows == 0)
		return;
	draw_phases(page, &last);
}

void
report_draw_comparisons(ReportPage *page, const Run *run)
{
	draw_direction(page, run, TRANSFER_READ);
	draw_direction(page, run, TRANSFER_WRITE);
	report_draw_answer(page, run);
}
