/*
 * serve_options.h - the command line of `transferbench serve`.
 */
#ifndef TRANSFERBENCH_SERVE_OPTIONS_H
#define TRANSFERBENCH_SERVE_OPTIONS_H

#include "database/connection_options.h"
#include "database/query_source.h"
#include "serve/serve_info.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ServeConfiguration
{
	int64_t port;
	const char *address;
	QuerySourceOptions source;
	bool source_is_default; /* nobody named one */
	const char *save_table; /* NULL: the table that is served */
	const char *token_file; /* NULL: no token */
	ConnectionOptions connection;
	ServeLimits limits;
	int64_t ledger_ttl_s;
	bool read_only;
	bool create_ledger;
	bool drop_ledger;
	bool quiet;
} ServeConfiguration;

/* Fills in the defaults, then what was given. False when the program is to end with *status: after
 * --help, or a message. */
extern bool serve_options_read(ServeConfiguration *configuration, int argc, char **argv,
							   int *status);

#endif
