#include "measure/report_grid.h"
#include "quantity_text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS_PER_S 1000.0

/* Below it a time is told in ms. */
#define SECONDS_FROM_MS 10000.0

typedef struct Extent
{
	double smallest, largest; /* of what is not 0, without sign; NaN when there is nothing */
} Extent;

void
report_grid_init(ReportGrid *grid)
{
	*grid = (ReportGrid){0};
}

void
report_grid_free(ReportGrid *grid)
{
	free(grid->cell);
	*grid = (ReportGrid){0};
}

int
report_grid_add_column(ReportGrid *grid, ReportColumn column)
{
	grid->column[grid->columns] = column;
	return grid->columns++;
}

void
report_grid_add_row(ReportGrid *grid)
{
	size_t columns = (size_t) grid->columns;
	ReportCell *cell = reallocarray(grid->cell, (grid->rows + 1) * columns, sizeof(*cell));

	if (cell == NULL)
	{
		grid->failed = true;
		return;
	}
	grid->cell = cell;
	for (size_t i = grid->rows * columns; i < (grid->rows + 1) * columns; i++)
		cell[i] = (ReportCell){.value = NAN, .high = NAN};
	grid->rows++;
}

static const ReportCell *
cell_at(const ReportGrid *grid, size_t row, int column)
{
	return &grid->cell[row * (size_t) grid->columns + (size_t) column];
}

static void
put_cell(ReportGrid *grid, int column, ReportCell cell)
{
	if (!grid->failed)
		grid->cell[(grid->rows - 1) * (size_t) grid->columns + (size_t) column] = cell;
}

void
report_grid_put(ReportGrid *grid, int column, double value)
{
	put_cell(grid, column, (ReportCell){.value = value, .high = NAN});
}

void
report_grid_put_interval(ReportGrid *grid, int column, double low, double high)
{
	put_cell(grid, column, (ReportCell){.value = low, .high = high});
}

void
report_grid_put_text(ReportGrid *grid, int column, const char *text)
{
	put_cell(grid, column, (ReportCell){.text = text, .value = NAN, .high = NAN});
}

static void
extend(Extent *extent, double value)
{
	double size = fabs(value);

	if (!isfinite(size) || size == 0)
		return;
	extent->smallest = fmin(extent->smallest, size);
	extent->largest = fmax(extent->largest, size);
}

/* fmin and fmax prefer a number to NaN. */
static Extent
measure_group(const ReportGrid *grid, ReportKind kind, int group)
{
	Extent extent = {.smallest = NAN, .largest = NAN};

	for (int column = 0; column < grid->columns; column++)
	{
		if (grid->column[column].kind != kind || grid->column[column].group != group)
			continue;
		for (size_t row = 0; row < grid->rows; row++)
		{
			extend(&extent, cell_at(grid, row, column)->value);
			extend(&extent, cell_at(grid, row, column)->high);
		}
	}
	return extent;
}

/* Three figures of the smallest, but no more than the largest can bear. */
static int
choose_decimals(Extent extent, double divisor)
{
	double smallest = extent.smallest / divisor;
	double largest = extent.largest / divisor;
	int wanted = smallest >= 99.95 ? 0 : smallest >= 9.995 ? 1 : smallest >= 0.9995 ? 2 : 3;
	int bearable = largest >= 9999.5 ? 0 : largest >= 99.95 ? 1 : largest >= 0.9995 ? 2 : 3;

	/* beside thousands a tenth is worth its place only where nothing else would be left */
	if (largest >= 999.5 && smallest >= 9.995)
		bearable = 0;
	return wanted < bearable ? wanted : bearable;
}

static ReportScale
choose_scale(ReportKind kind, Extent extent)
{
	static const char *const byte_units[] = {"B", "kB", "MB", "GB", "TB"};
	ReportScale scale = {.divisor = 1, .unit = ""};
	size_t unit = 0;

	if (kind == REPORT_KIND_TIME)
	{
		bool in_seconds = extent.largest >= SECONDS_FROM_MS;

		scale.unit = in_seconds ? "s" : "ms";
		scale.divisor = in_seconds ? MS_PER_S : 1;
	}
	else if (kind == REPORT_KIND_BYTES)
	{
		for (; extent.largest / scale.divisor >= 999.5 && unit < 4; unit++)
			scale.divisor *= 1000;
		scale.unit = byte_units[unit];
	}
	/* a byte has no parts */
	if (kind != REPORT_KIND_BYTES || unit > 0)
		scale.decimals = choose_decimals(extent, scale.divisor);
	return scale;
}

/* A blank alone is nothing to be shown. */
static bool
has_content(const ReportGrid *grid, int column)
{
	for (size_t row = 0; row < grid->rows; row++)
	{
		const ReportCell *cell = cell_at(grid, row, column);

		if (cell->text != NULL
				? *cell->text != '\0'
				: !isnan(cell->value) && !(grid->column[column].hides_zero && cell->value == 0))
			return true;
	}
	return false;
}

void
report_grid_finish(ReportGrid *grid)
{
	for (int i = 0; i < grid->columns; i++)
	{
		ReportColumn *column = &grid->column[i];

		column->is_shown = has_content(grid, i);
		column->scale =
			choose_scale(column->kind, measure_group(grid, column->kind, column->group));
	}
}

void
report_grid_header_text(const ReportGrid *grid, int column, char *text)
{
	const char *header = grid->column[column].header;
	const char *place = strstr(header, "%s");

	if (place == NULL)
		snprintf(text, REPORT_GRID_TEXT, "%s", header);
	else
		snprintf(text, REPORT_GRID_TEXT, "%.*s%s%s", (int) (place - header), header,
				 grid->column[column].scale.unit, place + 2);
}

/* "1,234.50": commas before the decimal point. */
static void
put_scaled(const ReportColumn *column, double value, char *text, size_t size)
{
	double scaled = fabs(value) / column->scale.divisor;
	double power = pow(10, column->scale.decimals);
	double rounded = round(scaled * power) / power;
	double whole;
	double fraction = modf(rounded, &whole);
	char digits[16] = "";
	const char *sign = rounded == 0 ? "" : value < 0 ? "-" : column->is_signed ? "+" : "";

	if (column->scale.decimals > 0)
		snprintf(digits, sizeof(digits), "%.*f", column->scale.decimals, fraction);
	snprintf(text, size, "%s%s%s", sign, quantity_count((int64_t) whole).text,
			 *digits == '\0' ? "" : digits + 1);
}

static void
put_figure(const ReportColumn *column, double value, char *text, size_t size)
{
	if (!isfinite(value) || fabs(value) > 9e15)
		snprintf(text, size, "-");
	else if (column->kind == REPORT_KIND_COUNT)
		snprintf(text, size, "%s", quantity_count((int64_t) value).text);
	else if (column->kind == REPORT_KIND_ROUNDED)
		snprintf(text, size, "%s", quantity_rounded(value).text);
	else
		put_scaled(column, value, text, size);
}

void
report_grid_cell_text(const ReportGrid *grid, size_t row, int column, char *text)
{
	const ReportColumn *shape = &grid->column[column];
	const ReportCell *cell = cell_at(grid, row, column);
	char low[REPORT_GRID_TEXT / 2 - 2];
	char high[REPORT_GRID_TEXT / 2 - 2];

	if (cell->text != NULL)
	{
		snprintf(text, REPORT_GRID_TEXT, "%s", cell->text);
		return;
	}
	if (!shape->is_interval || isnan(cell->value) || isnan(cell->high))
	{
		put_figure(shape, shape->is_interval ? NAN : cell->value, text, REPORT_GRID_TEXT);
		return;
	}
	put_figure(shape, cell->value, low, sizeof(low));
	put_figure(shape, cell->high, high, sizeof(high));
	snprintf(text, REPORT_GRID_TEXT, "%s - %s", low, high);
}
