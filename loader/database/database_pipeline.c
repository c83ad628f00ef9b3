#include "database/database_internal.h"
#include "clock.h"

#include <poll.h>
#include <string.h>

/* Of the messages that one statement is sent in, beside its text and values. */
#define STATEMENT_OVERHEAD_BYTES 48

DatabaseResult
database_pipeline_begin(Database *database)
{
	if (!PQenterPipelineMode(database->connection))
		return database_lose(database);
	database->unanswered = 0;
	database->has_failed = false;
	database->rows = 0;
	database_begin_sending(database);
	return DATABASE_OK;
}

/*
 * Takes the next answer; *synchronised when it is that to a synchronisation point. FAILED
 * at the first error only: what follows it up to that point is merely passed over.
 */
static DatabaseResult
take_answer(Database *database, bool *synchronised)
{
	PGresult *result = PQgetResult(database->connection);
	DatabaseResult outcome = DATABASE_OK;

	if (result == NULL)
	{
		database->unanswered--;
		return database_is_open(database) ? DATABASE_OK : database_lose(database);
	}
	switch (PQresultStatus(result))
	{
		case PGRES_PIPELINE_SYNC:
			*synchronised = true;
			break;
		case PGRES_PIPELINE_ABORTED:
			break;
		default:
			outcome = database_check_result(database, &result);
			if (outcome == DATABASE_OK)
				database->rows += database_tag_rows(result);
			else
				database->has_failed = true;
			break;
	}
	PQclear(result);
	return outcome;
}

/* Takes all that has come: statements that were answered need no memory. */
static DatabaseResult
take_answers(Database *database)
{
	bool synchronised = false;

	PQconsumeInput(database->connection);
	while (database->unanswered > 0 && !PQisBusy(database->connection))
		if (take_answer(database, &synchronised) == DATABASE_LOST)
			return DATABASE_LOST;
	return database->has_failed ? DATABASE_FAILED : DATABASE_OK;
}

/* Sends what is queued, and reads meanwhile: the server stops when its answers find no room. */
static DatabaseResult
flush(Database *database)
{
	int64_t start_ns = clock_now_ns();
	DatabaseResult outcome = DATABASE_OK;

	while (outcome == DATABASE_OK && PQflush(database->connection) > 0)
	{
		short ready = 0;

		if (database_wait(database, POLLIN | POLLOUT, DATABASE_NO_DEADLINE, &ready) ==
			DATABASE_WAIT_INTERRUPTED)
			outcome = DATABASE_INTERRUPTED;
		else if (ready != POLLOUT)
			outcome = take_answers(database);
	}
	database->sent = 0;
	database->waited_ns += clock_now_ns() - start_ns;
	return outcome == DATABASE_OK ? take_answers(database) : outcome;
}

/* After libpq was given a statement of about `length` bytes, or refused it. */
static DatabaseResult
after_send(Database *database, bool was_sent, size_t length)
{
	if (!was_sent)
	{
		if (!database_is_open(database))
			return database_lose(database);
		database_keep_message(database, NULL, PQerrorMessage(database->connection));
		database->has_failed = true;
		return DATABASE_FAILED;
	}
	database->unanswered++;
	database->sent += length + STATEMENT_OVERHEAD_BYTES;
	return database->sent < database->send_limit ? DATABASE_OK : flush(database);
}

static size_t
values_length(int parameters, const char *const *values)
{
	size_t length = 0;

	for (int i = 0; i < parameters; i++)
		length += sizeof(int32_t) + (values[i] == NULL ? 0 : strlen(values[i]));
	return length;
}

DatabaseResult
database_pipeline_send(Database *database, const char *sql, int parameters,
					   const char *const *values)
{
	bool was_sent =
		PQsendQueryParams(database->connection, sql, parameters, NULL, values, NULL, NULL, 0);

	return after_send(database, was_sent, strlen(sql) + values_length(parameters, values));
}

DatabaseResult
database_pipeline_prepare(Database *database, const char *name, const char *sql, int parameters)
{
	bool was_sent = PQsendPrepare(database->connection, name, sql, parameters, NULL);

	return after_send(database, was_sent, strlen(sql));
}

DatabaseResult
database_pipeline_execute(Database *database, const char *name, int parameters,
						  const char *const *values)
{
	bool was_sent =
		PQsendQueryPrepared(database->connection, name, parameters, values, NULL, NULL, 0);

	return after_send(database, was_sent, values_length(parameters, values));
}

DatabaseResult
database_pipeline_sync(Database *database, int64_t *rows)
{
	bool synchronised = false, has_failed;

	if (rows != NULL)
		*rows = 0;
	if (!PQpipelineSync(database->connection))
		return database_lose(database);
	while (!synchronised)
	{
		DatabaseResult waited = database_await(database, DATABASE_NO_DEADLINE);

		if (waited != DATABASE_OK)
			return waited;
		if (take_answer(database, &synchronised) == DATABASE_LOST)
			return DATABASE_LOST;
	}
	has_failed = database->has_failed;
	if (rows != NULL)
		*rows = database->rows;
	database->unanswered = 0;
	database->has_failed = false;
	database->rows = 0;
	database->sent = 0;
	return has_failed ? DATABASE_FAILED : DATABASE_OK;
}

DatabaseResult
database_pipeline_end(Database *database)
{
	DatabaseResult outcome = DATABASE_OK;

	if (database->unanswered > 0)
		outcome = database_pipeline_sync(database, NULL);
	if (outcome != DATABASE_OK && outcome != DATABASE_FAILED)
		return outcome;
	return PQexitPipelineMode(database->connection) ? outcome : database_lose(database);
}
