/*
 * local_usage.h - usage samples of processes of this machine, by their CPU clocks and /proc.
 */
#ifndef TRANSFERBENCH_LOCAL_USAGE_H
#define TRANSFERBENCH_LOCAL_USAGE_H

#include "measure/usage_sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Of one process. `reset_peak`: its high-water mark begins anew, where that is allowed. False when
 * there is no such process. */
extern bool local_usage_read(int pid, bool reset_peak, UsageSample *sample);

/* Of processes with all their descendants; `samples` is emptied before, and complete unless a
 * process is missing. */
extern void local_usage_read_trees(const pid_t *roots, size_t root_count, bool reset_peak,
								   UsageSamples *samples);

#endif
