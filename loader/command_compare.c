#include "command_compare.h"
#include "clock.h"
#include "compare_setup.h"
#include "interrupt.h"
#include "message.h"

#include <inttypes.h>
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

/* --- options ----------------------------------------------------------------------------- */

static bool
is_chosen(const Comparison *comparison, const ReadPath *reading, const WritePath *writing)
{
	for (int i = 0; reading != NULL && i < comparison->read_paths; i++)
		if (comparison->read_path[i] == reading)
			return true;
	for (int i = 0; writing != NULL && i < comparison->write_paths; i++)
		if (comparison->write_path[i] == writing)
			return true;
	return false;
}

/* A name may be that of a path of one direction or of both. */
static bool
take_path(Comparison *comparison, const TransferOptions *options, const char *name, size_t length)
{
	const ReadPath *reading = read_path_find(name, length);
	const WritePath *writing = write_path_find(name, length);

	if (reading == NULL && writing == NULL)
	{
		message_error(
			"--paths: \"%.*s\" is none of copy-text, copy-binary, select, insert, http-json",
			(int) length, name);
		return false;
	}
	if (is_chosen(comparison, reading, writing) || comparison->read_paths == COMPARISON_MAX_PATHS ||
		comparison->write_paths == COMPARISON_MAX_PATHS)
	{
		message_error("--paths: %.*s comes twice", (int) length, name);
		return false;
	}
	if (reading != NULL && options->direction != DIRECTION_WRITE)
		comparison->read_path[comparison->read_paths++] = reading;
	if (writing != NULL && options->direction != DIRECTION_READ)
		comparison->write_path[comparison->write_paths++] = writing;
	return true;
}

static bool
check_paths(const Comparison *comparison)
{
	bool can_read = comparison->read_paths > 1, can_write = comparison->write_paths > 1;

	if ((can_read || comparison->read_paths == 0) && (can_write || comparison->write_paths == 0) &&
		(can_read || can_write))
		return true;
	if (can_read || can_write)
		message_error("--paths: only one of them %s, and there is nothing to compare it with; name "
					  "another, or add --direction %s",
					  can_read ? "writes" : "reads", can_read ? "read" : "write");
	else
		message_error("--paths: a direction needs two paths at least to be compared");
	return false;
}

static bool
choose_paths(Comparison *comparison, const TransferOptions *options)
{
	const char *list = options->paths == NULL ? DEFAULT_PATHS : options->paths;

	for (;; list++)
	{
		size_t length = strcspn(list, ",");

		if (!take_path(comparison, options, list, length))
			return false;
		list += length;
		if (*list == '\0')
			return check_paths(comparison);
	}
}

/* An API that was named must be named for each direction that is measured. */
static bool
check_api(const Comparison *comparison, const TransferOptions *options)
{
	bool reads = is_chosen(comparison, &read_path_http_json, NULL);
	bool writes = is_chosen(comparison, NULL, &write_path_http_json);

	if (!transfer_options_name_api(options))
	{
		if (options->dialect == &api_dialect_reference)
			return true;
		message_error("--api %s: which one? Name it with --url, or --get-url and --post-url",
					  options->dialect->name);
	}
	else if (reads && options->url == NULL && options->target.get_url == NULL)
		message_error("--get-url is missing: where http-json reads from (or --direction write)");
	else if (writes && options->url == NULL && options->target.post_url == NULL)
		message_error("--post-url is missing: where http-json writes to (or --direction read)");
	else
		return true;
	return false;
}

static bool
check_options(CompareSetup *setup, const TransferOptions *options)
{
	if (options->append)
	{
		message_error("--append makes no sense here: each trial begins with an empty table");
		return false;
	}
	return choose_paths(&setup->comparison, options) && check_api(&setup->comparison, options);
}

/* --- the run ----------------------------------------------------------------------------- */

static void
settle_run(CompareSetup *setup)
{
	const TransferOptions *options = setup->session.options;
	Run *run = &setup->session.run;

	run->order_seed = options->order_seed_given ? options->order_seed
												: (int64_t) (clock_now_ns() % MAX_ORDER_SEED);
	run->batch_rows = options->batch_rows;
	run->as_shipped = options->as_shipped;
	run->has_budget = true;
	run->budget = options->budget;
	if (setup->comparison.write_paths > 0)
		run->table = setup->comparison.write.table.qualified;
	else if (setup->source_query == NULL)
		run->table = setup->source_table;
}

/* Where all take part on one machine, they may have to wait for each other. */
static void
note_cores(CompareSetup *setup)
{
	RunSession *session = &setup->session;
	int cores = session->run.environment.cores;

	if (cores < BUSY_PROCESSES && cost_meter_is_local(session->meter) &&
		(setup->child.pid != 0 || session->options->api_pids > 0))
		run_session_note(session,
						 "this client, the endpoint and its backend share %d cores: elapsed times "
						 "over HTTP include waiting for a core; compare CPU times too",
						 cores);
}

static int
measure(CompareSetup *setup)
{
	Comparison *comparison = &setup->comparison;
	RunSession *session = &setup->session;
	bool whole = true;

	settle_run(setup);
	note_cores(setup);
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
run_command(CompareSetup *setup)
{
	if (!compare_setup_open(setup))
		return interrupt_requested() ? EXIT_INCOMPLETE : EXIT_USAGE;
	return setup->session.options->dry_run ? EXIT_ALL_WELL : measure(setup);
}

int
command_compare(int argc, char **argv)
{
	TransferOptions options;
	CompareSetup setup = {0};
	OptionsResult read;
	int status = EXIT_USAGE;

	transfer_options_init(&options);
	options.trials = DEFAULT_TRIALS;
	read = transfer_options_read(&options, GROUPS, usage, argc, argv);
	if (read == OPTIONS_OK && check_options(&setup, &options))
	{
		if (run_session_open(&setup.session, "compare", &options))
			status = run_command(&setup);
		status = compare_setup_close(&setup, status);
	}
	transfer_options_free(&options);
	return read == OPTIONS_HELP ? EXIT_ALL_WELL : status;
}
