/*
 * reference_table.h - the stored rows that comparisons read when no query is given.
 */
#ifndef TRANSFERBENCH_REFERENCE_TABLE_H
#define TRANSFERBENCH_REFERENCE_TABLE_H

#define REFERENCE_TABLE_NAME "bench_reference"

/*
 * Creates the table (name as in SQL, may be qualified), fills it with n rows of
 * the seed, makes id its primary key and analyses it, all as the caller.
 * Raises 42P07 when a relation of that name exists.
 */
extern Oid reference_table_create(const char *name, int64 n, int64 seed);

/* The query that reads the reference table in order; raises 42P01 when there is none. */
extern char *reference_table_query(void);

#endif
