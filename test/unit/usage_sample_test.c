/*
 * usage_sample_test.c - what two moments make of processes that stay, come, go and change.
 */
#include "measure/usage_sample.h"

#include "unit.h"

#define KIB 1024

static UsageSample
make_sample(int pid, int64_t cpu_us, int64_t resident, int64_t high_water)
{
	return (UsageSample){
		.pid = pid,
		.started = pid * 10,
		.cpu_us = cpu_us,
		.memory = {.resident_bytes = resident * KIB,
				   .shared_bytes = 10 * KIB,
				   .high_water_bytes = high_water * KIB},
		.mark_was_reset = true,
	};
}

static UsageSamples start, end;

static void
begin_case(void)
{
	usage_samples_clear(&start);
	usage_samples_clear(&end);
	start.is_complete = end.is_complete = true;
}

static void
add(UsageSamples *samples, UsageSample sample)
{
	unit_ok(usage_samples_add(samples, &sample), "a sample is kept");
}

static void
check_difference(int64_t cpu_us, int64_t peak_kib, const char *name)
{
	int64_t got_cpu_us, got_peak_bytes;

	usage_samples_difference(&start, &end, &got_cpu_us, &got_peak_bytes);
	unit_equal_int(got_cpu_us, cpu_us, name);
	unit_equal_int(got_peak_bytes, peak_kib < 0 ? PROCESS_USAGE_UNKNOWN : peak_kib * KIB,
				   "and its peak memory");
}

static void
check_processes_that_stay(void)
{
	begin_case();
	add(&start, make_sample(1, 100, 50, 50));
	add(&start, make_sample(2, 1000, 60, 60));
	add(&end, make_sample(2, 1500, 65, 90));
	add(&end, make_sample(1, 130, 50, 70));
	check_difference(530, 50, "two processes are summed, in any order");

	begin_case();
	add(&start, make_sample(1, 100, 50, 50));
	add(&end, make_sample(1, 100, 40, 45));
	check_difference(0, 0, "a process that did nothing: 0 is known");

	begin_case();
	for (int pid = 1; pid <= 100; pid++)
	{
		UsageSample before = make_sample(pid, 0, 20, 20);
		UsageSample after = make_sample(pid, pid, 20, 21);

		if (!usage_samples_add(&start, &before) || !usage_samples_add(&end, &after))
			unit_ok(false, "a sample is kept");
	}
	check_difference(5050, 100, "a hundred processes");
}

static void
check_processes_that_move(void)
{
	UsageSample other = make_sample(1, 500, 50, 50);

	begin_case();
	add(&start, make_sample(1, 100, 50, 50));
	add(&end, make_sample(1, 130, 50, 50));
	add(&end, make_sample(7, 40, 30, 35));
	check_difference(70, 25, "one that came counts from 0");

	begin_case();
	add(&start, make_sample(1, 100, 50, 50));
	add(&start, make_sample(7, 40, 30, 35));
	add(&end, make_sample(1, 130, 50, 50));
	check_difference(PROCESS_USAGE_UNKNOWN, -1, "one that went makes all unknown");

	begin_case();
	other.started++;
	add(&start, make_sample(1, 100, 50, 50));
	add(&end, other);
	check_difference(PROCESS_USAGE_UNKNOWN, -1, "another process of the same pid is another");

	begin_case();
	check_difference(PROCESS_USAGE_UNKNOWN, -1, "no process at all: not known to be nothing");

	begin_case();
	add(&start, make_sample(1, 100, 50, 50));
	add(&end, make_sample(1, 130, 50, 50));
	end.is_complete = false;
	check_difference(PROCESS_USAGE_UNKNOWN, -1, "a list that is not complete");
}

static void
check_unknown_figures(void)
{
	UsageSample no_memory = make_sample(1, 130, 0, 0);
	UsageSample no_cpu = make_sample(1, PROCESS_USAGE_UNKNOWN, 50, 60);

	no_memory.memory.high_water_bytes = PROCESS_USAGE_UNKNOWN;
	begin_case();
	add(&start, make_sample(1, 100, 50, 50));
	add(&start, make_sample(2, 100, 50, 50));
	add(&end, no_memory);
	add(&end, make_sample(2, 101, 50, 60));
	check_difference(31, -1, "a mark unknown at the end takes the peak, not the CPU");

	begin_case();
	add(&start, no_memory);
	add(&end, make_sample(1, 140, 50, 60));
	check_difference(10, -1, "a mark unknown at the start likewise");

	begin_case();
	add(&start, no_cpu);
	add(&end, make_sample(1, 140, 50, 60));
	check_difference(PROCESS_USAGE_UNKNOWN, 10, "CPU unknown at the start");

	begin_case();
	add(&start, make_sample(1, 100, 50, 50));
	add(&end, make_sample(1, 99, 50, 60));
	check_difference(PROCESS_USAGE_UNKNOWN, 10, "CPU that went back is no figure");
}

/* Without a reset the mark may be older than the span. */
static void
check_marks(void)
{
	UsageSample before = make_sample(1, 0, 50, 80);

	before.mark_was_reset = false;
	begin_case();
	add(&start, before);
	add(&end, make_sample(1, 0, 50, 80));
	check_difference(0, -1, "not reset, and it did not rise: an older peak hides the span's");

	begin_case();
	add(&start, before);
	add(&end, make_sample(1, 0, 50, 81));
	check_difference(0, 31, "not reset, and it rose: the peak is the span's");

	begin_case();
	before.memory.high_water_bytes = before.memory.resident_bytes;
	add(&start, before);
	add(&end, make_sample(1, 0, 45, 50));
	check_difference(0, 0, "not reset, but it stood at what was resident");
}

static void
check_children_and_zombies(void)
{
	UsageSample zombie = make_sample(1, 100, 0, 0);
	UsageSample parent = make_sample(1, 160, 50, 60);

	begin_case();
	parent.children_faults = 3;
	add(&start, make_sample(1, 100, 50, 50));
	add(&end, parent);
	check_difference(60, -1, "children came and went: their CPU is in it, their memory unknown");

	begin_case();
	zombie.has_ended = true;
	zombie.memory = (ProcessMemory){-1, -1, -1};
	add(&start, zombie);
	add(&end, zombie);
	check_difference(0, 0, "a zombie at both ends uses nothing");

	begin_case();
	add(&start, make_sample(1, 100, 50, 50));
	zombie.cpu_us = 120;
	add(&end, zombie);
	check_difference(20, -1, "one that ended meanwhile: its CPU is known, its memory is not");
}

int
main(void)
{
	check_processes_that_stay();
	check_processes_that_move();
	check_unknown_figures();
	check_marks();
	check_children_and_zombies();
	usage_samples_free(&start);
	usage_samples_free(&end);
	return unit_done();
}
