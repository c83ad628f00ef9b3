/*
 * database.h - one libpq connection, used by one thread at a time, that never
 * waits without watching whether it should stop.
 *
 * Every wait also ends when `interrupt_fd` becomes readable, and when the
 * client for whom the work is done (`client_fd`) has gone; one that closed its
 * sending side counts as gone, since nothing tells it from one that did. What went wrong
 * last is in `message` (one line; never a password: libpq puts none in) and
 * `sqlstate` ("" when there is none).
 */
#ifndef TRANSFERBENCH_DATABASE_H
#define TRANSFERBENCH_DATABASE_H

#include "database/connection_options.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Database
{
	PGconn *connection; /* NULL when closed */
	int interrupt_fd;   /* the caller's, -1 for none; readable means: stop waiting */
	int client_fd;      /* the caller's, -1 for none */
	int64_t waited_ns;  /* spent waiting for the server and receiving from it; the caller resets */
	char sqlstate[6];
	char message[512];
	/* where in the data of a COPY it was, for a message that ends with it: " (COPY t, line 3)" */
	size_t place;      /* the offset of that; the message's length when there is none */
	int64_t place_row; /* 0: none */

	/* what the functions of COPY and of the pipeline keep between two calls */
	char *row;         /* lent by database_copy_out_next */
	size_t send_limit; /* bytes that fit into the socket whenever it is writable */
	size_t sent;       /* bytes sent since that was last looked at */
	unsigned notices;  /* received so far */
	int unanswered;    /* statements of the pipeline */
	bool has_failed;   /* one of them */
	int64_t rows;      /* of those that were answered */
} Database;

typedef enum DatabaseResult
{
	DATABASE_OK,
	DATABASE_QUIET,       /* nothing came within the time given; go on waiting or not */
	DATABASE_INTERRUPTED, /* interrupt_fd, or the client went away */
	DATABASE_FAILED,      /* the server refused; the connection is fit to be used again */
	DATABASE_LOST,        /* no connection (any more) */
} DatabaseResult;

#define DATABASE_WAIT_FOREVER (-1)

/* lock_timeout is over */
#define SQLSTATE_LOCK_NOT_AVAILABLE "55P03"

extern void database_init(Database *database, int interrupt_fd);
/* OK, INTERRUPTED or LOST. Takes at most `timeout_ms`, name resolution not counted. */
extern DatabaseResult database_open(Database *database, const ConnectionOptions *options,
									int timeout_ms);
extern void database_close(Database *database); /* closed already is fine */
extern bool database_is_open(const Database *database);

/* Sends one or more statements whose rows are wanted one by one: OK or LOST. */
extern DatabaseResult database_send(Database *database, const char *sql);

/*
 * The next result of what was sent: OK with *result, which the caller clears, or
 * with NULL at the end; QUIET after `quiet_ms` without one. Rows come as
 * PGRES_SINGLE_TUPLE, one by one, and then PGRES_TUPLES_OK without a row.
 */
extern DatabaseResult database_next(Database *database, int quiet_ms, PGresult **result);

/* Cancels what runs, if anything does, and leaves the connection idle outside a transaction, or
 * closed. Waits a bounded time. */
extern void database_make_idle(Database *database);

/* Runs one statement with text parameters to its end; for set-up, waits as long as it takes.
 * NULL when it failed or was interrupted (then it was cancelled). The caller clears. */
extern PGresult *database_execute(Database *database, const char *sql, int parameters,
								  const char *const *values);

/*
 * Runs SQL (one statement or more) to its end, interruptibly, in at most `timeout_ms` (or WAIT_FOREVER:
 * QUIET when over). OK: *result is the last statement's, which the caller clears; it may be NULL
 * (the caller wants none).
 */
extern DatabaseResult database_run(Database *database, const char *sql, int timeout_ms,
								   PGresult **result);

/* --- COPY; each call OK, INTERRUPTED, FAILED or LOST --- */

/* "COPY ... FROM STDIN", within a transaction of the caller's. */
extern DatabaseResult database_copy_in_begin(Database *database, const char *sql);
/* Sends bytes, waiting for room and for what the server says meanwhile: an error shows at once. */
extern DatabaseResult database_copy_in_put(Database *database, const char *bytes, size_t length);
/* Ends the data and checks the final result; *rows from the command tag. `abort_reason`: ends it with
 * an error instead, and returns OK once the server has taken note. */
extern DatabaseResult database_copy_in_end(Database *database, const char *abort_reason,
										   int64_t *rows);
/* "COPY ... TO STDOUT". */
extern DatabaseResult database_copy_out_begin(Database *database, const char *sql);
/* The next piece (a line, a tuple), lent until the next call; *bytes NULL at the end, when the final
 * result was checked. */
extern DatabaseResult database_copy_out_next(Database *database, char **bytes, size_t *length);

/* --- pipeline mode: statements one after the other without waiting for each answer --- */

extern DatabaseResult database_pipeline_begin(Database *database);
/* Sends one statement, `parameters` in text form; waits only for room. */
extern DatabaseResult database_pipeline_send(Database *database, const char *sql, int parameters,
											 const char *const *values);
/* Prepares / runs by name, likewise. */
extern DatabaseResult database_pipeline_prepare(Database *database, const char *name,
												const char *sql, int parameters);
extern DatabaseResult database_pipeline_execute(Database *database, const char *name,
												int parameters, const char *const *values);
/* Sends a synchronisation point and reads all answers up to it; FAILED with the first error among
 * them. *rows: sum over the command tags. */
extern DatabaseResult database_pipeline_sync(Database *database, int64_t *rows);
extern DatabaseResult database_pipeline_end(Database *database);

/* Sets the message to one of the caller's own, without an SQLSTATE; returns DATABASE_FAILED. */
extern DatabaseResult database_fail(Database *database, const char *message);

/* The server process of this connection; 0 when closed. */
extern int database_backend_pid(const Database *database);

/* Whether this is one statement that the server understands; for set-up, as above. */
extern bool database_parse(Database *database, const char *sql);

#endif
