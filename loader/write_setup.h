/*
 * write_setup.h - what the commands that write set up: where the rows come from, the table that they
 * go to, and what was looked at before.
 */
#ifndef TRANSFERBENCH_WRITE_SETUP_H
#define TRANSFERBENCH_WRITE_SETUP_H

#include "database/query_source.h"
#include "measure/write_trial.h"
#include "run_session.h"

typedef struct WriteSetup
{
	RunSession *session;
	/* where rows come from */
	RowType *type;
	RowSource *source;
	QuerySource query;        /* with --from-table, --from-query */
	Database origin_database; /* likewise */
	char *origin_sql;
	double row_bytes;    /* mean of the first rows; 0: not known */
	int64_t source_rows; /* about, where all of them are wanted; -1: not known */
	int64_t
		max_bytes; /* to be sent, where nobody could tell beforehand how much it will be; 0: any */
	/* where they go */
	RunTableOptions table_options;
	RunTable table;
	bool table_is_open;
	WritePlan plan;
} WriteSetup;

/* Finds the source and looks at its first rows. `rows`: how many are wanted, -1 for all. False after a
 * message; close in any case. */
extern bool write_setup_origin(WriteSetup *setup, RunSession *session, int64_t rows);
/* Preflight for `rows_in_all` rows over the run, of `largest_rows` at a time, by paths that hold
 * `connections` at once; with --dry-run it ends there. Where rows are not known (-1), or their length is
 * not, it is the supplies that keep to --max-write-bytes. */
extern bool write_setup_preflight(WriteSetup *setup, int64_t rows_in_all, int64_t largest_rows,
								  int connections);
/* The reference endpoint tells which table it writes to: it becomes --table, or must be the same, lest
 * rows go where this run did not make a table. Other endpoints are told by --table, or write where
 * their URL says. False after a message; before preflight. */
extern bool write_setup_endpoint_table(RunSession *session);
/* What differs from the options. */
typedef struct WriteSetupTable
{
	const char *name;        /* NULL: by --table or the run's id */
	const char *primary_key; /* NULL: by --primary-key */
	bool scratch;            /* a source of rows: unlogged, dropped whatever the options say */
} WriteSetupTable;

/* Makes the table, or looks at the one that is appended to. */
extern bool write_setup_table(WriteSetup *setup, const WriteSetupTable *wanted);
/* Fills the plan; `url`: base of the API, NULL without one. Waits until an API that has to be told of a
 * new table knows it; false, with a message, when it does not. */
extern bool write_setup_plan(WriteSetup *setup, const char *url);
/* False, with a message, when dropping the table failed. */
extern bool write_setup_close(WriteSetup *setup);

/* A supply for one path; NULL after a message. `rows`: -1 for all that the source has. */
extern BatchSupply *write_setup_supply(WriteSetup *setup, const WritePath *path, int64_t rows);
/* The largest body of a POST: by option, but no more than the endpoint takes, else the default. 0: any. */
extern int64_t write_setup_max_body_bytes(const RunSession *session);
/* Rows of a batch on a path: --batch-rows, or with --as-shipped each path's own. */
extern int64_t write_setup_batch_rows(const RunSession *session, const WritePath *path,
									  int64_t rows);

#endif
