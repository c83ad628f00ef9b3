#include "database/run_table_columns.h"
#include "database/order_by.h"
#include "database/sql_text.h"
#include "database/type_catalog.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

#define IS " OPERATOR(pg_catalog.=) "

static bool
out_of_memory(void)
{
	message_error("out of memory");
	return false;
}

static bool
make_column_list(RunTable *table, const Database *database)
{
	SqlText sql;

	if (!sql_text_open(&sql, database))
		return out_of_memory();
	for (int i = 0; i < table->type->columns; i++)
	{
		fputs(i == 0 ? "" : ", ", sql.stream);
		sql_text_identifier(&sql, table->type->column[i].name);
	}
	table->column_list = sql_text_close(&sql);
	return table->column_list != NULL || out_of_memory();
}

bool
run_table_copy_columns(RunTable *table, const RowType *type, const Database *database)
{
	table->type = row_type_copy(type);
	if (table->type == NULL)
		return out_of_memory();
	return make_column_list(table, database);
}

/* A domain is what it is over, step by step. Generated columns take no value. */
#define COLUMNS_QUERY                                                                              \
	"WITH RECURSIVE step(attnum, oid) AS ("                                                        \
	" SELECT a.attnum, a.atttypid FROM pg_catalog.pg_attribute a"                                  \
	"  WHERE a.attrelid" IS "pg_catalog.to_regclass($1)::pg_catalog.oid"                           \
	"  AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped"                               \
	"  AND a.attgenerated" IS "''::pg_catalog.\"char\""                                            \
	" UNION ALL SELECT s.attnum, t.typbasetype FROM step s JOIN pg_catalog.pg_type t"              \
	"  ON t.oid" IS "s.oid WHERE t.typtype" IS "'d'::pg_catalog.\"char\")"                         \
	" SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), s.oid"                    \
	" FROM step s JOIN pg_catalog.pg_type t ON t.oid" IS "s.oid"                                   \
	" JOIN pg_catalog.pg_attribute a ON a.attnum" IS "s.attnum"                                    \
	"  AND a.attrelid" IS "pg_catalog.to_regclass($1)::pg_catalog.oid"                             \
	" WHERE t.typtype OPERATOR(pg_catalog.<>) 'd'::pg_catalog.\"char\""                            \
	" ORDER BY a.attnum USING OPERATOR(pg_catalog.<)"

static bool
take_columns(RunTable *table, const PGresult *found)
{
	if (PQntuples(found) == 0)
	{
		message_error("table %s has no column that takes a value", table->qualified);
		return false;
	}
	table->type = row_type_create(PQntuples(found));
	if (table->type == NULL)
		return out_of_memory();
	for (int i = 0; i < PQntuples(found); i++)
	{
		unsigned type_oid = (unsigned) strtoul(PQgetvalue(found, i, 2), NULL, 10);

		if (!row_type_set_column(table->type, i, PQgetvalue(found, i, 0), PQgetvalue(found, i, 1),
								 type_oid))
			return out_of_memory();
	}
	return true;
}

static bool
refuse_as_server(const RunTable *table, const Database *database)
{
	message_error("the columns of table %s cannot be read: %s", table->qualified,
				  database->message);
	return false;
}

bool
run_table_read_columns(RunTable *table, Database *database)
{
	const char *values[1] = {table->qualified};
	PGresult *found = database_execute(database, COLUMNS_QUERY, 1, values);
	bool taken;

	if (found == NULL)
		return refuse_as_server(table, database);
	taken = take_columns(table, found) && make_column_list(table, database);
	PQclear(found);
	return taken &&
		   (type_catalog_describe(table->type, database) || refuse_as_server(table, database));
}

/*
 * The names of types may come from another server or from a file: they must be types, and nothing
 * besides, before they stand in a statement.
 */
static bool
check_types(const RowType *type, Database *database)
{
	for (int i = 0; i < type->columns; i++)
	{
		const char *values[1] = {type->column[i].type_name};
		PGresult *found =
			database_execute(database, "SELECT pg_catalog.to_regtype($1) IS NOT NULL", 1, values);
		bool is_type = found != NULL && *PQgetvalue(found, 0, 0) == 't';

		if (!is_type)
			message_error("column \"%s\": type \"%s\": %s", type->column[i].name,
						  type->column[i].type_name,
						  found == NULL ? database->message : "this database does not have it");
		PQclear(found);
		if (!is_type)
			return false;
	}
	return true;
}

static bool
has_column(const RowType *type, const char *name)
{
	for (int i = 0; i < type->columns; i++)
		if (strcmp(type->column[i].name, name) == 0)
			return true;
	return false;
}

static bool
put_primary_key(SqlText *sql, const RowType *type, const char *list)
{
	OrderByItem item;
	const char *rest = list;
	bool is_fit;

	fputs(", PRIMARY KEY (", sql->stream);
	do
	{
		is_fit = order_by_next(&rest, &item) && !item.descending && item.nulls == 0;
		if (!is_fit)
			message_error("primary key: \"%s\" is not a list of columns", list);
		else if (!has_column(type, item.name))
		{
			message_error("primary key: there is no column \"%s\"", item.name);
			is_fit = false;
		}
		else
			sql_text_identifier(sql, item.name);
		fputs(*rest == '\0' ? ")" : ", ", sql->stream);
		free(item.name);
	} while (is_fit && *rest != '\0');
	return is_fit;
}

/* Autovacuum would fall into one trial and not into another. */
static bool
put_create(SqlText *sql, const RunTable *table, const RunTableOptions *options)
{
	bool is_fit = true;

	fprintf(sql->stream, "CREATE%s TABLE %s (", options->unlogged ? " UNLOGGED" : "",
			table->qualified);
	for (int i = 0; i < table->type->columns; i++)
	{
		fputs(i == 0 ? "" : ", ", sql->stream);
		sql_text_identifier(sql, table->type->column[i].name);
		fprintf(sql->stream, " %s", table->type->column[i].type_name);
	}
	if (options->primary_key != NULL)
		is_fit = put_primary_key(sql, table->type, options->primary_key);
	fputs(") WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off)", sql->stream);
	return is_fit;
}

char *
run_table_create_statement(const RunTable *table, const RunTableOptions *options,
						   Database *database)
{
	SqlText sql;
	bool is_fit;
	char *text;

	if (!check_types(table->type, database))
		return NULL;
	if (!sql_text_open(&sql, database))
	{
		out_of_memory();
		return NULL;
	}
	is_fit = put_create(&sql, table, options);
	text = sql_text_close(&sql);
	if (text == NULL && is_fit)
		out_of_memory();
	if (is_fit)
		return text;
	free(text);
	return NULL;
}
