#include "measure/report_formats.h"
#include "measure/report_page.h"

#include <string.h>

#define INDENT "  "
#define GUTTER "  " /* between columns */

static void
put_line(FILE *out, const char *text)
{
	fprintf(out, "%s\n", text);
}

static void
put_item(FILE *out, const char *text)
{
	fprintf(out, INDENT "- %s\n", text);
}

static void
put_block(FILE *out, const char *text)
{
	fprintf(out, "%s\n", text);
}

/* A heading is underlined, so that it stands out where nothing can be bold. */
static void
put_heading(FILE *out, const char *text)
{
	fprintf(out, "%s\n", text);
	for (size_t i = 0; i < strlen(text); i++)
		putc('-', out);
	putc('\n', out);
}

static void
put_gap(FILE *out)
{
	putc('\n', out);
}

/* Line `line` of `lines` of a header; headers stand on the ground. */
static void
cut_header_line(const char *header, int line, int lines, char *text)
{
	int own_lines = strchr(header, '\n') != NULL ? 2 : 1;
	int own_line = line - (lines - own_lines);
	const char *second = own_lines == 2 ? strchr(header, '\n') + 1 : header;

	*text = '\0';
	if (own_line == own_lines - 1)
		snprintf(text, REPORT_GRID_TEXT, "%s", second);
	else if (own_line == 0)
		snprintf(text, REPORT_GRID_TEXT, "%.*s", (int) (second - 1 - header), header);
}

static int
max_int(int left, int right)
{
	return left > right ? left : right;
}

/* The widths of the columns; the number of lines of the headers. */
static int
measure(const ReportGrid *grid, int *widths)
{
	char text[REPORT_GRID_TEXT];
	char line[REPORT_GRID_TEXT];
	int lines = 1;

	for (int column = 0; column < grid->columns; column++)
	{
		widths[column] = 0;
		if (!grid->column[column].is_shown)
			continue;
		report_grid_header_text(grid, column, text);
		if (strchr(text, '\n') != NULL)
			lines = 2;
		for (int i = 0; i < 2; i++)
		{
			cut_header_line(text, i, 2, line);
			widths[column] = max_int(widths[column], (int) strlen(line));
		}
		for (size_t row = 0; row < grid->rows; row++)
		{
			report_grid_cell_text(grid, row, column, text);
			widths[column] = max_int(widths[column], (int) strlen(text));
		}
	}
	return lines;
}

/* What stands in line `line` of the drawing; the header's lines are below 0. */
static void
cell_text(const ReportGrid *grid, int line, int header_lines, int column, char *text)
{
	char header[REPORT_GRID_TEXT];

	if (line >= 0)
	{
		report_grid_cell_text(grid, (size_t) line, column, text);
		return;
	}
	report_grid_header_text(grid, column, header);
	cut_header_line(header, line + header_lines, header_lines, text);
}

/* Blanks that nothing follows are not written. */
static void
put_line_of_grid(FILE *out, const ReportGrid *grid, int line, int header_lines, const int *widths)
{
	char text[REPORT_GRID_TEXT];
	int at = 0;
	int start = (int) strlen(INDENT);

	for (int column = 0; column < grid->columns; column++)
	{
		bool is_left = grid->column[column].kind == REPORT_KIND_TEXT;
		int length;

		if (!grid->column[column].is_shown)
			continue;
		cell_text(grid, line, header_lines, column, text);
		length = (int) strlen(text);
		if (length > 0)
		{
			int place = is_left ? start : start + widths[column] - length;

			fprintf(out, "%*s%s", place - at, "", text);
			at = place + length;
		}
		start += widths[column] + (int) strlen(GUTTER);
	}
	putc('\n', out);
}

static void
put_grid(FILE *out, const ReportGrid *grid)
{
	int widths[REPORT_GRID_MAX_COLUMNS];
	int header_lines = measure(grid, widths);

	for (int line = -header_lines; line < (int) grid->rows; line++)
		put_line_of_grid(out, grid, line, header_lines, widths);
}

bool
report_table_write(const Run *run, FILE *out)
{
	ReportPage page = {
		.out = out,
		.title = put_line,
		.alarm = put_line,
		.heading = put_heading,
		.block = put_block,
		.grid = put_grid,
		.line = put_line,
		.item = put_item,
		.gap = put_gap,
	};

	report_page_draw(&page, run);
	return !page.failed;
}
