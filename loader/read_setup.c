#include "read_setup.h"
#include "http/postgrest_order.h"
#include "message.h"
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_OID 114

/* Arrays and composites of which not all is known here: an API has them as JSON anyway. */
static bool
is_compared_as_json(const QuerySource *source, int column)
{
	return source->column[column].as_json &&
		   !column_type_has_binary(source->type->column[column].type);
}

static RowType *
make_comparable_type(const QuerySource *source)
{
	RowType *type = row_type_copy(source->type);

	for (int i = 0; type != NULL && i < source->columns; i++)
	{
		if (!is_compared_as_json(source, i) ||
			row_type_set_column(type, i, source->column[i].name, "json", JSON_OID))
			continue;
		row_type_free(type);
		type = NULL;
	}
	return type;
}

static bool
make_types(ReadSetup *setup)
{
	setup->type = row_type_copy(setup->source.type);
	setup->comparable_type = make_comparable_type(&setup->source);
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

/* How messages call what is read. */
static const char *
name_source(const RunSession *session, const char *table, const char *query)
{
	if (query != NULL)
		return "--query";
	if (session->options->source_table != NULL)
		return "--source";
	if (session->has_info && table == session->info.table)
		return "the endpoint's table";
	return "--source or --query is missing, and the default table";
}

/* Whether ORDER BY stands anywhere in a query, in a comment perhaps: its absence is what is certain. */
static bool
mentions_order(const char *query)
{
	static const char blanks[] = " \t\r\n";

	for (const char *at = strcasestr(query, "order"); at != NULL; at = strcasestr(at + 1, "order"))
	{
		size_t skipped = strspn(at + strlen("order"), blanks);

		if (skipped > 0 && strncasecmp(at + strlen("order") + skipped, "by", strlen("by")) == 0)
			return true;
	}
	return false;
}

static bool
suits_dialect(const ReadSetup *setup, const char *url)
{
	const TransferOptions *options = setup->session->options;

	if (url == NULL || setup->source.bare_name != NULL || options->target.get_url != NULL ||
		options->dialect != &api_dialect_postgrest)
		return true;
	message_error("--query: --api postgrest reads a table or a view; name one with --source, or a "
				  "whole URL with --get-url");
	return false;
}

/* --- what a comparison reads otherwise ----------------------------------------------------- */

static bool
is_compared_as_text(const QuerySource *source, int column)
{
	return !source->column[column].as_json &&
		   !column_type_has_binary(source->type->column[column].type);
}

static void
note_columns(ReadSetup *setup, bool (*is_meant)(const QuerySource *source, int column),
			 const char *how)
{
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);

	if (text == NULL)
		return;
	for (int i = 0; i < setup->source.columns; i++)
		if (is_meant(&setup->source, i))
			fprintf(text, "%s%s", ftell(text) == 0 ? "" : ", ", setup->source.column[i].name);
	if (fclose(text) == 0 && *list != '\0')
		run_session_note(setup->session, "compared as %s: %s", how, list);
	free(list);
}

/* Timed trials take each column as it is. */
void
read_setup_note_comparison(ReadSetup *setup)
{
	if (setup->session->options->verify != VERIFY_FULL)
		return;
	note_columns(setup, is_compared_as_text,
				 "text, since this program does not know their binary form (column::text)");
	note_columns(setup, is_compared_as_json,
				 "JSON, since this program does not know the binary form of all that is in them");
}

/* --- opening ------------------------------------------------------------------------------- */

bool
read_setup_open(ReadSetup *setup, RunSession *session, const char *table, const char *query,
				const char *url)
{
	const TransferOptions *options = session->options;
	const QuerySourceOptions source = {
		.table = query == NULL ? table : NULL,
		.query = query,
		.order_by = options->order_by,
		.option = name_source(session, table, query),
		.order_is_told = true,
		.named_by_stranger = query == NULL && session->has_info && table == session->info.table,
	};
	bool fit;

	*setup = (ReadSetup){.session = session};
	fit = query_source_examine(&setup->source, &source, &session->control);
	database_make_idle(&session->control);
	if (!fit || !make_types(setup) || !suits_dialect(setup, url))
		return false;
	setup->is_ordered = setup->source.order != NULL || (query != NULL && mentions_order(query));
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

const char *
read_setup_table(const RunSession *session, const char *otherwise)
{
	if (session->options->source_table != NULL)
		return session->options->source_table;
	return session->has_info && *session->info.table != '\0' ? session->info.table : otherwise;
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
	else if (database_run(database, query_source_begin_sql(), DATABASE_WAIT_FOREVER, NULL) ==
				 DATABASE_OK &&
			 database_run(database, sql, DATABASE_WAIT_FOREVER, &result) == DATABASE_OK)
		count = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	else
		message_error("the rows cannot be counted: %s", database->message);
	PQclear(result);
	database_make_idle(database);
	free(sql);
	free(select);
	return count;
}

void
read_setup_warn_order(const ReadSetup *setup, int64_t size, int64_t count)
{
	int64_t page_rows = setup->plan.page_rows;

	if (setup->is_ordered)
		return;
	if (size < count)
		message_warning("%s has no %s: which %" PRId64 " rows of it come is the server's choice, "
						"and may differ from path to path (see --order-by)",
						setup->source.query != NULL ? "--query" : setup->source.table,
						setup->source.query != NULL ? "ORDER BY" : "primary key", size);
	else if (page_rows > 0 && page_rows < size)
		message_warning("--page-rows: without an order pages may overlap (see --order-by)");
}

/* --- trials ------------------------------------------------------------------------------ */

bool
read_setup_trial(ReadSetup *setup, const ReadPath *path, int64_t size, int number, int block)
{
	RunSession *session = setup->session;
	CostMeter *meter = number == 0 ? NULL : session->meter;
	RowSink sink = {.type = setup->type};
	char what[128];
	Trial trial;
	bool whole;

	run_session_name_trial(session, what, sizeof(what), TRANSFER_READ, path->name, size, number);
	progress_begin(what, size);
	read_trial_run(path, &setup->plan, size, meter, &sink, &trial);
	progress_end();
	trial.number = number;
	trial.block = block;
	whole = trial.status == TRIAL_OK;
	run_session_add_trial(session, &trial);
	return whole;
}

/* --- paths ------------------------------------------------------------------------------- */

static bool
is_among(const ReadPath *path, const ReadPath *const *paths, int count)
{
	for (int i = 0; i < count; i++)
		if (paths[i] == path)
			return true;
	return false;
}

static bool
take_path(const char *name, size_t length, const ReadPath **paths, int most, int *count)
{
	const ReadPath *path = read_path_find(name, length);

	if (path == NULL)
	{
		message_error("--paths: \"%.*s\" is none of copy-text, copy-binary, select, http-json",
					  (int) length, name);
		return false;
	}
	if (*count == most || is_among(path, paths, *count))
	{
		message_error("--paths: %s comes twice", path->name);
		return false;
	}
	paths[(*count)++] = path;
	return true;
}

int
read_setup_paths(const char *list, const ReadPath **paths, int most)
{
	int count = 0;

	for (;; list++)
	{
		size_t length = strcspn(list, ",");

		if (!take_path(list, length, paths, most, &count))
			return -1;
		list += length;
		if (*list == '\0')
			return count;
	}
}
