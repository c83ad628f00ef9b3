/*
 * memory_sampler.h - the most memory that was in use on this machine, sampled by a thread of its
 * own every MEMORY_SAMPLER_INTERVAL_MS. Shorter peaks may be missed.
 */
#ifndef TRANSFERBENCH_MEMORY_SAMPLER_H
#define TRANSFERBENCH_MEMORY_SAMPLER_H

#include <stdint.h>

#define MEMORY_SAMPLER_INTERVAL_MS 100

typedef struct MemorySampler MemorySampler;

/* Takes a first sample and starts; NULL when there is no memory for it or no thread. */
extern MemorySampler *memory_sampler_start(void);
/* Takes a last sample, stops and frees; the maximum, or MACHINE_USAGE_UNKNOWN when a sample failed.
 * NULL is fine: unknown. */
extern int64_t memory_sampler_stop(MemorySampler *sampler);

#endif
