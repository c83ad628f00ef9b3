#include "measure/server_rights.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS " OPERATOR(pg_catalog.=) "

#define READ_FILE_FUNCTION "pg_catalog.pg_read_file(text, bigint, bigint, boolean)"
#define USAGE_ARGUMENTS    "(integer[], boolean)"

enum
{
	COLUMN_ROLE,
	COLUMN_SCHEMA,
	COLUMN_FUNCTION,
	COLUMN_MAY_USE_SCHEMA,
	COLUMN_MAY_EXECUTE,
	COLUMN_READS_FILES,
	COLUMN_MAY_CALL_READ,
	COLUMN_SEES_ALL,
	COLUMN_SEES_API_DB_USER,
	COLUMN_BACKEND_PID,
	COLUMN_BACKEND_AGE_MS,
};

/* One row. Only a function that belongs to the extension counts. */
static const char rights_query[] =
	"SELECT pg_catalog.quote_ident(current_user), pg_catalog.quote_ident(f.nspname),"
	" pg_catalog.quote_ident(f.nspname) OPERATOR(pg_catalog.||) '.bench_process_usage',"
	" pg_catalog.has_schema_privilege(f.pronamespace, 'USAGE'),"
	" pg_catalog.has_function_privilege(f.oid, 'EXECUTE'),"
	" pg_catalog.pg_has_role('pg_read_server_files', 'USAGE'),"
	" pg_catalog.has_function_privilege('" READ_FILE_FUNCTION "', 'EXECUTE'),"
	" pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE'),"
	" EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname" IS
	"$1::pg_catalog.text::pg_catalog.name AND pg_catalog.pg_has_role(r.oid, 'USAGE')),"
	" a.pid,"
	" (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() OPERATOR(pg_catalog.-)"
	" a.backend_start) OPERATOR(pg_catalog.*) 1000::pg_catalog.float8)::pg_catalog.int8"
	" FROM pg_catalog.pg_stat_activity a LEFT JOIN"
	" (SELECT p.oid, p.pronamespace, n.nspname"
	" FROM pg_catalog.pg_extension e, pg_catalog.pg_depend d, pg_catalog.pg_proc p,"
	" pg_catalog.pg_namespace n"
	" WHERE e.extname" IS "'pg_transferbench' AND p.proname" IS "'bench_process_usage'"
	" AND d.refclassid" IS "'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid"
	" AND d.refobjid" IS "e.oid AND d.deptype" IS "'e'"
	" AND d.classid" IS "'pg_catalog.pg_proc'::pg_catalog.regclass::pg_catalog.oid"
	" AND d.objid" IS "p.oid AND n.oid" IS "p.pronamespace) AS f ON true"
	" WHERE a.pid" IS "pg_catalog.pg_backend_pid()";

void
server_rights_free(ServerRights *rights)
{
	free(rights->role);
	free(rights->schema);
	free(rights->function);
	*rights = (ServerRights){0};
}

/* Quoted names may hold line breaks, and a message is one line. */
static char *
take_name(const PGresult *result, int column)
{
	char *name = strdup(PQgetvalue(result, 0, column));

	for (char *each = name; each != NULL && *each != '\0'; each++)
		if ((unsigned char) *each < ' ')
			*each = '?';
	return name;
}

static bool
is_true(const PGresult *result, int column)
{
	return *PQgetvalue(result, 0, column) == 't';
}

static bool
take_rights(ServerRights *rights, const PGresult *result)
{
	bool is_installed = !PQgetisnull(result, 0, COLUMN_FUNCTION);

	rights->role = take_name(result, COLUMN_ROLE);
	if (is_installed)
	{
		rights->schema = take_name(result, COLUMN_SCHEMA);
		rights->function = strdup(PQgetvalue(result, 0, COLUMN_FUNCTION));
	}
	rights->may_use_schema = is_true(result, COLUMN_MAY_USE_SCHEMA);
	rights->may_execute = is_true(result, COLUMN_MAY_EXECUTE);
	rights->reads_files = is_true(result, COLUMN_READS_FILES);
	rights->may_call_read = is_true(result, COLUMN_MAY_CALL_READ);
	rights->sees_all = is_true(result, COLUMN_SEES_ALL);
	rights->sees_api_db_user = is_true(result, COLUMN_SEES_API_DB_USER);
	rights->backend_pid = (int) strtol(PQgetvalue(result, 0, COLUMN_BACKEND_PID), NULL, 10);
	rights->backend_age_ms = strtoll(PQgetvalue(result, 0, COLUMN_BACKEND_AGE_MS), NULL, 10);
	return rights->role != NULL &&
		   (!is_installed || (rights->schema != NULL && rights->function != NULL));
}

bool
server_rights_read(ServerRights *rights, Database *database, const char *api_db_user)
{
	PGresult *result = database_execute(database, rights_query, 1, &api_db_user);
	bool taken;

	*rights = (ServerRights){0};
	if (result == NULL || PQntuples(result) != 1)
	{
		message_error("the server does not tell what this role may see of its backends: %s",
					  result == NULL ? database->message : "no session of ours");
		PQclear(result);
		return false;
	}
	taken = take_rights(rights, result);
	PQclear(result);
	if (!taken)
		message_error("out of memory");
	return taken;
}

static void
put_grants_of_extension(FILE *text, const ServerRights *rights)
{
	if (rights->function == NULL)
	{
		fprintf(text,
				"CREATE EXTENSION pg_transferbench; GRANT EXECUTE ON FUNCTION "
				"bench_process_usage" USAGE_ARGUMENTS " TO %s",
				rights->role);
		return;
	}
	if (!rights->may_use_schema)
		fprintf(text, "GRANT USAGE ON SCHEMA %s TO %s%s", rights->schema, rights->role,
				rights->may_execute ? "" : "; ");
	if (!rights->may_execute)
		fprintf(text, "GRANT EXECUTE ON FUNCTION %s.bench_process_usage" USAGE_ARGUMENTS " TO %s",
				rights->schema, rights->role);
}

static void
put_grants_of_read_file(FILE *text, const ServerRights *rights)
{
	if (!rights->reads_files)
		fprintf(text, "GRANT pg_read_server_files TO %s%s", rights->role,
				rights->may_call_read ? "" : "; ");
	if (!rights->may_call_read)
		fprintf(text, "GRANT EXECUTE ON FUNCTION " READ_FILE_FUNCTION " TO %s", rights->role);
}

static bool
has_function(const ServerRights *rights)
{
	return rights->may_use_schema && rights->may_execute;
}

static char *
finish_advice(FILE *text, char **advice)
{
	if (fclose(text) == 0)
		return *advice;
	free(*advice);
	return NULL;
}

char *
server_rights_advise_usage(const ServerRights *rights)
{
	char *advice = NULL;
	size_t length;
	FILE *text = open_memstream(&advice, &length);

	if (text == NULL)
		return NULL;
	fputs("CPU and memory of backends are unknown: ", text);
	if (has_function(rights) || (rights->reads_files && rights->may_call_read))
		fputs("the server could read nothing from its /proc", text);
	else
	{
		put_grants_of_extension(text, rights);
		/* the wider right comes last: it opens all files of the server */
		fputs("; or ", text);
		put_grants_of_read_file(text, rights);
	}
	return finish_advice(text, &advice);
}

char *
server_rights_advise_others(const ServerRights *rights)
{
	char *advice = NULL;
	size_t length;
	FILE *text = rights->sees_all ? NULL : open_memstream(&advice, &length);

	if (text == NULL)
		return NULL;
	fprintf(text,
			"CPU and memory of the API's backends are unknown, since they are of another role: "
			"GRANT pg_read_all_stats TO %s",
			rights->role);
	return finish_advice(text, &advice);
}

char *
server_rights_advise_peaks(const ServerRights *rights)
{
	char *advice = NULL;
	size_t length;
	FILE *text = has_function(rights) ? NULL : open_memstream(&advice, &length);

	if (text == NULL)
		return NULL;
	fputs("peak memory of backends is unknown where an older peak hides it: ", text);
	put_grants_of_extension(text, rights);
	return finish_advice(text, &advice);
}
