/*
 * report_parts.h - the parts of a report for people, each drawn on a page.
 */
#ifndef TRANSFERBENCH_REPORT_PARTS_H
#define TRANSFERBENCH_REPORT_PARTS_H

#include "measure/report_page.h"

/* One line per trial, their medians, CPU time and memory, phases. */
extern void report_draw_trials(ReportPage *page, const Run *run);
/* By direction and size paths side by side, and then the answer. */
extern void report_draw_comparisons(ReportPage *page, const Run *run);
/* What each path costs; from which size on the budget is exceeded. */
extern void report_draw_answer(ReportPage *page, const Run *run);
/* What was refused, is in doubt or did not end. */
extern void report_draw_failures(ReportPage *page, const Run *run);
/* The conditions; whether what was written is durable, always. */
extern void report_draw_environment(ReportPage *page, const Run *run);
/* NOT DURABLE, where rows were written and it is so. */
extern void report_draw_durability(ReportPage *page, const Run *run);

/* How the column of a phase looks. */
extern ReportColumn report_phase_column(int phase);

/* "http-json" is "HTTP" in a sentence. */
extern const char *report_path_in_words(const char *path);

#endif
