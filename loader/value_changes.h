/*
 * value_changes.h - what is told of values that differ between two passes.
 */
#ifndef TRANSFERBENCH_VALUE_CHANGES_H
#define TRANSFERBENCH_VALUE_CHANGES_H

#include "measure/value_samples.h"
#include "run_session.h"

/* "ratio (12), label (3)": the columns with changed values, and how many. NULL when out of memory; the
 * caller frees. */
extern char *value_changes_list(const RowType *type, const ValueLog *log);

/* Adds to the run's notes how many values changed (VALUES_CHANGED_UNKNOWN), and where (NULL: not known). */
extern void value_changes_note(RunSession *session, const char *path_name, int64_t values_changed,
							   const char *changed_columns);

/* Adds the first of them to the run's notes, "native -> other". */
extern void value_changes_note_first(RunSession *session, const char *path_name, int64_t size,
									 const ValueSamples *samples);

#endif
