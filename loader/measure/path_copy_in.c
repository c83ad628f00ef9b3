/* path_copy_in.c - COPY ... FROM STDIN, text and binary, one transaction per batch. */
#include "measure/write_path.h"

#include <stdio.h>
#include <stdlib.h>

static bool
open_job(WriteJob *job, bool binary)
{
	const RunTable *table = job->plan->table;
	char *sql;

	if (!write_job_connect(job))
		return false;
	if (asprintf(&sql, "COPY %s (%s) FROM STDIN%s", table->qualified, table->column_list,
				 binary ? " (FORMAT binary)" : "") < 0)
	{
		write_job_problem(job, "out of memory");
		return false;
	}
	job->state = sql;
	return true;
}

static bool
open_text(WriteJob *job)
{
	return open_job(job, false);
}

static bool
open_binary(WriteJob *job)
{
	return open_job(job, true);
}

static void
close_job(WriteJob *job)
{
	free(job->state);
	job->state = NULL;
	write_job_disconnect(job);
}

/* Makes the server give up what was sent of a batch that cannot be finished here. */
static BatchOutcome
give_up(WriteJob *job, const Batch *batch, BatchResult why)
{
	int64_t rows;

	if (why == BATCH_INTERRUPTED)
		job->interrupted = true;
	else
		write_job_problem(job, "%s", batch_cursor_problem(job->cursor));
	database_copy_in_end(&job->database, "the rows of this batch could not be made", &rows);
	return write_job_abandon(job, batch, DATABASE_OK);
}

static BatchOutcome
write_batch(WriteJob *job, const Batch *batch)
{
	Database *database = &job->database;
	DatabaseResult result = write_job_begin(job);
	int64_t rows = 0;

	if (result == DATABASE_OK)
		result = database_copy_in_begin(database, job->state);
	while (result == DATABASE_OK)
	{
		const char *bytes;
		size_t length;
		int piece_rows;
		BatchResult piece = batch_cursor_piece(job->cursor, &bytes, &length, &piece_rows);

		if (piece != BATCH_OK)
			return give_up(job, batch, piece);
		if (length == 0)
			break;
		result = database_copy_in_put(database, bytes, length);
	}
	if (result == DATABASE_OK)
		result = database_copy_in_end(database, NULL, &rows);
	if (result != DATABASE_OK)
		return write_job_abandon(job, batch, result);
	if (rows != batch->rows)
	{
		write_job_problem(job, "batch %lld: the server counted %lld rows of COPY, %lld were sent",
						  (long long) batch->number, (long long) rows, (long long) batch->rows);
		return write_job_abandon(job, batch, DATABASE_OK);
	}
	return write_job_commit(job, batch);
}

static const RowEncoder *
text_encoder(const WritePlan *plan)
{
	(void) plan;
	return &row_encoder_copy_text;
}

static const RowEncoder *
binary_encoder(const WritePlan *plan)
{
	(void) plan;
	return &row_encoder_copy_binary;
}

const WritePath write_path_copy_text = {
	.name = "copy-text",
	.is_native = true,
	.encoder = text_encoder,
	.open = open_text,
	.write = write_batch,
	.close = close_job,
};

const WritePath write_path_copy_binary = {
	.name = "copy-binary",
	.is_native = true,
	.encoder = binary_encoder,
	.open = open_binary,
	.write = write_batch,
	.close = close_job,
};
