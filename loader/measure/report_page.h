/*
 * report_page.h - what a report for people is made of, whatever it is drawn on.
 *
 * All texts are one line; control characters in them are drawn as '?', since they may come from
 * somebody's server.
 */
#ifndef TRANSFERBENCH_REPORT_PAGE_H
#define TRANSFERBENCH_REPORT_PAGE_H

#include "measure/report_grid.h"
#include "measure/run.h"

#include <stdio.h>

typedef struct ReportPage ReportPage;

struct ReportPage
{
	FILE *out;
	bool failed;                                  /* out of memory */
	void (*title)(FILE *out, const char *text);   /* of the whole; the first */
	void (*alarm)(FILE *out, const char *text);   /* not to be overlooked */
	void (*heading)(FILE *out, const char *text); /* of a part */
	void (*block)(FILE *out, const char *text);   /* of a piece of a part */
	void (*grid)(FILE *out, const ReportGrid *grid);
	void (*line)(FILE *out, const char *text);
	void (*item)(FILE *out, const char *text); /* of a list */
	void (*gap)(FILE *out);                    /* ends lines that belong together */
};

typedef void (*ReportPagePut)(FILE *out, const char *text);

/* One of the functions above, with a text that is made up first. */
extern void report_page_put(ReportPage *page, ReportPagePut put, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Finishes, draws (when it has a row) and frees. */
extern void report_page_put_grid(ReportPage *page, ReportGrid *grid);

/* The whole run. */
extern void report_page_draw(ReportPage *page, const Run *run);

#endif
