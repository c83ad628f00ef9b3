#include "database/database_cancel.h"
#include "clock.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

/* Of both threads; whoever leaves last frees it. */
typedef struct Cancelling
{
	PGcancel *handle;
	pthread_mutex_t lock; /* over all that follows */
	pthread_cond_t done;
	bool is_done;
	bool is_left; /* by the one who waited */
} Cancelling;

static void
free_cancelling(Cancelling *cancelling)
{
	PQfreeCancel(cancelling->handle);
	pthread_cond_destroy(&cancelling->done);
	pthread_mutex_destroy(&cancelling->lock);
	free(cancelling);
}

static Cancelling *
create_cancelling(PGconn *connection)
{
	Cancelling *cancelling = calloc(1, sizeof(Cancelling));
	pthread_condattr_t monotonic;

	if (cancelling == NULL)
		return NULL;
	cancelling->handle = PQgetCancel(connection);
	if (cancelling->handle == NULL)
	{
		free(cancelling);
		return NULL;
	}
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&cancelling->lock, NULL);
	pthread_cond_init(&cancelling->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return cancelling;
}

static void *
run(void *context)
{
	Cancelling *cancelling = context;
	char problem[256];
	bool is_left;

	/* when it fails what was to be cancelled does not end in time, and that is seen */
	PQcancel(cancelling->handle, problem, sizeof(problem));
	pthread_mutex_lock(&cancelling->lock);
	cancelling->is_done = true;
	is_left = cancelling->is_left;
	pthread_cond_signal(&cancelling->done);
	pthread_mutex_unlock(&cancelling->lock);
	if (is_left)
		free_cancelling(cancelling);
	return NULL;
}

/* Signals stay with the threads that are there for them. */
static bool
start_thread(Cancelling *cancelling)
{
	pthread_attr_t detached;
	pthread_t thread;
	sigset_t all, before;
	int problem;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	problem = pthread_create(&thread, &detached, run, cancelling);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&detached);
	return problem == 0;
}

void
database_cancel(PGconn *connection, int64_t deadline_ns)
{
	const struct timespec deadline = {.tv_sec = deadline_ns / CLOCK_NS_PER_S,
									  .tv_nsec = deadline_ns % CLOCK_NS_PER_S};
	Cancelling *cancelling = create_cancelling(connection);
	bool is_done;

	if (cancelling == NULL)
		return;
	if (!start_thread(cancelling))
	{
		free_cancelling(cancelling);
		return;
	}
	pthread_mutex_lock(&cancelling->lock);
	while (!cancelling->is_done &&
		   pthread_cond_timedwait(&cancelling->done, &cancelling->lock, &deadline) != ETIMEDOUT)
		;
	is_done = cancelling->is_done;
	cancelling->is_left = !is_done;
	pthread_mutex_unlock(&cancelling->lock);
	if (is_done)
		free_cancelling(cancelling);
}
