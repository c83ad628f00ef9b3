#include "measure/report_parts.h"
#include "quantity_text.h"

#include <stdlib.h>

/* Ranges shown of one trial; all are in the JSON. */
#define SHOWN_RANGES 12

/* "http-json, 100,000 rows, trial 3" */
static void
name_trial(const Trial *trial, char *text, size_t size)
{
	char number[32] = "the warm-up";

	if (trial->number > 0)
		snprintf(number, sizeof(number), "trial %d", trial->number);
	snprintf(text, size, "%s %s, %s rows, %s",
			 trial->direction == TRANSFER_READ ? "reading" : "writing", trial->path,
			 quantity_count(trial->size).text, number);
}

static void
put_ranges(ReportPage *page, const char *name, const RowRanges *ranges, const char *what,
		   const char *why)
{
	char *text = row_ranges_text(ranges, SHOWN_RANGES);

	if (text == NULL)
	{
		page->failed = true;
		return;
	}
	report_page_put(page, page->item, "%s: rows %s %s%s%s", name, text, what,
					*why != '\0' ? ": " : "", why);
	free(text);
}

static void
put_outcome(ReportPage *page, const char *name, const Trial *trial)
{
	const char *why = trial->problem;

	if (trial->status == TRIAL_SHORT)
		report_page_put(page, page->item, "%s: short, only %s rows came%s%s", name,
						quantity_count(trial->rows).text, *why != '\0' ? ": " : "", why);
	else
		report_page_put(page, page->item, "%s: %s%s%s", name, trial_status_name(trial->status),
						*why != '\0' ? ": " : "", why);
}

/* The reason stands with what it explains, once. */
static void
draw_failure(ReportPage *page, const Trial *trial)
{
	char name[160];
	const char *why = trial->problem;

	name_trial(trial, name, sizeof(name));
	if (trial->refused.count == 0 && trial->in_doubt.count == 0)
		put_outcome(page, name, trial);
	if (trial->refused.count > 0)
	{
		put_ranges(page, name, &trial->refused, "refused", why);
		why = "";
	}
	if (trial->in_doubt.count > 0)
		put_ranges(page, name, &trial->in_doubt, "in doubt, they may have been written or not",
				   why);
	/* a source that failed did not tell how many rows it has */
	if (trial->direction == TRANSFER_WRITE && trial->rows == trial->size)
		report_page_put(page, page->item, "%s: the %s rows before are committed", name,
						quantity_count(trial->rows).text);
	else if (trial->direction == TRANSFER_WRITE)
		report_page_put(page, page->item, "%s: %s of %s rows are committed", name,
						quantity_count(trial->rows).text, quantity_count(trial->size).text);
}

static bool
is_failure(const Trial *trial)
{
	return trial->status != TRIAL_OK || trial->refused.count > 0 || trial->in_doubt.count > 0;
}

void
report_draw_failures(ReportPage *page, const Run *run)
{
	bool is_headed = false;

	for (size_t i = 0; i < run->trials; i++)
	{
		if (!is_failure(&run->trial[i]))
			continue;
		if (!is_headed)
			page->heading(page->out, "Failures");
		is_headed = true;
		draw_failure(page, &run->trial[i]);
	}
	if (is_headed)
		page->gap(page->out);
}
