/* path_copy_out.c - COPY (SELECT ...) TO STDOUT, text and binary. */
#include "clock.h"
#include "measure/read_path.h"
#include "rows/row_reader.h"

#include <stdio.h>
#include <stdlib.h>

/* What is in the hands of one COPY. */
typedef struct CopyOut
{
	ReadJob *job;
	RowReader *reader;
	Value *values;
	int64_t start_ns;
	int64_t waited_before_ns; /* when the first row was there */
} CopyOut;

static char *
copy_statement(const ReadJob *job, int64_t n, bool binary)
{
	char *select = read_job_select(job, n);
	char *sql = NULL;

	if (select != NULL && asprintf(&sql, "%s COPY (%s) TO STDOUT%s", query_source_begin_sql(),
								   select, binary ? " (FORMAT binary)" : "") < 0)
		sql = NULL;
	free(select);
	return sql;
}

/* Takes the rows that are whole; false when the reading is over. */
static bool
take_rows(CopyOut *copy, ReadOutcome *outcome)
{
	ReadJob *job = copy->job;

	for (;;)
	{
		switch (row_reader_next(copy->reader, copy->values))
		{
			case ROW_READ_ROW:
				if (row_sink_take(job->sink, copy->values))
					continue;
				*outcome = read_job_fail_by_sink(job);
				return false;
			case ROW_READ_MORE:
				return true;
			case ROW_READ_END:
				*outcome = READ_DONE;
				return false;
			case ROW_READ_FAILED:
				*outcome = read_job_fail(job, "%s", row_reader_problem(copy->reader));
				return false;
		}
	}
}

static ReadOutcome
read_all(CopyOut *copy)
{
	ReadJob *job = copy->job;
	Database *database = &job->database;
	ReadOutcome outcome;

	for (;;)
	{
		char *bytes;
		size_t length;
		DatabaseResult result = database_copy_out_next(database, &bytes, &length);

		if (result != DATABASE_OK)
			return read_job_fail_by_database(job, result);
		if (job->bytes == 0)
		{
			job->first_byte_ns = clock_now_ns() - copy->start_ns;
			copy->waited_before_ns = database->waited_ns;
		}
		if (bytes == NULL)
			break;
		job->bytes += (int64_t) length;
		row_reader_feed(copy->reader, bytes, length);
		if (!take_rows(copy, &outcome))
			return outcome;
	}
	row_reader_finish(copy->reader);
	if (take_rows(copy, &outcome))
		return read_job_fail(job, "the data ended within a row");
	return outcome;
}

static ReadOutcome
run_statement(CopyOut *copy, const char *sql)
{
	ReadJob *job = copy->job;
	Database *database = &job->database;
	DatabaseResult result;
	ReadOutcome outcome;

	result = database_copy_out_begin(database, sql);
	if (result != DATABASE_OK)
		return read_job_fail_by_database(job, result);
	outcome = read_all(copy);
	job->receive_ns = database->waited_ns - copy->waited_before_ns;
	/* the transaction is closed with the connection: that is no part of the trial */
	return outcome;
}

static ReadOutcome
run(ReadJob *job, int64_t n, bool binary)
{
	char *sql = copy_statement(job, n, binary);
	CopyOut copy = {
		.job = job,
		.start_ns = clock_now_ns(),
		.reader = binary ? row_reader_copy_binary(job->sink->type, ROW_READER_MAX_ROW_BYTES)
						 : row_reader_copy_text(job->sink->type, ROW_READER_MAX_ROW_BYTES),
		.values = calloc((size_t) job->sink->type->columns, sizeof(Value)),
	};
	ReadOutcome outcome = READ_FAILED;

	if (sql == NULL || copy.reader == NULL || copy.values == NULL)
		read_job_fail(job, "out of memory");
	else
		outcome = run_statement(&copy, sql);
	row_reader_free(copy.reader);
	free(copy.values);
	free(sql);
	return outcome;
}

static ReadOutcome
run_text(ReadJob *job, int64_t n)
{
	return run(job, n, false);
}

static ReadOutcome
run_binary(ReadJob *job, int64_t n)
{
	return run(job, n, true);
}

const ReadPath read_path_copy_text = {
	.name = "copy-text",
	.is_native = true,
	.open = read_job_connect,
	.run = run_text,
	.close = read_job_disconnect,
};

const ReadPath read_path_copy_binary = {
	.name = "copy-binary",
	.is_native = true,
	.open = read_job_connect,
	.run = run_binary,
	.close = read_job_disconnect,
};
