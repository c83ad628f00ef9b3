/*
 * summary.h - what a comparison says: the trials of a run, put together per path and size.
 */
#ifndef TRANSFERBENCH_SUMMARY_H
#define TRANSFERBENCH_SUMMARY_H

#include "measure/run.h"

/*
 * Summarises the trials of one path at one size into `row` (direction, size and summary.path are
 * set; what verification tells is the caller's), against the first path's of the same direction
 * and size. Trials that were not ok, and warm-ups, are left out. False when out of memory.
 */
extern bool summary_fill_row(const Run *run, const char *first_path, ComparisonRow *row);

/* Fitted cost of a path over all sizes, and where it exceeds the run's budget over the first path.
 * False when out of memory. */
extern bool summary_fill_cost(const Run *run, const char *first_path, PathCost *cost);

#endif
