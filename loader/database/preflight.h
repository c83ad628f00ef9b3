/*
 * preflight.h - what is looked at before anything is written to somebody's server.
 */
#ifndef TRANSFERBENCH_PREFLIGHT_H
#define TRANSFERBENCH_PREFLIGHT_H

#include "database/database.h"
#include "rows/row_type.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct PreflightOptions
{
	const char *table; /* --table, or NULL: by run id in the first schema of the search path */
	bool append, unlogged;
	int64_t rows; /* that will be written in all; of the largest table at one time below */
	int64_t largest_rows;
	double row_bytes; /* mean length of a row's values; 0: not known, no estimate */
	int columns;
	int indexes;             /* on the table */
	int64_t max_write_bytes; /* --max-write-bytes */
	int jobs;                /* connections wanted at once, the run's own others counted */
} PreflightOptions;

typedef struct PreflightResult
{
	int64_t table_bytes; /* of the largest table at one time; -1 not known */
	int64_t wal_bytes;   /* over the run; 0 when unlogged; -1 not known */
	int standbys;
	bool archives;
	int free_connections; /* -1 not known */
} PreflightResult;

/*
 * In this order: the right to create in the schema (or to write to the table), the server not in
 * recovery, connections, sizes. Tells estimates, standbys and archiving on stderr. False, after a
 * message that says what to grant or which option to use, when the run must not begin.
 */
extern bool preflight(const PreflightOptions *options, PreflightResult *result, Database *database);

#endif
