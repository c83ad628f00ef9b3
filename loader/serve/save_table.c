#include "serve/save_table.h"
#include "database/exact_settings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* READ COMMITTED, so that whoever waited for another's key sees it. */
#define BEGIN_WRITE                                                                                \
	"BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED;" EXACT_INPUT_SETTINGS                       \
	" SET LOCAL lock_timeout = %" PRId64 "; "

/* Names in full, whatever may have been planted on the search path. The transaction's number comes
 * from functions that every supported server has; on a standby there is none. */
#define EXAMINE                                                                                    \
	"SELECT a.attname, a.atttypid, a.attrelid::pg_catalog.regclass,"                               \
	" CASE WHEN pg_catalog.pg_is_in_recovery() THEN NULL ELSE pg_catalog.txid_current() END,"      \
	" pg_catalog.now()"                                                                            \
	" FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.=)"                      \
	" pg_catalog.to_regclass(%s)::pg_catalog.oid AND a.attnum OPERATOR(pg_catalog.>) 0"            \
	" AND NOT a.attisdropped AND a.attgenerated OPERATOR(pg_catalog.=) ''"                         \
	" AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'INSERT')"                         \
	" ORDER BY a.attnum"

enum
{
	FIELD_NAME,
	FIELD_TYPE,
	FIELD_QUALIFIED,
	FIELD_TRANSACTION,
	FIELD_STARTED_AT,
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
	return database_fail(database, "out of memory");
}

__attribute__((format(printf, 3, 4))) static DatabaseResult
run(Database *database, PGresult **rows, const char *format, ...)
{
	char *sql;
	va_list arguments;
	int length;
	DatabaseResult result;

	va_start(arguments, format);
	length = vasprintf(&sql, format, arguments);
	va_end(arguments);
	if (length < 0)
		return out_of_memory(database);
	result = database_run(database, sql, DATABASE_WAIT_FOREVER, rows);
	free(sql);
	return result;
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
	int columns = PQntuples(rows);
	Oid *types = calloc((size_t) columns, sizeof(Oid));
	DatabaseResult taken = DATABASE_OK;

	table->names = calloc((size_t) columns, sizeof(char *));
	table->shapes = calloc((size_t) columns, sizeof(TypeShape *));
	table->qualified = strdup(PQgetvalue(rows, 0, FIELD_QUALIFIED));
	if (types == NULL || table->names == NULL || table->shapes == NULL || table->qualified == NULL)
		taken = out_of_memory(database);
	for (int i = 0; i < columns && taken == DATABASE_OK; i++)
	{
		types[i] = (Oid) strtoul(PQgetvalue(rows, i, FIELD_TYPE), NULL, 10);
		table->names[i] = strdup(PQgetvalue(rows, i, FIELD_NAME));
		table->columns++;
		if (table->names[i] == NULL)
			taken = out_of_memory(database);
	}
	if (taken == DATABASE_OK)
		taken = type_shapes_load(table->shapes, types, columns, 0, database);
	free(types);
	if (taken == DATABASE_OK && !make_copy_sql(table, database))
		return out_of_memory(database);
	return taken;
}

/* No column can be written. */
static DatabaseResult
take_name(SaveTable *table, const char *quoted_name, Database *database)
{
	PGresult *rows;
	DatabaseResult result = run(database, &rows, "SELECT pg_catalog.to_regclass(%s)", quoted_name);

	if (result != DATABASE_OK)
		return result;
	if (!PQgetisnull(rows, 0, 0))
	{
		table->qualified = strdup(PQgetvalue(rows, 0, 0));
		if (table->qualified == NULL)
			result = out_of_memory(database);
	}
	PQclear(rows);
	return result;
}

static DatabaseResult
begin(SaveTable *table, const char *quoted_name, int64_t lock_timeout_ms, Database *database)
{
	PGresult *rows;
	/* 0 would mean for ever */
	DatabaseResult result = run(database, &rows, BEGIN_WRITE EXAMINE,
								lock_timeout_ms > 0 ? lock_timeout_ms : 1, quoted_name);

	if (result != DATABASE_OK)
		return result;
	if (PQntuples(rows) == 0)
		result = take_name(table, quoted_name, database);
	else
	{
		snprintf(table->transaction.id, sizeof(table->transaction.id), "%s",
				 PQgetvalue(rows, 0, FIELD_TRANSACTION));
		snprintf(table->transaction.started_at, sizeof(table->transaction.started_at), "%s",
				 PQgetvalue(rows, 0, FIELD_STARTED_AT));
		result = take_columns(table, rows, database);
	}
	PQclear(rows);
	return result;
}

DatabaseResult
save_table_begin(SaveTable *table, const char *name, int64_t lock_timeout_ms, Database *database)
{
	char *quoted_name = PQescapeLiteral(database->connection, name, strlen(name));
	DatabaseResult result;

	*table = (SaveTable){0};
	if (quoted_name == NULL)
		return out_of_memory(database);
	result = begin(table, quoted_name, lock_timeout_ms, database);
	PQfreemem(quoted_name);
	return result;
}
