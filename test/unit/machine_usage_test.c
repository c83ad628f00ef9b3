/*
 * machine_usage_test.c - /proc/stat and /proc/meminfo as texts, and those of this machine.
 */
#include "measure/machine_usage.h"
#include "measure/memory_sampler.h"

#include "unit.h"

static void
check_busy(void)
{
	unit_equal_int(machine_busy_ticks_parse("cpu  100 20 30 4000 500 6 7 800 90 9\ncpu0 1 1 1 1\n"),
				   163, "busy: neither idle, nor waiting, nor stolen, nor guests twice");
	unit_equal_int(machine_busy_ticks_parse("cpu  1 2 3 4 5 6 7\n"), 19, "an old kernel's columns");
	unit_equal_int(machine_busy_ticks_parse("cpu  1 2 3 4\n"), MACHINE_USAGE_UNKNOWN,
				   "columns that are missing");
	unit_equal_int(machine_busy_ticks_parse("cpu  1 2 x 4 5 6 7\n"), MACHINE_USAGE_UNKNOWN,
				   "a column that is no number");
	unit_equal_int(machine_busy_ticks_parse("cpu0 1 2 3 4 5 6 7\n"), MACHINE_USAGE_UNKNOWN,
				   "one processor is not all");
	unit_equal_int(machine_busy_ticks_parse(""), MACHINE_USAGE_UNKNOWN, "an empty file");
	unit_ok(machine_busy_us() > 0, "this machine was busy");
}

static void
check_memory(void)
{
	unit_equal_int(machine_memory_bytes_parse("MemTotal:       1000 kB\nMemFree:  10 kB\n"
											  "MemAvailable:    400 kB\n"),
				   600 * 1024, "memory in use is what is not available");
	unit_equal_int(machine_memory_bytes_parse("MemTotal: 1000 kB\nMemFree: 10 kB\n"),
				   MACHINE_USAGE_UNKNOWN, "a kernel that does not tell what is available");
	unit_equal_int(machine_memory_bytes_parse("MemTotal: 1000\nMemAvailable: 400 kB\n"),
				   MACHINE_USAGE_UNKNOWN, "a number without its unit");
	unit_equal_int(machine_memory_bytes_parse("MemTotal: 400 kB\nMemAvailable: 1000 kB\n"),
				   MACHINE_USAGE_UNKNOWN, "more available than there is");
	unit_equal_int(machine_memory_bytes_parse(""), MACHINE_USAGE_UNKNOWN, "an empty file");
	unit_ok(machine_memory_bytes() > 0, "memory of this machine is in use");
}

static void
check_sampler(void)
{
	MemorySampler *sampler = memory_sampler_start();

	unit_ok(sampler != NULL, "the sampler starts");
	unit_ok(memory_sampler_stop(sampler) > 0, "a span shorter than its interval has a maximum");
	unit_equal_int(memory_sampler_stop(NULL), MACHINE_USAGE_UNKNOWN, "no sampler, no figure");
}

int
main(void)
{
	check_busy();
	check_memory();
	check_sampler();
	return unit_done();
}
