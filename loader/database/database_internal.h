/*
 * database_internal.h - what the files of database.h share, and nobody else uses.
 */
#ifndef TRANSFERBENCH_DATABASE_INTERNAL_H
#define TRANSFERBENCH_DATABASE_INTERNAL_H

#include "database/database.h"

#define DATABASE_NO_DEADLINE 0

typedef enum DatabaseWait
{
	DATABASE_WAIT_READY,
	DATABASE_WAIT_TIMEOUT,
	DATABASE_WAIT_INTERRUPTED,
} DatabaseWait;

/* Waits for POLLIN, POLLOUT or both of the server; *ready tells what came, errors of the socket
 * among it; NULL when of no interest. */
extern DatabaseWait database_wait(Database *database, short events, int64_t deadline_ns,
								  short *ready);

/* Sends what is still unsent and waits until a result can be taken without blocking: OK, QUIET
 * at the deadline, or INTERRUPTED. A lost connection is OK too: its result tells. */
extern DatabaseResult database_wait_for_result(Database *database, int64_t deadline_ns);

/* The same, all of it counted as waited_ns. */
extern DatabaseResult database_await(Database *database, int64_t deadline_ns);

/* Takes all results up to the end of what was sent; keeps the last one's, NULL unless OK. A
 * refusal does not end it before the end. */
extern DatabaseResult database_take_results(Database *database, int64_t deadline_ns,
											PGresult **last);

/* OK, or the result cleared, *result NULL, and FAILED or LOST with its message kept. */
extern DatabaseResult database_check_result(Database *database, PGresult **result);

/* Keeps the first line; `sqlstate` may be NULL. */
extern void database_keep_message(Database *database, const char *sqlstate, const char *message);

/* Keeps what libpq says of the connection, and closes it. */
extern DatabaseResult database_lose(Database *database);

/* The count of a command tag; 0 when it has none. */
extern int64_t database_tag_rows(PGresult *result);

/* Finds send_limit, and has the next sender look at the socket first. */
extern void database_begin_sending(Database *database);

#endif
