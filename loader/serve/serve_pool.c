#include "serve/serve_pool.h"
#include "clock.h"
#include "message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* When requests wait, a client that has let its connection wait for this long loses the power to do
 * so; and how often that is looked at. */
#define STALLED_NS (50 * CLOCK_NS_PER_MS)
#define LOOK_NS    (25 * CLOCK_NS_PER_MS)

typedef struct Waiting
{
	Exchange *exchange;
	int64_t since_ns;
	int64_t deadline_ns;
	struct Waiting *next;
} Waiting;

typedef struct Worker
{
	ServePool *pool;
	pthread_t thread;
	Database database;
	int interrupt_fd;
	/* under the pool's lock: */
	Exchange *current; /* NULL while it is idle */
	int backend_pid;   /* of the connection; 0: none */
} Worker;

struct ServePool
{
	ServePoolOptions options;

	pthread_mutex_t lock; /* over all that follows */
	pthread_cond_t work;  /* workers wait for it: a request, or the end */
	pthread_cond_t line;  /* the clerk waits for it: the line was empty, or the end */
	Waiting *first;
	Waiting **last; /* where the next one is hung on */
	ServePoolState state;
	int idle; /* workers that are about to take the first of the line */
	bool stopping;

	pthread_t clerk;
	bool has_clerk;
	int workers; /* started */
	Worker worker[];
};

static struct timespec
timespec_of(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / CLOCK_NS_PER_S, .tv_nsec = ns % CLOCK_NS_PER_S};
}

/* Takes the first of the line; the lock is held. */
static Exchange *
take_first(ServePool *pool)
{
	Waiting *waiting = pool->first;
	Exchange *exchange = waiting->exchange;

	pool->first = waiting->next;
	if (pool->first == NULL)
		pool->last = &pool->first;
	pool->state.waiting--;
	free(waiting);
	return exchange;
}

/* --- workers --- */

static void
drain_interrupts(int interrupt_fd)
{
	uint64_t count;

	/* not readable: there were none */
	if (read(interrupt_fd, &count, sizeof(count)) < 0)
		return;
}

static bool
work_on(Worker *worker, Exchange *exchange)
{
	const ServePoolOptions *options = &worker->pool->options;
	bool reached = true;

	drain_interrupts(worker->interrupt_fd);
	if (exchange_attach(exchange, worker->interrupt_fd))
	{
		reached = options->work(exchange, &worker->database, options->context);
		exchange_detach(exchange);
	}
	return reached;
}

/* Between two exchanges; the lock is not held. */
static void
do_chore(Worker *worker)
{
	const ServePoolOptions *options = &worker->pool->options;

	if (options->chore == NULL)
		return;
	drain_interrupts(worker->interrupt_fd);
	options->chore(&worker->database, options->context);
}

/* Takes the first of the line and works on it; the lock is held, and let go of meanwhile. */
static void
serve_first(Worker *worker)
{
	ServePool *pool = worker->pool;
	Exchange *exchange = worker->current = take_first(pool);
	bool reached;

	pool->state.busy++;
	pthread_mutex_unlock(&pool->lock);
	reached = work_on(worker, exchange);
	pthread_mutex_lock(&pool->lock);
	pool->state.busy--;
	pool->state.database_reached = reached;
	pool->state.tried_ns = clock_now_ns();
	worker->current = NULL;
	pthread_mutex_unlock(&pool->lock);
	/* may close a large file: nobody is to wait for that */
	exchange_release(exchange);
	do_chore(worker);
	pthread_mutex_lock(&pool->lock);
}

static void *
run_worker(void *context)
{
	Worker *worker = context;
	ServePool *pool = worker->pool;

	/* so that the first request does not pay for it; a failure is told when one comes */
	if (pool->options.connects_at_once)
		database_open(&worker->database, pool->options.connection, SERVE_CONNECT_TIMEOUT_MS);
	pthread_mutex_lock(&pool->lock);
	for (;;)
	{
		worker->backend_pid = database_backend_pid(&worker->database);
		pool->idle++;
		while (pool->first == NULL && !pool->stopping)
			pthread_cond_wait(&pool->work, &pool->lock);
		pool->idle--;
		if (pool->first == NULL)
			break;
		serve_first(worker);
	}
	pthread_mutex_unlock(&pool->lock);
	database_close(&worker->database);
	return NULL;
}

/* --- the clerk, who looks after the line --- */

static void
refuse_first(ServePool *pool)
{
	Exchange *exchange = take_first(pool);
	char detail[96];

	pthread_mutex_unlock(&pool->lock);
	snprintf(detail, sizeof(detail), "no database connection became free in time (see %s)",
			 pool->options.connections_option);
	exchange_fail(exchange, SERVE_STATUS_BUSY, detail);
	exchange_release(exchange);
	pthread_mutex_lock(&pool->lock);
}

/* Workers whose upload was ended a look ago, and who may still be rolling back. */
static int
count_ending(const ServePool *pool)
{
	int count = 0;

	for (int i = 0; i < pool->workers; i++)
	{
		Exchange *exchange = pool->worker[i].current;

		count += exchange != NULL && exchange_is_too_slow(exchange);
	}
	return count;
}

/* Others wait, and not just for a worker that is on its way: a slow client is no reason. */
static void
relieve_workers(ServePool *pool)
{
	int wanted = pool->state.waiting - count_ending(pool);

	if (pool->idle > 0 || clock_now_ns() - pool->first->since_ns < LOOK_NS)
		return;
	for (int i = 0; i < pool->workers; i++)
	{
		Exchange *exchange = pool->worker[i].current;

		if (exchange == NULL)
			continue;
		exchange_relieve(exchange, STALLED_NS);
		if (wanted > 0 && exchange_end_slow_upload(exchange))
			wanted--;
	}
}

/* At the deadline of the first, unless that one is just being taken, and soon in any case. */
static int64_t
next_look_ns(const ServePool *pool)
{
	int64_t soon_ns = clock_now_ns() + LOOK_NS;

	return pool->idle == 0 && pool->first->deadline_ns < soon_ns ? pool->first->deadline_ns
																 : soon_ns;
}

static void *
run_clerk(void *context)
{
	ServePool *pool = context;

	pthread_mutex_lock(&pool->lock);
	while (!pool->stopping)
	{
		if (pool->first == NULL)
			pthread_cond_wait(&pool->line, &pool->lock);
		else if (pool->idle == 0 && clock_now_ns() >= pool->first->deadline_ns)
			refuse_first(pool);
		else
		{
			struct timespec until = timespec_of(next_look_ns(pool));

			relieve_workers(pool);
			pthread_cond_timedwait(&pool->line, &pool->lock, &until);
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* --- from outside --- */

/* 0 or an error number. */
static int
start_worker(ServePool *pool)
{
	Worker *worker = &pool->worker[pool->workers];
	int problem;

	worker->pool = pool;
	worker->interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (worker->interrupt_fd < 0)
		return errno;
	database_init(&worker->database, worker->interrupt_fd);
	problem = pthread_create(&worker->thread, NULL, run_worker, worker);
	if (problem != 0)
	{
		close(worker->interrupt_fd);
		return problem;
	}
	pthread_mutex_lock(&pool->lock);
	pool->workers++;
	pthread_mutex_unlock(&pool->lock);
	return 0;
}

static void
init_pool(ServePool *pool)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->line, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pool->last = &pool->first;
	pool->state.database_reached = true;
}

/* 0 or an error number. */
static int
start_threads(ServePool *pool)
{
	int problem = pthread_create(&pool->clerk, NULL, run_clerk, pool);

	pool->has_clerk = problem == 0;
	for (int i = 0; problem == 0 && i < pool->options.connections; i++)
		problem = start_worker(pool);
	return problem;
}

ServePool *
serve_pool_start(const ServePoolOptions *options)
{
	ServePool *pool = calloc(1, sizeof(ServePool) + (size_t) options->connections * sizeof(Worker));
	int problem;

	if (pool == NULL)
	{
		message_error("out of memory");
		return NULL;
	}
	init_pool(pool);
	pool->options = *options;
	pool->state.connections = options->connections;
	problem = start_threads(pool);
	if (problem == 0)
		return pool;
	errno = problem;
	message_error("cannot start %d threads: %m", options->connections + 1);
	serve_pool_stop(pool, SERVE_CONNECT_TIMEOUT_MS);
	return NULL;
}

void
serve_pool_submit(ServePool *pool, Exchange *exchange)
{
	Waiting *waiting = malloc(sizeof(Waiting));
	int64_t now_ns = clock_now_ns();

	if (waiting == NULL)
	{
		exchange_fail(exchange, SERVE_STATUS_UNSPECIFIED, "out of memory");
		return;
	}
	exchange_hold(exchange);
	*waiting = (Waiting){.exchange = exchange,
						 .since_ns = now_ns,
						 .deadline_ns = now_ns + pool->options.queue_timeout_ms * CLOCK_NS_PER_MS};
	pthread_mutex_lock(&pool->lock);
	*pool->last = waiting;
	pool->last = &waiting->next;
	pool->state.waiting++;
	pthread_cond_signal(&pool->work);
	pthread_cond_signal(&pool->line);
	pthread_mutex_unlock(&pool->lock);
}

ServePoolState
serve_pool_state(ServePool *pool)
{
	ServePoolState state = {.database_reached = true};

	if (pool == NULL)
		return state;
	pthread_mutex_lock(&pool->lock);
	state = pool->state;
	pthread_mutex_unlock(&pool->lock);
	return state;
}

int
serve_pool_backend_pids(ServePool *pool, int *pids, int capacity)
{
	int count = 0;

	if (pool == NULL)
		return 0;
	pthread_mutex_lock(&pool->lock);
	for (int i = 0; i < pool->workers && count < capacity; i++)
		if (pool->worker[i].backend_pid != 0)
			pids[count++] = pool->worker[i].backend_pid;
	pthread_mutex_unlock(&pool->lock);
	return count;
}

/* pthread_timedjoin_np counts by the wall clock. */
static bool
join_within(pthread_t thread, int64_t deadline_ns)
{
	struct timespec wall;
	int64_t left_ns = deadline_ns - clock_now_ns();

	clock_gettime(CLOCK_REALTIME, &wall);
	wall = timespec_of(wall.tv_sec * CLOCK_NS_PER_S + wall.tv_nsec + (left_ns > 0 ? left_ns : 0));
	return pthread_timedjoin_np(thread, NULL, &wall) == 0;
}

bool
serve_pool_stop(ServePool *pool, int64_t timeout_ms)
{
	int64_t deadline_ns = clock_now_ns() + timeout_ms * CLOCK_NS_PER_MS;
	const uint64_t one = 1;
	bool all_back = true;

	pthread_mutex_lock(&pool->lock);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->work);
	pthread_cond_broadcast(&pool->line);
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < pool->workers; i++)
	{
		/* for one that is still connecting */
		if (write(pool->worker[i].interrupt_fd, &one, sizeof(one)) < 0)
			all_back = false;
	}
	if (pool->has_clerk)
		all_back &= join_within(pool->clerk, deadline_ns);
	for (int i = 0; i < pool->workers; i++)
		all_back &= join_within(pool->worker[i].thread, deadline_ns);
	if (!all_back)
		return false;
	for (int i = 0; i < pool->workers; i++)
		close(pool->worker[i].interrupt_fd);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->line);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
	return true;
}
