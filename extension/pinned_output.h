/*
 * pinned_output.h - a value's output text, whatever the session is set to.
 */
#ifndef TRANSFERBENCH_PINNED_OUTPUT_H
#define TRANSFERBENCH_PINNED_OUTPUT_H

#include "fmgr.h"

/*
 * Output under DateStyle ISO, IntervalStyle postgres, TimeZone UTC,
 * extra_float_digits 3, bytea_output hex; in the current context, in the
 * database's encoding. The settings are as they were in any case.
 */
extern char *pinned_output_text(FmgrInfo *output, Datum value);

#endif
