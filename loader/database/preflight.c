#include "database/preflight.h"
#include "database/run_table_drop.h"
#include "database/server_state.h"
#include "database/target_table.h"
#include "database/write_estimate.h"
#include "message.h"
#include "quantity_text.h"

#include <inttypes.h>
#include <stdlib.h>

static bool
check_rights(const PreflightOptions *options, Database *database)
{
	TargetTable target;
	bool is_fit;

	if (options->append && options->table == NULL)
	{
		message_error("--append: which table is to be written to: name it with --table");
		return false;
	}
	if (options->append)
		is_fit = target_table_find_existing(&target, options->table, database);
	else
		is_fit = target_table_find_free(
			&target, options->table != NULL ? options->table : "\"transferbench_<run id>\"",
			database);
	target_table_free(&target);
	return is_fit;
}

static bool
check_state(const ServerState *state)
{
	if (state->in_recovery)
	{
		message_error("the server is a standby and takes no writes: connect to its primary");
		return false;
	}
	if (state->is_read_only)
	{
		message_error("this role is not meant to write here: default_transaction_read_only is on");
		return false;
	}
	return true;
}

/* Settings first, then who is connected; those of other roles hide their kind. */
#define CONNECTIONS_QUERY                                                                          \
	"SELECT pg_catalog.current_setting('max_connections'),"                                        \
	" pg_catalog.current_setting('superuser_reserved_connections'),"                               \
	" pg_catalog.current_setting('reserved_connections', true),"                                   \
	" r.rolsuper, r.rolconnlimit, d.datconnlimit,"                                                 \
	" pg_catalog.count(*),"                                                                        \
	" pg_catalog.count(*) FILTER (WHERE s.usesysid OPERATOR(pg_catalog.=) r.oid),"                 \
	" pg_catalog.count(*) FILTER (WHERE s.datid OPERATOR(pg_catalog.=) d.oid)"                     \
	" FROM pg_catalog.pg_roles r, pg_catalog.pg_database d, pg_catalog.pg_stat_activity s"         \
	" WHERE r.rolname OPERATOR(pg_catalog.=) SESSION_USER"                                         \
	" AND d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()"                          \
	" AND s.datid IS NOT NULL"                                                                     \
	" AND (s.backend_type IS NULL OR s.backend_type OPERATOR(pg_catalog.=) 'client backend')"      \
	" GROUP BY r.rolsuper, r.rolconnlimit, d.datconnlimit"

static int
read_int(const PGresult *found, int column)
{
	return (int) strtol(PQgetvalue(found, 0, column), NULL, 10);
}

static void
limit_to(int *free_connections, const char **limit, int limited, const char *name)
{
	if (limited >= *free_connections)
		return;
	*free_connections = limited > 0 ? limited : 0;
	*limit = name;
}

/* How many this run may hold, the present one among them; *limit tells what sets the bound. */
static int
count_free(const PGresult *found, const char **limit)
{
	bool is_superuser = *PQgetvalue(found, 0, 3) == 't';
	int reserved = is_superuser ? 0 : read_int(found, 1) + read_int(found, 2);
	int role_limit = read_int(found, 4), database_limit = read_int(found, 5);
	int free_connections = INT32_MAX;

	limit_to(&free_connections, limit, read_int(found, 0) - reserved - read_int(found, 6) + 1,
			 "max_connections, less those reserved");
	/* neither binds a superuser; negative: no limit */
	if (role_limit >= 0 && !is_superuser)
		limit_to(&free_connections, limit, role_limit - read_int(found, 7) + 1,
				 "the connection limit of the role");
	if (database_limit >= 0 && !is_superuser)
		limit_to(&free_connections, limit, database_limit - read_int(found, 8) + 1,
				 "the connection limit of the database");
	return free_connections;
}

static bool
check_connections(const PreflightOptions *options, PreflightResult *result, Database *database)
{
	PGresult *found = database_execute(database, CONNECTIONS_QUERY, 0, NULL);
	const char *limit = "";

	if (found == NULL)
	{
		message_error("the server's connections cannot be counted: %s", database->message);
		return false;
	}
	if (PQntuples(found) == 1)
		result->free_connections = count_free(found, &limit);
	PQclear(found);
	if (result->free_connections < 0 || options->jobs <= result->free_connections)
		return true;
	message_error(
		"%d connections are wanted at once, but no more than %d can be had (%s): lower --jobs",
		options->jobs, result->free_connections, limit);
	return false;
}

static void
estimate(const PreflightOptions *options, PreflightResult *result)
{
	WriteShape shape = {
		.rows = options->largest_rows,
		.row_bytes = options->row_bytes,
		.columns = options->columns,
		.indexes = options->indexes,
	};

	if (options->unlogged)
		result->wal_bytes = 0;
	if (options->row_bytes <= 0)
		return;
	result->table_bytes = write_estimate_table_bytes(&shape);
	shape.rows = options->rows;
	if (!options->unlogged)
		result->wal_bytes = write_estimate_wal_bytes(&shape);
}

static void
tell_sizes(const PreflightOptions *options, const PreflightResult *result)
{
	QuantityText table = quantity_bytes((double) result->table_bytes);

	if (options->unlogged)
		message_note("about %s of table will be written, without WAL", table.text);
	else
		message_note("about %s of table and, over the run, up to %s of WAL will be written",
					 table.text, quantity_bytes((double) result->wal_bytes).text);
}

static bool
check_sizes(const PreflightOptions *options, PreflightResult *result)
{
	int64_t bytes;

	estimate(options, result);
	if (result->table_bytes < 0)
	{
		message_note("how much will be written is not known beforehand");
		return true;
	}
	tell_sizes(options, result);
	if (__builtin_add_overflow(result->table_bytes, result->wal_bytes, &bytes))
		bytes = INT64_MAX;
	if (bytes <= options->max_write_bytes)
		return true;
	message_error("about %s would be written, more than --max-write-bytes %s: raise it, or write "
				  "fewer rows%s",
				  quantity_bytes((double) bytes).text,
				  quantity_bytes((double) options->max_write_bytes).text,
				  options->unlogged || options->append ? "" : ", or spare the WAL with --unlogged");
	return false;
}

/* Who else takes part in what is written. */
static void
tell_followers(const ServerState *state)
{
	if (state->standbys > 0)
		message_warning("what is written goes to %d standby%s too: %s", state->standbys,
						state->standbys == 1 ? "" : "s",
						state->standby_names != NULL ? state->standby_names : "(without a name)");
	if (state->archives)
		message_warning("what is written is archived too (archive_mode)");
	if (state->archive_is_lame)
		message_warning("WAL piles up on the server: archive_mode is on, without an "
						"archive_command");
	if (state->idle_slots != NULL)
		message_warning("WAL piles up on the server: nobody reads these replication slots: %s",
						state->idle_slots);
}

static bool
check_all(const PreflightOptions *options, PreflightResult *result, ServerState *state,
		  Database *database)
{
	if (!check_rights(options, database))
		return false;
	if (!server_state_read(state, database))
	{
		message_error("the server's state cannot be read: %s", database->message);
		return false;
	}
	result->standbys = state->standbys;
	result->archives = state->archives;
	if (!check_state(state) || !check_connections(options, result, database))
		return false;
	if (!options->unlogged)
		tell_followers(state);
	return check_sizes(options, result);
}

bool
preflight(const PreflightOptions *options, PreflightResult *result, Database *database)
{
	ServerState state = {0};
	bool may_begin = false;

	*result = (PreflightResult){.table_bytes = -1, .wal_bytes = -1, .free_connections = -1};
	if (run_table_begin(database) == DATABASE_OK)
		may_begin = check_all(options, result, &state, database);
	else
		message_error("the server cannot be examined: %s", database->message);
	server_state_free(&state);
	database_make_idle(database);
	return may_begin;
}
