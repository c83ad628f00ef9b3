#include "database/database.h"
#include "clock.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* A client that sends no more may have half-closed its connection and still read (RFC 9112, section
 * 9.6); one that has gone looks the same until something is sent to it. */
#define CLIENT_GRACE_NS (1 * CLOCK_NS_PER_S)
/* For the rest of a cancelled result; a new connection costs less than a longer wait. */
#define MAKE_IDLE_MS 2000

typedef enum WaitResult
{
	WAIT_READY,
	WAIT_TIMEOUT,
	WAIT_INTERRUPTED,
} WaitResult;

void
database_init(Database *database, int interrupt_fd)
{
	*database = (Database){.interrupt_fd = interrupt_fd, .client_fd = -1};
}

bool
database_is_open(const Database *database)
{
	return database->connection != NULL && PQstatus(database->connection) == CONNECTION_OK;
}

void
database_close(Database *database)
{
	PQfinish(database->connection);
	database->connection = NULL;
}

/* Keeps the first line of what libpq says. */
static void
keep_message(Database *database, const char *sqlstate, const char *message)
{
	size_t length = strcspn(message, "\n");

	if (length >= sizeof(database->message))
		length = sizeof(database->message) - 1;
	memcpy(database->message, message, length);
	database->message[length] = '\0';
	strncpy(database->sqlstate, sqlstate == NULL ? "" : sqlstate, sizeof(database->sqlstate) - 1);
}

static void
keep_result_message(Database *database, const PGresult *result)
{
	const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	keep_message(database, PQresultErrorField(result, PG_DIAG_SQLSTATE),
				 primary != NULL ? primary : PQresultErrorMessage(result));
}

static DatabaseResult
lose(Database *database)
{
	keep_message(database, NULL, PQerrorMessage(database->connection));
	database_close(database);
	return DATABASE_LOST;
}

/* Waits for the server once; TIMEOUT may come early. */
static WaitResult
wait_once(Database *database, short events, int timeout_ms)
{
	struct pollfd fds[3] = {
		{.fd = PQsocket(database->connection), .events = events},
		{.fd = database->interrupt_fd, .events = POLLIN},
		{.fd = database->client_fd, .events = POLLRDHUP},
	};

	if (poll(fds, 3, timeout_ms) < 0)
		return WAIT_TIMEOUT; /* EINTR, ENOMEM: come again */
	if (fds[1].revents != 0 || fds[2].revents != 0)
		return WAIT_INTERRUPTED;
	return fds[0].revents != 0 ? WAIT_READY : WAIT_TIMEOUT;
}

/* Waits until `deadline_ns`, or for ever when it is 0. */
static WaitResult
wait_until(Database *database, short events, int64_t deadline_ns)
{
	WaitResult result;
	int64_t now_ns;

	do
	{
		int timeout_ms = DATABASE_WAIT_FOREVER;

		now_ns = clock_now_ns();
		if (deadline_ns != 0)
			timeout_ms =
				now_ns >= deadline_ns
					? 0
					: (int) ((deadline_ns - now_ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS);
		result = wait_once(database, events, timeout_ms);
	} while (result == WAIT_TIMEOUT && (deadline_ns == 0 || now_ns < deadline_ns));
	return result;
}

static void
ignore_notice(void *context, const PGresult *result)
{
	(void) context;
	(void) result;
}

DatabaseResult
database_open(Database *database, const ConnectionOptions *options, int timeout_ms)
{
	const char *keywords[CONNECTION_PARAMETERS], *values[CONNECTION_PARAMETERS];
	int64_t deadline_ns = clock_now_ns() + timeout_ms * CLOCK_NS_PER_MS;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	database_close(database);
	connection_options_parameters(options, keywords, values);
	database->connection = PQconnectStartParams(keywords, values, 1);
	if (database->connection == NULL)
	{
		keep_message(database, NULL, "out of memory");
		return DATABASE_LOST;
	}
	if (PQstatus(database->connection) == CONNECTION_BAD)
		return lose(database);
	while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED)
	{
		WaitResult waited =
			wait_until(database, status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline_ns);

		if (waited != WAIT_READY)
		{
			database_close(database);
			keep_message(database, NULL, "timeout while connecting to the server");
			return waited == WAIT_INTERRUPTED ? DATABASE_INTERRUPTED : DATABASE_LOST;
		}
		status = PQconnectPoll(database->connection);
	}
	if (status == PGRES_POLLING_FAILED)
		return lose(database);
	PQsetNoticeReceiver(database->connection, ignore_notice, NULL);
	return DATABASE_OK;
}

DatabaseResult
database_send(Database *database, const char *sql)
{
	if (!PQsendQuery(database->connection, sql))
		return lose(database);
	if (!PQsetSingleRowMode(database->connection))
		return lose(database);
	return DATABASE_OK;
}

/* Waits until a result can be taken without blocking. */
static DatabaseResult
wait_for_result(Database *database, int64_t deadline_ns)
{
	while (PQisBusy(database->connection))
	{
		switch (wait_until(database, POLLIN, deadline_ns))
		{
			case WAIT_INTERRUPTED:
				return DATABASE_INTERRUPTED;
			case WAIT_TIMEOUT:
				return DATABASE_QUIET;
			case WAIT_READY:
				break;
		}
		/* a failure is found by PQgetResult, with all that arrived before it */
		if (!PQconsumeInput(database->connection) && !database_is_open(database))
			break;
	}
	return DATABASE_OK;
}

/* FATAL and PANIC end the session: the server closes the connection next. */
static bool
ends_session(const PGresult *result)
{
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

	return severity != NULL && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0);
}

/* Sorts out what came; clears it unless it is handed on. */
static DatabaseResult
check_result(Database *database, PGresult **result)
{
	bool ended;

	switch (PQresultStatus(*result))
	{
		case PGRES_SINGLE_TUPLE:
		case PGRES_TUPLES_OK:
		case PGRES_COMMAND_OK:
			return DATABASE_OK;
		default:
			keep_result_message(database, *result);
			ended = ends_session(*result);
			PQclear(*result);
			*result = NULL;
			if (database_is_open(database) && !ended)
				return DATABASE_FAILED;
			database_close(database);
			return DATABASE_LOST;
	}
}

DatabaseResult
database_next(Database *database, int quiet_ms, PGresult **result)
{
	*result = NULL;
	if (PQisBusy(database->connection))
	{
		int64_t start_ns = clock_now_ns();
		int64_t deadline_ns = quiet_ms < 0 ? 0 : start_ns + quiet_ms * CLOCK_NS_PER_MS;
		DatabaseResult waited = wait_for_result(database, deadline_ns);

		database->waited_ns += clock_now_ns() - start_ns;
		if (waited != DATABASE_OK)
			return waited;
	}
	*result = PQgetResult(database->connection);
	if (*result != NULL)
		return check_result(database, result);
	return database_is_open(database) ? DATABASE_OK : lose(database);
}

static void
cancel(Database *database)
{
	PGcancel *handle = PQgetCancel(database->connection);

	if (handle != NULL)
	{
		char problem[256];

		/* when it fails the rest does not end in time, and the connection is closed */
		PQcancel(handle, problem, sizeof(problem));
	}
	PQfreeCancel(handle);
}

/* Takes and drops results until there are none; false when time is over. */
static bool
drain(Database *database, int64_t deadline_ns)
{
	PGresult *result;

	do
	{
		if (wait_for_result(database, deadline_ns) != DATABASE_OK || clock_now_ns() > deadline_ns)
			return false;
		result = PQgetResult(database->connection);
		PQclear(result);
	} while (result != NULL);
	return true;
}

void
database_make_idle(Database *database)
{
	int64_t deadline_ns = clock_now_ns() + MAKE_IDLE_MS * CLOCK_NS_PER_MS;
	Database quiet; /* nobody is to interrupt what is meant to leave order behind */

	if (!database_is_open(database))
	{
		database_close(database);
		return;
	}
	if (PQtransactionStatus(database->connection) == PQTRANS_IDLE)
		return;
	quiet = *database;
	quiet.interrupt_fd = quiet.client_fd = -1;
	if (PQtransactionStatus(quiet.connection) == PQTRANS_ACTIVE)
		cancel(&quiet);
	if (!drain(&quiet, deadline_ns) ||
		(PQtransactionStatus(quiet.connection) != PQTRANS_IDLE &&
		 (!PQsendQuery(quiet.connection, "ROLLBACK") || !drain(&quiet, deadline_ns))) ||
		PQtransactionStatus(quiet.connection) != PQTRANS_IDLE)
		database_close(database);
}

/* NULL, and the message kept, unless all was well. */
static PGresult *
keep_if_well(Database *database, PGresult *result)
{
	if (PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK)
		return result;
	if (result != NULL)
		keep_result_message(database, result);
	else
		keep_message(database, NULL, PQerrorMessage(database->connection));
	PQclear(result);
	return NULL;
}

PGresult *
database_execute(Database *database, const char *sql, int parameters, const char *const *values)
{
	return keep_if_well(
		database, PQexecParams(database->connection, sql, parameters, NULL, values, NULL, NULL, 0));
}

bool
database_parse(Database *database, const char *sql)
{
	PGresult *parsed = keep_if_well(database, PQprepare(database->connection, "", sql, 0, NULL));

	PQclear(parsed);
	return parsed != NULL;
}
