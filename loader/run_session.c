#include "run_session.h"
#include "clock.h"
#include "interrupt.h"
#include "message.h"

#include <inttypes.h>
#include <libgen.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONNECT_TIMEOUT_MS 30000
#define REVIVE_TIMEOUT_MS  30000
#define STOP_TIMEOUT_MS    5000 /* the same once a stop was asked for */
#define REVIVE_PAUSE_MS    100
#define FREE_MEMORY_KEPT   (128 * 1024) /* bytes; glibc's own first value */

/* --- opening ----------------------------------------------------------------------------- */

static bool
connect_control(RunSession *session, int interrupt)
{
	database_init(&session->control, interrupt);
	switch (database_open(&session->control, &session->connection, CONNECT_TIMEOUT_MS))
	{
		case DATABASE_OK:
			return true;
		case DATABASE_INTERRUPTED:
			message_error("interrupted");
			return false;
		default:
			message_error("%s", session->control.message);
			return false;
	}
}

/* The right to CHECKPOINT: a superuser's, and from 15 on pg_checkpoint's. */
static bool
may_checkpoint(Database *database)
{
	PGresult *result = database_execute(
		database,
		"SELECT pg_catalog.bool_or(pg_catalog.pg_has_role(oid, 'USAGE'))"
		" OR (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=)"
		" CURRENT_USER)"
		" FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) 'pg_checkpoint'",
		0, NULL);
	bool may = result != NULL && PQntuples(result) == 1 && *PQgetvalue(result, 0, 0) == 't';

	PQclear(result);
	return may;
}

/* What is freed goes back to the system at once, so that a trial's peak of memory does not depend on
 * what the trial before it kept. glibc would raise these bounds by itself. */
static void
keep_no_free_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, FREE_MEMORY_KEPT);
	mallopt(M_TRIM_THRESHOLD, FREE_MEMORY_KEPT);
#endif
}

/* Better said now than after the last trial. */
static bool
can_write_report(const char *path)
{
	char *resolved = path == NULL ? NULL : realpath(path, NULL);
	char *name = path == NULL ? NULL : strdup(resolved != NULL ? resolved : path);
	struct stat status;
	bool can_write = path == NULL || name != NULL;

	/* a file is replaced by a new one beside it; a device or a pipe is not */
	if (name != NULL && (stat(name, &status) != 0 || S_ISREG(status.st_mode)))
		can_write = access(dirname(name), W_OK | X_OK) == 0;
	if (!can_write)
		message_error("--output: \"%s\" cannot be written: %m", path);
	free(name);
	free(resolved);
	return can_write;
}

/* A pooler may give its own name to the sessions behind it. */
static void
check_name(const RunSession *session)
{
	const char *name = PQparameterStatus(session->control.connection, "application_name");

	if (name != NULL && strcmp(name, session->application_name) != 0)
		message_warning("the server knows this run as \"%s\", not as \"%s\": \"transferbench "
						"cleanup\" could take it for dead, and drop its table",
						name, session->application_name);
}

bool
run_session_open(RunSession *session, const char *command, TransferOptions *options)
{
	keep_no_free_memory();
	*session = (RunSession){.options = options};
	run_init(&session->run, command);
	session->run.jobs = (int) options->jobs;
	session->run.unlogged = options->unlogged;
	snprintf(session->application_name, sizeof(session->application_name), "transferbench/%s",
			 session->run.id);
	session->connection = options->connection;
	session->connection.application_name = session->application_name;
	if (!can_write_report(options->output) || !interrupt_install() || !http_global_init() ||
		!connect_control(session, interrupt_fd()) ||
		!environment_read(&session->run.environment, &session->control))
		return false;
	session->may_checkpoint = may_checkpoint(&session->control);
	check_name(session);
	return true;
}

bool
run_session_open_api(RunSession *session)
{
	const TransferOptions *options = session->options;
	char problem[512];

	if (!transfer_options_name_api(options))
		return true;
	session->http = http_session_create(&options->http, interrupt_fd());
	if (session->http == NULL)
	{
		message_error("out of memory");
		return false;
	}
	session->run.url = http_url_shown(options->url != NULL              ? options->url
									  : options->target.get_url != NULL ? options->target.get_url
																		: options->target.post_url);
	if (!options->dialect->has_info || options->url == NULL)
		return true;
	session->has_info =
		api_info_get(session->http, options->url, &session->info, problem, sizeof(problem));
	if (!session->has_info)
		message_error("--url: GET /info is not answered as the reference endpoint would: %s (see "
					  "--api)",
					  problem);
	return session->has_info;
}

static bool
endpoint_usage(void *context, bool reset_peak, int64_t *cpu_us, int64_t *resident_bytes,
			   int64_t *peak_bytes)
{
	RunSession *session = context;

	return api_usage_get(session->http, session->options->url, reset_peak, cpu_us, resident_bytes,
						 peak_bytes);
}

bool
run_session_open_meter(RunSession *session)
{
	const TransferOptions *options = session->options;
	const char *application_name = options->api_application_name;
	CostMeterOptions meter;
	int64_t ignored[3];

	session->tells_usage = session->has_info && options->api_pids == 0 &&
						   endpoint_usage(session, false, &ignored[0], &ignored[1], &ignored[2]);
	if (application_name == NULL && options->api_db_user == NULL && session->has_info &&
		*session->info.application_name != '\0')
		application_name = session->info.application_name;
	meter = (CostMeterOptions){
		.connection = &session->connection,
		.run_application = session->application_name,
		.api_pids = options->api_pid,
		.api_pid_count = options->api_pids,
		.api_db_user = options->api_db_user,
		.api_application_name = application_name,
		.system_memory = options->system_memory,
		.endpoint_usage = session->tells_usage ? endpoint_usage : NULL,
		.context = session,
	};
	session->meter = cost_meter_create(&meter);
	return session->meter != NULL;
}

/* --- meanwhile --------------------------------------------------------------------------- */

/* Waits; false when the time is over, or a stop is asked for. */
static bool
may_try_again(int stop_fd, int64_t deadline_ns)
{
	struct pollfd stop = {.fd = stop_fd, .events = POLLIN};

	return clock_now_ns() < deadline_ns && poll(&stop, 1, REVIVE_PAUSE_MS) <= 0;
}

/* Where a connection was before, whatever is in its way now may pass: a server that is not there yet, or
 * in recovery, or has no slot left. */
static bool
reconnect(RunSession *session)
{
	Database *control = &session->control;
	/* what is done after a stop is not stopped by the same one, but need not take long */
	int stop_fd = interrupt_requested() ? control->interrupt_fd : interrupt_fd();
	int timeout_ms = interrupt_requested() ? STOP_TIMEOUT_MS : REVIVE_TIMEOUT_MS;
	int64_t deadline_ns =
		session->server_is_gone ? 0 : clock_now_ns() + timeout_ms * CLOCK_NS_PER_MS;
	bool is_told = false;

	while (database_open(control, &session->connection, CONNECT_TIMEOUT_MS) == DATABASE_LOST &&
		   may_try_again(stop_fd, deadline_ns))
	{
		if (!is_told)
			message_note("waiting for the server, for at most %d s: %s", timeout_ms / 1000,
						 control->message);
		is_told = true;
	}
	if (database_is_open(control))
		return true;
	session->server_is_gone = true;
	message_error("%s", control->message);
	return false;
}

bool
run_session_revive(RunSession *session)
{
	Database *control = &session->control;

	if (database_is_open(control) &&
		database_run(control, "SELECT 1", DATABASE_WAIT_FOREVER, NULL) != DATABASE_LOST)
		return true;
	database_close(control);
	return reconnect(session);
}

void
run_session_checkpoint(RunSession *session)
{
	if (session->may_checkpoint && database_run(&session->control, "CHECKPOINT",
												DATABASE_WAIT_FOREVER, NULL) == DATABASE_FAILED)
		session->may_checkpoint = false;
}

void
run_session_fail(RunSession *session, ExitStatus status)
{
	static const ExitStatus rising[] = {EXIT_ALL_WELL, EXIT_CHANGED, EXIT_INCOMPLETE, EXIT_USAGE};
	bool passed = false;

	for (size_t i = 0; i < sizeof(rising) / sizeof(rising[0]); i++)
	{
		passed |= (int) rising[i] == session->run.exit_status;
		if (passed && rising[i] == status)
			session->run.exit_status = (int) status;
	}
}

void
run_session_note(RunSession *session, const char *format, ...)
{
	va_list arguments;
	char *note = NULL;

	va_start(arguments, format);
	if (vasprintf(&note, format, arguments) < 0)
		note = NULL;
	va_end(arguments);
	if (note == NULL || !run_add_note(&session->run, "%s", note))
		message_error("out of memory");
	else
		message_note("%s", note);
	free(note);
}

void
run_session_name_trial(const RunSession *session, char *text, size_t size,
					   TransferDirection direction, const char *path, int64_t rows, int number)
{
	int length = snprintf(text, size, "%s %s, %" PRId64 " rows, ",
						  transfer_direction_name(direction), path, rows);

	if (length < 0 || (size_t) length >= size)
		return;
	if (number == 0)
		snprintf(text + length, size - (size_t) length, "%s",
				 session->options->verify == VERIFY_FULL ? "verifying" : "warming up");
	else
		snprintf(text + length, size - (size_t) length, "trial %d/%" PRId64, number,
				 session->options->trials);
}

void
run_session_add_trial(RunSession *session, Trial *trial)
{
	if (trial->status != TRIAL_OK)
	{
		run_session_fail(session, EXIT_INCOMPLETE);
		message_warning("%s of %lld rows, trial %d %s%s%s", trial->path, (long long) trial->size,
						trial->number, trial_status_name(trial->status),
						*trial->problem == '\0' ? "" : ": ", trial->problem);
	}
	if (run_add_trial(&session->run, trial))
		return;
	message_error("out of memory");
	trial_free(trial);
	run_session_fail(session, EXIT_INCOMPLETE);
}

/* --- closing ----------------------------------------------------------------------------- */

void
run_session_begin_cleanup(RunSession *session)
{
	session->control.interrupt_fd = -1;
	/* an interrupted statement may still be under way */
	database_make_idle(&session->control);
}

ExitStatus
run_session_report(RunSession *session)
{
	const TransferOptions *options = session->options;

	/* only after the last trial is it known which figures were missing */
	const char *advice = session->meter == NULL ? NULL : cost_meter_advice(session->meter);

	if (advice != NULL)
		run_session_note(session, "%s", advice);
	if (interrupt_requested())
		run_session_fail(session, EXIT_INCOMPLETE);
	if (report_write(&session->run, options->format, options->output))
		return (ExitStatus) session->run.exit_status;
	run_session_fail(session, EXIT_INCOMPLETE);
	/* what took long to measure is not thrown away */
	if (options->output != NULL)
	{
		message_note("the report goes to standard output instead");
		report_write(&session->run, options->format, NULL);
	}
	return (ExitStatus) session->run.exit_status;
}

void
run_session_close(RunSession *session)
{
	cost_meter_free(session->meter);
	http_session_free(session->http);
	database_make_idle(&session->control);
	database_close(&session->control);
	run_free(&session->run);
}
