/*
 * save_commit.h - the COMMIT of a request, and what became of it.
 */
#ifndef TRANSFERBENCH_SAVE_COMMIT_H
#define TRANSFERBENCH_SAVE_COMMIT_H

#include "database/connection_options.h"
#include "database/database.h"
#include "serve/exchange.h"
#include "serve/save_table.h"

/*
 * Commits, after one more statement (`last_sql` may be NULL). From here on nobody can interrupt it: a
 * client that leaves now does not change the outcome. A connection that breaks is replaced, and
 * the server is asked what became of the transaction. True when the rows are there for good;
 * else the exchange has ended, or nobody waits for it.
 */
extern bool save_commit(Exchange *exchange, Database *database, const ConnectionOptions *connection,
						const char *last_sql, const SaveTransaction *transaction);

#endif
