/*
 * serve_save.h - writes the rows of one POST to the table, from one database connection, in one
 * transaction: JSON as it arrives into COPY.
 *
 * The answer is given after the COMMIT. When the connection breaks within it the outcome is
 * looked up by the transaction's number; if that cannot be had either, the client gets no
 * answer at all, since none would be known to be true.
 */
#ifndef TRANSFERBENCH_SERVE_SAVE_H
#define TRANSFERBENCH_SERVE_SAVE_H

#include "database/connection_options.h"
#include "database/database.h"
#include "serve/exchange.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct ServeSaveOptions
{
	const ConnectionOptions *connection;
	const char *table;       /* as SQL reads it; NULL: none was chosen */
	int64_t max_body_bytes;  /* decoded; 0: no limit */
	int64_t lock_timeout_ms; /* for a table, a row, or a key that another request has */
	bool has_ledger;
	int64_t ledger_ttl_s;
	_Atomic int64_t *next_sweep_ns; /* of the ledger; shared by all threads */
} ServeSaveOptions;

/* A ServeWork and a ServeChore; `options` are ServeSaveOptions. */
extern bool serve_save(Exchange *exchange, Database *database, const void *options);
extern void serve_save_sweep(Database *database, const void *options);

#endif
