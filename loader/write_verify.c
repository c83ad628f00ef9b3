#include "write_verify.h"
#include "interrupt.h"
#include "message.h"
#include "measure/read_trial.h"
#include "value_changes.h"

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

/* The source's rows into the sink; a problem is told. */
static bool
pass_source(WriteSetup *setup, int64_t rows, RowSink *sink)
{
	RowChunk *chunk = row_chunk_create(setup->type);
	bool taken = chunk != NULL && row_source_rewind(setup->source);
	RowSourceResult got = ROW_SOURCE_ROWS;

	while (taken && rows > 0 && got == ROW_SOURCE_ROWS)
	{
		row_chunk_reset(chunk);
		got = row_source_next(setup->source, chunk, rows);
		for (int i = 0; taken && i < row_chunk_rows(chunk); i++)
			taken = row_sink_take(sink, row_chunk_row(chunk, i));
		rows -= row_chunk_rows(chunk);
	}
	row_chunk_free(chunk);
	if (taken && (got == ROW_SOURCE_ROWS || got == ROW_SOURCE_END))
		return true;
	message_error("the source cannot be read again to be compared: %s",
				  sink->interrupted       ? "interrupted"
				  : sink->problem != NULL ? sink->problem
										  : row_source_problem(setup->source));
	return false;
}

/* A query, not a table: the order of rows does not matter to a digest. Else it is the order in which they
 * lie in our own table. */
static bool
examine_table(WriteSetup *setup, QuerySource *source, bool in_order)
{
	QuerySourceOptions options = {0};
	char *query;
	bool fit;

	if (asprintf(&query, "SELECT %s FROM %s%s", setup->table.column_list, setup->table.qualified,
				 in_order ? " ORDER BY ctid" : "") < 0)
		return false;
	options.query = query;
	fit = query_source_examine(source, &options, &setup->session->control);
	database_make_idle(&setup->session->control);
	free(query);
	return fit;
}

static bool
has_same_columns(const WriteSetup *setup, const QuerySource *source)
{
	for (int i = 0; i < setup->type->columns; i++)
	{
		const RowColumn *column = &setup->type->column[i];

		if (row_column_is_same(column, &source->type->column[i]))
			continue;
		message_error(
			"the table cannot be compared: column \"%s\" is %s in it, and the rows have %s",
			column->name, source->type->column[i].type_name, column->type_name);
		return false;
	}
	return true;
}

static bool
pass_table(WriteSetup *setup, int64_t rows, bool in_order, RowSink *sink)
{
	QuerySource source = {0};
	ReadPlan plan = {
		.connection = &setup->session->connection,
		.source = &source,
		.digest_list = QUERY_LIST_READABLE,
	};
	Trial trial;
	bool done = false;

	if (examine_table(setup, &source, in_order) && has_same_columns(setup, &source))
	{
		/* OIDs are the table's own, which may be of another database than the rows */
		sink->type = source.type;
		read_trial_run(&read_path_copy_binary, &plan, rows, NULL, sink, &trial);
		sink->type = setup->type;
		done = trial.status == TRIAL_OK;
		if (!done)
			message_error("the table cannot be read back to be compared: %s",
						  trial.status == TRIAL_INTERRUPTED ? "interrupted" : trial.problem);
		trial_free(&trial);
	}
	query_source_free(&source);
	return done;
}

/* --- value by value ------------------------------------------------------------------------ */

/* Of one side of the comparison. */
static RowSink
sink_into(const WriteSetup *setup, ValueDigest *digest)
{
	value_digest_reset(digest);
	return (RowSink){.type = setup->type, .digest = digest};
}

static bool
has_other_sum(const ValueDigest *sent, const ValueDigest *found, int column)
{
	return value_digest_sums(sent)->column_sums[column] !=
		   value_digest_sums(found)->column_sums[column];
}

/* Where a column has the same values, and yet not in the same places, places tell nothing. */
static bool
is_paired_by_place(const ValueLog *log, const ValueDigest *sent, const ValueDigest *found)
{
	for (int i = 0; i < value_digest_sums(sent)->columns; i++)
		if (value_log_changed(log, i) > 0 && !has_other_sum(sent, found, i))
			return false;
	return true;
}

static char *
list_columns(const RowType *type, const ValueDigest *sent, const ValueDigest *found)
{
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);

	if (text == NULL)
		return NULL;
	for (int i = 0; i < type->columns; i++)
		if (has_other_sum(sent, found, i))
			fprintf(text, "%s%s", ftell(text) == 0 ? "" : ", ", type->column[i].name);
	if (fclose(text) == 0)
		return list;
	free(list);
	return NULL;
}

/* What a comparison of two sides needs. */
typedef struct Comparer
{
	ValueDigest *sent, *found;
	ValueLog *log;         /* NULL until values are compared one by one */
	ValueSamples *samples; /* likewise */
} Comparer;

static bool
pass_both(WriteSetup *setup, int64_t rows, Comparer *comparer)
{
	RowSink sent = sink_into(setup, comparer->sent);
	RowSink found = sink_into(setup, comparer->found);

	sent.log = found.log = comparer->log;
	found.samples = comparer->samples;
	return pass_source(setup, rows, &sent) &&
		   (comparer->log == NULL || value_log_compare(comparer->log)) &&
		   pass_table(setup, rows, comparer->log != NULL, &found);
}

static bool
search_samples(WriteSetup *setup, Comparer *comparer)
{
	RowSink sent = sink_into(setup, comparer->sent);

	sent.samples = comparer->samples;
	value_samples_search(comparer->samples);
	return pass_source(setup, value_samples_rows_to_search(comparer->samples), &sent);
}

static void
tell_values(WriteSetup *setup, const char *path_name, int64_t rows, Comparer *comparer,
			WriteVerification *verification)
{
	verification->values_changed = VALUES_CHANGED_UNKNOWN;
	verification->changed_columns = list_columns(setup->type, comparer->sent, comparer->found);
	comparer->log = value_log_create(setup->type->columns);
	comparer->samples = value_samples_create(setup->type);
	if (comparer->log == NULL || comparer->samples == NULL)
	{
		message_error("values cannot be compared one by one: out of memory or without a temporary "
					  "file");
		return;
	}
	if (!pass_both(setup, rows, comparer))
		return;
	if (!is_paired_by_place(comparer->log, comparer->sent, comparer->found))
	{
		run_session_note(setup->session,
						 "%s: the table holds the rows in another order than they were sent in: "
						 "changed values cannot be counted",
						 path_name);
		return;
	}
	verification->values_changed = value_log_changed_values(comparer->log);
	free(verification->changed_columns);
	verification->changed_columns = value_changes_list(setup->type, comparer->log);
	if (search_samples(setup, comparer))
		value_changes_note_first(setup->session, path_name, rows, comparer->samples);
}

/* --- the verdict --------------------------------------------------------------------------- */

static bool
same_rows(const ValueDigest *sent, const ValueDigest *found)
{
	return value_digest_sums(sent)->digest == value_digest_sums(found)->digest &&
		   value_digest_sums(sent)->rows == value_digest_sums(found)->rows;
}

void
write_verify_digest(WriteSetup *setup, const char *path_name, int64_t rows,
					WriteVerification *verification)
{
	Comparer comparer = {
		.sent = value_digest_create(setup->type),
		.found = value_digest_create(setup->type),
	};

	*verification = (WriteVerification){0};
	if (comparer.sent == NULL || comparer.found == NULL)
		message_error("out of memory");
	else if (pass_both(setup, rows, &comparer))
	{
		verification->done = true;
		verification->equal = same_rows(comparer.sent, comparer.found);
		if (!verification->equal)
			tell_values(setup, path_name, rows, &comparer, verification);
	}
	value_digest_free(comparer.sent);
	value_digest_free(comparer.found);
	value_log_free(comparer.log);
	value_samples_free(comparer.samples);
}
