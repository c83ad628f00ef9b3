/*
 * report_csv.c - one line per trial (RFC 4180).
 *
 * A figure that is not known is an empty field. Texts are quoted always, so that an empty text and
 * an unknown figure stay apart for readers that look.
 */
#include "measure/report_figures.h"
#include "measure/report_formats.h"
#include "printable_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_END "\r\n"

static void
put_text(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text != '\0'; text++)
	{
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void
put_names(FILE *out, const ReportFigure *figures)
{
	for (; figures->name != NULL; figures++)
		fprintf(out, ",%s", figures->name);
}

static void
put_problem(FILE *out, const Trial *trial)
{
	char text[sizeof(trial->problem)];

	memcpy(text, trial->problem, sizeof(text));
	printable_text_make(text);
	put_text(out, text);
}

static void
put_header(FILE *out)
{
	fputs("run_id,command,direction,path,size,trial,block,status,problem,rows,elapsed_ms,"
		  "rows_per_second",
		  out);
	put_names(out, report_trial_figures);
	put_names(out, report_phase_figures);
	put_names(out, report_cost_figures);
	fputs(",digest,refused_rows,refused,in_doubt_rows,in_doubt" LINE_END, out);
}

/* Exact: all that is held, whatever the unit. */
static void
put_figures(FILE *out, const ReportFigure *figures, const Trial *trial)
{
	for (; figures->name != NULL; figures++)
	{
		int64_t raw = report_figure_raw(figures, trial);

		putc(',', out);
		if (raw < 0)
			continue;
		if (figures->divisor == 1)
			fprintf(out, "%" PRId64, raw);
		else
			fprintf(out, "%.*f", figures->divisor == 1000 ? 3 : 6, report_figure(figures, trial));
	}
}

static void
put_known(FILE *out, int decimals, double value)
{
	putc(',', out);
	if (isfinite(value))
		fprintf(out, "%.*f", decimals, value);
}

static bool
put_ranges(FILE *out, const RowRanges *ranges)
{
	char *text = row_ranges_text(ranges, SIZE_MAX);

	if (text == NULL)
		return false;
	fprintf(out, ",%" PRId64 ",", row_ranges_rows(ranges));
	put_text(out, ranges->count == 0 ? "" : text);
	free(text);
	return true;
}

static bool
put_trial(FILE *out, const Run *run, const Trial *trial)
{
	put_text(out, run->id);
	putc(',', out);
	put_text(out, run->command);
	putc(',', out);
	put_text(out, transfer_direction_name(trial->direction));
	putc(',', out);
	put_text(out, trial->path);
	fprintf(out, ",%" PRId64 ",%d,%d,", trial->size, trial->number, trial->block);
	put_text(out, trial_status_name(trial->status));
	putc(',', out);
	put_problem(out, trial);
	fprintf(out, ",%" PRId64, trial->rows);
	put_known(out, 6, report_elapsed_ms(trial));
	put_known(out, 1, report_rows_per_second(trial));
	put_figures(out, report_trial_figures, trial);
	put_figures(out, report_phase_figures, trial);
	put_figures(out, report_cost_figures, trial);
	putc(',', out);
	if (trial->has_digest)
		fprintf(out, "%016" PRIx64, trial->digest);
	if (!put_ranges(out, &trial->refused) || !put_ranges(out, &trial->in_doubt))
		return false;
	fputs(LINE_END, out);
	return true;
}

bool
report_csv_write(const Run *run, FILE *out)
{
	put_header(out);
	for (size_t i = 0; i < run->trials; i++)
		if (!put_trial(out, run, &run->trial[i]))
			return false;
	return true;
}
