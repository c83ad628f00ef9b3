#include "measure/usage_sample.h"

#include <stdlib.h>

bool
usage_samples_add(UsageSamples *samples, const UsageSample *sample)
{
	if (samples->count == samples->capacity)
	{
		size_t capacity = samples->capacity == 0 ? 16 : samples->capacity * 2;
		UsageSample *grown = realloc(samples->sample, capacity * sizeof(UsageSample));

		if (grown == NULL)
			return false;
		samples->sample = grown;
		samples->capacity = capacity;
	}
	samples->sample[samples->count++] = *sample;
	return true;
}

void
usage_samples_clear(UsageSamples *samples)
{
	samples->count = 0;
	samples->is_complete = false;
}

void
usage_samples_free(UsageSamples *samples)
{
	free(samples->sample);
	*samples = (UsageSamples){0};
}

static const UsageSample *
find_same(const UsageSamples *samples, const UsageSample *wanted)
{
	for (size_t i = 0; i < samples->count; i++)
		if (samples->sample[i].pid == wanted->pid && samples->sample[i].started == wanted->started)
			return &samples->sample[i];
	return NULL;
}

static bool
has_gone(const UsageSamples *start, const UsageSamples *end)
{
	for (size_t i = 0; i < start->count; i++)
		if (find_same(end, &start->sample[i]) == NULL)
			return true;
	return false;
}

/* `start` is NULL for a process that came in between. */
static int64_t
cpu_difference(const UsageSample *start, const UsageSample *end)
{
	int64_t before_us = start == NULL ? 0 : start->cpu_us;

	if (before_us < 0 || end->cpu_us < before_us)
		return PROCESS_USAGE_UNKNOWN;
	return end->cpu_us - before_us;
}

static bool
mark_is_of_span(const UsageSample *start, const UsageSample *end)
{
	const ProcessMemory *before = &start->memory;

	return start->mark_was_reset || end->memory.high_water_bytes > before->high_water_bytes ||
		   before->high_water_bytes == before->resident_bytes;
}

static int64_t
peak_growth(const UsageSample *start, const UsageSample *end)
{
	int64_t peak = process_memory_private(end->memory.high_water_bytes, end->memory.shared_bytes);
	int64_t before = 0;

	if (end->has_ended)
		return start != NULL && start->has_ended ? 0 : PROCESS_USAGE_UNKNOWN;
	if (end->children_faults != (start == NULL ? 0 : start->children_faults))
		return PROCESS_USAGE_UNKNOWN;
	if (start != NULL)
	{
		before = process_memory_private(start->memory.resident_bytes, start->memory.shared_bytes);
		if (start->memory.high_water_bytes < 0 || !mark_is_of_span(start, end))
			return PROCESS_USAGE_UNKNOWN;
	}
	if (peak < 0 || before < 0)
		return PROCESS_USAGE_UNKNOWN;
	return peak > before ? peak - before : 0;
}

/* Unknown stays so. */
static int64_t
add(int64_t sum, int64_t value)
{
	return sum < 0 || value < 0 ? PROCESS_USAGE_UNKNOWN : sum + value;
}

void
usage_samples_difference(const UsageSamples *start, const UsageSamples *end, int64_t *cpu_us,
						 int64_t *peak_bytes)
{
	*cpu_us = *peak_bytes = PROCESS_USAGE_UNKNOWN;
	if (!start->is_complete || !end->is_complete || end->count == 0 || has_gone(start, end))
		return;
	*cpu_us = *peak_bytes = 0;
	for (size_t i = 0; i < end->count; i++)
	{
		const UsageSample *before = find_same(start, &end->sample[i]);

		*cpu_us = add(*cpu_us, cpu_difference(before, &end->sample[i]));
		*peak_bytes = add(*peak_bytes, peak_growth(before, &end->sample[i]));
	}
}
