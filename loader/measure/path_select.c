/* path_select.c - SELECT, its rows one by one as text (libpq's single-row mode). */
#include "clock.h"
#include "measure/read_path.h"
#include "rows/value_text.h"

#include <stdio.h>
#include <stdlib.h>

static ReadOutcome
take_row(ReadJob *job, const PGresult *row, Value *values)
{
	const RowType *type = job->sink->type;

	for (int i = 0; i < type->columns; i++)
	{
		size_t length = (size_t) PQgetlength(row, 0, i);

		values[i].is_null = length == 0 && PQgetisnull(row, 0, i);
		if (values[i].is_null)
			continue;
		job->bytes += (int64_t) length;
		if (!value_from_text(type->column[i].type, PQgetvalue(row, 0, i), length, &values[i]))
			return read_job_fail(job, "row %lld, column \"%s\": no value of type %s",
								 (long long) job->sink->rows + 1, type->column[i].name,
								 type->column[i].type_name);
	}
	if (row_sink_take(job->sink, values))
		return READ_DONE;
	return read_job_fail_by_sink(job);
}

static ReadOutcome
read_all(ReadJob *job, Value *values, int64_t start_ns)
{
	Database *database = &job->database;
	int64_t waited_before_ns = 0;
	ReadOutcome outcome = READ_DONE;

	while (outcome == READ_DONE)
	{
		PGresult *result;
		DatabaseResult got = database_next(database, DATABASE_WAIT_FOREVER, &result);

		if (got != DATABASE_OK)
			return read_job_fail_by_database(job, got);
		if (result == NULL)
			break;
		if (PQresultStatus(result) == PGRES_SINGLE_TUPLE)
		{
			if (job->sink->rows == 0)
			{
				job->first_byte_ns = clock_now_ns() - start_ns;
				waited_before_ns = database->waited_ns;
			}
			outcome = take_row(job, result, values);
		}
		PQclear(result);
	}
	job->receive_ns = database->waited_ns - waited_before_ns;
	return outcome;
}

static ReadOutcome
run(ReadJob *job, int64_t n)
{
	char *select = read_job_select(job, n);
	Value *values = calloc((size_t) job->sink->type->columns, sizeof(Value));
	char *sql = NULL;
	int64_t start_ns = clock_now_ns();
	ReadOutcome outcome = READ_FAILED;

	if (select == NULL || values == NULL ||
		asprintf(&sql, "%s %s; ROLLBACK", query_source_begin_sql(), select) < 0)
		read_job_fail(job, "out of memory");
	else if (database_send(&job->database, sql) != DATABASE_OK)
		read_job_fail_by_database(job, DATABASE_LOST);
	else
		outcome = read_all(job, values, start_ns);
	free(sql);
	free(values);
	free(select);
	return outcome;
}

const ReadPath read_path_select = {
	.name = "select",
	.is_native = true,
	.open = read_job_connect,
	.run = run,
	.close = read_job_disconnect,
};
