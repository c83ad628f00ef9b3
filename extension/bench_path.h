/*
 * bench_path.h - what a path is to the trial runner, and what a trial yields.
 *
 * A path is the unit of extension: one file that makes a BenchPath. The trial
 * runner, the statistics and the reports know nothing else of it.
 */
#ifndef TRANSFERBENCH_BENCH_PATH_H
#define TRANSFERBENCH_BENCH_PATH_H

#include "access/tupdesc.h"

#include "row_consumer.h"

#define BENCH_UNKNOWN (-1) /* a figure that this path does not have, or nobody could read */

typedef enum BenchTrialStatus
{
	BENCH_TRIAL_OK,
	BENCH_TRIAL_SHORT, /* the source ended before n rows */
	BENCH_TRIAL_FAILED,
} BenchTrialStatus;

/* One timed pass of one size down one path; reported as bench_trial. */
typedef struct BenchTrial
{
	const char *path;
	int trial; /* 1-based */
	int64 rows;
	int64 elapsed_ns; /* without retry_wait_ns */
	int64 cpu_user_us, cpu_system_us;
	int64 peak_memory_bytes;
	BenchTrialStatus status_kind;
	const char *status; /* 'ok', 'short' or 'failed: SQLSTATE message' */
	bool has_digest;
	uint64 digest;

	/* set by the path's run; BENCH_UNKNOWN where it has no such thing */
	bool cpu_is_partial; /* parallel workers ran: this process's CPU is not all of it */
	int64 bytes;         /* payload, decoded */
	int64 wire_bytes;    /* as received: headers and compressed body */
	int requests;
	int retries;
	int64 retry_wait_ns;
	/* phases, exclusive: they sum to elapsed_ns */
	int64 connect_ns, first_byte_ns, transfer_ns, decode_ns;
	const char *decoder;
} BenchTrial;

typedef struct BenchPath BenchPath;

struct BenchPath
{
	const char *name;   /* DESIGN 'Words': path */
	TupleDesc row_desc; /* of the rows it delivers; lives as long as the path */

	/*
	 * Moves at most n rows into the consumer and fills the trial's second half.
	 * Raises on any failure; a source that ends before n rows is no failure here.
	 * phases: the runner sets elapsed_ns afterwards, so a path leaves the phase
	 * that is "all the rest" (transfer_ns) at 0 and sets `rest_is_transfer`.
	 */
	void (*run)(BenchPath *path, int64 n, RowConsumer *consumer, BenchTrial *trial);
	bool rest_is_transfer;

	/* The rows come from somebody else's answer: its shortfall is that one's, not the caller's. */
	bool source_is_remote;

	/*
	 * More than n rows are a failure, since the path did other work than was asked
	 * for; a verification sets this, to see which rows they are.
	 */
	bool accepts_surplus;

	/* Untimed, once after all trials: tells what the figures do not show. May be NULL. */
	void (*remark)(BenchPath *path);
};

#endif
