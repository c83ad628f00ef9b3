/* path_select.c - SELECT, its rows one by one as text (libpq's single-row mode). */
#include "clock.h"
#include "measure/read_path.h"
#include "rows/nested_codec.h"
#include "rows/row_reader.h"
#include "rows/value_text.h"

#include <stdio.h>
#include <stdlib.h>

/* What is in the hands of one SELECT. */
typedef struct Select
{
	ReadJob *job;
	NestedCodec *nested;
	Value *values;
} Select;

static ReadOutcome
refuse_value(const Select *select, int column)
{
	const RowColumn *head = &select->job->sink->type->column[column];
	bool is_nested = head->nested != NULL;

	return read_job_fail(select->job, "row %lld, column \"%s\": no value of type %s%s%s",
						 (long long) select->job->sink->rows + 1, head->name, head->type_name,
						 is_nested ? ": " : "", is_nested ? nested_codec_why(select->nested) : "");
}

static bool
take_value(Select *select, int column, char *text, size_t length)
{
	const RowColumn *head = &select->job->sink->type->column[column];
	Value *value = &select->values[column];

	if (head->nested != NULL)
		return nested_codec_from_text(select->nested, column, text, length, value);
	return value_from_text(head->type, text, length, value);
}

static ReadOutcome
take_row(Select *select, const PGresult *row)
{
	ReadJob *job = select->job;
	Value *values = select->values;
	const RowType *type = job->sink->type;

	for (int i = 0; i < type->columns; i++)
	{
		size_t length = (size_t) PQgetlength(row, 0, i);

		values[i].is_null = length == 0 && PQgetisnull(row, 0, i);
		if (values[i].is_null)
			continue;
		job->bytes += (int64_t) length;
		if (!take_value(select, i, PQgetvalue(row, 0, i), length))
			return refuse_value(select, i);
	}
	if (row_sink_take(job->sink, values))
		return READ_DONE;
	return read_job_fail_by_sink(job);
}

static ReadOutcome
read_all(Select *select, int64_t start_ns)
{
	ReadJob *job = select->job;
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
			outcome = take_row(select, result);
		}
		PQclear(result);
	}
	job->receive_ns = database->waited_ns - waited_before_ns;
	return outcome;
}

static ReadOutcome
run(ReadJob *job, int64_t n)
{
	char *query = read_job_select(job, n);
	Select select = {
		.job = job,
		.nested = nested_codec_create(job->sink->type, ROW_READER_MAX_ROW_BYTES),
		.values = calloc((size_t) job->sink->type->columns, sizeof(Value)),
	};
	char *sql = NULL;
	int64_t start_ns = clock_now_ns();
	ReadOutcome outcome = READ_FAILED;

	if (query == NULL || select.nested == NULL || select.values == NULL ||
		asprintf(&sql, "%s %s; ROLLBACK", query_source_begin_sql(), query) < 0)
		read_job_fail(job, "out of memory");
	else if (database_send(&job->database, sql) != DATABASE_OK)
		read_job_fail_by_database(job, DATABASE_LOST);
	else
		outcome = read_all(&select, start_ns);
	free(sql);
	free(select.values);
	nested_codec_free(select.nested);
	free(query);
	return outcome;
}

const ReadPath read_path_select = {
	.name = "select",
	.is_native = true,
	.open = read_job_connect,
	.run = run,
	.close = read_job_disconnect,
};
