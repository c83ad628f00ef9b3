/*
 * resource_usage.h - CPU time and peak memory of the calling process.
 *
 * CPU: getrusage(2), RUSAGE_SELF, all threads of the process. Memory: Linux
 * /proc/self/status; shared memory touched (PostgreSQL's shared buffers) is
 * not the path's own and is taken out:
 *     (VmHWM - RssShmem at the end) - (VmRSS - RssShmem at the start)
 * after resetting the high-water mark through /proc/self/clear_refs (proc(5)).
 * What cannot be read is unknown (negative), never 0.
 */
#ifndef TRANSFERBENCH_RESOURCE_USAGE_H
#define TRANSFERBENCH_RESOURCE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#define RESOURCE_USAGE_UNKNOWN (-1)

typedef struct ResourceUsageStart
{
	int64_t cpu_user_us, cpu_system_us; /* since process start */
	int64_t memory_bytes;               /* VmRSS - RssShmem, or unknown */
	bool high_water_mark_was_reset;
} ResourceUsageStart;

typedef struct ResourceUsage
{
	int64_t cpu_user_us, cpu_system_us; /* of the measured span */
	int64_t peak_memory_bytes;          /* growth at the peak, 0 or more; or unknown */
} ResourceUsage;

/* Opens a span: gives memory back that malloc keeps (glibc), so that the peak does not depend on
 * what ran before; resets the high-water mark, reads memory, then CPU (last, so that the
 * reading of /proc is not in the span). Allocates nothing, uses no stdio. */
extern void resource_usage_start(ResourceUsageStart *start);

/* Closes a span: reads CPU first, then memory. */
extern void resource_usage_finish(const ResourceUsageStart *start, ResourceUsage *usage);

#endif
