/*
 * serve_pool.h - a bounded number of threads with a database connection each, and
 * the line of requests that wait for one.
 *
 * A request that has waited for too long is answered 503. The length of the line is
 * bounded by whoever admits requests.
 */
#ifndef TRANSFERBENCH_SERVE_POOL_H
#define TRANSFERBENCH_SERVE_POOL_H

#include "serve/exchange.h"
#include "serve/serve_answer.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ServePool ServePool;

typedef struct ServePoolState
{
	int connections;
	int busy;
	int waiting;
	bool database_reached; /* by the last one who tried */
} ServePoolState;

/* Starts the threads; each connects at once. `options` is lent. NULL, with a message, on failure. */
extern ServePool *serve_pool_start(int connections, int64_t queue_timeout_ms,
								   const ServeAnswerOptions *options);
/* Takes a reference of its own to the exchange. */
extern void serve_pool_submit(ServePool *pool, Exchange *exchange);
extern ServePoolState serve_pool_state(ServePool *pool);
/* Ends the threads once their exchanges have ended; the line must be empty or its exchanges cut.
 * False when one does not come back within `timeout_ms`: then nothing is freed. */
extern bool serve_pool_stop(ServePool *pool, int64_t timeout_ms);

#endif
