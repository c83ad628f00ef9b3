/*
 * read_path.h - one way for rows to come from the database to this client: one file, one entry in
 * the table of paths. The trial runner, the statistics and the reports know nothing else of it.
 */
#ifndef TRANSFERBENCH_READ_PATH_H
#define TRANSFERBENCH_READ_PATH_H

#include "database/query_source.h"
#include "http/api_dialect.h"
#include "http/retry_policy.h"
#include "measure/row_sink.h"
#include "measure/trial.h"

/* What all reading of a run has in common; lent throughout. */
typedef struct ReadPlan
{
	const ConnectionOptions *connection;
	const QuerySource *source;
	QueryList
		digest_list; /* what an untimed pass with a digest selects natively; a timed one takes the
	                        * columns as they are */
	const HttpOptions *http;
	const ApiDialect *dialect;
	ApiTarget target;
	int64_t page_rows; /* per HTTP request; 0: all in one */
	RetryPolicy retry;
} ReadPlan;

typedef enum ReadOutcome
{
	READ_DONE, /* to the end of what there was; the sink knows how many rows */
	READ_FAILED,
	READ_INTERRUPTED,
} ReadOutcome;

/* One trial's work. */
typedef struct ReadJob
{
	const ReadPlan *plan;
	Database database; /* native paths */
	HttpSession *http; /* http-json */
	RowSink *sink;

	/* figures of `run`, set by the path; TRIAL_UNKNOWN where it has no such thing */
	int64_t bytes, wire_bytes, requests;
	int64_t retries, retry_wait_ns;
	int64_t connect_ns; /* within `run`; native paths connect in `open` */
	int64_t first_byte_ns,
		receive_ns; /* waiting for the first row; for and with all that came later */
	char problem[512];
} ReadJob;

typedef struct ReadPath
{
	const char *name;
	bool is_native;
	/* Connects; false with job->problem. */
	bool (*open)(ReadJob *job);
	/* Moves at most n rows into the sink; every one is a typed value when this returns. */
	ReadOutcome (*run)(ReadJob *job, int64_t n);
	void (*close)(ReadJob *job);
} ReadPath;

extern const ReadPath read_path_copy_text, read_path_copy_binary, read_path_select,
	read_path_http_json;
/* All of them; ends with NULL. */
extern const ReadPath *const read_paths[];
/* NULL when there is none of this name. */
extern const ReadPath *read_path_find(const char *name, size_t length);

/* The SELECT of a native path: the rows' own columns, or with a digest the plan's list. NULL when out
 * of memory; the caller frees. */
extern char *read_job_select(const ReadJob *job, int64_t n);
/* What native paths share. */
extern bool read_job_connect(ReadJob *job);
extern ReadOutcome read_job_fail_by_database(ReadJob *job, DatabaseResult result);
extern void read_job_disconnect(ReadJob *job);
/* After row_sink_take was false. */
extern ReadOutcome read_job_fail_by_sink(ReadJob *job);
/* Keeps the first problem. */
extern ReadOutcome read_job_fail(ReadJob *job, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
