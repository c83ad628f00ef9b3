/*
 * target_table.h - the table that --table names, as SQL reads the name, and whether this role may
 * write there: looked at before anything is written, and once more when it is.
 */
#ifndef TRANSFERBENCH_TARGET_TABLE_H
#define TRANSFERBENCH_TARGET_TABLE_H

#include "database/database.h"

#include <stdbool.h>

typedef struct TargetTable
{
	char *schema, *name; /* bare */
	char *qualified;     /* schema.name, quoted where needed */
} TargetTable;

/*
 * A table that is to be made: the name is free, in a schema where this role may create it. False,
 * after a message that names the way out, when not, or when the server could not be asked. In
 * both cases target_table_free releases it.
 */
extern bool target_table_find_free(TargetTable *target, const char *name, Database *database);

/* A table, or a view, that exists and that this role may insert into; likewise. */
extern bool target_table_find_existing(TargetTable *target, const char *name, Database *database);

extern void target_table_free(TargetTable *target);

/* Whether two names mean one table, be it there or still to be made. False, after a message, when one
 * is malformed or the server could not be asked. */
extern bool target_table_is_same(const char *name, const char *other, bool *is_same,
								 Database *database);

#endif
