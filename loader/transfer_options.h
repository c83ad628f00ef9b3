/*
 * transfer_options.h - the options of the commands that move rows: copy, post, fetch and
 * compare. Each takes the groups that it names; the rest keeps its default.
 */
#ifndef TRANSFERBENCH_TRANSFER_OPTIONS_H
#define TRANSFERBENCH_TRANSFER_OPTIONS_H

#include "cost_fit.h"
#include "database/connection_options.h"
#include "http/api_dialect.h"
#include "http/http_session.h"
#include "http/retry_policy.h"
#include "measure/report.h"
#include "option_table.h"

#include <sys/types.h>

typedef enum VerifyLevel
{
	VERIFY_FULL,  /* digests of typed values, in an untimed pass */
	VERIFY_COUNT, /* row counts */
	VERIFY_NONE,
} VerifyLevel;

typedef enum DirectionChoice
{
	DIRECTION_BOTH,
	DIRECTION_READ,
	DIRECTION_WRITE,
} DirectionChoice;

typedef struct TransferOptions
{
	ConnectionOptions connection;

	/* rows */
	OptionCounts sizes; /* of fetch, copy, post: --rows, one element */
	int64_t seed;
	const char *file, *file_format;
	const char *from_dsn, *from_table, *from_query;
	const char *source_table, *source_query, *order_by; /* what is read */
	const char *columns;                                /* of the table to be made */

	/* the table written to */
	const char *table;
	const char *primary_key;
	const char *api_role;
	bool append, keep, unlogged;
	int64_t max_write_bytes;

	/* how */
	const char *paths; /* --paths, or NULL */
	int copy_format;   /* 0 text, 1 binary */
	int method;        /* 0 copy, 1 insert */
	int direction;     /* DirectionChoice */
	int64_t jobs, batch_rows, insert_rows, page_rows;
	bool batch_rows_given;
	bool as_shipped;
	bool pregenerate;
	int64_t trials;
	int64_t order_seed;
	bool order_seed_given;
	int verify; /* VerifyLevel */
	bool dry_run;
	CostBudget budget;
	bool budget_given;

	/* HTTP */
	const char *url;
	char *base_url;   /* it without its last slashes, which `url` then is */
	ApiTarget target; /* get_url, post_url, schema, on_conflict; the rest is filled in later */
	const char *api;
	const ApiDialect *dialect; /* NULL until all options were read: by the URLs that are given */
	HttpOptions http;
	OptionList headers;
	const char *token_file, *token_env;
	int64_t connect_timeout_ms, stall_timeout_ms, request_timeout_ms;
	RetryPolicy retry;
	int64_t retries, max_retry_wait_ms;
	int64_t max_body_bytes; /* -1: as the endpoint tells, or 8 MiB */
	int body_format;        /* 0 array, 1 ndjson */
	bool gzip;
	bool no_idempotency;

	/* whose cost */
	const char *api_pids_text;
	pid_t *api_pid;
	int api_pids;
	const char *api_db_user, *api_application_name;
	bool system_memory;

	/* the report */
	ReportFormat format;
	const char *output;
	bool quiet;
} TransferOptions;

typedef enum TransferGroup
{
	TRANSFER_GROUP_ROWS = 1 << 0,   /* --rows */
	TRANSFER_GROUP_SIZES = 1 << 1,  /* --sizes */
	TRANSFER_GROUP_ORIGIN = 1 << 2, /* where rows to be written come from */
	TRANSFER_GROUP_SOURCE = 1 << 3, /* what is read */
	TRANSFER_GROUP_TARGET = 1 << 4, /* the table written to */
	TRANSFER_GROUP_COPY = 1 << 5,   /* --format text|binary, --method */
	TRANSFER_GROUP_WRITE = 1 << 6,  /* jobs, batches */
	TRANSFER_GROUP_TRIALS = 1 << 7,
	TRANSFER_GROUP_COMPARE = 1 << 8,
	TRANSFER_GROUP_HTTP = 1 << 9,
	TRANSFER_GROUP_POST = 1 << 10,
	TRANSFER_GROUP_PATHS = 1 << 11,
	TRANSFER_GROUP_FORMAT = 1 << 12, /* --format of the report alone: all but copy */
} TransferGroup;

/* Defaults of everything. */
extern void transfer_options_init(TransferOptions *options);
/* Reads the groups named and those that all share, and checks what can be checked without a
 * connection. */
extern OptionsResult transfer_options_read(TransferOptions *options, int groups, const char *usage,
										   int argc, char **argv);
/* Whether an API was named, by any of its URLs. */
extern bool transfer_options_name_api(const TransferOptions *options);
extern void transfer_options_free(TransferOptions *options);

#endif
