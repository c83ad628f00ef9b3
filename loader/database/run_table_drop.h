/*
 * run_table_drop.h - how tables of runs are told from all others, and dropped.
 */
#ifndef TRANSFERBENCH_RUN_TABLE_DROP_H
#define TRANSFERBENCH_RUN_TABLE_DROP_H

#include "database/run_table.h"

/* Begins a transaction that waits for no lock longer than 5 seconds. */
extern DatabaseResult run_table_begin(Database *database);

/* The same as run_table_drop_found, by name and run; `by_its_run`: sessions of the run do not
 * matter, since it is this one. */
extern RunTableDrop run_table_drop(const char *qualified, const char *run_id, bool by_its_run,
								   bool even_kept, Database *database);

#endif
