/*
 * resource_usage.c - spans over getrusage(2) and process_usage.h.
 */
#include "resource_usage.h"
#include "process_usage.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <sys/time.h>

#define US_PER_S INT64_C(1000000)

static int64_t
timeval_to_us(struct timeval time)
{
	return (int64_t) time.tv_sec * US_PER_S + time.tv_usec;
}

static void
read_cpu(int64_t *user_us, int64_t *system_us)
{
	struct rusage usage;

	*user_us = *system_us = RESOURCE_USAGE_UNKNOWN;
	if (getrusage(RUSAGE_SELF, &usage) == 0)
	{
		*user_us = timeval_to_us(usage.ru_utime);
		*system_us = timeval_to_us(usage.ru_stime);
	}
}

/* Growth, 0 if it shrank; unknown when either end is. */
static int64_t
growth(int64_t from, int64_t to)
{
	if (from < 0 || to < 0)
		return RESOURCE_USAGE_UNKNOWN;
	return to > from ? to - from : 0;
}

/* What malloc keeps of memory that was freed before would hide as much of the span's own. */
static void
give_back_freed_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void
resource_usage_start(ResourceUsageStart *start)
{
	ProcessMemory memory;

	give_back_freed_memory();
	start->high_water_mark_was_reset = process_memory_reset_high_water(PROCESS_SELF);
	process_memory_read(PROCESS_SELF, &memory);
	start->memory_bytes = process_memory_private(memory.resident_bytes, memory.shared_bytes);
	read_cpu(&start->cpu_user_us, &start->cpu_system_us);
}

void
resource_usage_finish(const ResourceUsageStart *start, ResourceUsage *usage)
{
	ProcessMemory memory;
	int64_t user_us;
	int64_t system_us;

	read_cpu(&user_us, &system_us);
	usage->cpu_user_us = growth(start->cpu_user_us, user_us);
	usage->cpu_system_us = growth(start->cpu_system_us, system_us);

	/* a mark from before the span would be that of somebody else's peak */
	usage->peak_memory_bytes = RESOURCE_USAGE_UNKNOWN;
	if (!start->high_water_mark_was_reset)
		return;
	process_memory_read(PROCESS_SELF, &memory);
	usage->peak_memory_bytes = growth(
		start->memory_bytes, process_memory_private(memory.high_water_bytes, memory.shared_bytes));
}
