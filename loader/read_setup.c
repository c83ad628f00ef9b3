#include "read_setup.h"
#include "http/postgrest_order.h"
#include "measure/value_log.h"
#include "message.h"
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_OID 114

static RowType *
make_type(const QuerySource *source, bool comparable)
{
	RowType *type = row_type_create(source->columns);

	for (int i = 0; type != NULL && i < source->columns; i++)
	{
		const QueryColumn *column = &source->column[i];
		bool as_json = comparable && column->as_json;

		if (row_type_set_column(type, i, column->name, as_json ? "json" : column->type_name,
								as_json ? JSON_OID : column->type_oid))
			continue;
		row_type_free(type);
		type = NULL;
	}
	return type;
}

static bool
make_types(ReadSetup *setup)
{
	setup->type = make_type(&setup->source, false);
	setup->comparable_type = make_type(&setup->source, true);
	if (setup->type != NULL && setup->comparable_type != NULL)
		return true;
	message_error("out of memory");
	return false;
}

/* An API that is asked for pages orders as the source is ordered. */
static bool
settle_api_order(ReadSetup *setup)
{
	if (setup->source.order == NULL || setup->plan.dialect != &api_dialect_postgrest)
		return true;
	setup->api_order = postgrest_order(setup->source.order);
	setup->plan.target.order = setup->api_order;
	if (setup->api_order == NULL)
		message_error("out of memory");
	return setup->api_order != NULL;
}

bool
read_setup_open(ReadSetup *setup, RunSession *session, const char *table, const char *query,
				const char *url)
{
	const TransferOptions *options = session->options;
	const QuerySourceOptions source = {
		.table = query == NULL ? table : NULL,
		.query = query,
		.order_by = options->order_by,
	};
	bool fit;

	*setup = (ReadSetup){.session = session};
	fit = query_source_examine(&setup->source, &source, &session->control);
	database_make_idle(&session->control);
	if (!fit || !make_types(setup))
		return false;
	setup->plan = (ReadPlan){
		.connection = &session->connection,
		.source = &setup->source,
		.digest_list = QUERY_LIST_COMPARABLE,
		.http = &options->http,
		.dialect = options->dialect,
		.target = options->target,
		.page_rows = options->page_rows,
		.retry = options->retry,
	};
	setup->plan.target.base_url = url;
	setup->plan.target.table = setup->source.bare_name;
	return settle_api_order(setup);
}

void
read_setup_close(ReadSetup *setup)
{
	query_source_free(&setup->source);
	row_type_free(setup->type);
	row_type_free(setup->comparable_type);
	free(setup->api_order);
}

int64_t
read_setup_count(ReadSetup *setup, int64_t most)
{
	Database *database = &setup->session->control;
	char *select = query_source_select(&setup->source, QUERY_LIST_PLAIN, most, 0);
	char *sql = NULL;
	PGresult *result = NULL;
	int64_t count = -1;

	if (select == NULL ||
		asprintf(&sql, "SELECT pg_catalog.count(*) FROM (%s) AS counted", select) < 0)
		message_error("out of memory");
	else if (database_run(database, sql, DATABASE_WAIT_FOREVER, &result) == DATABASE_OK)
		count = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	else
		message_error("the rows cannot be counted: %s", database->message);
	PQclear(result);
	free(sql);
	free(select);
	return count;
}

/* --- trials ------------------------------------------------------------------------------ */

bool
read_setup_trial(ReadSetup *setup, const ReadPath *path, int64_t size, int number, int block)
{
	RunSession *session = setup->session;
	RowSink sink = {.type = setup->type};
	char what[128];
	Trial trial;
	bool whole;

	snprintf(what, sizeof(what), "%s, %" PRId64 " rows, trial %d", path->name, size, number);
	progress_begin(what, -1);
	read_trial_run(path, &setup->plan, size, session->meter, &sink, &trial);
	progress_end();
	trial.number = number;
	trial.block = block;
	whole = trial.status == TRIAL_OK;
	run_session_add_trial(session, &trial);
	return whole;
}

/* --- verification ------------------------------------------------------------------------ */

/* One untimed pass into a digest, and a log where values are to be told apart. */
static bool
digest_pass(ReadSetup *setup, const ReadPath *path, int64_t size, ValueDigest *digest,
			ValueLog *log)
{
	RowSink sink = {.type = setup->comparable_type, .digest = digest, .log = log};
	char what[128];
	Trial trial;
	bool whole;

	value_digest_reset(digest);
	snprintf(what, sizeof(what), "%s, %" PRId64 " rows, verification", path->name, size);
	progress_begin(what, -1);
	read_trial_run(path, &setup->plan, size, NULL, &sink, &trial);
	progress_end();
	whole = trial.status == TRIAL_OK;
	run_session_add_trial(setup->session, &trial);
	return whole;
}

static char *
list_changes(const ReadSetup *setup, const ValueLog *log)
{
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);

	if (text == NULL)
		return NULL;
	for (int i = 0; i < setup->type->columns; i++)
		if (value_log_changed(log, i) > 0)
			fprintf(text, "%s%s (%" PRId64 ")", ftell(text) == 0 ? "" : ", ",
					setup->type->column[i].name, value_log_changed(log, i));
	if (fclose(text) == 0)
		return list;
	free(list);
	return NULL;
}

/* The digests differ: both paths once more, value by value. */
static void
tell_values(ReadSetup *setup, const ReadPath *first, const ReadPath *path, int64_t size,
			ReadVerification *verification)
{
	ValueLog *log = value_log_create(setup->comparable_type->columns);
	ValueDigest *digest = value_digest_create(setup->comparable_type);

	verification->done = false;
	if (log == NULL || digest == NULL)
		message_error("values cannot be compared one by one: out of memory or without a temporary "
					  "file");
	else if (digest_pass(setup, first, size, digest, log) && value_log_compare(log) &&
			 digest_pass(setup, path, size, digest, log))
	{
		verification->done = true;
		verification->values_changed = value_log_changed_values(log);
		verification->changed_columns = list_changes(setup, log);
	}
	value_digest_free(digest);
	value_log_free(log);
	if (setup->source.order == NULL && setup->source.query == NULL)
		run_session_note(setup->session,
						 "different rows or changed values: order undefined (see --order-by)");
}

static bool
same_rows(const ValueDigest *one, const ValueDigest *other)
{
	return value_digest_sums(one)->digest == value_digest_sums(other)->digest &&
		   value_digest_sums(one)->rows == value_digest_sums(other)->rows;
}

void
read_verify(ReadSetup *setup, const ReadPath *first, const ReadPath *path, int64_t size,
			ValueDigest **first_digest, ReadVerification *verification)
{
	ValueDigest *digest = value_digest_create(setup->comparable_type);

	*verification = (ReadVerification){0};
	if (*first_digest == NULL)
	{
		*first_digest = value_digest_create(setup->comparable_type);
		if (*first_digest != NULL && !digest_pass(setup, first, size, *first_digest, NULL))
		{
			value_digest_free(*first_digest);
			*first_digest = NULL;
		}
	}
	if (*first_digest == NULL || digest == NULL)
	{
		value_digest_free(digest);
		return;
	}
	verification->done = path == first || digest_pass(setup, path, size, digest, NULL);
	verification->equal = path == first || (verification->done && same_rows(*first_digest, digest));
	value_digest_free(digest);
	if (verification->done && !verification->equal)
		tell_values(setup, first, path, size, verification);
}

/* --- paths ------------------------------------------------------------------------------- */

int
read_setup_paths(const char *list, const ReadPath **paths, int most)
{
	int count = 0;

	while (*list != '\0')
	{
		size_t length = strcspn(list, ",");
		const ReadPath *path = read_path_find(list, length);

		if (path == NULL || count == most)
		{
			message_error("--paths: \"%.*s\" is none of copy-text, copy-binary, select, http-json",
						  (int) length, list);
			return -1;
		}
		paths[count++] = path;
		list += length + (list[length] == ',');
	}
	return count;
}
