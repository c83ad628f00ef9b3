#include "database/database_internal.h"
#include "clock.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Sent at once: below this system calls cost too much, above it nothing is gained. */
#define SEND_MIN_BYTES 8192
#define SEND_MAX_BYTES 65536

/* A socket is writable once a good part of its buffer is free, a third of it with TCP; the kernel
 * may count twice what is in it. */
#define SEND_BUFFER_PARTS 8

/* Since then ParameterStatus waits for the end of the statement; before, it could come within a
 * COPY, and be taken for the end. */
#define SERVER_THAT_IS_SILENT_IN_COPY 140000

void
database_begin_sending(Database *database)
{
	int buffer_bytes = 0;
	socklen_t size = sizeof(buffer_bytes);

	database->send_limit = SEND_MAX_BYTES;
	if (getsockopt(PQsocket(database->connection), SOL_SOCKET, SO_SNDBUF, &buffer_bytes, &size) ==
		0)
		database->send_limit = (size_t) buffer_bytes / SEND_BUFFER_PARTS;
	if (database->send_limit > SEND_MAX_BYTES)
		database->send_limit = SEND_MAX_BYTES;
	if (database->send_limit < SEND_MIN_BYTES)
		database->send_limit = SEND_MIN_BYTES;
	database->sent = database->send_limit;
}

/* Sends a COPY and waits until it has begun. */
static DatabaseResult
begin_copy(Database *database, const char *sql, ExecStatusType direction)
{
	PGresult *result = NULL;
	DatabaseResult outcome;

	if (!PQsendQuery(database->connection, sql))
		return database_lose(database);
	for (;;)
	{
		outcome = database_await(database, DATABASE_NO_DEADLINE);
		if (outcome != DATABASE_OK)
			return outcome;
		result = PQgetResult(database->connection);
		if (result == NULL || PQresultStatus(result) == direction)
			break;
		outcome = database_check_result(database, &result);
		PQclear(result);
		if (outcome == DATABASE_LOST)
			return outcome;
		if (outcome == DATABASE_FAILED)
		{
			DatabaseResult rest = database_take_results(database, DATABASE_NO_DEADLINE, &result);

			return rest == DATABASE_OK ? outcome : rest;
		}
	}
	if (result != NULL)
	{
		PQclear(result);
		return DATABASE_OK;
	}
	if (!database_is_open(database))
		return database_lose(database);
	database_keep_message(database, NULL, "the statement is not a COPY");
	return DATABASE_FAILED;
}

/*
 * Within a COPY FROM the server says nothing but notices, until it refuses. So that all else means
 * the end, it is asked to keep its notices to itself: one that comes together with an error
 * would hide it, since libpq shows no error before the end of the data. (INFO cannot be silenced:
 * an error that arrives together with one is found at the end.)
 */
DatabaseResult
database_copy_in_begin(Database *database, const char *sql)
{
	DatabaseResult begun;
	char *both;

	if (asprintf(&both, "SET LOCAL client_min_messages = error; %s", sql) < 0)
	{
		database_keep_message(database, NULL, "out of memory");
		return DATABASE_FAILED;
	}
	begun = begin_copy(database, both, PGRES_COPY_IN);
	free(both);
	if (begun == DATABASE_OK)
		database_begin_sending(database);
	return begun;
}

/* Queues the end of the data. */
static DatabaseResult
put_end(Database *database, const char *abort_reason)
{
	int put;

	/* 0: no memory for it, until some of what is queued has gone */
	while ((put = PQputCopyEnd(database->connection, abort_reason)) == 0)
	{
		if (PQflush(database->connection) < 0 || !database_is_open(database))
			return database_lose(database);
		if (database_wait(database, POLLOUT, DATABASE_NO_DEADLINE, NULL) ==
			DATABASE_WAIT_INTERRUPTED)
			return DATABASE_INTERRUPTED;
	}
	return put < 0 ? database_lose(database) : DATABASE_OK;
}

/* The server has ended the COPY, or the connection: finds out why. */
static DatabaseResult
take_refusal(Database *database)
{
	PGresult *result;
	DatabaseResult outcome = put_end(database, "the server answered before the end of the data");

	if (outcome != DATABASE_OK)
		return outcome;
	outcome = database_take_results(database, DATABASE_NO_DEADLINE, &result);
	PQclear(result);
	if (outcome != DATABASE_OK)
		return outcome;
	database_keep_message(database, NULL, "the server ended the COPY before the end of the data");
	return DATABASE_FAILED;
}

/* Reads what the server says in the middle of the data. */
static DatabaseResult
listen_to_server(Database *database)
{
	PGconn *connection = database->connection;
	unsigned notices = database->notices;

	PQconsumeInput(connection);
	/* has it read through; in this state it is never busy */
	if (PQisBusy(connection))
		return DATABASE_OK;
	if (database_is_open(database) && (database->notices != notices ||
									   PQserverVersion(connection) < SERVER_THAT_IS_SILENT_IN_COPY))
		return DATABASE_OK;
	return take_refusal(database);
}

/*
 * Waits until send_limit bytes fit into the socket. libpq must not meet a full one: it would
 * then read, to avoid a deadlock, and what it has read can no longer be waited for.
 */
static DatabaseResult
wait_for_room(Database *database)
{
	int64_t start_ns = clock_now_ns();
	short ready = 0;
	int unsent = 0;

	do
	{
		if (unsent < 0 || !database_is_open(database))
			return take_refusal(database);
		if (database_wait(database, POLLIN | POLLOUT, DATABASE_NO_DEADLINE, &ready) ==
			DATABASE_WAIT_INTERRUPTED)
			return DATABASE_INTERRUPTED;
		if (ready != POLLOUT)
		{
			DatabaseResult heard = listen_to_server(database);

			if (heard != DATABASE_OK)
				return heard;
		}
		if (ready & POLLOUT)
			unsent = PQflush(database->connection);
	} while (!(ready & POLLOUT) || unsent != 0);
	database->waited_ns += clock_now_ns() - start_ns;
	database->sent = 0;
	return DATABASE_OK;
}

/* What the server said while the caller made its rows is heard before more is sent: a write to a
 * connection that has been closed would fail first, and take the reason with it. */
static DatabaseResult
hear_out(Database *database)
{
	struct pollfd server = {.fd = PQsocket(database->connection), .events = POLLIN};

	return poll(&server, 1, 0) > 0 ? listen_to_server(database) : DATABASE_OK;
}

DatabaseResult
database_copy_in_put(Database *database, const char *bytes, size_t length)
{
	DatabaseResult heard = hear_out(database);

	if (heard != DATABASE_OK)
		return heard;
	while (length > 0)
	{
		size_t piece = length < database->send_limit ? length : database->send_limit;
		int put;

		if (database->sent + piece > database->send_limit)
		{
			DatabaseResult waited = wait_for_room(database);

			if (waited != DATABASE_OK)
				return waited;
		}
		put = PQputCopyData(database->connection, bytes, (int) piece);
		if (put < 0)
			return take_refusal(database);
		database->sent += piece;
		/* 0: no memory for it, until some of what is queued has gone */
		if (put == 0)
			continue;
		bytes += piece;
		length -= piece;
	}
	return DATABASE_OK;
}

/* Whether the server took note of our own wish, rather than failing by itself. */
static bool
is_our_abort(const Database *database, const char *abort_reason)
{
	return strcmp(database->sqlstate, "57014") == 0 &&
		   strstr(database->message, abort_reason) != NULL;
}

DatabaseResult
database_copy_in_end(Database *database, const char *abort_reason, int64_t *rows)
{
	PGresult *result;
	DatabaseResult outcome = hear_out(database);

	if (rows != NULL)
		*rows = 0;
	if (outcome == DATABASE_OK)
		outcome = put_end(database, abort_reason);
	if (outcome != DATABASE_OK)
		return outcome;
	outcome = database_take_results(database, DATABASE_NO_DEADLINE, &result);
	if (outcome == DATABASE_FAILED && abort_reason != NULL && is_our_abort(database, abort_reason))
		return DATABASE_OK;
	if (outcome == DATABASE_OK && rows != NULL)
		*rows = database_tag_rows(result);
	PQclear(result);
	return outcome;
}

DatabaseResult
database_copy_out_begin(Database *database, const char *sql)
{
	return begin_copy(database, sql, PGRES_COPY_OUT);
}

/* Waits for a row's bytes. A lost connection is found afterwards, behind all that came before. */
static DatabaseResult
wait_for_row(Database *database)
{
	int64_t start_ns = clock_now_ns();
	DatabaseWait waited;

	if (!database_is_open(database))
		return database_lose(database);
	waited = database_wait(database, POLLIN, DATABASE_NO_DEADLINE, NULL);
	if (waited == DATABASE_WAIT_READY)
		PQconsumeInput(database->connection);
	database->waited_ns += clock_now_ns() - start_ns;
	return waited == DATABASE_WAIT_INTERRUPTED ? DATABASE_INTERRUPTED : DATABASE_OK;
}

DatabaseResult
database_copy_out_next(Database *database, char **bytes, size_t *length)
{
	PGresult *result;
	DatabaseResult outcome;
	int got;

	PQfreemem(database->row);
	database->row = NULL;
	*bytes = NULL;
	*length = 0;
	while ((got = PQgetCopyData(database->connection, &database->row, true)) == 0)
	{
		outcome = wait_for_row(database);
		if (outcome != DATABASE_OK)
			return outcome;
	}
	if (got > 0)
	{
		*bytes = database->row;
		*length = (size_t) got;
		return DATABASE_OK;
	}
	if (got == -2)
		return database_lose(database);
	outcome = database_take_results(database, DATABASE_NO_DEADLINE, &result);
	PQclear(result);
	return outcome;
}
