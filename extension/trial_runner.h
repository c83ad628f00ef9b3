/*
 * trial_runner.h - runs trials of any path: the conditions of a measurement,
 * the same for all.
 *
 * Within the timed region nothing is rendered, logged or allocated for
 * reporting, and nothing is hashed. CPU and memory are this backend's.
 */
#ifndef TRANSFERBENCH_TRIAL_RUNNER_H
#define TRANSFERBENCH_TRIAL_RUNNER_H

#include "bench_path.h"

/* One timed trial; raises on failure. Strings in it are static or in the current context. */
extern void trial_runner_measure(BenchPath *path, int64 n, int number, BenchTrial *trial);

/*
 * The same, but a failure becomes the trial's status ('failed: SQLSTATE
 * message') and leaves nothing behind (a subtransaction); class 57 (cancel,
 * statement_timeout, terminate) is raised all the same.
 */
extern void trial_runner_attempt(BenchPath *path, int64 n, int number, BenchTrial *trial);

/* One uncounted, untimed pass whose rows go to the observer (or nowhere). Returns the rows. */
extern int64 trial_runner_pass(BenchPath *path, int64 n, RowObserver observer,
							   void *observer_context);

/* One uncounted trial. A failure is swallowed (the trials to come show it), a cancel is not. */
extern void trial_runner_warm_up(BenchPath *path, int64 n);

/* An untimed pass that only digests; returns the digest. */
extern uint64 trial_runner_digest(BenchPath *path, int64 n);

/* CPU of both kinds, or BENCH_UNKNOWN. */
extern int64 bench_trial_cpu_us(const BenchTrial *trial);

#endif
