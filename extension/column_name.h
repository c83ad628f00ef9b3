/*
 * column_name.h - names of columns as keys of JSON and of digests have them.
 */
#ifndef TRANSFERBENCH_COLUMN_NAME_H
#define TRANSFERBENCH_COLUMN_NAME_H

/*
 * The name as UTF-8: itself, or converted in the current context. Raises 22021
 * where the database's encoding is SQL_ASCII and the name is not UTF-8.
 */
extern const char *column_name_utf8(const char *name);

#endif
