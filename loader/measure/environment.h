/*
 * environment.h - the conditions of a run: what a reader must know to believe its figures.
 */
#ifndef TRANSFERBENCH_ENVIRONMENT_H
#define TRANSFERBENCH_ENVIRONMENT_H

#include "database/database.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct EnvironmentSetting
{
	char *name;  /* of a server setting */
	char *value; /* with its unit, as SHOW tells it; NULL when hidden from this role */
} EnvironmentSetting;

typedef struct Environment
{
	char *server_version;        /* "15.20"; NULL without a server */
	EnvironmentSetting *setting; /* [settings]: those that matter to moving rows */
	size_t settings;
	bool is_durable; /* fsync, full_page_writes and synchronous_commit are on */
	int standbys;    /* connected; -1 unknown */
	bool archives;   /* archive_mode is on and there is somewhere to */
	bool in_recovery;
	char *client_host, *kernel, *cpu; /* of this machine */
	int cores;
	int64_t memory_bytes;
	char *program_version, *libpq_version, *libcurl_version, *json_c_version;
	char started_at[32]; /* ISO 8601, UTC */
} Environment;

/* Reads this machine and, where `database` is open, the server. False, with a message, when out of
 * memory or the connection broke. */
extern bool environment_read(Environment *environment, Database *database);
extern void environment_free(Environment *environment);
/* The setting's value; NULL when it is not among those read. */
extern const char *environment_setting(const Environment *environment, const char *name);

#endif
