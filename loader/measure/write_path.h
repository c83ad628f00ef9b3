/*
 * write_path.h - one way for rows to go from this client into a table: one file, one entry in the
 * table of paths. The trial runner, the statistics and the reports know nothing else of it.
 */
#ifndef TRANSFERBENCH_WRITE_PATH_H
#define TRANSFERBENCH_WRITE_PATH_H

#include "database/run_table.h"
#include "http/api_dialect.h"
#include "http/retry_policy.h"
#include "measure/batch_supply.h"
#include "measure/trial.h"

/* What all writing of a run has in common; lent throughout. */
typedef struct WritePlan
{
	const ConnectionOptions *connection;
	const RunTable *table;
	const RowType *type; /* of the rows, column by column as in the table's list */
	const char *run_id;
	int jobs;
	int64_t insert_rows; /* of one INSERT statement, at most */
	const HttpOptions *http;
	const ApiDialect *dialect;
	ApiTarget target;
	bool ndjson, gzip;
	RetryPolicy retry;
} WritePlan;

/* What became of a batch. */
typedef enum BatchOutcome
{
	BATCH_COMMITTED,
	BATCH_NOT_WRITTEN, /* surely: refused, rolled back, never processed */
	BATCH_IN_DOUBT,    /* sent whole, and nobody knows */
} BatchOutcome;

/* One connection, or one kept-alive HTTP connection, and the thread that works it. */
typedef struct WriteJob
{
	const WritePlan *plan;
	int trial; /* number of it within the run: part of a batch's key */
	BatchCursor *cursor;
	Database database; /* native paths */
	HttpSession *http; /* http-json */
	void *state;       /* the path's own */
	uint64_t random;

	/* figures, by the path; TRIAL_UNKNOWN where it has no such thing */
	int64_t requests, retries, retry_wait_ns;
	int64_t wire_bytes;
	int64_t connect_ns; /* besides `open`: within the first request */
	int64_t first_byte_ns, commit_ns;
	bool interrupted;
	char problem[512]; /* the first */
} WriteJob;

typedef struct WritePath
{
	const char *name;
	bool is_native;
	bool holds_batches; /* needs each whole before it is sent */
	const RowEncoder *(*encoder)(const WritePlan *plan);
	/* Connects; false with job->problem. */
	bool (*open)(WriteJob *job);
	/* Sends the cursor's batch, to its commit; `batch` is the cursor's view of it, and complete when
	 * all pieces were taken. */
	BatchOutcome (*write)(WriteJob *job, const Batch *batch);
	void (*close)(WriteJob *job);
} WritePath;

extern const WritePath write_path_copy_text, write_path_copy_binary, write_path_insert,
	write_path_http_json;
/* All of them; ends with NULL. */
extern const WritePath *const write_paths[];
/* NULL when there is none of this name. */
extern const WritePath *write_path_find(const char *name, size_t length);

/* Keeps the first problem of a job. */
extern void write_job_problem(WriteJob *job, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What native paths share. */
extern bool write_job_connect(WriteJob *job);
extern void write_job_disconnect(WriteJob *job);
/* BEGIN, with the settings of every transaction of ours. */
extern DatabaseResult write_job_begin(WriteJob *job);
/* COMMIT, timed, no longer to be interrupted: once it is sent only the server knows. */
extern BatchOutcome write_job_commit(WriteJob *job, const Batch *batch);
/* Rolls back after a failure or an interrupt, whose message is kept. */
extern BatchOutcome write_job_abandon(WriteJob *job, const Batch *batch, DatabaseResult result);

#endif
