#include "database/server_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* archive_library is new in 15; all of this is shown to everybody. */
#define STATE_QUERY                                                                                \
	"SELECT pg_catalog.pg_is_in_recovery(),"                                                       \
	" pg_catalog.current_setting('default_transaction_read_only'),"                                \
	" r.standbys, r.names,"                                                                        \
	" pg_catalog.current_setting('archive_mode'),"                                                 \
	" pg_catalog.current_setting('archive_command'),"                                              \
	" pg_catalog.current_setting('archive_library', true),"                                        \
	" (SELECT pg_catalog.string_agg(s.slot_name::pg_catalog.text, ', ')"                           \
	"  FROM pg_catalog.pg_replication_slots s WHERE NOT s.active)"                                 \
	" FROM (SELECT pg_catalog.count(*) AS standbys,"                                               \
	"  pg_catalog.string_agg(s.application_name, ', ') AS names"                                   \
	"  FROM pg_catalog.pg_stat_replication s) AS r"

void
server_state_free(ServerState *state)
{
	free(state->standby_names);
	free(state->idle_slots);
	*state = (ServerState){0};
}

/* False when out of memory. */
static bool
take_names(char **names, const PGresult *found, int column)
{
	if (PQgetisnull(found, 0, column) || *PQgetvalue(found, 0, column) == '\0')
		return true;
	*names = strdup(PQgetvalue(found, 0, column));
	return *names != NULL;
}

static bool
take_state(ServerState *state, const PGresult *found)
{
	bool has_destination = *PQgetvalue(found, 0, 5) != '\0' || *PQgetvalue(found, 0, 6) != '\0';
	bool archiving = strcmp(PQgetvalue(found, 0, 4), "off") != 0;

	state->in_recovery = *PQgetvalue(found, 0, 0) == 't';
	state->is_read_only = strcmp(PQgetvalue(found, 0, 1), "on") == 0;
	state->standbys = (int) strtol(PQgetvalue(found, 0, 2), NULL, 10);
	state->archives = archiving && has_destination;
	state->archive_is_lame = archiving && !has_destination;
	return take_names(&state->standby_names, found, 3) && take_names(&state->idle_slots, found, 7);
}

bool
server_state_read(ServerState *state, Database *database)
{
	PGresult *found = database_execute(database, STATE_QUERY, 0, NULL);
	bool taken;

	*state = (ServerState){0};
	if (found == NULL)
		return false;
	taken = take_state(state, found);
	PQclear(found);
	if (!taken)
		database_fail(database, "out of memory");
	return taken;
}
