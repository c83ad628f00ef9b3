#include "serve/save_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * By SET LOCAL, so that it holds behind a pooler in transaction mode too. What text means must
 * not depend on the role: dates by year first, times without a zone as UTC, money as our own
 * GET writes it. READ COMMITTED, so that whoever waited for another's key sees it.
 */
#define BEGIN_WRITE                                                                                \
	"BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED;"                                            \
	" SET LOCAL DateStyle = 'ISO, YMD';"                                                           \
	" SET LOCAL IntervalStyle = postgres;"                                                         \
	" SET LOCAL TimeZone = 'UTC';"                                                                 \
	" SET LOCAL lc_monetary = 'C';"                                                                \
	" SET LOCAL lock_timeout = %" PRId64 "; "

/* Names in full, whatever may have been planted on the search path. The transaction's number comes
 * from functions that every supported server has; on a standby there is none. */
#define EXAMINE                                                                                    \
	"SELECT pg_catalog.format('%%I.%%I', n.nspname, c.relname),"                                   \
	" (SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN NULL"                                  \
	" ELSE pg_catalog.txid_current() END),"                                                        \
	" a.attname, " TYPE_SHAPE_SELECT " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"  \
	" ON n.oid OPERATOR(pg_catalog.=) c.relnamespace"                                              \
	" LEFT JOIN (pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t"                              \
	" ON t.oid OPERATOR(pg_catalog.=) a.atttypid)"                                                 \
	" ON a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0"            \
	" AND NOT a.attisdropped AND a.attgenerated OPERATOR(pg_catalog.=) ''"                         \
	" AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'INSERT')"                              \
	" WHERE c.oid OPERATOR(pg_catalog.=)"                                                          \
	" pg_catalog.to_regclass(%s)::pg_catalog.oid ORDER BY a.attnum"

enum
{
	FIELD_QUALIFIED,
	FIELD_TRANSACTION,
	FIELD_NAME,
	FIELD_TYPE, /* and those that follow: TYPE_SHAPE_SELECT */
};

void
save_table_free(SaveTable *table)
{
	for (int i = 0; i < table->columns; i++)
	{
		free(table->names[i]);
		type_shape_free(table->shapes[i]);
	}
	free(table->names);
	free(table->shapes);
	free(table->qualified);
	free(table->copy_sql);
	*table = (SaveTable){0};
}

static DatabaseResult
out_of_memory(Database *database)
{
	*database->sqlstate = '\0';
	snprintf(database->message, sizeof(database->message), "out of memory");
	return DATABASE_FAILED;
}

/* The statements; NULL when out of memory. */
static char *
make_sql(const char *name, int64_t lock_timeout_ms, Database *database)
{
	char *literal = PQescapeLiteral(database->connection, name, strlen(name));
	char *sql = NULL;

	/* 0 would mean for ever */
	if (literal != NULL &&
		asprintf(&sql, BEGIN_WRITE EXAMINE, lock_timeout_ms > 0 ? lock_timeout_ms : INT64_C(1),
				 literal) < 0)
		sql = NULL;
	PQfreemem(literal);
	return sql;
}

static bool
make_copy_sql(SaveTable *table, Database *database)
{
	size_t length;
	FILE *sql = open_memstream(&table->copy_sql, &length);
	bool whole = true;

	if (sql == NULL)
		return false;
	fprintf(sql, "COPY %s", table->qualified);
	for (int i = 0; i < table->columns; i++)
	{
		char *quoted =
			PQescapeIdentifier(database->connection, table->names[i], strlen(table->names[i]));

		if (quoted == NULL)
			whole = false;
		else
			fprintf(sql, "%s%s", i == 0 ? " (" : ", ", quoted);
		PQfreemem(quoted);
	}
	fputs(") FROM STDIN WITH (FORMAT text, ENCODING 'UTF8')", sql);
	return fclose(sql) == 0 && whole;
}

static DatabaseResult
take_columns(SaveTable *table, const PGresult *rows, Database *database)
{
	int columns = PQgetisnull(rows, 0, FIELD_NAME) ? 0 : PQntuples(rows);
	DatabaseResult taken = DATABASE_OK;

	table->names = calloc((size_t) columns + 1, sizeof(char *));
	table->shapes = calloc((size_t) columns + 1, sizeof(TypeShape *));
	if (table->names == NULL || table->shapes == NULL)
		return out_of_memory(database);
	for (int i = 0; i < columns && taken == DATABASE_OK; i++)
	{
		table->columns++;
		table->names[i] = strdup(PQgetvalue(rows, i, FIELD_NAME));
		if (table->names[i] == NULL)
			return out_of_memory(database);
		taken = type_shape_make(&table->shapes[i], rows, i, FIELD_TYPE, 0, database);
	}
	if (taken == DATABASE_OK && columns > 0 && !make_copy_sql(table, database))
		return out_of_memory(database);
	return taken;
}

static DatabaseResult
take_table(SaveTable *table, const PGresult *rows, Database *database)
{
	if (PQntuples(rows) == 0)
		return DATABASE_OK;
	snprintf(table->transaction_id, sizeof(table->transaction_id), "%s",
			 PQgetvalue(rows, 0, FIELD_TRANSACTION));
	table->qualified = strdup(PQgetvalue(rows, 0, FIELD_QUALIFIED));
	if (table->qualified == NULL)
		return out_of_memory(database);
	return take_columns(table, rows, database);
}

DatabaseResult
save_table_begin(SaveTable *table, const char *name, int64_t lock_timeout_ms, Database *database)
{
	char *sql = make_sql(name, lock_timeout_ms, database);
	PGresult *rows;
	DatabaseResult result;

	*table = (SaveTable){0};
	if (sql == NULL)
		return out_of_memory(database);
	result = database_run(database, sql, DATABASE_WAIT_FOREVER, &rows);
	free(sql);
	if (result != DATABASE_OK)
		return result;
	result = take_table(table, rows, database);
	PQclear(rows);
	return result;
}
