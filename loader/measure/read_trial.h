/*
 * read_trial.h - one pass of one size down one reading path.
 */
#ifndef TRANSFERBENCH_READ_TRIAL_H
#define TRANSFERBENCH_READ_TRIAL_H

#include "measure/read_path.h"

/*
 * Fills the trial but for its number and block. `meter`: NULL in a pass that is not timed. The sink is
 * the caller's: with a digest for a verification.
 */
extern void read_trial_run(const ReadPath *path, const ReadPlan *plan, int64_t size,
						   CostMeter *meter, RowSink *sink, Trial *trial);

#endif
