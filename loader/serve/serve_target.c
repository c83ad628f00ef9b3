#include "serve/serve_target.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

void
serve_target_free(ServeTarget *target)
{
	free(target->table);
	free(target->database_user);
	free(target->application_name);
	*target = (ServeTarget){0};
}

static bool
out_of_memory(void)
{
	message_error("out of memory");
	return false;
}

static char *
copy(const char *text)
{
	return strdup(text == NULL ? "" : text);
}

/* NULL when the statement failed, after a message. */
static PGresult *
look_up(Database *database, const char *sql, const char *name)
{
	PGresult *found = database_execute(database, sql, 1, &name);

	if (found == NULL)
		message_error("--save-table \"%s\" is no table's name: %s, SQLSTATE %s", name,
					  database->message, database->sqlstate);
	return found;
}

static bool
take_name(ServeTarget *target, const char *name, Database *database)
{
	PGresult *found = look_up(database, "SELECT pg_catalog.to_regclass($1) IS NOT NULL", name);

	if (found == NULL)
		return false;
	if (*PQgetvalue(found, 0, 0) != 't')
		message_note("--save-table %s does not exist yet: until it does a POST is answered 501",
					 name);
	PQclear(found);
	target->table = copy(name);
	return target->table != NULL || out_of_memory();
}

static bool
take_source(ServeTarget *target, const QuerySource *source, Database *database)
{
	bool is_table;
	PGresult *found =
		look_up(database,
				"SELECT relkind OPERATOR(pg_catalog.=) ANY ('{r,p,f}'::pg_catalog.\"char\"[])"
				" FROM pg_catalog.pg_class WHERE oid OPERATOR(pg_catalog.=)"
				" pg_catalog.to_regclass($1)::pg_catalog.oid",
				source->table);

	if (found == NULL)
		return false;
	is_table = PQntuples(found) == 1 && *PQgetvalue(found, 0, 0) == 't';
	PQclear(found);
	if (!is_table)
		return true;
	target->table = copy(source->table);
	return target->table != NULL || out_of_memory();
}

bool
serve_target_examine(ServeTarget *target, const char *name, const QuerySource *source,
					 Database *database)
{
	*target = (ServeTarget){
		.database_user = copy(PQuser(database->connection)),
		.application_name = copy(PQparameterStatus(database->connection, "application_name")),
	};
	if (target->database_user == NULL || target->application_name == NULL)
		return out_of_memory();
	if (name != NULL)
		return take_name(target, name, database);
	return source->table == NULL || take_source(target, source, database);
}
