#include "measure/local_usage.h"
#include "measure/process_stat.h"
#include "measure/process_tree.h"

#include <stdlib.h>

#define NS_PER_US 1000

bool
local_usage_read(int pid, bool reset_peak, UsageSample *sample)
{
	ProcessStat stat;
	int64_t cpu_ns = process_cpu_ns(pid);

	if (cpu_ns < 0 || !process_stat_read(pid, &stat))
		return false;
	*sample = (UsageSample){
		.pid = pid,
		.started = stat.start_ticks,
		.has_ended = stat.has_ended,
		.cpu_us = cpu_ns / NS_PER_US + process_stat_ticks_to_us(stat.children_cpu_ticks),
		.children_faults = stat.children_faults,
		.mark_was_reset = reset_peak && process_memory_reset_high_water(pid),
	};
	process_memory_read(pid, &sample->memory);
	return true;
}

void
local_usage_read_trees(const pid_t *roots, size_t root_count, bool reset_peak,
					   UsageSamples *samples)
{
	ProcessStat *process;
	size_t count;
	bool whole = true;

	usage_samples_clear(samples);
	if (!process_tree_read(roots, root_count, &process, &count))
		return;
	for (size_t i = 0; whole && i < count; i++)
	{
		UsageSample sample;

		/* one that has just ended is found missing by its absence, or was never there */
		if (local_usage_read(process[i].pid, reset_peak, &sample))
			whole = usage_samples_add(samples, &sample);
	}
	free(process);
	samples->is_complete = whole;
}
