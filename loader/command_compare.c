#include "command_compare.h"
#include "clock.h"
#include "comparison.h"
#include "interrupt.h"
#include "message.h"
#include "serve_child.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUPS                                                                                     \
	(TRANSFER_GROUP_SIZES | TRANSFER_GROUP_PATHS | TRANSFER_GROUP_SOURCE | TRANSFER_GROUP_WRITE |  \
	 TRANSFER_GROUP_POST | TRANSFER_GROUP_HTTP | TRANSFER_GROUP_TARGET | TRANSFER_GROUP_TRIALS |   \
	 TRANSFER_GROUP_COMPARE | TRANSFER_GROUP_FORMAT)
#define DEFAULT_PATHS  "copy-binary,http-json"
#define DEFAULT_TRIALS 10
#define BUSY_PROCESSES 3       /* of a trial over HTTP: client, endpoint, its backend */
#define MAX_ORDER_SEED 1000000 /* short enough to be typed again */

static const int64_t default_sizes[] = {10000, 100000, 1000000};

static const char usage[] =
	"Usage: transferbench compare [OPTIONS]\n"
	"\n"
	"Measures what it costs to move rows over an HTTP JSON API instead of natively: the same rows\n"
	"down each path, proven equal first, timed in fair order, at several sizes and in both\n"
	"directions. Without --url it starts an endpoint of its own (transferbench serve); without\n"
	"--source the rows are reference rows, in a table made for the run.\n"
	"\n"
	"Exit status: 0 all well; 1 usage or set-up; 2 incomplete, or rows lost, doubled or in\n"
	"doubt; 3 complete, but values changed.\n";

typedef struct CompareCommand
{
	RunSession session;
	Comparison comparison;
	WriteSetup reference; /* the table that is read, where none was named */
	ServeChild child;
	const char *source_table, *source_query;
} CompareCommand;

/* --- options ----------------------------------------------------------------------------- */

static bool
settle_sizes(TransferOptions *options)
{
	size_t count = sizeof(default_sizes) / sizeof(default_sizes[0]);

	if (options->sizes.count > 0)
		return true;
	options->sizes.value = malloc(sizeof(default_sizes));
	if (options->sizes.value == NULL)
		return false;
	memcpy(options->sizes.value, default_sizes, sizeof(default_sizes));
	options->sizes.count = count;
	return true;
}

/* A name may be that of a path of one direction or of both. */
static bool
take_path(Comparison *comparison, const TransferOptions *options, const char *name, size_t length)
{
	const ReadPath *reading = read_path_find(name, length);
	const WritePath *writing = write_path_find(name, length);

	if ((reading == NULL && writing == NULL) || comparison->read_paths == COMPARISON_MAX_PATHS ||
		comparison->write_paths == COMPARISON_MAX_PATHS)
	{
		message_error(
			"--paths: \"%.*s\" is none of copy-text, copy-binary, select, insert, http-json",
			(int) length, name);
		return false;
	}
	if (reading != NULL && options->direction != 2)
		comparison->read_path[comparison->read_paths++] = reading;
	if (writing != NULL && options->direction != 1)
		comparison->write_path[comparison->write_paths++] = writing;
	return true;
}

static bool
choose_paths(Comparison *comparison, const TransferOptions *options)
{
	const char *list = options->paths == NULL ? DEFAULT_PATHS : options->paths;

	while (*list != '\0')
	{
		size_t length = strcspn(list, ",");

		if (!take_path(comparison, options, list, length))
			return false;
		list += length + (list[length] == ',');
	}
	if (comparison->read_paths != 1 && comparison->write_paths != 1 &&
		comparison->read_paths + comparison->write_paths > 0)
		return true;
	message_error("--paths: a direction needs two paths at least to be compared");
	return false;
}

static bool
check_options(CompareCommand *command, TransferOptions *options)
{
	if (options->append)
	{
		message_error("--append makes no sense here: each trial begins with an empty table");
		return false;
	}
	if (options->page_rows > 0 && options->source_query != NULL && options->order_by == NULL)
		message_warning("--page-rows without --order-by: pages of a query may overlap");
	return choose_paths(&command->comparison, options) && settle_sizes(options);
}

/* --- set-up ------------------------------------------------------------------------------ */

static int64_t
largest_size(const TransferOptions *options)
{
	int64_t largest = 0;

	for (size_t i = 0; i < options->sizes.count; i++)
		if (options->sizes.value[i] > largest)
			largest = options->sizes.value[i];
	return largest;
}

/* Rows that all writing of the run comes to. */
static int64_t
rows_in_all(const CompareCommand *command, const TransferOptions *options)
{
	int64_t sum = 0;

	for (size_t i = 0; i < options->sizes.count; i++)
		sum += options->sizes.value[i];
	return sum * (options->trials + 1) * command->comparison.write_paths;
}

/* The rows of the writing direction are those of the source, or reference rows. */
static bool
open_origin(CompareCommand *command)
{
	TransferOptions *options = command->session.options;

	options->from_table = options->source_table;
	options->from_query = options->source_query;
	return write_setup_origin(&command->comparison.write, &command->session,
							  largest_size(options)) &&
		   write_setup_preflight(&command->comparison.write, rows_in_all(command, options),
								 largest_size(options), (int) options->jobs);
}

/* Fills a table with reference rows, to be read. */
static bool
fill_reference(CompareCommand *command)
{
	WriteSetup *setup = &command->reference;
	RunSession *session = &command->session;
	int64_t rows = largest_size(session->options);
	BatchSupply *supply = write_setup_supply(setup, &write_path_copy_binary, rows);
	Trial trial;
	bool whole = false;

	if (supply == NULL)
		return false;
	write_trial_run(&write_path_copy_binary, &setup->plan, supply, rows, 0, NULL, &trial);
	whole = trial.status == TRIAL_OK;
	if (!whole)
		message_error("the table of reference rows could not be filled: %s",
					  trial.status == TRIAL_INTERRUPTED ? "interrupted" : trial.problem);
	trial_free(&trial);
	batch_supply_free(supply);
	return whole;
}

static bool
analyse(CompareCommand *command)
{
	Database *database = &command->session.control;
	char *sql;
	bool done;

	if (asprintf(&sql, "ANALYZE %s", command->reference.table.qualified) < 0)
		return false;
	done = database_run(database, sql, DATABASE_WAIT_FOREVER, NULL) == DATABASE_OK;
	if (!done)
		message_error("%s: %s", sql, database->message);
	free(sql);
	return done;
}

/* "transferbench_<run id>_source", for a table that is read and none was named. */
static bool
open_reference(CompareCommand *command)
{
	char name[64];
	const WriteSetupTable wanted = {.name = name, .primary_key = "id", .scratch = true};
	TransferOptions *options = command->session.options;

	snprintf(name, sizeof(name), "transferbench_%s_source", command->session.run.id);
	if (!write_setup_origin(&command->reference, &command->session, largest_size(options)) ||
		!write_setup_table(&command->reference, &wanted))
		return false;
	if (!write_setup_plan(&command->reference, NULL))
		return false;
	message_note("filling %s with %" PRId64 " reference rows", command->reference.table.qualified,
				 largest_size(options));
	if (!fill_reference(command) || !analyse(command))
		return false;
	command->source_table = command->reference.table.qualified;
	return true;
}

static bool
open_source(CompareCommand *command)
{
	const TransferOptions *options = command->session.options;

	command->source_table = options->source_table;
	command->source_query = options->source_query;
	if (command->source_table != NULL || command->source_query != NULL)
		return true;
	if (options->url == NULL && options->target.get_url == NULL)
		return open_reference(command);
	if (command->comparison.read_paths == 0)
		return true;
	if (command->session.has_info && *command->session.info.table != '\0')
	{
		command->source_table = command->session.info.table;
		return true;
	}
	message_error("--source or --query is missing: what the API reads, to be read natively too");
	return false;
}

static bool
open_target(CompareCommand *command)
{
	RunSession *session = &command->session;

	if (command->comparison.write_paths == 0)
		return true;
	if (session->has_info && !write_setup_endpoint_table(session))
		return false;
	return write_setup_table(&command->comparison.write, &(WriteSetupTable){0});
}

/* Without an API one of our own. */
static bool
open_child(CompareCommand *command)
{
	TransferOptions *options = command->session.options;
	const ServeChildOptions wanted = {
		.connection = &options->connection,
		.table = command->source_query != NULL ? NULL : command->source_table,
		.query = command->source_query,
		.order_by = options->order_by,
		.save_table = command->comparison.write.table.qualified,
		.writers = (int) options->jobs,
	};

	if (!serve_child_start(&command->child, &wanted))
		return false;
	options->url = command->child.url;
	message_note("no --url: measuring against an endpoint of this run, %s", options->url);
	return true;
}

/* A type that a path cannot write is found before anything is measured. */
static bool
can_be_written(CompareCommand *command)
{
	Comparison *comparison = &command->comparison;

	for (int i = 0; i < comparison->write_paths; i++)
	{
		BatchSupply *supply = write_setup_supply(&comparison->write, comparison->write_path[i], 0);

		if (supply == NULL)
			return false;
		batch_supply_free(supply);
	}
	return true;
}

static bool
open_all(CompareCommand *command)
{
	RunSession *session = &command->session;
	TransferOptions *options = session->options;
	Comparison *comparison = &command->comparison;
	bool has_url =
		options->url != NULL || options->target.get_url != NULL || options->target.post_url != NULL;

	comparison->session = session;
	if ((has_url && !run_session_open_api(session)) ||
		(comparison->write_paths > 0 && !open_origin(command)))
		return false;
	if (options->dry_run)
		return true;
	if (!open_source(command) || !open_target(command) ||
		(!has_url && (!open_child(command) || !run_session_open_api(session))))
		return false;
	if (comparison->write_paths > 0 &&
		(!write_setup_plan(&comparison->write, options->url) || !can_be_written(command)))
		return false;
	return (comparison->read_paths == 0 ||
			read_setup_open(&comparison->read, session, command->source_table,
							command->source_query, options->url)) &&
		   run_session_open_meter(session);
}

/* --- the run ----------------------------------------------------------------------------- */

static void
settle_run(CompareCommand *command)
{
	const TransferOptions *options = command->session.options;
	Run *run = &command->session.run;

	run->order_seed = options->order_seed_given ? options->order_seed
												: (int64_t) (clock_now_ns() % MAX_ORDER_SEED);
	run->batch_rows = options->batch_rows;
	run->as_shipped = options->as_shipped;
	run->has_budget = true;
	run->budget = options->budget;
	if (command->comparison.write_paths > 0)
		run->table = command->comparison.write.table.qualified;
	else if (command->source_query == NULL)
		run->table = command->source_table;
}

/* Where all take part on one machine, they may have to wait for each other. */
static void
note_cores(CompareCommand *command)
{
	RunSession *session = &command->session;
	int cores = session->run.environment.cores;

	if (cores < BUSY_PROCESSES && cost_meter_is_local(session->meter) &&
		(command->child.pid != 0 || session->options->api_pids > 0))
		run_session_note(session,
						 "this client, the endpoint and its backend share %d cores: elapsed times "
						 "over HTTP include waiting for a core; compare CPU times too",
						 cores);
}

static int
measure(CompareCommand *command)
{
	Comparison *comparison = &command->comparison;
	RunSession *session = &command->session;
	bool whole = true;

	settle_run(command);
	note_cores(command);
	if (comparison->read_paths > 0)
		whole = comparison_read(comparison);
	if (comparison->write_paths > 0 && !interrupt_requested())
		whole = comparison_write(comparison) && whole;
	/* what was measured before it broke off is told all the same */
	if (!comparison_summarise(comparison) || !whole)
		run_session_fail(session, EXIT_INCOMPLETE);
	run_session_begin_cleanup(session);
	return run_session_report(session);
}

static int
run_command(CompareCommand *command)
{
	if (!open_all(command))
		return interrupt_requested() ? EXIT_INCOMPLETE : EXIT_USAGE;
	if (command->session.options->dry_run)
	{
		message_note("nothing was written or measured");
		return EXIT_ALL_WELL;
	}
	return measure(command);
}

static int
close_all(CompareCommand *command, int status)
{
	bool dropped = true;

	run_session_begin_cleanup(&command->session);
	/* before the tables: its backends may hold locks */
	serve_child_stop(&command->child);
	read_setup_close(&command->comparison.read);
	if (command->comparison.write.session != NULL)
		dropped = write_setup_close(&command->comparison.write);
	if (command->reference.session != NULL)
		dropped &= write_setup_close(&command->reference);
	run_session_close(&command->session);
	return dropped || status != EXIT_ALL_WELL ? status : EXIT_INCOMPLETE;
}

int
command_compare(int argc, char **argv)
{
	TransferOptions options;
	CompareCommand command = {0};
	OptionsResult read;
	int status = EXIT_USAGE;

	transfer_options_init(&options);
	options.trials = DEFAULT_TRIALS;
	read = transfer_options_read(&options, GROUPS, usage, argc, argv);
	if (read == OPTIONS_OK && check_options(&command, &options))
	{
		if (run_session_open(&command.session, "compare", &options))
			status = run_command(&command);
		status = close_all(&command, status);
	}
	transfer_options_free(&options);
	return read == OPTIONS_HELP ? EXIT_ALL_WELL : status;
}
