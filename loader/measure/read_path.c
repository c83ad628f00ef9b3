#include "measure/read_path.h"
#include "interrupt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CONNECT_TIMEOUT_MS 30000

const ReadPath *const read_paths[] = {&read_path_copy_text, &read_path_copy_binary,
									  &read_path_select, &read_path_http_json, NULL};

const ReadPath *
read_path_find(const char *name, size_t length)
{
	for (const ReadPath *const *path = read_paths; *path != NULL; path++)
		if (strlen((*path)->name) == length && memcmp((*path)->name, name, length) == 0)
			return *path;
	return NULL;
}

char *
read_job_select(const ReadJob *job, int64_t n)
{
	return query_source_select(
		job->plan->source, job->sink->digest != NULL ? job->plan->digest_list : QUERY_LIST_PLAIN, n,
		0);
}

ReadOutcome
read_job_fail(ReadJob *job, const char *format, ...)
{
	va_list arguments;

	if (*job->problem != '\0')
		return READ_FAILED;
	va_start(arguments, format);
	vsnprintf(job->problem, sizeof(job->problem), format, arguments);
	va_end(arguments);
	if (job->http != NULL)
		http_session_conceal(job->http, job->problem);
	return READ_FAILED;
}

ReadOutcome
read_job_fail_by_database(ReadJob *job, DatabaseResult result)
{
	const Database *database = &job->database;

	if (result == DATABASE_INTERRUPTED)
		return READ_INTERRUPTED;
	return read_job_fail(job, "%s%s%s", database->message, *database->sqlstate ? ", SQLSTATE " : "",
						 database->sqlstate);
}

ReadOutcome
read_job_fail_by_sink(ReadJob *job)
{
	const RowSink *sink = job->sink;

	if (sink->interrupted)
		return READ_INTERRUPTED;
	return read_job_fail(job, "row %lld: %s", (long long) sink->rows, sink->problem);
}

bool
read_job_connect(ReadJob *job)
{
	DatabaseResult opened;

	database_init(&job->database, interrupt_fd());
	opened = database_open(&job->database, job->plan->connection, CONNECT_TIMEOUT_MS);
	if (opened != DATABASE_OK)
		read_job_fail_by_database(job, opened);
	return opened == DATABASE_OK;
}

void
read_job_disconnect(ReadJob *job)
{
	database_make_idle(&job->database);
	database_close(&job->database);
}
