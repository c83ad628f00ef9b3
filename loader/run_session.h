/*
 * run_session.h - what the commands that move rows have in common: from the first connection to the
 * report and the exit status.
 */
#ifndef TRANSFERBENCH_RUN_SESSION_H
#define TRANSFERBENCH_RUN_SESSION_H

#include "exit_status.h"
#include "measure/run.h"
#include "transfer_options.h"

#include <stdarg.h>

typedef struct RunSession
{
	TransferOptions *options;
	Run run;
	char application_name[64];    /* transferbench/<run id>: by it a run is known to be live */
	ConnectionOptions connection; /* with that name; for every further connection of the run */
	Database control;  /* set-up, counts, CHECKPOINT; open for as long as the run lives */
	HttpSession *http; /* for /info and /usage; NULL without an API */
	ApiInfo info;
	bool has_info;
	bool tells_usage; /* the endpoint does, by /usage */
	CostMeter *meter;
	bool may_checkpoint;
	bool server_is_gone; /* it was waited for, in vain */
} RunSession;

/* Draws the run's id, installs the signal handlers, connects, reads the environment. False after a
 * message. `session` is to be closed in any case. */
extern bool run_session_open(RunSession *session, const char *command, TransferOptions *options);
/* Where there is an API: asks it for its limits. False, with a message, when it does not answer. */
extern bool run_session_open_api(RunSession *session);
/* Finds out whose costs can be counted; after open_api. */
extern bool run_session_open_meter(RunSession *session);

/* Connects again when the control connection was cut, and waits for a server that restarts, or recovers
 * from a crash. False, after a message, when a stop was asked for or no server came. */
extern bool run_session_revive(RunSession *session);
/* CHECKPOINT, where the role may, so that no trial pays for the one before. */
extern void run_session_checkpoint(RunSession *session);
/* Raises the run's exit status: INCOMPLETE before CHANGED before ALL_WELL. */
extern void run_session_fail(RunSession *session, ExitStatus status);
/* A line for stderr and the report. */
extern void run_session_note(RunSession *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* How progress calls a trial, in few words: "read http-json, 200000 rows, trial 3/10". */
extern void run_session_name_trial(const RunSession *session, char *text, size_t size,
								   TransferDirection direction, const char *path, int64_t rows,
								   int number);
/* Takes the trial over into the run, and its end into the exit status. */
extern void run_session_add_trial(RunSession *session, Trial *trial);

/* From here on the control connection no longer minds that a stop was asked for: what is left to do is
 * to leave order behind. */
extern void run_session_begin_cleanup(RunSession *session);
/* Writes the report; the exit status of the command. */
extern ExitStatus run_session_report(RunSession *session);
extern void run_session_close(RunSession *session);

#endif
