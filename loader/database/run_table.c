#include "database/run_table.h"
#include "database/run_table_columns.h"
#include "database/run_table_drop.h"
#include "database/sql_text.h"
#include "database/target_table.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
fail(const RunTable *table, const char *what, Database *database)
{
	message_error("table %s %s: %s%s%s", table->qualified, what, database->message,
				  *database->sqlstate ? ", SQLSTATE " : "", database->sqlstate);
	database_make_idle(database);
	return false;
}

void
run_table_free(RunTable *table)
{
	free(table->qualified);
	free(table->schema);
	free(table->name);
	free(table->column_list);
	row_type_free(table->type);
	*table = (RunTable){0};
}

/* Of the target, which is left empty. */
static void
take_names(RunTable *table, TargetTable *target)
{
	table->qualified = target->qualified;
	table->schema = target->schema;
	table->name = target->name;
	*target = (TargetTable){0};
}

static bool
execute(const char *sql, Database *database)
{
	PGresult *done = database_execute(database, sql, 0, NULL);

	PQclear(done);
	return done != NULL;
}

static bool
create(const RunTable *table, const RunTableOptions *options, Database *database)
{
	char *sql = run_table_create_statement(table, options, database);
	bool created;

	if (sql == NULL)
	{
		database_make_idle(database);
		return false;
	}
	created = execute(sql, database);
	free(sql);
	return created || fail(table, "cannot be made", database);
}

/* COMMENT takes no expression: the server writes the statement. */
static bool
comment(const RunTable *table, const RunTableOptions *options, Database *database)
{
	const char *values[3] = {table->qualified, options->run_id,
							 options->keep ? RUN_TABLE_KEPT : ""};
	PGresult *statement = database_execute(
		database,
		"SELECT pg_catalog.format('COMMENT ON TABLE %s IS %L', $1::pg_catalog.text,"
		" pg_catalog.concat('" RUN_TABLE_COMMENT "', $2::pg_catalog.text, ' for ', CURRENT_USER,"
		" ' at ', pg_catalog.to_char(pg_catalog.timezone('UTC', pg_catalog.now()),"
		" 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), $3::pg_catalog.text))",
		3, values);
	bool done = statement != NULL && execute(PQgetvalue(statement, 0, 0), database);

	PQclear(statement);
	return done || fail(table, "cannot be marked as ours", database);
}

/* Without USAGE the grant on the table is worth nothing; only the schema's owner can give it. */
static bool
check_usage(const RunTable *table, const RunTableOptions *options, Database *database)
{
	const char *values[2] = {options->api_role, table->schema};
	PGresult *found = database_execute(
		database,
		"SELECT pg_catalog.has_schema_privilege($1::pg_catalog.name, $2::pg_catalog.text, 'USAGE'),"
		" pg_catalog.format('GRANT USAGE ON SCHEMA %I TO %I', $2::pg_catalog.text,"
		" $1::pg_catalog.text)",
		2, values);

	if (found == NULL)
	{
		message_error("--api-role \"%s\": %s", options->api_role, database->message);
		database_make_idle(database);
		return false;
	}
	if (*PQgetvalue(found, 0, 0) != 't')
		message_warning("--api-role \"%s\" may not use schema %s: ask its owner: %s",
						options->api_role, table->schema, PQgetvalue(found, 0, 1));
	PQclear(found);
	return true;
}

static bool
grant(const RunTable *table, const RunTableOptions *options, Database *database)
{
	SqlText sql;
	char *text = NULL;
	bool granted;

	if (options->api_role == NULL)
		return true;
	if (!check_usage(table, options, database))
		return false;
	if (sql_text_open(&sql, database))
	{
		fprintf(sql.stream, "GRANT SELECT, INSERT ON TABLE %s TO ", table->qualified);
		sql_text_identifier(&sql, options->api_role);
		text = sql_text_close(&sql);
	}
	if (text == NULL)
	{
		message_error("--api-role \"%s\": not a name, or out of memory", options->api_role);
		database_make_idle(database);
		return false;
	}
	granted = execute(text, database);
	free(text);
	return granted || fail(table, "cannot be granted to --api-role", database);
}

static bool
make_table(RunTable *table, const RunTableOptions *options, Database *database)
{
	if (run_table_begin(database) != DATABASE_OK)
		return fail(table, "cannot be made", database);
	if (!create(table, options, database) || !comment(table, options, database) ||
		!grant(table, options, database))
		return false;
	/* from here on it may be there, whatever the answer is */
	table->is_ours = true;
	return execute("COMMIT", database) || fail(table, "cannot be made", database);
}

static bool
open_new(RunTable *table, const RunTableOptions *options, Database *database)
{
	TargetTable target;
	char by_run[80];
	bool is_free;

	snprintf(by_run, sizeof(by_run), "\"transferbench_%s\"", options->run_id);
	is_free =
		target_table_find_free(&target, options->name != NULL ? options->name : by_run, database);
	take_names(table, &target);
	return is_free && run_table_copy_columns(table, options->type, database) &&
		   make_table(table, options, database);
}

static bool
open_existing(RunTable *table, const RunTableOptions *options, Database *database)
{
	TargetTable target;
	bool is_there;

	if (options->name == NULL)
	{
		message_error("--append: which table is to be written to: name it with --table");
		return false;
	}
	is_there = target_table_find_existing(&target, options->name, database);
	take_names(table, &target);
	return is_there && run_table_read_columns(table, database);
}

bool
run_table_open(RunTable *table, const RunTableOptions *options, Database *database)
{
	bool opened;

	*table = (RunTable){0};
	opened = options->append ? open_existing(table, options, database)
							 : open_new(table, options, database);
	if (opened)
		return true;
	run_table_close(table, options, database);
	run_table_free(table);
	return false;
}

bool
run_table_empty(const RunTable *table, Database *database)
{
	char *sql;
	DatabaseResult emptied;

	if (!table->is_ours)
	{
		message_error("table %s is not emptied: this run did not make it", table->qualified);
		return false;
	}
	if (asprintf(&sql, "TRUNCATE TABLE ONLY %s; COMMIT", table->qualified) < 0)
	{
		message_error("out of memory");
		return false;
	}
	emptied = run_table_begin(database);
	if (emptied == DATABASE_OK)
		emptied = database_run(database, sql, DATABASE_WAIT_FOREVER, NULL);
	free(sql);
	return emptied == DATABASE_OK || fail(table, "cannot be emptied", database);
}

int64_t
run_table_count(const RunTable *table, Database *database)
{
	char *sql;
	PGresult *counted = NULL;
	int64_t rows;

	if (asprintf(&sql, "SELECT pg_catalog.count(*) FROM %s", table->qualified) < 0)
	{
		message_error("out of memory");
		return -1;
	}
	if (run_table_begin(database) == DATABASE_OK)
		counted = database_execute(database, sql, 0, NULL);
	free(sql);
	if (counted == NULL)
	{
		fail(table, "cannot be counted", database);
		return -1;
	}
	rows = strtoll(PQgetvalue(counted, 0, 0), NULL, 10);
	PQclear(counted);
	database_make_idle(database);
	return rows;
}

bool
run_table_close(RunTable *table, const RunTableOptions *options, Database *database)
{
	int interrupt_fd = database->interrupt_fd;
	RunTableDrop dropped = RUN_TABLE_NOT_DROPPED;

	if (!table->is_ours || options->keep)
		return true;
	/* a run that was interrupted tidies up all the same */
	database->interrupt_fd = -1;
	if (database_is_open(database))
		dropped = run_table_drop(table->qualified, options->run_id, true, false, database);
	else
		message_error("table %s could not be dropped: there is no connection", table->qualified);
	database->interrupt_fd = interrupt_fd;
	if (dropped == RUN_TABLE_NOT_DROPPED)
	{
		message_warning("table %s stays; \"transferbench cleanup\" drops it later",
						table->qualified);
		return false;
	}
	table->is_ours = false;
	return true;
}

bool
run_table_notify_postgrest(Database *database)
{
	if (execute("NOTIFY pgrst, 'reload schema'", database))
		return true;
	message_error("PostgREST cannot be told of the new table: %s", database->message);
	database_make_idle(database);
	return false;
}
