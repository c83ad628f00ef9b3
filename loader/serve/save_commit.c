#include "serve/save_commit.h"
#include "clock.h"
#include "message.h"
#include "serve/save_problem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For a server that restarts, or one that has not noticed yet that its client is gone. */
#define RESOLVE_FOR_NS   (10 * CLOCK_NS_PER_S)
#define RESOLVE_AGAIN_MS 100

#define SQLSTATE_INVALID_PARAMETER_VALUE "22023"

typedef enum Outcome
{
	OUTCOME_COMMITTED,
	OUTCOME_ABORTED,
	OUTCOME_LATER, /* not known yet */
	OUTCOME_UNKNOWN,
} Outcome;

static DatabaseResult
run_commit(Database *database, const char *last_sql)
{
	char *sql;
	PGresult *result;
	DatabaseResult ran;

	if (asprintf(&sql, "%s%sCOMMIT", last_sql == NULL ? "" : last_sql,
				 last_sql == NULL ? "" : "; ") < 0)
		return database_fail(database, "out of memory");
	ran = database_run(database, sql, DATABASE_WAIT_FOREVER, &result);
	free(sql);
	if (ran != DATABASE_OK)
		return ran;
	/* a transaction that had failed answers with another tag, and no error */
	if (strcmp(PQcmdStatus(result), "COMMIT") != 0)
		ran = database_fail(database, "the server rolled the transaction back");
	PQclear(result);
	return ran;
}

static Outcome
outcome_of(const char *status, bool server_is_same)
{
	if (strcmp(status, "aborted") == 0)
		return OUTCOME_ABORTED;
	if (strcmp(status, "in progress") == 0)
		return OUTCOME_LATER;
	return strcmp(status, "committed") == 0 && server_is_same ? OUTCOME_COMMITTED : OUTCOME_UNKNOWN;
}

/*
 * A server that crashed may forget a transaction of which nothing had reached its disk, and give
 * its number to another: so `committed` counts only when it has not crashed since, of which
 * the reset of its statistics is the one sign that every role can see. A standby may have
 * everything still to come.
 */
static DatabaseResult
run_status(Database *database, const SaveTransaction *transaction, int timeout_ms, PGresult **rows)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
			 "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN 'in progress'"
			 " ELSE pg_catalog.txid_status(%s) END,"
			 " pg_catalog.pg_postmaster_start_time() OPERATOR(pg_catalog.<) t AND"
			 " pg_catalog.pg_stat_get_bgwriter_stat_reset_time() OPERATOR(pg_catalog.<) t"
			 " FROM (SELECT '%s'::pg_catalog.timestamptz) AS s(t)",
			 transaction->id, transaction->started_at);
	return database_run(database, sql, timeout_ms, rows);
}

/* Asks on a new connection. */
static Outcome
ask(Database *database, const ConnectionOptions *connection, const SaveTransaction *transaction,
	int64_t left_ns)
{
	int timeout_ms = (int) (left_ns / CLOCK_NS_PER_MS) + 1;
	PGresult *rows;
	Outcome outcome;

	if (!database_is_open(database) &&
		database_open(database, connection, timeout_ms) != DATABASE_OK)
		return OUTCOME_LATER;
	switch (run_status(database, transaction, timeout_ms, &rows))
	{
		case DATABASE_OK:
			break;
		case DATABASE_FAILED:
			/* "in the future": it was forgotten, so it was not committed */
			return strcmp(database->sqlstate, SQLSTATE_INVALID_PARAMETER_VALUE) == 0
					   ? OUTCOME_ABORTED
					   : OUTCOME_UNKNOWN;
		default:
			return OUTCOME_LATER;
	}
	outcome = outcome_of(PQgetvalue(rows, 0, 0), *PQgetvalue(rows, 0, 1) == 't');
	PQclear(rows);
	return outcome;
}

static void
pause_ms(int milliseconds)
{
	struct timespec left = {.tv_nsec = milliseconds * CLOCK_NS_PER_MS};

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

static Outcome
resolve(Exchange *exchange, Database *database, const ConnectionOptions *connection,
		const SaveTransaction *transaction)
{
	int64_t deadline_ns = clock_now_ns() + RESOLVE_FOR_NS;
	int64_t left_ns;

	if (*transaction->id == '\0')
		return OUTCOME_UNKNOWN;
	while ((left_ns = deadline_ns - clock_now_ns()) > 0 && exchange_is_wanted(exchange))
	{
		Outcome outcome = ask(database, connection, transaction, left_ns);

		if (outcome != OUTCOME_LATER)
			return outcome;
		pause_ms(RESOLVE_AGAIN_MS);
	}
	return OUTCOME_UNKNOWN;
}

/* The connection broke within the COMMIT. */
static bool
commit_was_lost(Exchange *exchange, Database *database, const ConnectionOptions *connection,
				const SaveTransaction *transaction)
{
	Database before = *database; /* its words, for who is told */

	switch (resolve(exchange, database, connection, transaction))
	{
		case OUTCOME_COMMITTED:
			return true;
		case OUTCOME_ABORTED:
			save_problem_of_database(exchange, &before);
			return false;
		default:
			message_warning(
				"POST /save_to_db: the connection broke within the COMMIT of transaction "
				"%s, whose outcome is not known; the client gets no answer: %s",
				transaction->id, before.message);
			exchange_break(exchange);
			return false;
	}
}

bool
save_commit(Exchange *exchange, Database *database, const ConnectionOptions *connection,
			const char *last_sql, const SaveTransaction *transaction)
{
	int interrupt_fd = database->interrupt_fd, client_fd = database->client_fd;
	DatabaseResult result;
	bool committed;

	if (!exchange_begin_commit(exchange))
		return false;
	database->interrupt_fd = database->client_fd = -1;
	result = run_commit(database, last_sql);
	committed = result == DATABASE_OK;
	if (result == DATABASE_LOST)
		committed = commit_was_lost(exchange, database, connection, transaction);
	else if (!committed)
		save_problem_of_database(exchange, database);
	database->interrupt_fd = interrupt_fd;
	database->client_fd = client_fd;
	return committed;
}
