/*
 * run_table.h - the table that a run writes to: made by it, known by its comment, dropped
 * at the end.
 *
 * Its comment begins with RUN_TABLE_COMMENT and tells run, role and time, and ends with
 * RUN_TABLE_KEPT when it is to be kept; nothing else of anybody's is ever dropped or emptied. All statements carry lock_timeout 5s by SET LOCAL.
 */
#ifndef TRANSFERBENCH_RUN_TABLE_H
#define TRANSFERBENCH_RUN_TABLE_H

#include "database/database.h"
#include "rows/row_type.h"

#define RUN_TABLE_COMMENT "made by transferbench run "
#define RUN_TABLE_KEPT    ", kept"

typedef struct RunTableOptions
{
	const char *run_id;
	const char *name;        /* --table: as SQL reads it, schema and quotes included; NULL:
	                     * transferbench_<run id> */
	const RowType *type;     /* of a table to be made */
	const char *primary_key; /* columns, "id" or "a,b"; NULL: none */
	bool unlogged;
	bool append;          /* write to an existing table, never emptied nor dropped */
	bool keep;            /* not dropped at the end, nor by a clean-up that is not told to */
	const char *api_role; /* GRANT SELECT, INSERT to; NULL */
} RunTableOptions;

typedef struct RunTable
{
	char *qualified;     /* "schema"."name", quoted where needed */
	char *schema, *name; /* bare */
	bool is_ours;        /* made by this run */
	RowType *type; /* of the columns that are written: those of an existing table without generated
	                   * ones, or a copy of the options' */
	char *column_list; /* quoted, parted by commas, for COPY and INSERT */
} RunTable;

/*
 * Makes the table (one transaction of its own), or examines the existing one. Without append an
 * existing table is refused, whatever it holds. False, with a message that tells what to grant or to
 * choose instead, on failure.
 */
extern bool run_table_open(RunTable *table, const RunTableOptions *options, Database *database);
/* Empties our own table by TRUNCATE in its own transaction, so that it is as newly made. */
extern bool run_table_empty(const RunTable *table, Database *database);
/* Rows in it; -1, with a message, on failure. */
extern int64_t run_table_count(const RunTable *table, Database *database);
/* Drops it when it is ours and not to be kept; false, with a message naming `cleanup`, when that
 * failed. */
extern bool run_table_close(RunTable *table, const RunTableOptions *options, Database *database);
extern void run_table_free(RunTable *table);
/* Tells PostgREST of a new table: NOTIFY pgrst, 'reload schema'. */
extern bool run_table_notify_postgrest(Database *database);

/* --- after runs that did not end well --- */

typedef struct RunTableFound
{
	char *qualified, *run_id, *comment;
	int64_t bytes;
	bool is_live; /* a session of its run is connected */
	bool is_own;  /* belongs to this role, or one that it is a member of */
	bool is_kept; /* its run was told to keep it */
} RunTableFound;

/* Tables that carry our comment in this database; the caller frees. -1, with a message, on failure. */
extern int run_table_find(RunTableFound **found, Database *database);
extern void run_table_found_free(RunTableFound *found, int count);

typedef enum RunTableDrop
{
	RUN_TABLE_DROPPED,
	RUN_TABLE_LEFT, /* it changed meanwhile: gone, no longer ours, or its run is back; after a note */
	RUN_TABLE_NOT_DROPPED, /* after a message */
} RunTableDrop;

/* Drops one after looking again at comment, owner and sessions, in one transaction with the lock
 * held; one that is kept only if `even_kept`. */
extern RunTableDrop run_table_drop_found(const RunTableFound *found, bool even_kept,
										 Database *database);

#endif
