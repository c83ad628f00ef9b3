/*
 * path_insert.c - INSERT of many rows a statement, in libpq's pipeline mode, one
 * transaction per batch.
 *
 * Parameters go as text: what most drivers send, and what every type takes. The
 * statement of the usual number of rows is prepared once per batch, without a name: a pooler in
 * transaction mode may give each transaction another server connection.
 */
#include "measure/write_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAMETERS 65535 /* the protocol counts them in 16 bits */
#define FULL_STATEMENT ""

/* What a connection keeps: rows until there are enough for a statement. */
typedef struct InsertState
{
	int columns;
	int64_t statement_rows;
	char *full_sql; /* of a statement of statement_rows rows */
	bool prepared;
	char *held; /* parameters, as row_encoder_parameters writes them */
	size_t held_bytes, held_capacity;
	int64_t held_rows;
	const char **values; /* [statement_rows * columns] */
} InsertState;

static char *
insert_sql(const RunTable *table, int columns, int64_t rows)
{
	char *sql = NULL;
	size_t length;
	FILE *text = open_memstream(&sql, &length);
	int parameter = 0;

	if (text == NULL)
		return NULL;
	fprintf(text, "INSERT INTO %s (%s) VALUES ", table->qualified, table->column_list);
	for (int64_t row = 0; row < rows; row++)
	{
		fputs(row == 0 ? "(" : ",(", text);
		for (int i = 0; i < columns; i++)
			fprintf(text, i == 0 ? "$%d" : ",$%d", ++parameter);
		fputc(')', text);
	}
	if (fclose(text) == 0)
		return sql;
	free(sql);
	return NULL;
}

static void
free_state(InsertState *state)
{
	if (state == NULL)
		return;
	free(state->full_sql);
	free(state->held);
	free(state->values);
	free(state);
}

static InsertState *
create_state(const WritePlan *plan)
{
	InsertState *state = calloc(1, sizeof(InsertState));
	int64_t most_rows = MAX_PARAMETERS / plan->type->columns;

	if (state == NULL)
		return NULL;
	state->columns = plan->type->columns;
	state->statement_rows = plan->insert_rows < most_rows ? plan->insert_rows : most_rows;
	state->full_sql = insert_sql(plan->table, state->columns, state->statement_rows);
	state->values =
		calloc((size_t) state->statement_rows * (size_t) state->columns, sizeof(char *));
	if (state->full_sql != NULL && state->values != NULL)
		return state;
	free_state(state);
	return NULL;
}

static bool
open_job(WriteJob *job)
{
	if (!write_job_connect(job))
		return false;
	job->state = create_state(job->plan);
	if (job->state == NULL)
		write_job_problem(job, "out of memory");
	return job->state != NULL;
}

static void
close_job(WriteJob *job)
{
	free_state(job->state);
	job->state = NULL;
	write_job_disconnect(job);
}

static bool
hold_piece(InsertState *state, const char *bytes, size_t length, int rows)
{
	if (state->held_bytes + length > state->held_capacity)
	{
		size_t capacity = 2 * (state->held_bytes + length);
		char *grown = realloc(state->held, capacity);

		if (grown == NULL)
			return false;
		state->held = grown;
		state->held_capacity = capacity;
	}
	memcpy(state->held + state->held_bytes, bytes, length);
	state->held_bytes += length;
	state->held_rows += rows;
	return true;
}

/* Points at the values of the next rows; returns where they end. */
static const char *
point_at_values(InsertState *state, const char *at, int64_t rows)
{
	for (int64_t i = 0; i < rows * state->columns; i++)
	{
		int32_t length;

		memcpy(&length, at, sizeof(length));
		at += sizeof(length);
		state->values[i] = length < 0 ? NULL : at;
		if (length >= 0)
			at += length + 1;
	}
	return at;
}

static DatabaseResult
send_full_statement(WriteJob *job, InsertState *state)
{
	int parameters = (int) state->statement_rows * state->columns;
	DatabaseResult result = DATABASE_OK;

	if (!state->prepared)
		result =
			database_pipeline_prepare(&job->database, FULL_STATEMENT, state->full_sql, parameters);
	if (result != DATABASE_OK)
		return result;
	state->prepared = true;
	return database_pipeline_execute(&job->database, FULL_STATEMENT, parameters, state->values);
}

static DatabaseResult
send_short_statement(WriteJob *job, InsertState *state, int64_t rows)
{
	char *sql = insert_sql(job->plan->table, state->columns, rows);
	DatabaseResult result = DATABASE_FAILED;

	if (sql == NULL)
		write_job_problem(job, "out of memory");
	else
		result =
			database_pipeline_send(&job->database, sql, (int) rows * state->columns, state->values);
	free(sql);
	return result;
}

/* Sends what is held in full statements; with `all` the rest too. */
static DatabaseResult
send_held(WriteJob *job, InsertState *state, bool all)
{
	const char *at = state->held;
	DatabaseResult result = DATABASE_OK;

	while (result == DATABASE_OK && state->held_rows > 0 &&
		   (all || state->held_rows >= state->statement_rows))
	{
		bool full = state->held_rows >= state->statement_rows;
		int64_t rows = full ? state->statement_rows : state->held_rows;

		at = point_at_values(state, at, rows);
		result = full ? send_full_statement(job, state) : send_short_statement(job, state, rows);
		state->held_rows -= rows;
	}
	if (at != state->held)
	{
		state->held_bytes -= (size_t) (at - state->held);
		memmove(state->held, at, state->held_bytes);
	}
	return result;
}

/* Sends all statements of a batch. */
static DatabaseResult
send_batch(WriteJob *job, InsertState *state)
{
	DatabaseResult result = DATABASE_OK;

	while (result == DATABASE_OK)
	{
		const char *bytes;
		size_t length;
		int rows;
		BatchResult piece = batch_cursor_piece(job->cursor, &bytes, &length, &rows);

		if (piece == BATCH_INTERRUPTED)
			return DATABASE_INTERRUPTED;
		if (piece == BATCH_OK && length == 0)
			return send_held(job, state, true);
		if (piece != BATCH_OK || !hold_piece(state, bytes, length, rows))
		{
			write_job_problem(
				job, "%s", piece == BATCH_OK ? "out of memory" : batch_cursor_problem(job->cursor));
			return DATABASE_FAILED;
		}
		result = send_held(job, state, false);
	}
	return result;
}

static DatabaseResult
insert_batch(WriteJob *job, InsertState *state, int64_t *rows)
{
	DatabaseResult result = database_pipeline_begin(&job->database);
	DatabaseResult sent;

	if (result != DATABASE_OK)
		return result;
	sent = send_batch(job, state);
	if (sent == DATABASE_LOST || sent == DATABASE_INTERRUPTED)
		return sent;
	/* also when a statement could not be made: the answers so far must be taken */
	result = database_pipeline_sync(&job->database, rows);
	if (result == DATABASE_OK || result == DATABASE_FAILED)
	{
		DatabaseResult ended = database_pipeline_end(&job->database);

		if (ended != DATABASE_OK)
			return ended;
	}
	return sent != DATABASE_OK ? sent : result;
}

static BatchOutcome
write_batch(WriteJob *job, const Batch *batch)
{
	InsertState *state = job->state;
	DatabaseResult result = write_job_begin(job);
	int64_t rows = 0;

	state->held_bytes = 0;
	state->held_rows = 0;
	state->prepared = false;
	if (result == DATABASE_OK)
		result = insert_batch(job, state, &rows);
	if (result != DATABASE_OK)
		return write_job_abandon(job, batch, result);
	if (rows == batch->rows)
		return write_job_commit(job, batch);
	/* a trigger or a rule may do away with rows: that is not what the other paths were asked to do */
	write_job_problem(job, "batch %lld: the server counted %lld rows of INSERT, %lld were sent",
					  (long long) batch->number, (long long) rows, (long long) batch->rows);
	return write_job_abandon(job, batch, DATABASE_OK);
}

static const RowEncoder *
encoder(const WritePlan *plan)
{
	(void) plan;
	return &row_encoder_parameters;
}

const WritePath write_path_insert = {
	.name = "insert",
	.is_native = true,
	.encoder = encoder,
	.open = open_job,
	.write = write_batch,
	.close = close_job,
};
