/*
 * save_table.h - the table that a POST writes to, as it is at the start of its transaction.
 *
 * It is looked at anew by each request: it may have been made, altered or replaced since
 * the last one. One query of one catalog, sent together with the transaction's begin (joined with
 * pg_class and pg_type it took three times as long to plan); more only for types that are
 * not the most common ones.
 */
#ifndef TRANSFERBENCH_SAVE_TABLE_H
#define TRANSFERBENCH_SAVE_TABLE_H

#include "database/database.h"
#include "serve/type_shape.h"

#include <stdint.h>

/* What a transaction is known by when its connection is gone. */
typedef struct SaveTransaction
{
	char id[24]; /* for txid_status; "" on a standby */
	char started_at[48];
} SaveTransaction;

typedef struct SaveTable
{
	char *qualified;          /* quoted where needed; NULL when there is no such table */
	int columns;              /* that can be written by this role: not generated, INSERT granted */
	char **names;             /* [columns], UTF-8 */
	const TypeShape **shapes; /* [columns] */
	char *copy_sql;           /* COPY ... FROM STDIN of all these columns */
	SaveTransaction transaction;
} SaveTable;

/*
 * Begins a transaction under the settings that make input mean the same everywhere, waiting for
 * locks no longer than `lock_timeout_ms`, and examines the table, `name` as SQL reads it. OK, or
 * INTERRUPTED, FAILED, LOST. A table that is not there is OK too. *table is to be freed in any case.
 */
extern DatabaseResult save_table_begin(SaveTable *table, const char *name, int64_t lock_timeout_ms,
									   Database *database);
extern void save_table_free(SaveTable *table);

#endif
