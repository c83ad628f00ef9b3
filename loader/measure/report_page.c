#include "measure/report_page.h"
#include "exit_status.h"
#include "measure/report_parts.h"
#include "printable_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *
report_path_in_words(const char *path)
{
	return strcmp(path, "http-json") == 0 ? "HTTP" : path;
}

void
report_page_put(ReportPage *page, ReportPagePut put, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
	{
		page->failed = true;
		return;
	}
	printable_text_make(text);
	put(page->out, text);
	free(text);
}

void
report_page_put_grid(ReportPage *page, ReportGrid *grid)
{
	if (grid->failed)
		page->failed = true;
	else if (grid->rows > 0)
	{
		report_grid_finish(grid);
		page->grid(page->out, grid);
		page->gap(page->out);
	}
	report_grid_free(grid);
}

static void
draw_title(ReportPage *page, const Run *run)
{
	report_page_put(page, page->title, "transferbench %s%s%s%s%s", run->command,
					run->table != NULL ? ": " : "", run->table != NULL ? run->table : "",
					run->url == NULL     ? ""
					: run->table != NULL ? ", "
										 : ": ",
					run->url != NULL ? run->url : "");
}

static void
draw_verdict(ReportPage *page, const Run *run)
{
	if (run->exit_status == EXIT_INCOMPLETE)
		page->alarm(page->out, "INCOMPLETE: not all was measured, or rows are missing, doubled or "
							   "in doubt");
	else if (run->exit_status == EXIT_CHANGED)
		page->alarm(page->out, "VALUES CHANGED: all rows arrived, but not all as they were sent");
}

static void
draw_notes(ReportPage *page, const Run *run)
{
	if (run->notes == 0)
		return;
	page->heading(page->out, "Notes");
	for (size_t i = 0; i < run->notes; i++)
		report_page_put(page, page->item, "%s", run->note[i]);
	page->gap(page->out);
}

void
report_page_draw(ReportPage *page, const Run *run)
{
	draw_title(page, run);
	draw_verdict(page, run);
	page->gap(page->out);
	if (run->comparisons > 0)
		report_draw_comparisons(page, run);
	else
		report_draw_trials(page, run);
	report_draw_failures(page, run);
	draw_notes(page, run);
	report_draw_environment(page, run);
}
