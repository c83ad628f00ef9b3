/*
 * trial.h - one timed pass of one size down one path, and what came of it.
 */
#ifndef TRANSFERBENCH_TRIAL_H
#define TRANSFERBENCH_TRIAL_H

#include "measure/cost.h"
#include "measure/row_ranges.h"

#include <stdbool.h>
#include <stdint.h>

#define TRIAL_UNKNOWN (-1)

typedef enum TransferDirection
{
	TRANSFER_READ,  /* database to client */
	TRANSFER_WRITE, /* client to database */
} TransferDirection;

/* Exclusive parts of the elapsed time; with several jobs their mean. TRIAL_UNKNOWN where a path has
 * no such part. */
typedef enum TrialPhase
{
	PHASE_CONNECT,    /* name look-up, TCP, TLS, authentication */
	PHASE_GENERATE,   /* making rows, or reading them from their source */
	PHASE_ENCODE,     /* rows to bytes */
	PHASE_READ_BACK,  /* bytes that were made beforehand, from the temporary file */
	PHASE_TRANSFER,   /* sending and receiving; all the rest */
	PHASE_FIRST_BYTE, /* from the request sent to the first byte of the answer */
	PHASE_DECODE,     /* bytes to typed values */
	PHASE_COMMIT,     /* COMMIT to its answer */
	PHASE_COUNT,
} TrialPhase;

extern const char *const trial_phase_names[PHASE_COUNT]; /* "connect", ... */

typedef enum TrialStatus
{
	TRIAL_OK,
	TRIAL_SHORT,       /* fewer rows than asked for */
	TRIAL_FAILED,      /* refused, lost, in doubt: see ranges */
	TRIAL_INTERRUPTED, /* by a signal */
} TrialStatus;

typedef struct Trial
{
	const char *path; /* DESIGN 'Words': copy-text, copy-binary, select, insert, http-json */
	TransferDirection direction;
	int64_t size; /* rows asked for */
	int number;   /* 1-based; 0: the warm-up */
	int block;    /* 1-based: trials of one block were measured side by side */
	TrialStatus status;
	char problem[512]; /* what went wrong first, one line; "" when nothing did */

	int64_t rows;       /* delivered, or committed */
	int64_t bytes;      /* payload before compression */
	int64_t wire_bytes; /* as sent or received, HTTP headers included; TRIAL_UNKNOWN for libpq */
	int64_t requests;   /* HTTP requests, retries included; TRIAL_UNKNOWN for native paths */
	int64_t retries;
	int64_t retry_wait_ns; /* mean per job; not within elapsed_ns */
	int64_t elapsed_ns;
	int64_t phase_ns[PHASE_COUNT];
	Cost cost;
	bool has_digest;
	uint64_t digest;

	RowRanges refused;  /* rows of writes that were surely not written, though sent */
	RowRanges in_doubt; /* rows of writes of which nobody knows */
} Trial;

/* Costs, phases, requests and wire_bytes unknown; all other figures 0, the status ok. */
extern void trial_init(Trial *trial);
extern void trial_free(Trial *trial); /* its ranges */
/* Drops the costs of processes that have no part in the path: an API's on a native one, backends of ours
 * on HTTP. */
extern void trial_keep_own_costs(Trial *trial, bool is_native);
/* "ok", "short", "failed", "interrupted" */
extern const char *trial_status_name(TrialStatus status);
extern const char *transfer_direction_name(TransferDirection direction); /* "read", "write" */

#endif
