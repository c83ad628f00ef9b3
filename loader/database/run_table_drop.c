#include "database/run_table_drop.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS " OPERATOR(pg_catalog.=) "

/* Of c, a row of pg_class. A superuser may act for everybody, but what others left behind is not
 * its own for that. */
#define IS_OWN                                                                                     \
	"(SELECT r.oid" IS "c.relowner"                                                                \
	" OR (NOT r.rolsuper AND pg_catalog.pg_has_role(c.relowner, 'USAGE'))"                         \
	" FROM pg_catalog.pg_roles r WHERE r.rolname" IS "CURRENT_USER)"

/* Everybody sees the application names of all sessions. */
#define IS_LIVE(run)                                                                               \
	"EXISTS (SELECT FROM pg_catalog.pg_stat_activity s"                                            \
	" WHERE s.application_name" IS "('transferbench/' OPERATOR(pg_catalog.||) " run "))"

/* Of a comment. Whatever the role's name in it is, the end is ours. */
#define IS_KEPT(comment)                                                                           \
	"(pg_catalog.right(" comment ", pg_catalog.length('" RUN_TABLE_KEPT "'))" IS                   \
	"'" RUN_TABLE_KEPT "')"

/* The comment tells the run in its first word after RUN_TABLE_COMMENT; whoever may comment may
 * write anything there. */
#define MARKED_TABLES                                                                              \
	"(SELECT c.oid, c.relowner, pg_catalog.format('%I.%I', n.nspname, c.relname) AS qualified,"    \
	"  d.description, pg_catalog.left(pg_catalog.split_part(pg_catalog.substr(d.description,"      \
	"   pg_catalog.length('" RUN_TABLE_COMMENT "') OPERATOR(pg_catalog.+) 1), ' ', 1), 32) AS run" \
	" FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" IS "c.relnamespace"      \
	" JOIN pg_catalog.pg_description d ON d.objoid" IS "c.oid AND d.objsubid" IS "0"               \
	"  AND d.classoid" IS "'pg_catalog.pg_class'::pg_catalog.regclass::pg_catalog.oid"             \
	" WHERE c.relkind" IS "'r'::pg_catalog.\"char\""                                               \
	"  AND pg_catalog.starts_with(d.description, '" RUN_TABLE_COMMENT "')) AS c"

DatabaseResult
run_table_begin(Database *database)
{
	return database_run(database, "BEGIN; SET LOCAL lock_timeout = '5s'", DATABASE_WAIT_FOREVER,
						NULL);
}

static RunTableDrop
leave(const char *qualified, const char *why, Database *database)
{
	database_make_idle(database);
	message_note("table %s is left alone: %s", qualified, why);
	return RUN_TABLE_LEFT;
}

static RunTableDrop
fail(const char *qualified, Database *database)
{
	const char *reason = database->message;

	if (strcmp(database->sqlstate, "55P03") == 0)
		reason = "somebody else uses it (a lock could not be had within 5 s)";
	else if (strcmp(database->sqlstate, "2BP01") == 0)
		reason = "other objects depend on it, and they are dropped by their owners only";
	message_error("table %s could not be dropped: %s%s%s", qualified, reason,
				  *database->sqlstate ? ", SQLSTATE " : "", database->sqlstate);
	database_make_idle(database);
	return RUN_TABLE_NOT_DROPPED;
}

static bool
run_about(const char *before, const char *qualified, const char *after, Database *database)
{
	char *sql;
	DatabaseResult result;

	if (asprintf(&sql, "%s%s%s", before, qualified, after) < 0)
	{
		database_fail(database, "out of memory");
		return false;
	}
	result = database_run(database, sql, DATABASE_WAIT_FOREVER, NULL);
	free(sql);
	return result == DATABASE_OK;
}

/* With the lock held: why it is not to be dropped, or NULL. *asked: whether the server told. */
static const char *
find_objection(const char *qualified, const char *run_id, bool by_its_run, bool even_kept,
			   Database *database, bool *asked)
{
	const char *values[2] = {qualified, run_id};
	const char *objection = NULL;
	PGresult *found =
		database_execute(database,
						 "SELECT c.run" IS "$2, " IS_OWN ", " IS_LIVE("c.run") ", " IS_KEPT(
							 "c.description") " FROM " MARKED_TABLES " WHERE c.oid" IS
											  "pg_catalog.to_regclass($1)::pg_catalog.oid",
						 2, values);

	*asked = found != NULL;
	if (found == NULL)
		return NULL;
	if (PQntuples(found) == 0 || *PQgetvalue(found, 0, 0) != 't')
		objection = "its comment is no longer that of its run";
	else if (*PQgetvalue(found, 0, 1) != 't')
		objection = "it belongs to another role";
	else if (!by_its_run && *PQgetvalue(found, 0, 2) == 't')
		objection = "a session of its run is connected";
	else if (!even_kept && *PQgetvalue(found, 0, 3) == 't')
		objection = "it is to be kept";
	PQclear(found);
	return objection;
}

static bool
is_gone(const Database *database)
{
	return strcmp(database->sqlstate, "42P01") == 0 || strcmp(database->sqlstate, "3F000") == 0;
}

RunTableDrop
run_table_drop(const char *qualified, const char *run_id, bool by_its_run, bool even_kept,
			   Database *database)
{
	const char *objection;
	bool asked;

	*database->sqlstate = '\0';
	if (run_table_begin(database) != DATABASE_OK)
		return fail(qualified, database);
	if (!run_about("LOCK TABLE ", qualified, " IN ACCESS EXCLUSIVE MODE", database))
		return is_gone(database) ? leave(qualified, "it does not exist any more", database)
								 : fail(qualified, database);
	objection = find_objection(qualified, run_id, by_its_run, even_kept, database, &asked);
	if (!asked)
		return fail(qualified, database);
	if (objection != NULL)
		return leave(qualified, objection, database);
	if (!run_about("DROP TABLE ", qualified, "; COMMIT", database))
		return fail(qualified, database);
	return RUN_TABLE_DROPPED;
}

RunTableDrop
run_table_drop_found(const RunTableFound *found, bool even_kept, Database *database)
{
	return run_table_drop(found->qualified, found->run_id, false, even_kept, database);
}

void
run_table_found_free(RunTableFound *found, int count)
{
	for (int i = 0; found != NULL && i < count; i++)
	{
		free(found[i].qualified);
		free(found[i].run_id);
		free(found[i].comment);
	}
	free(found);
}

static bool
take_found(RunTableFound *found, const PGresult *tables, int row)
{
	found->qualified = strdup(PQgetvalue(tables, row, 0));
	found->run_id = strdup(PQgetvalue(tables, row, 1));
	found->comment = strdup(PQgetvalue(tables, row, 2));
	found->bytes = strtoll(PQgetvalue(tables, row, 3), NULL, 10);
	found->is_live = *PQgetvalue(tables, row, 4) == 't';
	found->is_own = *PQgetvalue(tables, row, 5) == 't';
	found->is_kept = *PQgetvalue(tables, row, 6) == 't';
	return found->qualified != NULL && found->run_id != NULL && found->comment != NULL;
}

static int
take_all_found(RunTableFound **found, const PGresult *tables)
{
	int count = PQntuples(tables);

	/* one more: none at all is no failure */
	*found = calloc((size_t) count + 1, sizeof(RunTableFound));
	for (int i = 0; *found != NULL && i < count; i++)
	{
		if (!take_found(&(*found)[i], tables, i))
		{
			run_table_found_free(*found, count);
			*found = NULL;
		}
	}
	if (*found != NULL)
		return count;
	message_error("out of memory");
	return -1;
}

int
run_table_find(RunTableFound **found, Database *database)
{
	PGresult *tables = NULL;
	int count;

	*found = NULL;
	/* the size of a table that is being emptied waits for its lock */
	if (run_table_begin(database) == DATABASE_OK)
		tables = database_execute(
			database,
			"SELECT c.qualified, c.run, c.description, "
			"pg_catalog.pg_total_relation_size(c.oid)," IS_LIVE("c.run") ", " IS_OWN ", " IS_KEPT(
				"c.description") " FROM " MARKED_TABLES " ORDER BY c.qualified"
								 " USING OPERATOR(pg_catalog.<)",
			0, NULL);
	if (tables == NULL)
	{
		message_error("the tables of earlier runs cannot be listed: %s", database->message);
		database_make_idle(database);
		return -1;
	}
	count = take_all_found(found, tables);
	PQclear(tables);
	database_make_idle(database);
	return count;
}
