/*
 * report_grid.h - a table of figures, before it is known how it is drawn.
 *
 * Figures are put in as measured. Columns of one group share unit and decimals, chosen so that
 * the smallest of them still has figures that count and the largest is not a long row of digits.
 * NaN is a figure that is not known; a column in which nothing is known is left out.
 */
#ifndef TRANSFERBENCH_REPORT_GRID_H
#define TRANSFERBENCH_REPORT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#define REPORT_GRID_MAX_COLUMNS 16
#define REPORT_GRID_TEXT        64 /* room for a cell or a header */

typedef enum ReportKind
{
	REPORT_KIND_TEXT,    /* to the left; all others to the right */
	REPORT_KIND_COUNT,   /* "1,000,000" */
	REPORT_KIND_ROUNDED, /* to three figures: "2,560,000" */
	REPORT_KIND_NUMBER,  /* no unit */
	REPORT_KIND_TIME,    /* put in as ms; %s in the header becomes "ms" or "s" */
	REPORT_KIND_BYTES,   /* put in as bytes; %s in the header becomes "B", "kB", "MB" or "GB" */
} ReportKind;

typedef struct ReportScale
{
	double divisor;
	const char *unit;
	int decimals;
} ReportScale;

typedef struct ReportColumn
{
	const char *header; /* '\n' parts its lines; lent */
	ReportKind kind;
	int group;
	bool is_signed;   /* "+" before what is above 0 */
	bool is_interval; /* "low - high" */
	bool hides_zero;  /* left out also when nothing but 0 is in it */
	bool is_shown;
	ReportScale scale;
} ReportColumn;

typedef struct ReportCell
{
	const char *text; /* shown instead of the figure; "" is blank; lent */
	double value;     /* of an interval the low end */
	double high;
} ReportCell;

typedef struct ReportGrid
{
	ReportColumn column[REPORT_GRID_MAX_COLUMNS];
	int columns;
	ReportCell *cell; /* [rows * columns] */
	size_t rows;
	bool failed; /* out of memory: some rows are missing */
} ReportGrid;

/* Columns first, then rows. */
extern void report_grid_init(ReportGrid *grid);
extern void report_grid_free(ReportGrid *grid);
/* The place of the new column. */
extern int report_grid_add_column(ReportGrid *grid, ReportColumn column);

/* The functions that put something put it into the row added last. */
extern void report_grid_add_row(ReportGrid *grid);
extern void report_grid_put(ReportGrid *grid, int column, double value);
extern void report_grid_put_interval(ReportGrid *grid, int column, double low, double high);
extern void report_grid_put_text(ReportGrid *grid, int column, const char *text);

/* Chooses scales and what is shown; after it texts may be asked for. */
extern void report_grid_finish(ReportGrid *grid);
extern void report_grid_header_text(const ReportGrid *grid, int column, char *text);
extern void report_grid_cell_text(const ReportGrid *grid, size_t row, int column, char *text);

#endif
