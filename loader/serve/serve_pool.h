/*
 * serve_pool.h - a bounded number of threads with a database connection each, and
 * the line of requests that wait for one.
 *
 * A request that has waited for too long is answered 503. While others wait, nobody is worked for
 * whose client is slow (exchange_relieve, exchange_end_slow_upload). The length of the line is
 * bounded by whoever admits requests.
 */
#ifndef TRANSFERBENCH_SERVE_POOL_H
#define TRANSFERBENCH_SERVE_POOL_H

#include "database/database.h"
#include "serve/exchange.h"

#include <stdbool.h>
#include <stdint.h>

#define SERVE_CONNECT_TIMEOUT_MS 10000

typedef struct ServePool ServePool;

/* Ends the exchange in every case, and leaves the connection idle or closed. True when the database
 * could be reached. */
typedef bool (*ServeWork)(Exchange *exchange, Database *database, const void *context);

/* What a thread does between two exchanges. */
typedef void (*ServeChore)(Database *database, const void *context);

typedef struct ServePoolOptions
{
	int connections;                /* and threads */
	const char *connections_option; /* that sets this number; for those who waited in vain */
	bool connects_at_once;          /* rather than at the first request */
	int64_t queue_timeout_ms;
	const ConnectionOptions *connection;
	ServeWork work;
	ServeChore chore; /* after each exchange; may be NULL */
	const void *context;
} ServePoolOptions;

typedef struct ServePoolState
{
	int connections;
	int busy;
	int waiting;
	bool database_reached; /* by the last one who tried, */
	int64_t tried_ns;      /* and when that was; 0: nobody has */
} ServePoolState;

/* Starts the threads. What the options point to is lent. NULL, with a message, on failure. */
extern ServePool *serve_pool_start(const ServePoolOptions *options);
/* Takes a reference of its own to the exchange. */
extern void serve_pool_submit(ServePool *pool, Exchange *exchange);
/* NULL is fine for these two: a pool without threads. */
extern ServePoolState serve_pool_state(ServePool *pool);
/* Server processes of the pool's connections, as each thread last had it; how many of `capacity`. */
extern int serve_pool_backend_pids(ServePool *pool, int *pids, int capacity);
/* Ends the threads once their exchanges have ended; the line must be empty or its exchanges cut.
 * False when one does not come back within `timeout_ms`: then nothing is freed. */
extern bool serve_pool_stop(ServePool *pool, int64_t timeout_ms);

#endif
