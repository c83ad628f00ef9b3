/*
 * clock.h - the one clock of all measurements.
 *
 * Monotonic, so that a change of the wall clock cannot make an interval
 * negative (clock_gettime(3), CLOCK_MONOTONIC).
 */
#ifndef TRANSFERBENCH_CLOCK_H
#define TRANSFERBENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_MS 1000000LL
#define CLOCK_NS_PER_S  1000000000LL

/* Nanoseconds since an arbitrary fixed point; never fails, never goes back. */
static inline int64_t
clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * CLOCK_NS_PER_S + now.tv_nsec;
}

static inline double
clock_ns_to_ms(int64_t ns)
{
	return (double) ns / CLOCK_NS_PER_MS;
}

#endif
