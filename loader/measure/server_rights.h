/*
 * server_rights.h - what the server tells of this session, and what its role may see of the usage
 * of backends.
 */
#ifndef TRANSFERBENCH_SERVER_RIGHTS_H
#define TRANSFERBENCH_SERVER_RIGHTS_H

#include "database/database.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ServerRights
{
	char *role;     /* quoted, as SQL reads it */
	char *schema;   /* of the extension, quoted; NULL where bench_process_usage is not installed */
	char *function; /* bench_process_usage, qualified and quoted; NULL likewise */
	bool may_use_schema;
	bool may_execute;       /* the function */
	bool reads_files;       /* is in pg_read_server_files */
	bool may_call_read;     /* pg_read_file with all its arguments */
	bool sees_all;          /* is in pg_read_all_stats */
	bool sees_api_db_user;  /* has the rights of that role */
	int backend_pid;        /* of this session */
	int64_t backend_age_ms; /* when it was asked */
} ServerRights;

/* False, with a message, when the server did not answer or memory ran out. `api_db_user` may be
 * NULL. */
extern bool server_rights_read(ServerRights *rights, Database *database, const char *api_db_user);
extern void server_rights_free(ServerRights *rights);

/* One line each, which the caller frees: what is unknown, and the grants that would change it. NULL
 * when there are none, or no memory. Of all backends: */
extern char *server_rights_advise_usage(const ServerRights *rights);
/* Of backends of other roles: */
extern char *server_rights_advise_others(const ServerRights *rights);
/* Of the high-water marks of memory, which the extension resets: */
extern char *server_rights_advise_peaks(const ServerRights *rights);

#endif
