#include "write_command.h"
#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include "write_setup.h"
#include "value_changes.h"
#include "write_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 100000

typedef struct WriteCommand
{
	RunSession session;
	WriteSetup setup;
	const WritePath *path;
	BatchSupply *supply;
	int64_t rows; /* -1: all that the source has */
} WriteCommand;

/* Reference rows have no end of their own. */
static int64_t
wanted_rows(const TransferOptions *options)
{
	bool has_end =
		options->file != NULL || options->from_table != NULL || options->from_query != NULL;

	if (options->sizes.value[0] >= 0)
		return options->sizes.value[0];
	return has_end ? -1 : DEFAULT_ROWS;
}

/* A single load is what somebody wants done, and done once; and so is each that is appended. */
static bool
has_warm_up(const TransferOptions *options)
{
	return options->trials > 1 && !options->append;
}

/* A trial is one table's rows; --append adds them all to the same one. */
static bool
check_sizes(WriteCommand *command)
{
	const TransferOptions *options = command->session.options;
	int64_t rows = command->rows < 0 ? command->setup.source_rows : command->rows;
	int64_t runs = options->trials + has_warm_up(options);
	int64_t in_all = rows < 0 ? -1 : rows * runs;

	/* an API has connections of its own */
	return write_setup_preflight(&command->setup, in_all, options->append ? in_all : rows,
								 command->path->is_native ? (int) options->jobs : 0);
}

static bool
prepare(WriteCommand *command)
{
	RunSession *session = &command->session;

	return write_setup_origin(&command->setup, session, command->rows) && check_sizes(command);
}

static bool
open_table(WriteCommand *command)
{
	RunSession *session = &command->session;

	if (!write_setup_table(&command->setup, &(WriteSetupTable){0}))
		return false;
	session->run.table = command->setup.table.qualified;
	return write_setup_plan(&command->setup, session->options->url);
}

static bool
open_supply(WriteCommand *command)
{
	BatchResult made;

	command->supply = write_setup_supply(&command->setup, command->path, command->rows);
	if (command->supply == NULL)
		return false;
	if (!command->session.options->pregenerate)
		return true;
	made = batch_supply_pregenerate(command->supply);
	if (made == BATCH_FAILED)
		message_error("%s", batch_supply_problem(command->supply));
	return made == BATCH_OK;
}

static bool
empty_table(WriteCommand *command)
{
	return command->session.options->append ||
		   run_table_empty(&command->setup.table, &command->session.control);
}

/* False when no further trial is to be made. */
static bool
run_trial(WriteCommand *command, int number)
{
	RunSession *session = &command->session;
	char what[96];
	Trial trial;
	bool whole;

	if (!run_session_revive(session) || !empty_table(command) ||
		!batch_supply_rewind(command->supply))
	{
		run_session_fail(session, EXIT_INCOMPLETE);
		return false;
	}
	run_session_checkpoint(session);
	snprintf(what, sizeof(what), number == 0 ? "%s, warm-up" : "%s, trial %d of %" PRId64,
			 command->path->name, number, session->options->trials);
	progress_begin(what, command->rows);
	write_trial_run(command->path, &command->setup.plan, command->supply, command->rows, number,
					number == 0 ? NULL : session->meter, &trial);
	progress_end();
	trial.block = number;
	write_verify_count(&command->setup, &trial);
	whole = trial.status == TRIAL_OK;
	run_session_add_trial(session, &trial);
	return whole && !interrupt_requested();
}

/* Whether the values arrived as they were sent; of the last trial's table. */
static void
verify_values(WriteCommand *command)
{
	RunSession *session = &command->session;
	const TransferOptions *options = session->options;
	const Trial *last = &session->run.trial[session->run.trials - 1];
	WriteVerification verification;

	if (options->verify != VERIFY_FULL)
		return;
	if (options->append)
	{
		run_session_note(session, "values were not compared: the table held rows before");
		return;
	}
	if (!row_source_can_rewind(command->setup.source))
	{
		run_session_note(session, "values were not compared: %s can be read only once",
						 strcmp(options->file, "-") == 0 ? "standard input" : options->file);
		return;
	}
	write_verify_digest(&command->setup, command->path->name, last->rows, &verification);
	if (!verification.done)
		run_session_fail(session, EXIT_INCOMPLETE);
	else if (verification.equal)
		run_session_note(session, "rows equal: %" PRId64 " rows, every value as it was sent",
						 last->rows);
	else
	{
		value_changes_note(session, command->path->name, verification.values_changed,
						   verification.changed_columns);
		run_session_fail(session, EXIT_CHANGED);
	}
	free(verification.changed_columns);
}

static void
run_trials(WriteCommand *command)
{
	const TransferOptions *options = command->session.options;
	bool going_on = true;

	for (int number = has_warm_up(options) ? 0 : 1; going_on && number <= options->trials; number++)
		going_on = run_trial(command, number);
	if (going_on)
		verify_values(command);
}

static void
dry_run(const WriteCommand *command)
{
	const TransferOptions *options = command->session.options;

	message_note("would write %s by %s into %s, %" PRId64 " rows per transaction, %" PRId64
				 " at once; nothing was written",
				 options->file != NULL ? options->file : "the rows", command->path->name,
				 options->table != NULL ? options->table : "a table of this run",
				 options->batch_rows, options->jobs);
}

static int
run_command(WriteCommand *command)
{
	RunSession *session = &command->session;

	if (!run_session_open_api(session) ||
		(!command->path->is_native && !write_setup_endpoint_table(session)) || !prepare(command))
		return interrupt_requested() ? EXIT_INCOMPLETE : EXIT_USAGE;
	if (session->options->dry_run)
	{
		dry_run(command);
		return EXIT_ALL_WELL;
	}
	if (!run_session_open_meter(session) || !open_table(command) || !open_supply(command))
		return interrupt_requested() ? EXIT_INCOMPLETE : EXIT_USAGE;
	run_trials(command);
	run_session_begin_cleanup(session);
	return run_session_report(session);
}

int
write_command_run(const char *name, const WritePath *path, TransferOptions *options)
{
	WriteCommand command = {.path = path, .rows = wanted_rows(options)};
	int status = EXIT_USAGE;

	if (run_session_open(&command.session, name, options))
	{
		command.session.run.batch_rows = options->batch_rows;
		status = run_command(&command);
	}
	run_session_begin_cleanup(&command.session);
	batch_supply_free(command.supply);
	if (command.setup.session != NULL && !write_setup_close(&command.setup) &&
		status == EXIT_ALL_WELL)
		status = EXIT_INCOMPLETE;
	run_session_close(&command.session);
	transfer_options_free(options);
	return status;
}
