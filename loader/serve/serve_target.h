/*
 * serve_target.h - where the rows of a POST go, and as whom: found out once at the start.
 *
 * The table itself need not exist yet; each request looks at it anew (save_table.h).
 */
#ifndef TRANSFERBENCH_SERVE_TARGET_H
#define TRANSFERBENCH_SERVE_TARGET_H

#include "database/database.h"
#include "database/query_source.h"

#include <stdbool.h>

typedef struct ServeTarget
{
	char *table; /* as SQL reads it; NULL: none */
	char *database_user;
	char *application_name; /* as the server has both, for all connections */
	bool has_ledger;        /* Idempotency-Key counts */
} ServeTarget;

/*
 * `name`: of the table, as SQL reads it; NULL: that of the source, when that is a table and no view. The
 * ledger is not looked at. False, with a message, when the name is malformed; *target is to be freed in
 * any case.
 */
extern bool serve_target_examine(ServeTarget *target, const char *name, const QuerySource *source,
								 Database *database);
extern void serve_target_free(ServeTarget *target);

#endif
