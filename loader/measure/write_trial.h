/*
 * write_trial.h - one pass of one size down one writing path, by several jobs at once.
 */
#ifndef TRANSFERBENCH_WRITE_TRIAL_H
#define TRANSFERBENCH_WRITE_TRIAL_H

#include "measure/write_path.h"

/*
 * Sends all batches of the supply (at its start; one cursor per job is made) into the table, which
 * the caller has emptied. At the first batch that is not committed no further ones are begun. Fills the
 * trial but for its block; `number` is the trial's, and part of the batches' keys.
 * The time is that of connecting, and of the job that took longest to send what it got, its own waits
 * before retries left out: what others waited meanwhile is none of it. Phases are the jobs' mean, and
 * PHASE_TRANSFER the rest, so that they sum up to the time.
 * `size`: TRIAL_UNKNOWN for all that the source has. `meter`: NULL in a pass that is not timed.
 */
extern void write_trial_run(const WritePath *path, const WritePlan *plan, BatchSupply *supply,
							int64_t size, int number, CostMeter *meter, Trial *trial);

#endif
