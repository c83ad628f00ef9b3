#include "database/database_internal.h"
#include "clock.h"
#include "options.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE ", line " /* before the number of a row, in the context of a COPY's error */

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
	PQfreemem(database->row);
	database->row = NULL;
	PQfinish(database->connection);
	database->connection = NULL;
}

int
database_backend_pid(const Database *database)
{
	return database_is_open(database) ? PQbackendPID(database->connection) : 0;
}

void
database_keep_message(Database *database, const char *sqlstate, const char *message)
{
	size_t length = strcspn(message, "\n");

	if (length >= sizeof(database->message))
		length = sizeof(database->message) - 1;
	memcpy(database->message, message, length);
	database->message[length] = '\0';
	database->place = length;
	database->place_row = 0;
	strncpy(database->sqlstate, sqlstate == NULL ? "" : sqlstate, sizeof(database->sqlstate) - 1);
}

DatabaseResult
database_fail(Database *database, const char *message)
{
	database_keep_message(database, NULL, message);
	return DATABASE_FAILED;
}

/* Adds where in the data of a COPY it was, "COPY t, line 3, column id", without the data. */
static void
add_place(Database *database, const char *context)
{
	const char *value, *line;
	size_t length;

	if (context == NULL || strncmp(context, "COPY ", 5) != 0)
		return;
	value = strstr(context, ": \"");
	length = strcspn(context, "\n");
	if (value != NULL && value < context + length)
		length = (size_t) (value - context);
	snprintf(database->message + database->place, sizeof(database->message) - database->place,
			 " (%.*s)", (int) length, context);
	line = strstr(context, LINE);
	if (line != NULL && line < context + length)
		database->place_row = strtoll(line + strlen(LINE), NULL, 10);
}

static void
keep_result_message(Database *database, const PGresult *result)
{
	const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	database_keep_message(database, PQresultErrorField(result, PG_DIAG_SQLSTATE),
						  primary != NULL ? primary : PQresultErrorMessage(result));
	add_place(database, PQresultErrorField(result, PG_DIAG_CONTEXT));
}

DatabaseResult
database_lose(Database *database)
{
	database_keep_message(database, NULL, PQerrorMessage(database->connection));
	database_close(database);
	return DATABASE_LOST;
}

/* Dropped but for their number: a COPY must tell them from the end of its reception. */
static void
count_notice(void *context, const PGresult *result)
{
	Database *database = context;

	(void) result;
	database->notices++;
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
		database_keep_message(database, NULL, "out of memory");
		return DATABASE_LOST;
	}
	if (PQstatus(database->connection) == CONNECTION_BAD)
		return database_lose(database);
	while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED)
	{
		DatabaseWait waited = database_wait(
			database, status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline_ns, NULL);

		if (waited != DATABASE_WAIT_READY)
		{
			database_close(database);
			if (waited == DATABASE_WAIT_INTERRUPTED)
				return DATABASE_INTERRUPTED;
			database_keep_message(database, NULL, "timeout while connecting to the server");
			return DATABASE_LOST;
		}
		status = PQconnectPoll(database->connection);
	}
	if (status == PGRES_POLLING_FAILED)
		return database_lose(database);
	PQsetNoticeReceiver(database->connection, count_notice, database);
	/* a server that does not read must not hold up what can be interrupted */
	if (PQsetnonblocking(database->connection, true) != 0)
		return database_lose(database);
	return DATABASE_OK;
}

DatabaseResult
database_send(Database *database, const char *sql)
{
	if (!PQsendQuery(database->connection, sql))
		return database_lose(database);
	if (!PQsetSingleRowMode(database->connection))
		return database_lose(database);
	return DATABASE_OK;
}

/* FATAL and PANIC end the session: the server closes the connection next. */
static bool
ends_session(const PGresult *result)
{
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);

	return severity != NULL && (strcmp(severity, "FATAL") == 0 || strcmp(severity, "PANIC") == 0);
}

DatabaseResult
database_check_result(Database *database, PGresult **result)
{
	bool ended = false;

	switch (PQresultStatus(*result))
	{
		case PGRES_SINGLE_TUPLE:
		case PGRES_TUPLES_OK:
		case PGRES_COMMAND_OK:
			return DATABASE_OK;
		case PGRES_COPY_IN:
		case PGRES_COPY_OUT:
		case PGRES_COPY_BOTH:
			database_keep_message(database, NULL, "a COPY where none was expected");
			ended = true;
			break;
		default:
			keep_result_message(database, *result);
			ended = ends_session(*result);
			break;
	}
	PQclear(*result);
	*result = NULL;
	if (database_is_open(database) && !ended)
		return DATABASE_FAILED;
	database_close(database);
	return DATABASE_LOST;
}

int64_t
database_tag_rows(PGresult *result)
{
	int64_t rows;
	const char *count = PQcmdTuples(result);

	return parse_digits(count, strlen(count), &rows) ? rows : 0;
}

static int64_t
deadline_after(int timeout_ms)
{
	return timeout_ms < 0 ? DATABASE_NO_DEADLINE : clock_now_ns() + timeout_ms * CLOCK_NS_PER_MS;
}

DatabaseResult
database_next(Database *database, int quiet_ms, PGresult **result)
{
	DatabaseResult waited = DATABASE_OK;

	*result = NULL;
	if (PQisBusy(database->connection))
		waited = database_await(database, deadline_after(quiet_ms));
	if (waited != DATABASE_OK)
		return waited;
	*result = PQgetResult(database->connection);
	if (*result != NULL)
		return database_check_result(database, result);
	return database_is_open(database) ? DATABASE_OK : database_lose(database);
}

DatabaseResult
database_take_results(Database *database, int64_t deadline_ns, PGresult **last)
{
	DatabaseResult outcome = DATABASE_OK;

	*last = NULL;
	for (;;)
	{
		DatabaseResult checked = database_await(database, deadline_ns);
		PGresult *result = checked == DATABASE_OK ? PQgetResult(database->connection) : NULL;

		if (result != NULL)
			checked = database_check_result(database, &result);
		else if (checked == DATABASE_OK && !database_is_open(database))
			checked = database_lose(database);
		else if (checked == DATABASE_OK)
			return outcome;
		PQclear(*last);
		*last = result;
		if (checked == DATABASE_FAILED)
			outcome = checked;
		else if (checked != DATABASE_OK)
			return checked;
	}
}

DatabaseResult
database_run(Database *database, const char *sql, int timeout_ms, PGresult **result)
{
	PGresult *last;
	DatabaseResult outcome;

	if (result != NULL)
		*result = NULL;
	if (!PQsendQuery(database->connection, sql))
		return database_lose(database);
	outcome = database_take_results(database, deadline_after(timeout_ms), &last);
	if (outcome == DATABASE_QUIET)
		database_keep_message(database, NULL, "no answer within the time given");
	if (result != NULL && outcome == DATABASE_OK)
		*result = last;
	else
		PQclear(last);
	return outcome;
}

/* Waits for a statement that was sent, or was not. NULL, and the message kept, unless all was
 * well. */
static PGresult *
await_statement(Database *database, bool was_sent)
{
	PGresult *result;

	if (!was_sent)
	{
		database_lose(database);
		return NULL;
	}
	if (database_take_results(database, DATABASE_NO_DEADLINE, &result) == DATABASE_INTERRUPTED)
		database_make_idle(database);
	return result;
}

PGresult *
database_execute(Database *database, const char *sql, int parameters, const char *const *values)
{
	return await_statement(database, PQsendQueryParams(database->connection, sql, parameters, NULL,
													   values, NULL, NULL, 0));
}

bool
database_parse(Database *database, const char *sql)
{
	PGresult *parsed =
		await_statement(database, PQsendPrepare(database->connection, "", sql, 0, NULL));

	PQclear(parsed);
	return parsed != NULL;
}
