#include "measure/report_formats.h"
#include "measure/report_page.h"

#include <string.h>

/* Characters that GitHub would take for markup (GitHub Flavored Markdown, 'Backslash escapes'). */
#define MARKUP "\\`*_{}[]<>()#|~&!"

static void
put_escaped(FILE *out, const char *text)
{
	for (; *text != '\0'; text++)
	{
		if (*text == '\n')
			putc(' ', out);
		else
		{
			if (strchr(MARKUP, *text) != NULL)
				putc('\\', out);
			putc(*text, out);
		}
	}
}

static void
put_paragraph(FILE *out, const char *before, const char *text, const char *after)
{
	fputs(before, out);
	put_escaped(out, text);
	fputs(after, out);
}

static void
put_title(FILE *out, const char *text)
{
	put_paragraph(out, "## ", text, "\n\n");
}

static void
put_alarm(FILE *out, const char *text)
{
	put_paragraph(out, "**", text, "**\n\n");
}

static void
put_heading(FILE *out, const char *text)
{
	put_paragraph(out, "### ", text, "\n\n");
}

static void
put_block(FILE *out, const char *text)
{
	put_paragraph(out, "#### ", text, "\n\n");
}

/* The two blanks keep the line break. */
static void
put_line(FILE *out, const char *text)
{
	put_paragraph(out, "", text, "  \n");
}

static void
put_item(FILE *out, const char *text)
{
	put_paragraph(out, "- ", text, "\n");
}

static void
put_gap(FILE *out)
{
	putc('\n', out);
}

static void
put_rule(FILE *out, const ReportGrid *grid)
{
	putc('|', out);
	for (int column = 0; column < grid->columns; column++)
		if (grid->column[column].is_shown)
			fputs(grid->column[column].kind == REPORT_KIND_TEXT ? "---|" : "---:|", out);
	putc('\n', out);
}

static void
put_grid(FILE *out, const ReportGrid *grid)
{
	char text[REPORT_GRID_TEXT];

	for (int row = -1; row < (int) grid->rows; row++)
	{
		putc('|', out);
		for (int column = 0; column < grid->columns; column++)
		{
			if (!grid->column[column].is_shown)
				continue;
			if (row < 0)
				report_grid_header_text(grid, column, text);
			else
				report_grid_cell_text(grid, (size_t) row, column, text);
			put_paragraph(out, " ", text, " |");
		}
		putc('\n', out);
		if (row < 0)
			put_rule(out, grid);
	}
}

bool
report_markdown_write(const Run *run, FILE *out)
{
	ReportPage page = {
		.out = out,
		.title = put_title,
		.alarm = put_alarm,
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
