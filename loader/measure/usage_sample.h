/*
 * usage_sample.h - what processes had used at one moment, and the difference of two moments.
 *
 * A process that came in between counts from 0; one that went away makes the figures unknown, since
 * nobody knows what it used before it went. A sum over no process at all is unknown as well.
 *
 * Peak memory is (high_water - shared at the end) - (resident - shared at the start). The
 * high-water mark at the end is the span's own when it was reset at the start, when it stood no
 * higher than what was resident then, or when it rose since; else the span stayed below an older
 * peak by an unknown amount, and the peak is unknown.
 */
#ifndef TRANSFERBENCH_USAGE_SAMPLE_H
#define TRANSFERBENCH_USAGE_SAMPLE_H

#include "process_usage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct UsageSample
{
	int pid;
	int64_t started; /* any number that another process of the same pid would not have; 0 unknown */
	bool has_ended;  /* a zombie: it can use nothing any more */
	int64_t cpu_us;  /* since it started, with that of children it waited for */
	int64_t children_faults; /* not equal at both ends: children ended, whose memory nobody knows */
	ProcessMemory memory;
	bool mark_was_reset;
} UsageSample;

typedef struct UsageSamples
{
	UsageSample *sample;
	size_t count, capacity;
	bool
		is_complete; /* false: a process is missing, so that nothing can be said of them together */
} UsageSamples;

/* False when out of memory. */
extern bool usage_samples_add(UsageSamples *samples, const UsageSample *sample);
/* Empties the list and keeps its memory. */
extern void usage_samples_clear(UsageSamples *samples);
extern void usage_samples_free(UsageSamples *samples);

/* The sums over all processes, or PROCESS_USAGE_UNKNOWN. */
extern void usage_samples_difference(const UsageSamples *start, const UsageSamples *end,
									 int64_t *cpu_us, int64_t *peak_bytes);

#endif
