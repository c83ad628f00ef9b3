/*
 * process_usage_test.c - a status file as the kernel writes it and as it does not, and real
 * processes: this one, a child, none.
 */
#include "process_usage.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define MIB          (INT64_C(1024) * 1024)
#define BLOCK_BYTES  (32 * MIB)
#define PAGE_BYTES   4096
#define CHILD_LIFE_S 60
#define NO_PID       2147483647

static void
parse(const char *status, ProcessMemory *memory)
{
	process_memory_parse(status, strlen(status), memory);
}

static void
check_parsing(void)
{
	ProcessMemory memory;

	parse("Name:\tVmRSS:\t7 kB\nGroups:\t1 2\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\n"
		  "RssShmem:\t     0 kB\nThreads:\t1\n",
		  &memory);
	unit_equal_int(memory.high_water_bytes, 300 * 1024, "high-water mark in bytes");
	unit_equal_int(memory.resident_bytes, 200 * 1024, "resident size, not a name like its field");
	unit_equal_int(memory.shared_bytes, 0, "shared memory of 0 kB is known");

	parse("Name:\tzombie\nState:\tZ (zombie)\n", &memory);
	unit_equal_int(memory.high_water_bytes, PROCESS_USAGE_UNKNOWN, "no mark: unknown");
	unit_equal_int(memory.resident_bytes, PROCESS_USAGE_UNKNOWN, "no resident size: unknown");
	unit_equal_int(memory.shared_bytes, PROCESS_USAGE_UNKNOWN, "no shared size: unknown");

	parse("VmHWM:\t 12 MB\nVmRSS:\t99999999999999999999 kB\nRssShmem:\t 12", &memory);
	unit_equal_int(memory.high_water_bytes, PROCESS_USAGE_UNKNOWN, "another unit: unknown");
	unit_equal_int(memory.resident_bytes, PROCESS_USAGE_UNKNOWN, "beyond 64 bits: unknown");
	unit_equal_int(memory.shared_bytes, PROCESS_USAGE_UNKNOWN, "a line that was cut: unknown");
	parse("", &memory);
	unit_equal_int(memory.resident_bytes, PROCESS_USAGE_UNKNOWN, "an empty file: unknown");
}

static void
check_private(void)
{
	unit_equal_int(process_memory_private(10, 4), 6, "private is resident less shared");
	unit_equal_int(process_memory_private(4, 10), 0, "counts that lag make no negative size");
	unit_equal_int(process_memory_private(-1, 4), PROCESS_USAGE_UNKNOWN, "unknown resident size");
	unit_equal_int(process_memory_private(4, -1), PROCESS_USAGE_UNKNOWN, "unknown shared size");
}

static void
check_self(void)
{
	ProcessMemory memory;

	process_memory_read(PROCESS_SELF, &memory);
	unit_ok(process_cpu_ns(PROCESS_SELF) > 0, "CPU of this process");
	unit_ok(process_cpu_ns(getpid()) >= process_cpu_ns(PROCESS_SELF) - 1000000000,
			"CPU of this process by its pid is the same clock");
	unit_ok(memory.resident_bytes > 0 && memory.high_water_bytes >= memory.resident_bytes,
			"memory of this process");
}

static void
check_no_process(void)
{
	ProcessMemory memory;

	process_memory_read(NO_PID, &memory);
	unit_equal_int(process_cpu_ns(NO_PID), PROCESS_USAGE_UNKNOWN, "CPU of no process");
	unit_equal_int(process_cpu_ns(-1), PROCESS_USAGE_UNKNOWN, "CPU of a negative pid");
	unit_equal_int(memory.resident_bytes, PROCESS_USAGE_UNKNOWN, "memory of no process");
	unit_ok(!process_memory_reset_high_water(NO_PID), "no process has no mark to reset");
}

/* Tells when its memory went up and down, then waits to be killed. */
static void
run_child(int done)
{
	volatile char *block = malloc(BLOCK_BYTES);

	alarm(CHILD_LIFE_S);
	for (int64_t i = 0; block != NULL && i < BLOCK_BYTES; i += PAGE_BYTES)
		block[i] = 1;
	free((void *) block);
	if (write(done, "", 1) == 1)
		pause();
	_exit(0);
}

static void
check_child(void)
{
	ProcessMemory before, after;
	bool was_reset;
	int done[2];
	char byte;
	pid_t child;

	if (!unit_ok(pipe(done) == 0, "there is a pipe"))
		exit(1);
	child = fork();
	if (child == 0)
		run_child(done[1]);
	if (!unit_ok(child > 0, "a child is started"))
		exit(1);
	unit_ok(read(done[0], &byte, 1) == 1, "the child took memory and freed it");
	process_memory_read(child, &before);
	was_reset = process_memory_reset_high_water(child);
	process_memory_read(child, &after);
	unit_ok(process_cpu_ns(child) > 0, "CPU of a child");
	unit_ok(before.high_water_bytes >= BLOCK_BYTES, "its mark holds what was freed");
	/* some containers allow no reset; a sanitizer may keep the block */
	unit_ok(!was_reset || (after.high_water_bytes <= before.high_water_bytes &&
						   after.high_water_bytes <= after.resident_bytes + 2 * MIB),
			"a reset takes the mark down to what is resident");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unit_equal_int(process_cpu_ns(child), PROCESS_USAGE_UNKNOWN, "CPU of a child that is gone");
}

int
main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0); /* the child is not to repeat what is buffered */
	check_parsing();
	check_private();
	check_self();
	check_no_process();
	check_child();
	return unit_done();
}
