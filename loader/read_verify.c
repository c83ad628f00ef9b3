#include "read_verify.h"
#include "message.h"
#include "progress.h"
#include "value_changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* One untimed pass into the sink's digest, and its log where values are to be told apart. */
static bool
digest_pass(ReadSetup *setup, const ReadPath *path, int64_t size, RowSink *sink)
{
	char what[128];
	Trial trial;
	bool whole;

	sink->type = setup->comparable_type;
	value_digest_reset(sink->digest);
	run_session_name_trial(setup->session, what, sizeof(what), TRANSFER_READ, path->name, size, 0);
	progress_begin(what, size);
	read_trial_run(path, &setup->plan, size, NULL, sink, &trial);
	progress_end();
	whole = trial.status == TRIAL_OK;
	run_session_add_trial(setup->session, &trial);
	return whole;
}

/* --- what is told beside the verdict ------------------------------------------------------- */

/* JSON has two ways to say null: both are one value in the row, and told apart here. */
static void
note_nulls(ReadSetup *setup, const ReadPath *path, int64_t size, const RowSink *sink)
{
	if (sink->missing_values > 0)
		run_session_note(setup->session,
						 "%s, %" PRId64 " rows: %" PRId64
						 " keys were not there, and were read as null",
						 path->name, size, sink->missing_values);
	if (sink->na_values > 0)
		run_session_note(setup->session,
						 "%s, %" PRId64 " rows: %" PRId64 " \"NA\" were read as null", path->name,
						 size, sink->na_values);
}

/* Of equal numerics: 1.50 is 1.5, but was not written so. */
static bool
has_other_scale(const ValueDigest *first, const ValueDigest *other, int column)
{
	return value_digest_sums(first)->column_sums[column] ==
			   value_digest_sums(other)->column_sums[column] &&
		   value_digest_scale_sum(first, column) != value_digest_scale_sum(other, column);
}

static void
note_scales(ReadSetup *setup, const ReadPath *path, int64_t size, const ValueDigest *first,
			const ValueDigest *other)
{
	const RowType *type = setup->comparable_type;
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);

	if (text == NULL)
		return;
	for (int i = 0; i < type->columns; i++)
		if (has_other_scale(first, other, i))
			fprintf(text, "%s%s", ftell(text) == 0 ? "" : ", ", type->column[i].name);
	if (fclose(text) == 0 && *list != '\0')
		run_session_note(setup->session,
						 "%s, %" PRId64
						 " rows: equal values of another scale (1.5 for 1.50) in: %s",
						 path->name, size, list);
	free(list);
}

/* --- value by value ------------------------------------------------------------------------ */

/* What the first path has for the values that the other has otherwise. */
static void
search_samples(ReadSetup *setup, const ReadPath *first, RowSink *sink)
{
	int64_t rows = value_samples_rows_to_search(sink->samples);

	*sink = (RowSink){.digest = sink->digest, .samples = sink->samples};
	value_samples_search(sink->samples);
	if (rows > 0)
		(void) digest_pass(setup, first, rows, sink);
}

/* Both paths once more, and which values differ. */
static void
compare_values(ReadSetup *setup, const ReadPath *first, const ReadPath *path, int64_t size,
			   RowSink *sink, ReadVerification *verification)
{
	ValueSamples *samples = sink->samples;
	ValueLog *log = sink->log;

	sink->samples = NULL;
	if (!digest_pass(setup, first, size, sink) || !value_log_compare(log))
		return;
	*sink = (RowSink){.digest = sink->digest, .log = log, .samples = samples};
	if (!digest_pass(setup, path, size, sink))
		return;
	verification->done = true;
	verification->values_changed = value_log_changed_values(log);
	verification->changed_columns = value_changes_list(setup->comparable_type, log);
	if (verification->values_changed == 0)
		run_session_note(setup->session,
						 "%s, %" PRId64 " rows: different from %s at first, and equal when looked "
						 "at again: are rows being changed meanwhile?",
						 path->name, size, first->name);
	search_samples(setup, first, sink);
	value_changes_note_first(setup->session, path->name, size, samples);
}

static void
tell_values(ReadSetup *setup, const ReadPath *first, const ReadPath *path, int64_t size,
			ReadVerification *verification)
{
	ValueDigest *digest = value_digest_create(setup->comparable_type);
	ValueLog *log = value_log_create(setup->comparable_type->columns);
	ValueSamples *samples = value_samples_create(setup->comparable_type);
	RowSink sink = {.digest = digest, .log = log, .samples = samples};

	verification->done = false;
	if (log == NULL || digest == NULL || samples == NULL)
		message_error("values cannot be compared one by one: out of memory or without a temporary "
					  "file");
	else
		compare_values(setup, first, path, size, &sink, verification);
	value_digest_free(digest);
	value_log_free(log);
	value_samples_free(samples);
	if (setup->is_ordered && setup->source.order == NULL)
		run_session_note(
			setup->session,
			"where the query's ORDER BY does not decide the place of every row, these may be "
			"other rows, not changed values (see --order-by)");
	if (!setup->is_ordered)
		run_session_note(setup->session,
						 "different rows or changed values: order undefined (see --order-by)");
}

/* --- the verdict --------------------------------------------------------------------------- */

static bool
same_rows(const ValueDigest *one, const ValueDigest *other)
{
	return value_digest_sums(one)->digest == value_digest_sums(other)->digest &&
		   value_digest_sums(one)->rows == value_digest_sums(other)->rows;
}

/* NULL after a message. */
static ValueDigest *
digest_path(ReadSetup *setup, const ReadPath *path, int64_t size)
{
	RowSink sink = {.digest = value_digest_create(setup->comparable_type)};

	if (sink.digest == NULL)
		message_error("out of memory");
	else if (digest_pass(setup, path, size, &sink))
	{
		note_nulls(setup, path, size, &sink);
		return sink.digest;
	}
	value_digest_free(sink.digest);
	return NULL;
}

void
read_verify(ReadSetup *setup, const ReadPath *first, const ReadPath *path, int64_t size,
			ValueDigest **first_digest, ReadVerification *verification)
{
	ValueDigest *digest;

	*verification = (ReadVerification){0};
	if (*first_digest == NULL)
		*first_digest = digest_path(setup, first, size);
	if (*first_digest == NULL)
		return;
	if (path == first)
	{
		verification->done = verification->equal = true;
		return;
	}
	digest = digest_path(setup, path, size);
	if (digest == NULL)
		return;
	verification->done = true;
	verification->equal = same_rows(*first_digest, digest);
	note_scales(setup, path, size, *first_digest, digest);
	value_digest_free(digest);
	if (!verification->equal)
		tell_values(setup, first, path, size, verification);
}
