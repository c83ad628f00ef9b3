#include "command_fetch.h"
#include "interrupt.h"
#include "message.h"
#include "read_setup.h"
#include "read_verify.h"
#include "value_changes.h"

#include <inttypes.h>
#include <stdlib.h>

#define GROUPS                                                                                     \
	(TRANSFER_GROUP_ROWS | TRANSFER_GROUP_PATHS | TRANSFER_GROUP_SOURCE | TRANSFER_GROUP_HTTP |    \
	 TRANSFER_GROUP_TRIALS | TRANSFER_GROUP_FORMAT)
#define DEFAULT_ROWS  100000
#define DEFAULT_TABLE "bench_reference"
#define MAX_PATHS     8

static const char usage[] =
	"Usage: transferbench fetch [--source NAME | --query SELECT] [OPTIONS]\n"
	"\n"
	"Reads rows from the database into typed values of this client: by COPY TO STDOUT, by\n"
	"SELECT, or as JSON over HTTP from an API.\n"
	"\n"
	"Exit status: 0 all well; 1 usage or set-up; 2 incomplete; 3 complete, but the paths\n"
	"delivered different values.\n";

typedef struct FetchCommand
{
	RunSession session;
	ReadSetup setup;
	const ReadPath *path[MAX_PATHS];
	int paths;
	int64_t rows;
} FetchCommand;

static bool
has_api(const TransferOptions *options)
{
	return options->url != NULL || options->target.get_url != NULL;
}

static bool
choose_paths(FetchCommand *command, const TransferOptions *options)
{
	const char *list = options->paths;

	if (list == NULL)
		list = has_api(options) ? "copy-binary,http-json" : "copy-binary";
	command->paths = read_setup_paths(list, command->path, MAX_PATHS);
	for (int i = 0; i < command->paths; i++)
	{
		if (command->path[i]->is_native || has_api(options))
			continue;
		message_error("--paths: http-json wants an API: --url or --get-url");
		return false;
	}
	return command->paths > 0;
}

/* All there are, when fewer than asked for: otherwise every trial would fall short. */
static bool
settle_rows(FetchCommand *command)
{
	int64_t asked = command->session.options->sizes.value[0];
	int64_t wanted = asked < 0 ? DEFAULT_ROWS : asked;
	int64_t count = read_setup_count(&command->setup, wanted + 1);

	if (count < 0)
		return false;
	command->rows = count < wanted ? count : wanted;
	read_setup_warn_order(&command->setup, command->rows, count);
	if (asked >= 0 && command->rows < asked)
	{
		message_error("--rows: %" PRId64 " were asked for, there are %" PRId64, asked,
					  command->rows);
		return false;
	}
	return true;
}

static void
verify_path(FetchCommand *command, const ReadPath *path, ValueDigest **first_digest)
{
	RunSession *session = &command->session;
	ReadVerification verification;

	read_verify(&command->setup, command->path[0], path, command->rows, first_digest,
				&verification);
	if (!verification.done)
		run_session_fail(session, EXIT_INCOMPLETE);
	else if (path != command->path[0] && verification.equal)
		run_session_note(session, "rows equal: %s and %s delivered the same %" PRId64 " rows",
						 command->path[0]->name, path->name, command->rows);
	else if (path != command->path[0])
	{
		value_changes_note(session, path->name, verification.values_changed,
						   verification.changed_columns);
		run_session_fail(session, EXIT_CHANGED);
	}
	free(verification.changed_columns);
}

static void
verify_paths(FetchCommand *command)
{
	ValueDigest *first_digest = NULL;

	if (command->session.options->verify != VERIFY_FULL)
		return;
	for (int i = 0; i < command->paths && !interrupt_requested(); i++)
		verify_path(command, command->path[i], &first_digest);
	value_digest_free(first_digest);
}

static void
run_trials(FetchCommand *command)
{
	const TransferOptions *options = command->session.options;
	/* where nothing is verified, nothing has warmed up */
	bool warm_up = options->trials > 1 && options->verify != VERIFY_FULL;

	for (int number = warm_up ? 0 : 1; number <= options->trials; number++)
		for (int i = 0; i < command->paths && !interrupt_requested(); i++)
			read_setup_trial(&command->setup, command->path[i], command->rows, number, number);
}

static int
run_command(FetchCommand *command)
{
	RunSession *session = &command->session;
	const TransferOptions *options = session->options;

	if (!choose_paths(command, options) || !run_session_open_api(session) ||
		!read_setup_open(&command->setup, session, read_setup_table(session, DEFAULT_TABLE),
						 options->source_query, options->url) ||
		!settle_rows(command))
		return interrupt_requested() ? EXIT_INCOMPLETE : EXIT_USAGE;
	session->run.table = options->source_query != NULL ? NULL : command->setup.source.table;
	if (options->dry_run)
	{
		message_note("would read %" PRId64 " rows; nothing was read", command->rows);
		return EXIT_ALL_WELL;
	}
	if (!run_session_open_meter(session))
		return EXIT_USAGE;
	read_setup_note_comparison(&command->setup);
	verify_paths(command);
	run_trials(command);
	run_session_begin_cleanup(session);
	return run_session_report(session);
}

int
command_fetch(int argc, char **argv)
{
	TransferOptions options;
	FetchCommand command = {0};
	OptionsResult read;
	int status = EXIT_USAGE;

	transfer_options_init(&options);
	read = transfer_options_read(&options, GROUPS, usage, argc, argv);
	if (read == OPTIONS_OK)
	{
		if (run_session_open(&command.session, "fetch", &options))
			status = run_command(&command);
		read_setup_close(&command.setup);
		run_session_close(&command.session);
	}
	transfer_options_free(&options);
	return read == OPTIONS_HELP ? EXIT_ALL_WELL : status;
}
