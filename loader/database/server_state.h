/*
 * server_state.h - whether a server takes writes, and who besides it pays for them.
 */
#ifndef TRANSFERBENCH_SERVER_STATE_H
#define TRANSFERBENCH_SERVER_STATE_H

#include "database/database.h"

#include <stdbool.h>

typedef struct ServerState
{
	bool in_recovery;     /* a standby itself */
	bool is_read_only;    /* transactions of this role, unless they ask otherwise */
	int standbys;         /* that receive WAL now, base backups among them */
	char *standby_names;  /* "node2, node3"; NULL for none */
	bool archives;        /* archive_mode is on, and there is somewhere to */
	bool archive_is_lame; /* it is on, and there is not: WAL piles up */
	char *idle_slots;     /* replication slots that nobody reads: WAL piles up; NULL for none */
} ServerState;

/* False when the server could not be asked; the reason is in `database`. Freed in any case by
 * server_state_free. */
extern bool server_state_read(ServerState *state, Database *database);
extern void server_state_free(ServerState *state);

#endif
