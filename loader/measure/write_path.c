#include "measure/write_path.h"
#include "clock.h"
#include "database/exact_settings.h"
#include "interrupt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CONNECT_TIMEOUT_MS 30000
/* Of a COMMIT's answer once a stop was asked for: after that it is in doubt. */
#define COMMIT_TIMEOUT_MS   60000
#define COMMIT_TIMEOUT_TEXT "60 s"

#define BEGIN_WRITING "BEGIN;" EXACT_INPUT_SETTINGS " SET LOCAL lock_timeout = '5s'"

const WritePath *const write_paths[] = {&write_path_copy_text, &write_path_copy_binary,
										&write_path_insert, &write_path_http_json, NULL};

const WritePath *
write_path_find(const char *name, size_t length)
{
	for (const WritePath *const *path = write_paths; *path != NULL; path++)
		if (strlen((*path)->name) == length && memcmp((*path)->name, name, length) == 0)
			return *path;
	return NULL;
}

void
write_job_problem(WriteJob *job, const char *format, ...)
{
	va_list arguments;

	if (*job->problem != '\0')
		return;
	va_start(arguments, format);
	vsnprintf(job->problem, sizeof(job->problem), format, arguments);
	va_end(arguments);
}

static void
keep_database_problem(WriteJob *job, const char *what)
{
	const Database *database = &job->database;

	write_job_problem(job, "%s%s%s%s", what, database->message,
					  *database->sqlstate ? ", SQLSTATE " : "", database->sqlstate);
}

bool
write_job_connect(WriteJob *job)
{
	DatabaseResult opened;

	database_init(&job->database, interrupt_fd());
	opened = database_open(&job->database, job->plan->connection, CONNECT_TIMEOUT_MS);
	if (opened == DATABASE_OK)
		return true;
	job->interrupted = opened == DATABASE_INTERRUPTED;
	keep_database_problem(job, "");
	return false;
}

void
write_job_disconnect(WriteJob *job)
{
	database_make_idle(&job->database);
	database_close(&job->database);
}

DatabaseResult
write_job_begin(WriteJob *job)
{
	return database_run(&job->database, BEGIN_WRITING, DATABASE_WAIT_FOREVER, NULL);
}

/* A COMMIT of a transaction that had failed answers ROLLBACK, and is no error for libpq. */
static bool
says_commit(PGresult *result)
{
	return strcmp(PQcmdStatus(result), "COMMIT") == 0;
}

/* The answer to a COMMIT that was sent, as long as it takes: for a synchronous standby, or a disk. */
static DatabaseResult
await_commit(Database *database, bool *committed)
{
	int timeout_ms = DATABASE_WAIT_FOREVER;
	DatabaseResult outcome = DATABASE_OK;

	for (;;)
	{
		PGresult *answer;
		DatabaseResult result = database_next(database, timeout_ms, &answer);

		if (result == DATABASE_OK && answer == NULL)
			return outcome;
		if (result == DATABASE_INTERRUPTED && database->interrupt_fd >= 0)
		{
			database->interrupt_fd = -1;
			timeout_ms = COMMIT_TIMEOUT_MS;
			continue;
		}
		if (result != DATABASE_OK && result != DATABASE_FAILED)
			return result;
		outcome = result;
		*committed = result == DATABASE_OK && says_commit(answer);
		PQclear(answer);
	}
}

BatchOutcome
write_job_commit(WriteJob *job, const Batch *batch)
{
	Database *database = &job->database;
	int interrupt = database->interrupt_fd;
	int64_t start_ns = clock_now_ns();
	bool committed = false;
	DatabaseResult result = database_send(database, "COMMIT");

	if (result == DATABASE_OK)
		result = await_commit(database, &committed);
	database->interrupt_fd = interrupt;
	job->commit_ns += clock_now_ns() - start_ns;
	if (result == DATABASE_OK && committed)
		return BATCH_COMMITTED;
	if (result == DATABASE_OK || result == DATABASE_FAILED)
	{
		keep_database_problem(job, "COMMIT was refused: ");
		return BATCH_NOT_WRITTEN;
	}
	write_job_problem(job, "batch %lld: the answer to COMMIT did not come: %s",
					  (long long) batch->number,
					  result == DATABASE_QUIET ? "not within " COMMIT_TIMEOUT_TEXT " of the stop"
											   : database->message);
	/* nobody may take the late answer for that of the next statement */
	database_close(database);
	return BATCH_IN_DOUBT;
}

BatchOutcome
write_job_abandon(WriteJob *job, const Batch *batch, DatabaseResult result)
{
	char what[64];

	if (result == DATABASE_INTERRUPTED)
		job->interrupted = true;
	else
	{
		snprintf(what, sizeof(what), "batch %lld: ", (long long) batch->number);
		keep_database_problem(job, what);
	}
	database_make_idle(&job->database);
	return BATCH_NOT_WRITTEN;
}
