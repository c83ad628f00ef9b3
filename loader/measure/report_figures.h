/*
 * report_figures.h - figures of trials as reports have them: in ms and bytes, and NaN where they
 * are not known.
 */
#ifndef TRANSFERBENCH_REPORT_FIGURES_H
#define TRANSFERBENCH_REPORT_FIGURES_H

#include "measure/run.h"

#include <stdbool.h>
#include <stddef.h>

/* A figure that a trial holds as an int64_t. */
typedef struct ReportFigure
{
	const char *name; /* with its unit: "elapsed_ms"; NULL ends a list */
	size_t offset;    /* within Trial */
	int64_t divisor;  /* of what is held, into the unit named; 1 for whole numbers */
} ReportFigure;

/* All of them but rows and size, which are always known, in the order of CSV and JSON: the trial's
 * own, its phases, its costs. */
extern const ReportFigure report_trial_figures[];
extern const ReportFigure report_phase_figures[];
extern const ReportFigure report_cost_figures[];

/* As held; negative when not known. */
extern int64_t report_figure_raw(const ReportFigure *figure, const Trial *trial);
/* In its unit; NaN when not known. */
extern double report_figure(const ReportFigure *figure, const Trial *trial);

/* NaN for a negative number. */
extern double report_known(int64_t figure);
extern double report_elapsed_ms(const Trial *trial);
extern double report_rows_per_second(const Trial *trial);
extern double report_bytes_per_second(const Trial *trial);
/* User and system; processes and their backends. Both or nothing: half of a cost is no cost. */
extern double report_client_cpu_ms(const Trial *trial);
extern double report_api_cpu_ms(const Trial *trial);
extern double report_api_peak_bytes(const Trial *trial);

/* A warm-up is none, nor is what did not end well. */
extern bool report_is_sample(const Trial *trial);

#endif
