/*
 * run_table_columns.h - the columns of a run's table: those to be made, or those that are there.
 */
#ifndef TRANSFERBENCH_RUN_TABLE_COLUMNS_H
#define TRANSFERBENCH_RUN_TABLE_COLUMNS_H

#include "database/run_table.h"

/* Fills type and column_list with a copy of `type`; false after a message. */
extern bool run_table_copy_columns(RunTable *table, const RowType *type, const Database *database);

/* Fills them from the existing table; false after a message. */
extern bool run_table_read_columns(RunTable *table, Database *database);

/* CREATE TABLE for them; NULL after a message. The caller frees. */
extern char *run_table_create_statement(const RunTable *table, const RunTableOptions *options,
										Database *database);

#endif
