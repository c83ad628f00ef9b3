#include "compare_setup.h"
#include "interrupt.h"
#include "message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t default_sizes[] = {10000, 100000, 1000000};

#define DEFAULT_SIZES (sizeof(default_sizes) / sizeof(default_sizes[0]))

/* --- sizes ------------------------------------------------------------------------------- */

static int64_t
largest_size(const TransferOptions *options)
{
	int64_t largest = 0;

	for (size_t i = 0; i < options->sizes.count; i++)
		if (options->sizes.value[i] > largest)
			largest = options->sizes.value[i];
	return largest;
}

static int64_t
smallest_size(const TransferOptions *options)
{
	int64_t smallest = INT64_MAX;

	for (size_t i = 0; i < options->sizes.count; i++)
		if (options->sizes.value[i] < smallest)
			smallest = options->sizes.value[i];
	return smallest;
}

/* The default sizes, up to the rows that there are. */
static bool
settle_default_sizes(TransferOptions *options, int64_t count)
{
	options->sizes.value = calloc(DEFAULT_SIZES, sizeof(int64_t));
	if (options->sizes.value == NULL)
	{
		message_error("out of memory");
		return false;
	}
	for (size_t i = 0; i < DEFAULT_SIZES; i++)
	{
		bool is_last = default_sizes[i] >= count;

		options->sizes.value[options->sizes.count++] = is_last ? count : default_sizes[i];
		if (is_last)
			break;
	}
	if (count < default_sizes[DEFAULT_SIZES - 1])
		message_note("there are %" PRId64 " rows: the largest size of this run", count);
	return true;
}

/* Against the rows that there are: short trials would be no samples. */
static bool
fit_sizes(CompareSetup *setup)
{
	TransferOptions *options = setup->session.options;
	bool given = options->sizes.count > 0;
	int64_t wanted = given ? largest_size(options) : default_sizes[DEFAULT_SIZES - 1];
	int64_t count = read_setup_count(&setup->comparison.read, wanted + 1);

	if (count < 0)
		return false;
	if (count == 0)
		message_error("there are no rows to be compared");
	else if (given && count < wanted)
		message_error("--sizes: %" PRId64 " rows were asked for, there are %" PRId64, wanted,
					  count);
	else if (given || settle_default_sizes(options, count))
	{
		read_setup_warn_order(&setup->comparison.read, smallest_size(options), count);
		return true;
	}
	return false;
}

/* --- what is read ------------------------------------------------------------------------ */

/* False after a message; neither a table nor a query: reference rows are wanted. */
static bool
name_source(CompareSetup *setup)
{
	RunSession *session = &setup->session;
	const TransferOptions *options = session->options;

	setup->source_query = options->source_query;
	setup->source_table = options->source_table;
	if (setup->source_query != NULL || setup->source_table != NULL ||
		setup->comparison.read_paths == 0 || !transfer_options_name_api(options))
		return true;
	setup->source_table = read_setup_table(session, NULL);
	if (setup->source_table == NULL)
		message_error(
			"--source or --query is missing: what the API reads, to be read natively too");
	return setup->source_table != NULL;
}

static bool
is_reference(const CompareSetup *setup)
{
	return setup->source_table == NULL && setup->source_query == NULL;
}

static bool
examine_source(CompareSetup *setup)
{
	return read_setup_open(&setup->comparison.read, &setup->session, setup->source_table,
						   setup->source_query, setup->session.options->url);
}

/* Fills a table with reference rows, to be read. */
static bool
fill_reference(CompareSetup *setup)
{
	int64_t rows = largest_size(setup->session.options);
	BatchSupply *supply = write_setup_supply(&setup->reference, &write_path_copy_binary, rows);
	Trial trial;
	bool whole;

	if (supply == NULL)
		return false;
	write_trial_run(&write_path_copy_binary, &setup->reference.plan, supply, rows, 0, NULL, &trial);
	whole = trial.status == TRIAL_OK;
	if (!whole)
		message_error("the table of reference rows could not be filled: %s",
					  trial.status == TRIAL_INTERRUPTED ? "interrupted" : trial.problem);
	trial_free(&trial);
	batch_supply_free(supply);
	return whole;
}

static bool
analyse(CompareSetup *setup)
{
	Database *database = &setup->session.control;
	char *sql;
	bool done;

	if (asprintf(&sql, "ANALYZE %s", setup->reference.table.qualified) < 0)
		return false;
	done = database_run(database, sql, DATABASE_WAIT_FOREVER, NULL) == DATABASE_OK;
	if (!done)
		message_error("%s: %s", sql, database->message);
	free(sql);
	return done;
}

/* "transferbench_<run id>_source", in the schema of --table: there the role may make tables. */
static char *
name_reference(const CompareSetup *setup)
{
	const char *table = setup->session.options->table;
	size_t schema = 0;
	bool quoted = false;
	char *name;

	for (size_t i = 0; table != NULL && table[i] != '\0'; i++)
	{
		quoted ^= table[i] == '"';
		if (table[i] == '.' && !quoted)
			schema = i + 1;
	}
	if (asprintf(&name, "%.*stransferbench_%s_source", (int) schema, table == NULL ? "" : table,
				 setup->session.run.id) >= 0)
		return name;
	message_error("out of memory");
	return NULL;
}

static bool
make_reference(CompareSetup *setup)
{
	WriteSetupTable wanted = {.primary_key = "id", .scratch = true};

	wanted.name = setup->reference_name = name_reference(setup);
	if (wanted.name == NULL || !write_setup_table(&setup->reference, &wanted) ||
		!write_setup_plan(&setup->reference, NULL))
		return false;
	setup->source_table = setup->reference.table.qualified;
	message_note("filling %s with %" PRId64 " reference rows", setup->source_table,
				 largest_size(setup->session.options));
	return fill_reference(setup) && analyse(setup);
}

/* --- what is written --------------------------------------------------------------------- */

/* Rows that all writing of the run comes to. */
static int64_t
rows_in_all(const CompareSetup *setup, const TransferOptions *options)
{
	int64_t sum = 0;

	for (size_t i = 0; i < options->sizes.count; i++)
		sum += options->sizes.value[i];
	return sum * (options->trials + 1) * setup->comparison.write_paths;
}

/* What the run takes of the server's connections at once: its own jobs, and those of an endpoint of its
 * own. */
static int
connections(const CompareSetup *setup)
{
	const TransferOptions *options = setup->session.options;
	int jobs = (int) options->jobs;

	return transfer_options_name_api(options) ? jobs : jobs + SERVE_CHILD_READERS + jobs;
}

/* The rows of the writing direction are those of the source, or reference rows. */
static bool
open_origin(CompareSetup *setup)
{
	TransferOptions *options = setup->session.options;

	options->from_table = options->source_table;
	options->from_query = options->source_query;
	return write_setup_origin(&setup->comparison.write, &setup->session, largest_size(options)) &&
		   write_setup_preflight(&setup->comparison.write, rows_in_all(setup, options),
								 largest_size(options), connections(setup));
}

/* An endpoint that has no table to be filled is compared in reading. */
static bool
has_target(CompareSetup *setup)
{
	RunSession *session = &setup->session;
	const TransferOptions *options = session->options;
	const ApiInfo *info = &session->info;

	if (setup->comparison.write_paths == 0 || !transfer_options_name_api(options))
		return true;
	/* what it serves is not to be emptied: --save-table is by default that very table */
	if (!session->has_info || options->table != NULL ||
		(*info->save_table != '\0' && strcmp(info->save_table, info->table) != 0))
		return write_setup_endpoint_table(session);
	if (options->direction == DIRECTION_BOTH && setup->comparison.read_paths > 0)
	{
		run_session_note(session, "the endpoint writes to no table of its own (see serve "
								  "--save-table): reading alone is compared");
		setup->comparison.write_paths = 0;
		return true;
	}
	message_error("the endpoint writes to no table of its own (see serve --save-table)");
	return false;
}

/* A type that a path cannot write is found before anything is measured. */
static bool
can_be_written(CompareSetup *setup)
{
	Comparison *comparison = &setup->comparison;

	for (int i = 0; i < comparison->write_paths; i++)
	{
		BatchSupply *supply = write_setup_supply(&comparison->write, comparison->write_path[i], 0);

		if (supply == NULL)
		{
			message_note("see --paths (such as --paths copy-text,http-json) or --direction read");
			return false;
		}
		batch_supply_free(supply);
	}
	return true;
}

/* --- the API ----------------------------------------------------------------------------- */

/* A table without an order is served as a query: it was warned of here, where it matters. NULL after a
 * message; the caller frees. */
static char *
query_of_table(const char *table)
{
	char *query;

	if (asprintf(&query, "SELECT * FROM %s", table) >= 0)
		return query;
	message_error("out of memory");
	return NULL;
}

/* A token that was given is asked for; else one is drawn. */
static bool
settle_token(TransferOptions *options)
{
	if (options->http.token != NULL)
		return true;
	options->http.token = malloc(SERVE_CHILD_TOKEN_BYTES);
	if (options->http.token == NULL)
		message_error("out of memory");
	else if (serve_child_draw_token(options->http.token))
		return true;
	free(options->http.token);
	options->http.token = NULL;
	return false;
}

static bool
start_child(CompareSetup *setup)
{
	const TransferOptions *options = setup->session.options;
	const char *target = setup->comparison.write.table.qualified;
	/* it must have something to serve, though nobody reads */
	const char *table = is_reference(setup) ? target : setup->comparison.read.source.table;
	bool is_ordered = setup->comparison.read.source.order != NULL;
	char *query = table == NULL || is_ordered ? NULL : query_of_table(table);
	const ServeChildOptions wanted = {
		.connection = &options->connection,
		.table = is_ordered ? table : NULL,
		.query = query != NULL ? query : setup->source_query,
		.order_by = options->order_by,
		.save_table = target,
		.token = options->http.token,
		.writers = (int) options->jobs,
	};
	bool started =
		(wanted.table != NULL || wanted.query != NULL) && serve_child_start(&setup->child, &wanted);

	free(query);
	return started;
}

/* Without an API one of our own. */
static bool
open_child(CompareSetup *setup)
{
	RunSession *session = &setup->session;
	TransferOptions *options = session->options;

	if (!settle_token(options) || !start_child(setup))
		return false;
	options->url = setup->child.url;
	setup->comparison.read.plan.target.base_url = options->url;
	setup->comparison.child = &setup->child;
	message_note("no --url: measuring against an endpoint of this run, %s", options->url);
	return run_session_open_api(session);
}

/* Whether any path leads over HTTP. */
static bool
wants_api(const Comparison *comparison)
{
	bool wanted = false;

	for (int i = 0; i < comparison->read_paths; i++)
		wanted |= !comparison->read_path[i]->is_native;
	for (int i = 0; i < comparison->write_paths; i++)
		wanted |= !comparison->write_path[i]->is_native;
	return wanted;
}

/* --- all of it --------------------------------------------------------------------------- */

/* What can be known before anything is made. */
static bool
examine(CompareSetup *setup)
{
	RunSession *session = &setup->session;
	TransferOptions *options = session->options;

	if (!run_session_open_api(session) || !has_target(setup) || !name_source(setup))
		return false;
	if (!is_reference(setup) && (!examine_source(setup) || !fit_sizes(setup)))
		return false;
	if (options->sizes.count == 0 &&
		!settle_default_sizes(options, default_sizes[DEFAULT_SIZES - 1]))
		return false;
	if (setup->comparison.write_paths > 0 && (!open_origin(setup) || !can_be_written(setup)))
		return false;
	if (!is_reference(setup) || setup->comparison.read_paths == 0)
		return true;
	return write_setup_origin(&setup->reference, session, largest_size(options)) &&
		   (setup->comparison.write_paths > 0 ||
			write_setup_preflight(&setup->reference, largest_size(options), largest_size(options),
								  connections(setup)));
}

static bool
make(CompareSetup *setup)
{
	Comparison *comparison = &setup->comparison;
	RunSession *session = &setup->session;

	if (comparison->read_paths > 0 && is_reference(setup) &&
		(!make_reference(setup) || !examine_source(setup)))
		return false;
	if (comparison->write_paths > 0 &&
		!write_setup_table(&comparison->write, &(WriteSetupTable){0}))
		return false;
	if (wants_api(comparison) && !transfer_options_name_api(session->options) && !open_child(setup))
		return false;
	if (comparison->write_paths > 0 && !write_setup_plan(&comparison->write, session->options->url))
		return false;
	return run_session_open_meter(session);
}

static void
tell_direction(const CompareSetup *setup, const char *verb, const char *paths)
{
	const TransferOptions *options = setup->session.options;

	for (size_t i = 0; i < options->sizes.count; i++)
		message_note("would %s %" PRId64 " rows by %s; timed trials of each: %" PRId64, verb,
					 options->sizes.value[i], paths, options->trials);
}

static void
tell_plan(const CompareSetup *setup)
{
	const Comparison *comparison = &setup->comparison;
	char paths[COMPARISON_MAX_PATHS * 32] = "";
	size_t length = 0;

	for (int i = 0; i < comparison->read_paths; i++)
		length += (size_t) snprintf(paths + length, sizeof(paths) - length, "%s%s",
									i == 0 ? "" : ", ", comparison->read_path[i]->name);
	if (comparison->read_paths > 0)
		tell_direction(setup, "read", paths);
	length = 0;
	for (int i = 0; i < comparison->write_paths; i++)
		length += (size_t) snprintf(paths + length, sizeof(paths) - length, "%s%s",
									i == 0 ? "" : ", ", comparison->write_path[i]->name);
	if (comparison->write_paths > 0)
		tell_direction(setup, "write", paths);
	message_note("nothing was written or measured");
}

bool
compare_setup_open(CompareSetup *setup)
{
	setup->comparison.session = &setup->session;
	if (!examine(setup))
		return false;
	if (!setup->session.options->dry_run)
		return make(setup);
	tell_plan(setup);
	return true;
}

int
compare_setup_close(CompareSetup *setup, int status)
{
	bool dropped = true;

	run_session_begin_cleanup(&setup->session);
	/* before the tables: its backends may hold locks */
	serve_child_stop(&setup->child);
	read_setup_close(&setup->comparison.read);
	if (setup->comparison.write.session != NULL)
		dropped = write_setup_close(&setup->comparison.write);
	if (setup->reference.session != NULL)
		dropped &= write_setup_close(&setup->reference);
	free(setup->reference_name);
	run_session_close(&setup->session);
	return dropped || status != EXIT_ALL_WELL ? status : EXIT_INCOMPLETE;
}
