#include "write_verify.h"
#include "interrupt.h"
#include "message.h"
#include "measure/read_trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- counts ------------------------------------------------------------------------------ */

/*
 * Rows of which nobody knew are known to be written when all of them are there. When none is, a request
 * that is still under way may write them yet.
 */
static void
settle_doubt(RunSession *session, Trial *trial, int64_t count)
{
	int64_t doubtful = row_ranges_rows(&trial->in_doubt);

	if (doubtful == 0)
		return;
	if (count == trial->rows)
		run_session_note(session,
						 "%s: none of the rows in doubt was there when the table was counted",
						 trial->path);
	if (count != trial->rows + doubtful)
		return;
	trial->rows = count;
	run_session_note(session, "%s: the table's count says that the rows in doubt were written",
					 trial->path);
	row_ranges_free(&trial->in_doubt);
	trial->in_doubt = (RowRanges){0};
}

/* A stop is not to leave a doubt that a look at the table can settle. Nor is a server that is about to
 * end the sessions of all when one of them crashed. */
static int64_t
count_rows(WriteSetup *setup, const Trial *trial)
{
	RunSession *session = setup->session;
	int64_t count = -1;

	if (trial->in_doubt.count > 0)
		session->control.interrupt_fd = -1;
	for (int tries = 0; count < 0 && tries < 2; tries++)
	{
		if (!run_session_revive(session))
			return -1;
		count = run_table_count(&setup->table, &session->control);
		if (database_is_open(&session->control))
			break;
	}
	return count;
}

/* What was committed may not be there any more, and nobody looked. */
static void
tell_unconfirmed(WriteSetup *setup, const Trial *trial)
{
	RunSession *session = setup->session;

	run_session_fail(session, EXIT_INCOMPLETE);
	if (trial->rows > 0)
		run_session_note(session,
						 "%s: the %" PRId64 " rows reported as committed are not confirmed by a "
						 "count%s",
						 trial->path, trial->rows,
						 session->options->unlogged
							 ? "; those of an unlogged table are gone after a crash of the server"
							 : "");
}

/* Rows lost, or too many. */
static void
tell_difference(WriteSetup *setup, Trial *trial, int64_t count)
{
	RunSession *session = setup->session;
	const char *what = count > trial->rows          ? "doubled, or somebody else's"
					   : session->options->unlogged ? "gone after a crash, the table being unlogged"
													: "lost";

	trial->status = TRIAL_FAILED;
	if (*trial->problem == '\0')
		snprintf(trial->problem, sizeof(trial->problem),
				 "%" PRId64 " rows were committed, the table holds %" PRId64, trial->rows, count);
	message_error("%s: %" PRId64 " rows were committed, %s holds %" PRId64 ": rows are %s",
				  trial->path, trial->rows, setup->table.qualified, count, what);
	if (!run_add_note(&session->run,
					  "%s: %" PRId64 " rows were committed, the table holds %" PRId64
					  ": rows are %s",
					  trial->path, trial->rows, count, what))
		message_error("out of memory");
	run_session_fail(session, EXIT_INCOMPLETE);
}

void
write_verify_count(WriteSetup *setup, Trial *trial)
{
	RunSession *session = setup->session;
	int64_t count;

	if (session->options->append || session->options->verify == VERIFY_NONE ||
		(interrupt_requested() && trial->in_doubt.count == 0))
		return;
	count = count_rows(setup, trial);
	if (count < 0)
	{
		tell_unconfirmed(setup, trial);
		return;
	}
	settle_doubt(session, trial, count);
	if (count < trial->rows || count > trial->rows + row_ranges_rows(&trial->in_doubt))
		tell_difference(setup, trial, count);
}

/* --- digests ----------------------------------------------------------------------------- */

static bool
digest_source(WriteSetup *setup, int64_t rows, ValueDigest *digest)
{
	RowChunk *chunk = row_chunk_create(setup->type);
	bool rewound = chunk != NULL && row_source_rewind(setup->source);
	RowSourceResult got = ROW_SOURCE_ROWS;

	while (rewound && rows > 0 && got == ROW_SOURCE_ROWS)
	{
		row_chunk_reset(chunk);
		got = row_source_next(setup->source, chunk, rows);
		for (int i = 0; i < row_chunk_rows(chunk); i++)
			rewound &= value_digest_add(digest, row_chunk_row(chunk, i));
		rows -= row_chunk_rows(chunk);
	}
	row_chunk_free(chunk);
	if (rewound && (got == ROW_SOURCE_ROWS || got == ROW_SOURCE_END))
		return true;
	message_error("the source cannot be read again to be compared: %s",
				  row_source_problem(setup->source));
	return false;
}

/* A query, not a table: the order of rows does not matter to a digest. */
static bool
examine_table(WriteSetup *setup, QuerySource *source)
{
	QuerySourceOptions options = {0};
	char *query;
	bool fit;

	if (asprintf(&query, "SELECT %s FROM %s", setup->table.column_list, setup->table.qualified) < 0)
		return false;
	options.query = query;
	fit = query_source_examine(source, &options, &setup->session->control);
	database_make_idle(&setup->session->control);
	free(query);
	return fit;
}

static bool
digest_table(WriteSetup *setup, int64_t rows, ValueDigest *digest)
{
	QuerySource source = {0};
	ReadPlan plan = {
		.connection = &setup->session->connection,
		.source = &source,
		.digest_list = QUERY_LIST_READABLE,
	};
	RowSink sink = {.type = setup->type, .digest = digest};
	Trial trial;
	bool done = false;

	if (examine_table(setup, &source))
	{
		read_trial_run(&read_path_copy_binary, &plan, rows, NULL, &sink, &trial);
		done = trial.status == TRIAL_OK;
		if (!done)
			message_error("the table cannot be read back to be compared: %s",
						  trial.status == TRIAL_INTERRUPTED ? "interrupted" : trial.problem);
		trial_free(&trial);
	}
	query_source_free(&source);
	return done;
}

static char *
list_changes(const RowType *type, const ValueDigest *sent, const ValueDigest *found)
{
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);

	if (text == NULL)
		return NULL;
	for (int i = 0; i < type->columns; i++)
		if (value_digest_sums(sent)->column_sums[i] != value_digest_sums(found)->column_sums[i])
			fprintf(text, "%s%s", ftell(text) == 0 ? "" : ", ", type->column[i].name);
	if (fclose(text) == 0)
		return list;
	free(list);
	return NULL;
}

void
write_verify_digest(WriteSetup *setup, int64_t rows, WriteVerification *verification)
{
	ValueDigest *sent = value_digest_create(setup->type);
	ValueDigest *found = value_digest_create(setup->type);

	*verification = (WriteVerification){0};
	if (sent == NULL || found == NULL)
		message_error("out of memory");
	else if (digest_source(setup, rows, sent) && digest_table(setup, rows, found))
	{
		verification->done = true;
		verification->equal = value_digest_sums(sent)->digest == value_digest_sums(found)->digest &&
							  value_digest_sums(sent)->rows == value_digest_sums(found)->rows;
		if (!verification->equal)
			verification->changed_columns = list_changes(setup->type, sent, found);
	}
	value_digest_free(sent);
	value_digest_free(found);
}
