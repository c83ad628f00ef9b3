#include "database/target_table.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

/* Queries of the catalog name schemas and operators in full: whatever the search path is, and
 * whoever may plant things on it. */
#define IS " OPERATOR(pg_catalog.=) "

/* The place that a bare name means is the one where CREATE TABLE would make it. */
#define FREE_NAME_QUERY                                                                            \
	"WITH parsed AS (SELECT pg_catalog.parse_ident($1)::pg_catalog.name[] AS part),"               \
	" counted AS (SELECT part, pg_catalog.array_length(part, 1) AS parts FROM parsed),"            \
	" named AS (SELECT parts, part[parts] AS name,"                                                \
	"  CASE WHEN parts" IS "1 THEN pg_catalog.current_schema() ELSE part[1] END AS schema"         \
	"  FROM counted)"                                                                              \
	" SELECT s.nspname, n.name, pg_catalog.format('%s.%I', pg_catalog.quote_ident(n.schema),"      \
	"  n.name),"                                                                                   \
	"  n.parts OPERATOR(pg_catalog.<=) 2,"                                                         \
	"  s.oid" IS "pg_catalog.pg_my_temp_schema(),"                                                 \
	"  pg_catalog.has_schema_privilege(s.oid, 'CREATE')"                                           \
	"   AND pg_catalog.has_schema_privilege(s.oid, 'USAGE'),"                                      \
	"  EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace" IS "s.oid"                  \
	"   AND c.relname" IS "n.name),"                                                               \
	"  pg_catalog.quote_ident(n.schema), pg_catalog.format('%I', CURRENT_USER)"                    \
	" FROM named n LEFT JOIN pg_catalog.pg_namespace s ON s.nspname" IS "n.schema"

#define EXISTING_QUERY                                                                             \
	"SELECT n.nspname, c.relname, pg_catalog.format('%I.%I', n.nspname, c.relname),"               \
	" c.relkind" IS "ANY ('{r,p,v,f}'::pg_catalog.\"char\"[]),"                                    \
	" c.relpersistence" IS "'t'::pg_catalog.\"char\","                                             \
	" pg_catalog.has_any_column_privilege(c.oid, 'INSERT'),"                                       \
	" pg_catalog.format('%I', CURRENT_USER)"                                                       \
	" FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" IS "c.relnamespace"      \
	" WHERE c.oid" IS "pg_catalog.to_regclass($1)::pg_catalog.oid"

/* A bare name is where CREATE TABLE would make it, unless it is found elsewhere on the path. */
#define SAME_NAME_QUERY                                                                            \
	"WITH parsed AS (SELECT pg_catalog.parse_ident($1) AS one, pg_catalog.parse_ident($2) AS "     \
	"two),"                                                                                        \
	" named AS (SELECT CASE WHEN pg_catalog.array_length(one, 1)" IS "1"                           \
	"   THEN ARRAY[pg_catalog.current_schema()::pg_catalog.text, one[1]] ELSE one END AS one,"     \
	"  CASE WHEN pg_catalog.array_length(two, 1)" IS "1"                                           \
	"   THEN ARRAY[pg_catalog.current_schema()::pg_catalog.text, two[1]] ELSE two END AS two"      \
	"  FROM parsed)"                                                                               \
	" SELECT COALESCE(pg_catalog.to_regclass($1)::pg_catalog.oid"                                  \
	" " IS "pg_catalog.to_regclass($2)::pg_catalog.oid, one" IS "two, false) FROM named"

void
target_table_free(TargetTable *target)
{
	free(target->schema);
	free(target->name);
	free(target->qualified);
	*target = (TargetTable){0};
}

static bool
refuse(const char *name, const char *problem)
{
	message_error("table %s: %s", name, problem);
	return false;
}

static bool
refuse_as_server(const char *name, const Database *database)
{
	message_error("table %s: %s%s%s", name, database->message,
				  *database->sqlstate ? ", SQLSTATE " : "", database->sqlstate);
	return false;
}

static bool
take_names(TargetTable *target, const PGresult *found)
{
	target->schema = strdup(PQgetvalue(found, 0, 0));
	target->name = strdup(PQgetvalue(found, 0, 1));
	target->qualified = strdup(PQgetvalue(found, 0, 2));
	if (target->schema != NULL && target->name != NULL && target->qualified != NULL)
		return true;
	message_error("out of memory");
	return false;
}

static bool
is_true(const PGresult *found, int column)
{
	return *PQgetvalue(found, 0, column) == 't';
}

static bool
refuse_schema(const char *name, const char *schema, const char *role)
{
	message_error("table %s: role %s may not create tables in schema %s: choose another schema "
				  "with --table SCHEMA.NAME, or ask its owner: GRANT USAGE, CREATE ON SCHEMA %s TO "
				  "%s",
				  name, role, schema, schema, role);
	return false;
}

static bool
refuse_taken(const char *qualified)
{
	message_error("table %s exists already: --append writes to it as it is, or choose a name that "
				  "is free with --table",
				  qualified);
	return false;
}

static bool
check_free(const char *name, const PGresult *found)
{
	const char *schema = PQgetvalue(found, 0, 7), *role = PQgetvalue(found, 0, 8);

	if (!is_true(found, 3))
		return refuse(name, "the name has more parts than schema and table");
	if (PQgetisnull(found, 0, 7))
		return refuse(name, "no schema of the search path exists and may be used: choose one with "
							"--table SCHEMA.NAME");
	if (PQgetisnull(found, 0, 0))
	{
		message_error("table %s: schema %s does not exist", name, schema);
		return false;
	}
	if (is_true(found, 4))
		return refuse(name, "a temporary table is seen by one connection only: choose a schema "
							"with --table SCHEMA.NAME");
	if (!is_true(found, 5))
		return refuse_schema(name, schema, role);
	return !is_true(found, 6) || refuse_taken(PQgetvalue(found, 0, 2));
}

bool
target_table_find_free(TargetTable *target, const char *name, Database *database)
{
	PGresult *found = database_execute(database, FREE_NAME_QUERY, 1, &name);
	bool is_fit;

	*target = (TargetTable){0};
	if (found == NULL)
		return refuse_as_server(name, database);
	is_fit = check_free(name, found) && take_names(target, found);
	PQclear(found);
	return is_fit;
}

static bool
check_existing(const char *name, const PGresult *found)
{
	const char *qualified = PQgetvalue(found, 0, 2), *role = PQgetvalue(found, 0, 6);

	if (PQntuples(found) == 0)
		return refuse(name, "it does not exist: without --append it is made");
	if (!is_true(found, 3))
		return refuse(name, "it is neither a table nor a view");
	if (is_true(found, 4))
		return refuse(name, "a temporary table is seen by one connection only");
	if (is_true(found, 5))
		return true;
	message_error("table %s: role %s may not insert into it: ask its owner: GRANT INSERT ON %s TO "
				  "%s",
				  name, role, qualified, role);
	return false;
}

bool
target_table_find_existing(TargetTable *target, const char *name, Database *database)
{
	PGresult *found = database_execute(database, EXISTING_QUERY, 1, &name);
	bool is_fit;

	*target = (TargetTable){0};
	if (found == NULL)
		return refuse_as_server(name, database);
	is_fit = check_existing(name, found) && take_names(target, found);
	PQclear(found);
	return is_fit;
}

bool
target_table_is_same(const char *name, const char *other, bool *is_same, Database *database)
{
	const char *values[2] = {name, other};
	PGresult *found = database_execute(database, SAME_NAME_QUERY, 2, values);

	if (found == NULL)
		return refuse_as_server(name, database);
	*is_same = is_true(found, 0);
	PQclear(found);
	return true;
}
