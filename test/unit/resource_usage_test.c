/*
 * resource_usage_test.c - what a span counts, and what it does not.
 *
 * Where the kernel does not let a process reset its high-water mark (some
 * containers), peaks must be unknown, and that is then what is asserted.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "resource_usage.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "unit.h"

#define MIB         (INT64_C(1024) * 1024)
#define BLOCK_BYTES (32 * MIB)
#define PAGE_BYTES  4096
/* of the kernel's batched counts, and of shadow memory under a sanitizer */
#define TOLERANCE   (2 * MIB)
#define BURN_CPU_NS INT64_C(100000000)

static void
touch(volatile char *block, int64_t bytes)
{
	for (int64_t i = 0; i < bytes; i += PAGE_BYTES)
		block[i] = 1;
}

static void
map_and_touch(int sharing)
{
	void *block = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);

	if (!unit_ok(block != MAP_FAILED, "the block is mapped"))
		exit(1);
	touch(block, BLOCK_BYTES);
	munmap(block, BLOCK_BYTES);
}

/* `low` and `high` inclusive. */
static void
check_peak(const ResourceUsageStart *start, const ResourceUsage *usage, int64_t low, int64_t high,
		   const char *name)
{
	if (!start->high_water_mark_was_reset || start->memory_bytes < 0)
	{
		unit_equal_int(usage->peak_memory_bytes, RESOURCE_USAGE_UNKNOWN, name);
		return;
	}
	if (!unit_ok(usage->peak_memory_bytes >= low && usage->peak_memory_bytes <= high, name))
		printf("# got %" PRId64 " bytes\n", usage->peak_memory_bytes);
}

static void
check_allocated_memory(void)
{
	ResourceUsageStart start;
	ResourceUsage usage;
	char *block;

	resource_usage_start(&start);
	block = malloc(BLOCK_BYTES);
	if (!unit_ok(block != NULL, "the block is allocated"))
		exit(1);
	touch(block, BLOCK_BYTES);
	free(block);
	resource_usage_finish(&start, &usage);
	check_peak(&start, &usage, 30 * MIB, 64 * MIB - 1, "memory freed before the end was a peak");
}

static void
check_earlier_peak(void)
{
	ResourceUsageStart start;
	ResourceUsage usage;

	map_and_touch(MAP_PRIVATE);
	resource_usage_start(&start);
	resource_usage_finish(&start, &usage);
	check_peak(&start, &usage, 0, TOLERANCE, "a peak before the span does not count");
}

static void
check_shrinking_memory(void)
{
	ResourceUsageStart start;
	ResourceUsage usage;
	void *block =
		mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!unit_ok(block != MAP_FAILED, "the block is mapped"))
		exit(1);
	touch(block, BLOCK_BYTES);
	resource_usage_start(&start);
	munmap(block, BLOCK_BYTES);
	resource_usage_finish(&start, &usage);
	check_peak(&start, &usage, 0, TOLERANCE, "memory given back is no growth, nor negative");
}

/* Still mapped at the end, as PostgreSQL's shared buffers are. */
static void
check_shared_memory(void)
{
	ResourceUsageStart start;
	ResourceUsage usage;
	void *block =
		mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!unit_ok(block != MAP_FAILED, "the shared block is mapped"))
		exit(1);
	resource_usage_start(&start);
	touch(block, BLOCK_BYTES);
	resource_usage_finish(&start, &usage);
	check_peak(&start, &usage, 0, TOLERANCE, "shared memory touched does not count");

	resource_usage_start(&start);
	map_and_touch(MAP_PRIVATE);
	resource_usage_finish(&start, &usage);
	check_peak(&start, &usage, 30 * MIB, 64 * MIB - 1,
			   "shared memory of before does not hide private memory");
	munmap(block, BLOCK_BYTES);
}

static int64_t
process_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
burn_cpu(void)
{
	int64_t end = process_cpu_ns() + BURN_CPU_NS;
	volatile uint64_t sink = 1;

	while (process_cpu_ns() < end)
	{
		for (int i = 0; i < 1000000; i++)
			sink = sink * 3 + 1;
	}
}

static void
check_cpu(void)
{
	ResourceUsageStart start;
	ResourceUsage usage;

	resource_usage_start(&start);
	burn_cpu();
	resource_usage_finish(&start, &usage);
	unit_ok(start.cpu_user_us >= 0 && start.cpu_system_us >= 0, "CPU at the start is known");
	unit_ok(usage.cpu_user_us > 0, "CPU burnt is user time");
	unit_ok(usage.cpu_system_us >= 0, "system time is known");
}

/* A start whose values were unknown may not become a figure. */
static void
check_unknown(void)
{
	const ResourceUsageStart nothing_known = {
		.cpu_user_us = RESOURCE_USAGE_UNKNOWN,
		.cpu_system_us = RESOURCE_USAGE_UNKNOWN,
		.memory_bytes = RESOURCE_USAGE_UNKNOWN,
		.high_water_mark_was_reset = true,
	};
	const ResourceUsageStart not_reset = {.memory_bytes = 0, .high_water_mark_was_reset = false};
	ResourceUsage usage;

	resource_usage_finish(&nothing_known, &usage);
	unit_equal_int(usage.cpu_user_us, RESOURCE_USAGE_UNKNOWN, "user time unknown at the start");
	unit_equal_int(usage.cpu_system_us, RESOURCE_USAGE_UNKNOWN, "system time unknown at the start");
	unit_equal_int(usage.peak_memory_bytes, RESOURCE_USAGE_UNKNOWN, "memory unknown at the start");
	resource_usage_finish(&not_reset, &usage);
	unit_equal_int(usage.peak_memory_bytes, RESOURCE_USAGE_UNKNOWN, "high-water mark not reset");
	unit_ok(usage.cpu_user_us >= 0, "CPU is known all the same");
}

int
main(void)
{
	check_allocated_memory();
	check_earlier_peak();
	check_shrinking_memory();
	check_shared_memory();
	check_cpu();
	check_unknown();
	return unit_done();
}
