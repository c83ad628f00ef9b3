/*
 * query_source.h - what is read: a table or a query, looked at once at
 * the start, and the SQL that reads a part of it.
 *
 * Only integers that were checked ever enter that SQL; names in it come from the
 * server's own description and are quoted.
 */
#ifndef TRANSFERBENCH_QUERY_SOURCE_H
#define TRANSFERBENCH_QUERY_SOURCE_H

#include "database/database.h"
#include "rows/row_format.h"
#include "rows/row_type.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct QueryColumn
{
	char *name;        /* UTF-8 */
	char *type_name;   /* as format_type writes it, modifier included */
	unsigned type_oid; /* of the base type */
	bool as_json;      /* read through to_json(): arrays and composites */
	ValueKind kind;    /* at the start; a result tells its own */
} QueryColumn;

typedef struct QuerySource
{
	char *table;     /* qualified and quoted; NULL for a query */
	char *bare_name; /* of the table: unqualified, unquoted; NULL for a query */
	char *query;     /* without a last semicolon; NULL for a table */
	char *order;     /* what follows ORDER BY; NULL: as the rows come */
	int columns;     /* at least 1 */
	QueryColumn *column;
	RowType *type; /* of the columns as they are; NULL where there are none */
	char *server_version;
	char *json_list; /* what follows SELECT, by as_json */
	char *text_list; /* the columns as they are */
	char
		*readable_list; /* the same, but types whose binary form the loader does not know as text */
	char *comparable_list; /* likewise, and arrays and composites of such types as JSON */
} QuerySource;

typedef enum QueryList
{
	QUERY_LIST_PLAIN,    /* the columns as they are */
	QUERY_LIST_JSON,     /* arrays and composites as JSON */
	QUERY_LIST_READABLE, /* types without a binary form here as text: to be read by COPY BINARY */
	QUERY_LIST_COMPARABLE, /* the same, but arrays and composites of such types as JSON: to be compared
							* with an API's */
} QueryList;

typedef struct QuerySourceOptions
{
	const char *table; /* as given; one of table and query */
	const char *query;
	const char *order_by; /* may be NULL: then by the primary key of a table */
	const char *option;   /* how it was named, for messages; NULL: --table or --query, of serve */
	bool order_is_told;   /* no warning of a table without a primary key: the caller sees to it */
	bool
		named_by_stranger; /* the name came over the network: only a plain table is read, or one of this
	                         * role, since a view or a policy is a program of its owner's */
} QuerySourceOptions;

/* Examines the source on an open connection. False, with a message, when it is not fit to be
 * served; what was filled in is freed by query_source_free in any case. */
extern bool query_source_examine(QuerySource *source, const QuerySourceOptions *options,
								 Database *database);
/* No source: nothing but the server's version is known, and there are no columns. */
extern bool query_source_none(QuerySource *source, Database *database);
extern void query_source_free(QuerySource *source);

/* What every reading begins with: BEGIN of a read-only transaction, and by SET LOCAL the settings that
 * make values exact and every process's cost count (no parallel workers). */
extern const char *query_source_begin_sql(void);

/* The SELECT of rows [offset, offset + limit), without a semicolon. NULL when out of memory; the caller
 * frees. */
extern char *query_source_select(const QuerySource *source, QueryList list, int64_t limit,
								 int64_t offset);

/* The statements that read rows [offset, offset + limit) in one read-only transaction, under the
 * settings that make values exact; arrays and composites as JSON or as PostgreSQL's own text. NULL
 * when out of memory; the caller frees. */
extern char *query_source_sql(const QuerySource *source, bool as_json, int64_t limit,
							  int64_t offset);

#endif
