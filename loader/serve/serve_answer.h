/*
 * serve_answer.h - answers one request from one database connection: runs the
 * query, and turns its rows into the body as they come.
 */
#ifndef TRANSFERBENCH_SERVE_ANSWER_H
#define TRANSFERBENCH_SERVE_ANSWER_H

#include "database/connection_options.h"
#include "database/database.h"
#include "serve/exchange.h"
#include "database/query_source.h"

#include <stdint.h>

typedef struct ServeAnswerOptions
{
	const QuerySource *source;
	const ConnectionOptions *connection;
	int64_t max_spool_bytes; /* 0: no limit */
} ServeAnswerOptions;

/*
 * A ServeWork; `options` are ServeAnswerOptions. Ends the exchange in every case, and leaves the
 * connection idle or closed. A connection that turns out to be broken before any row came is replaced once,
 * silently. True when the database could be reached.
 */
extern bool serve_answer(Exchange *exchange, Database *database, const void *options);

#endif
