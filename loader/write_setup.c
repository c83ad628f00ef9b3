#include "write_setup.h"
#include "columns_option.h"
#include "database/preflight.h"
#include "database/run_table_columns.h"
#include "database/target_table.h"
#include "database/type_catalog.h"
#include "http/api_wait.h"
#include "message.h"
#include "quantity_text.h"
#include "rows/nested_type.h"
#include "rows/row_sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CONNECT_TIMEOUT_MS     30000
#define ANNOUNCE_TIMEOUT_MS    30000
#define COUNT_TIMEOUT_MS       60000
#define DEFAULT_MAX_BODY_BYTES (8 * 1024 * 1024)      /* as iRODS' HTTP API has it */
#define AS_SHIPPED_ROWS        INT64_C(1000000000000) /* all in one transaction */

static bool
out_of_memory(void)
{
	message_error("out of memory");
	return false;
}

/* --- origin ------------------------------------------------------------------------------ */

static bool
open_reference(WriteSetup *setup, int64_t rows)
{
	setup->type = row_type_reference();
	setup->source = row_source_reference(rows, setup->session->options->seed);
	return (setup->type != NULL && setup->source != NULL) || out_of_memory();
}

/* Types of the server's own are looked up where the rows go. */
static bool
read_columns(WriteSetup *setup, const char *list)
{
	Database *database = &setup->session->control;

	setup->type = columns_option_read("--columns", list);
	if (setup->type == NULL)
		return false;
	if (type_catalog_describe(setup->type, database))
		return true;
	message_error("--columns: the types cannot be looked up: %s", database->message);
	return false;
}

/* The columns of a file's rows: named by an option, by the table that it is appended to, or the
 * reference rows'. */
static bool
find_file_type(WriteSetup *setup)
{
	const TransferOptions *options = setup->session->options;
	const RunTableOptions look = {.name = options->table, .append = true};
	RunTable table;

	if (options->columns != NULL)
		return read_columns(setup, options->columns);
	if (!options->append)
	{
		setup->type = row_type_reference();
		return setup->type != NULL || out_of_memory();
	}
	if (!run_table_open(&table, &look, &setup->session->control))
		return false;
	setup->type = table.type;
	table.type = NULL;
	run_table_free(&table);
	return true;
}

static bool
open_file(WriteSetup *setup)
{
	const TransferOptions *options = setup->session->options;
	RowFileFormat format;

	if (!row_file_format(options->file, options->file_format, &format))
	{
		message_error(
			"--file-format: \"%s\" is none of text, csv, csv-header, binary, json, ndjson",
			options->file_format);
		return false;
	}
	if (!find_file_type(setup))
		return false;
	setup->source = row_source_file(options->file, format, setup->type);
	return setup->source != NULL;
}

static bool
connect_origin(WriteSetup *setup)
{
	ConnectionOptions connection = setup->session->connection;

	if (setup->session->options->from_dsn != NULL)
		connection = (ConnectionOptions){.dbname = setup->session->options->from_dsn,
										 .application_name = connection.application_name};
	database_init(&setup->origin_database, setup->session->control.interrupt_fd);
	if (database_open(&setup->origin_database, &connection, CONNECT_TIMEOUT_MS) == DATABASE_OK)
		return true;
	message_error("--from-dsn: %s", setup->origin_database.message);
	return false;
}

/* How messages call what is read: compare writes what it reads. */
static const char *
name_origin(const TransferOptions *options)
{
	if (options->from_query != NULL)
		return options->source_query != NULL ? "--query" : "--from-query";
	return options->source_table != NULL ? "--source" : "--from-table";
}

static bool
open_query(WriteSetup *setup, int64_t rows)
{
	const TransferOptions *options = setup->session->options;
	const QuerySourceOptions source = {
		.table = options->from_table,
		.query = options->from_query,
		.order_by = options->order_by,
		.option = name_origin(options),
		.order_is_told = options->source_table != NULL,
	};
	int64_t limit = rows < 0 ? INT64_MAX : rows;

	if (!connect_origin(setup) ||
		!query_source_examine(&setup->query, &source, &setup->origin_database))
		return false;
	database_make_idle(&setup->origin_database);
	setup->type = row_type_copy(setup->query.type);
	setup->origin_sql = query_source_select(&setup->query, QUERY_LIST_PLAIN, limit, 0);
	if (setup->type == NULL || setup->origin_sql == NULL)
		return out_of_memory();
	setup->source = row_source_database(&setup->origin_database, query_source_begin_sql(),
										setup->origin_sql, setup->type);
	return setup->source != NULL;
}

/* --- a first look ------------------------------------------------------------------------- */

/* How long rows are, that there are any to be had, and about how many a file has. */
static bool
measure_rows(WriteSetup *setup)
{
	RowSample sample;
	RowSourceResult got = row_sample_take(setup->source, &sample);

	setup->row_bytes = sample.value_bytes;
	setup->source_rows = sample.rows;
	if (got == ROW_SOURCE_FAILED || !row_source_rewind(setup->source))
	{
		message_error("%s", row_source_problem(setup->source));
		return false;
	}
	return got != ROW_SOURCE_INTERRUPTED;
}

/* The rows of a table or a query, which are about to be read anyway. False when interrupted; -1 where it
 * takes too long. */
static bool
count_rows(WriteSetup *setup)
{
	Database *database = &setup->origin_database;
	const QuerySource *query = &setup->query;
	DatabaseResult result;
	PGresult *counted = NULL;
	char *sql;

	/* a line break: the query may end with a comment */
	if (asprintf(&sql,
				 query->table != NULL ? "SELECT pg_catalog.count(*) FROM %s"
									  : "SELECT pg_catalog.count(*) FROM (%s\n) AS rows",
				 query->table != NULL ? query->table : query->query) < 0)
		return out_of_memory();
	result = database_run(database, query_source_begin_sql(), COUNT_TIMEOUT_MS, NULL);
	if (result == DATABASE_OK)
		result = database_run(database, sql, COUNT_TIMEOUT_MS, &counted);
	if (result == DATABASE_OK)
		setup->source_rows = strtoll(PQgetvalue(counted, 0, 0), NULL, 10);
	PQclear(counted);
	free(sql);
	database_make_idle(database);
	return result != DATABASE_INTERRUPTED;
}

static bool
look_at_rows(WriteSetup *setup, int64_t rows)
{
	if (!measure_rows(setup))
		return false;
	return rows >= 0 || setup->source_rows >= 0 || setup->origin_sql == NULL || count_rows(setup);
}

bool
write_setup_origin(WriteSetup *setup, RunSession *session, int64_t rows)
{
	const TransferOptions *options = session->options;
	bool opened;

	*setup = (WriteSetup){.session = session, .source_rows = -1};
	if (options->file != NULL)
		opened = open_file(setup);
	else if (options->from_table != NULL || options->from_query != NULL)
		opened = open_query(setup, rows);
	else
		opened = open_reference(setup, rows);
	if (!opened)
		return false;
	if (row_source_can_rewind(setup->source))
		return look_at_rows(setup, rows);
	if (options->trials == 1 || options->pregenerate)
		return true;
	message_error("--trials %" PRId64 ": %s can be read only once: use --pregenerate",
				  options->trials,
				  strcmp(options->file, "-") == 0 ? "standard input" : options->file);
	return false;
}

/* --- the endpoint's table ----------------------------------------------------------------- */

static bool
check_same_table(RunSession *session)
{
	const char *wanted = session->options->table, *told = session->info.save_table;
	bool is_same;

	if (!target_table_is_same(wanted, told, &is_same, &session->control))
		return false;
	if (!is_same)
		message_error("--table %s: the endpoint writes to %s, whatever this run names (serve "
					  "--save-table): leave --table out, or ask another endpoint",
					  wanted, told);
	return is_same;
}

bool
write_setup_endpoint_table(RunSession *session)
{
	TransferOptions *options = session->options;

	if (session->has_info && *session->info.save_table != '\0' && options->table != NULL)
		return check_same_table(session);
	if (session->has_info && options->table == NULL)
		options->table = session->info.save_table;
	if (options->table == NULL && options->dialect == &api_dialect_postgrest)
		return true; /* it is asked for a table by its name */
	if (options->table != NULL && *options->table != '\0')
		return true;
	message_error(
		session->has_info
			? "--url: the endpoint tells of no table that it writes to: is it --read-only? "
			  "(see serve --save-table)"
			: "--table is missing: the name of the table that the endpoint writes to");
	return false;
}

/* --- target ------------------------------------------------------------------------------ */

bool
write_setup_preflight(WriteSetup *setup, int64_t rows_in_all, int64_t largest_rows, int connections)
{
	const TransferOptions *options = setup->session->options;
	const PreflightOptions wanted = {
		.table = options->table,
		.append = options->append,
		.unlogged = options->unlogged,
		.rows = rows_in_all,
		.largest_rows = largest_rows,
		.row_bytes = rows_in_all < 0 ? 0 : setup->row_bytes,
		.columns = setup->type->columns,
		.indexes = options->primary_key != NULL,
		.max_write_bytes = options->max_write_bytes,
		/* beside those of the paths: the meter's, the origin's, and what a verification reads by */
		.jobs = connections + 2 + (setup->origin_sql != NULL),
	};
	PreflightResult result;

	if (!preflight(&wanted, &result, &setup->session->control))
		return false;
	/* no rows need no estimate */
	if (wanted.row_bytes > 0 || rows_in_all == 0)
		return true;
	setup->max_bytes = options->max_write_bytes > 0 ? options->max_write_bytes : 1;
	message_note("it ends once more than --max-write-bytes %s were to be sent",
				 quantity_bytes((double) options->max_write_bytes).text);
	return true;
}

static char *
quoted_columns(const RowType *type, Database *database)
{
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);
	bool whole = text != NULL;

	for (int i = 0; whole && i < type->columns; i++)
	{
		const char *name = type->column[i].name;
		char *quoted = PQescapeIdentifier(database->connection, name, strlen(name));

		whole = quoted != NULL;
		fprintf(text, "%s%s", i == 0 ? "" : ", ", whole ? quoted : "");
		PQfreemem(quoted);
	}
	if (text != NULL && fclose(text) == 0 && whole)
		return list;
	free(list);
	return NULL;
}

static const RowColumn *
find_column(const RowType *type, const char *name)
{
	for (int i = 0; i < type->columns; i++)
		if (strcmp(type->column[i].name, name) == 0)
			return &type->column[i];
	return NULL;
}

/* An existing table takes the columns that the rows have; the others keep their defaults. */
static bool
fit_to_table(WriteSetup *setup)
{
	RunTable *table = &setup->table;

	for (int i = 0; i < setup->type->columns; i++)
	{
		const RowColumn *column = &setup->type->column[i];
		const RowColumn *there = find_column(table->type, column->name);

		if (there == NULL)
			message_error("--table %s has no column \"%s\" that can be written to",
						  table->qualified, column->name);
		else if (!row_column_is_same(there, column))
			message_error("column \"%s\" is %s in %s, but the rows have %s", column->name,
						  there->type_name, table->qualified, column->type_name);
		if (there == NULL || !row_column_is_same(there, column))
			return false;
	}
	row_type_free(table->type);
	free(table->column_list);
	table->type = NULL;
	table->column_list = quoted_columns(setup->type, &setup->session->control);
	return table->column_list != NULL || out_of_memory();
}

static bool
renumber_type(RowColumn *column, const RowColumn *there)
{
	if (!row_column_is_same(column, there))
	{
		message_error("column \"%s\": type %s is made of other parts than where the rows come from",
					  column->name, there->type_name);
		return false;
	}
	if (column->nested != NULL)
		nested_type_renumber(column->nested, there->nested);
	return true;
}

/* Types that a database made have other OIDs in another one. */
static bool
renumber_types(WriteSetup *setup)
{
	RunTable target = {.qualified = setup->table.qualified};
	bool is_fit = run_table_read_columns(&target, &setup->session->control);

	for (int i = 0; is_fit && i < setup->type->columns; i++)
	{
		RowColumn *column = &setup->type->column[i];
		const RowColumn *there = find_column(target.type, column->name);

		is_fit = there == NULL || renumber_type(column, there);
	}
	row_type_free(target.type);
	free(target.column_list);
	return is_fit;
}

/* PostgREST keeps a picture of the schema, in which a new table is missing. */
static bool
announce_table(WriteSetup *setup)
{
	RunSession *session = setup->session;
	char problem[512];

	if (!run_table_notify_postgrest(&session->control))
		return false;
	if (api_wait_for_table(session->http, setup->plan.dialect, &setup->plan.target,
						   ANNOUNCE_TIMEOUT_MS, problem, sizeof(problem)))
		return true;
	message_error("the API does not know %s, %d s after NOTIFY pgrst, 'reload schema': %s (is its "
				  "schema among db-schemas, and was --api-role given?)",
				  setup->table.qualified, ANNOUNCE_TIMEOUT_MS / 1000, problem);
	return false;
}

bool
write_setup_plan(WriteSetup *setup, const char *url)
{
	const RunSession *session = setup->session;
	const TransferOptions *options = session->options;

	setup->plan = (WritePlan){
		.connection = &session->connection,
		.table = &setup->table,
		.type = setup->type,
		.run_id = session->run.id,
		.jobs = (int) options->jobs,
		.insert_rows = options->insert_rows,
		.http = &options->http,
		.dialect = options->dialect,
		.target = options->target,
		.ndjson = options->body_format == 1,
		.gzip = options->gzip,
		.retry = options->retry,
	};
	setup->plan.target.base_url = url;
	setup->plan.target.table = setup->table.name;
	setup->plan.target.idempotency_key =
		session->has_info && session->info.idempotency && !options->no_idempotency;
	return url == NULL || options->dialect != &api_dialect_postgrest || !setup->table.is_ours ||
		   announce_table(setup);
}

bool
write_setup_table(WriteSetup *setup, const WriteSetupTable *wanted)
{
	RunSession *session = setup->session;
	const TransferOptions *options = session->options;

	setup->table_options = (RunTableOptions){
		.run_id = session->run.id,
		.name = wanted->name != NULL ? wanted->name : options->table,
		.type = setup->type,
		.primary_key = wanted->primary_key != NULL ? wanted->primary_key : options->primary_key,
		.unlogged = options->unlogged || wanted->scratch,
		.append = options->append && !wanted->scratch,
		.keep = options->keep && !wanted->scratch,
		.api_role = options->api_role,
	};
	setup->table_is_open = run_table_open(&setup->table, &setup->table_options, &session->control);
	return setup->table_is_open && (!setup->table_options.append || fit_to_table(setup)) &&
		   (options->from_dsn == NULL || renumber_types(setup));
}

bool
write_setup_close(WriteSetup *setup)
{
	bool dropped = true;

	row_source_free(setup->source);
	database_make_idle(&setup->origin_database);
	database_close(&setup->origin_database);
	query_source_free(&setup->query);
	free(setup->origin_sql);
	if (setup->table_is_open)
	{
		/* without a server the table stays, and that is told */
		if (setup->table.is_ours && !setup->table_options.keep)
			(void) run_session_revive(setup->session);
		dropped = run_table_close(&setup->table, &setup->table_options, &setup->session->control);
		run_table_free(&setup->table);
	}
	row_type_free(setup->type);
	return dropped;
}

/* --- supplies ---------------------------------------------------------------------------- */

int64_t
write_setup_max_body_bytes(const RunSession *session)
{
	int64_t wanted = session->options->max_body_bytes;
	int64_t told = session->has_info ? session->info.max_body_bytes : -1;

	if (wanted > 0 && (told <= 0 || wanted <= told))
		return wanted;
	return told >= 0 ? told : DEFAULT_MAX_BODY_BYTES;
}

int64_t
write_setup_batch_rows(const RunSession *session, const WritePath *path, int64_t rows)
{
	if (!session->options->as_shipped)
		return session->options->batch_rows;
	/* COPY is shipped as one statement, an API is fed by requests */
	return path->is_native ? (rows > 0 ? rows : AS_SHIPPED_ROWS) : session->options->batch_rows;
}

BatchSupply *
write_setup_supply(WriteSetup *setup, const WritePath *path, int64_t rows)
{
	const TransferOptions *options = setup->session->options;
	char problem[512];
	const BatchSupplyOptions wanted = {
		.source = setup->source,
		.encoder = path->encoder(&setup->plan),
		.type = setup->type,
		.rows = rows,
		.batch_rows = write_setup_batch_rows(setup->session, path, rows),
		.max_batch_bytes = path->holds_batches ? write_setup_max_body_bytes(setup->session) : 0,
		.max_bytes = setup->max_bytes,
		.jobs = (int) options->jobs,
		.hold = path->holds_batches,
		.gzip = path->holds_batches && options->gzip,
	};
	BatchSupply *supply;

	if (!row_source_rewind(setup->source))
	{
		message_error("%s", row_source_problem(setup->source));
		return NULL;
	}
	supply = batch_supply_create(&wanted, problem, sizeof(problem));
	if (supply == NULL)
		message_error("%s: %s", path->name, problem);
	return supply;
}
