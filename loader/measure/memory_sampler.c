#include "measure/memory_sampler.h"
#include "clock.h"
#include "measure/machine_usage.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct MemorySampler
{
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stop; /* waits by the monotonic clock */
	bool stopping;       /* under the lock */
	int64_t most_bytes;  /* the thread's, until it was joined */
};

static void
take_sample(MemorySampler *sampler)
{
	int64_t bytes = machine_memory_bytes();

	if (bytes < 0 || sampler->most_bytes < 0)
		sampler->most_bytes = MACHINE_USAGE_UNKNOWN;
	else if (bytes > sampler->most_bytes)
		sampler->most_bytes = bytes;
}

/* The lock is held. */
static void
wait_for_interval(MemorySampler *sampler)
{
	int64_t end_ns = clock_now_ns() + MEMORY_SAMPLER_INTERVAL_MS * CLOCK_NS_PER_MS;
	struct timespec end = {
		.tv_sec = (time_t) (end_ns / CLOCK_NS_PER_S),
		.tv_nsec = (long) (end_ns % CLOCK_NS_PER_S),
	};

	while (!sampler->stopping && pthread_cond_timedwait(&sampler->stop, &sampler->lock, &end) == 0)
		continue;
}

static void *
run(void *context)
{
	MemorySampler *sampler = context;

	pthread_mutex_lock(&sampler->lock);
	while (!sampler->stopping)
	{
		wait_for_interval(sampler);
		take_sample(sampler);
	}
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

static bool
init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	bool made;

	if (pthread_condattr_init(&attributes) != 0)
		return false;
	made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
		   pthread_cond_init(condition, &attributes) == 0;
	pthread_condattr_destroy(&attributes);
	return made;
}

/* Signals are for the threads that wait for them. */
static bool
start_thread(MemorySampler *sampler)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return false;
	started = pthread_create(&sampler->thread, NULL, run, sampler) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

MemorySampler *
memory_sampler_start(void)
{
	MemorySampler *sampler = calloc(1, sizeof(MemorySampler));

	if (sampler == NULL || !init_condition(&sampler->stop))
	{
		free(sampler);
		return NULL;
	}
	pthread_mutex_init(&sampler->lock, NULL);
	take_sample(sampler);
	if (start_thread(sampler))
		return sampler;
	pthread_mutex_destroy(&sampler->lock);
	pthread_cond_destroy(&sampler->stop);
	free(sampler);
	return NULL;
}

int64_t
memory_sampler_stop(MemorySampler *sampler)
{
	int64_t most_bytes;

	if (sampler == NULL)
		return MACHINE_USAGE_UNKNOWN;
	pthread_mutex_lock(&sampler->lock);
	sampler->stopping = true;
	pthread_cond_signal(&sampler->stop);
	pthread_mutex_unlock(&sampler->lock);
	pthread_join(sampler->thread, NULL);
	most_bytes = sampler->most_bytes;
	pthread_mutex_destroy(&sampler->lock);
	pthread_cond_destroy(&sampler->stop);
	free(sampler);
	return most_bytes;
}
