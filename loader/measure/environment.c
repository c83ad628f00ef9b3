#include "measure/environment.h"
#include "database/server_state.h"
#include "message.h"

#include <curl/curl.h>
#include <json-c/json_c_version.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* In the order of the report: durability, WAL, memory, execution, the rest. */
#define SETTING_NAMES                                                                              \
	"fsync,full_page_writes,synchronous_commit,synchronous_standby_names,wal_sync_method,"         \
	"wal_level,wal_compression,wal_buffers,archive_mode,max_wal_size,checkpoint_timeout,"          \
	"commit_delay,shared_buffers,work_mem,huge_pages,jit,autovacuum,track_io_timing,ssl,"          \
	"max_connections,data_checksums,server_encoding,block_size,wal_segment_size,"                  \
	"default_toast_compression,shared_preload_libraries"

/*
 * As SHOW tells a value, with its unit. A row that pg_settings hides from this role, or that its
 * version does not have, leaves the value null.
 */
#define SETTINGS_QUERY                                                                             \
	"SELECT n.name, CASE WHEN s.name IS NOT NULL"                                                  \
	"  THEN pg_catalog.current_setting(s.name, true) END"                                          \
	" FROM ROWS FROM (pg_catalog.string_to_array('" SETTING_NAMES "', ',')) AS l(list),"           \
	" ROWS FROM (pg_catalog.unnest(l.list)) WITH ORDINALITY AS n(name, place)"                     \
	" LEFT JOIN pg_catalog.pg_settings s ON s.name OPERATOR(pg_catalog.=) n.name"                  \
	" ORDER BY n.place USING OPERATOR(pg_catalog.<)"

static bool
out_of_memory(void)
{
	message_error("out of memory");
	return false;
}

void
environment_free(Environment *environment)
{
	for (size_t i = 0; environment->setting != NULL && i < environment->settings; i++)
	{
		free(environment->setting[i].name);
		free(environment->setting[i].value);
	}
	free(environment->setting);
	free(environment->server_version);
	free(environment->client_host);
	free(environment->kernel);
	free(environment->cpu);
	free(environment->program_version);
	free(environment->libpq_version);
	free(environment->libcurl_version);
	free(environment->json_c_version);
	*environment = (Environment){0};
}

const char *
environment_setting(const Environment *environment, const char *name)
{
	for (size_t i = 0; i < environment->settings; i++)
		if (strcmp(environment->setting[i].name, name) == 0)
			return environment->setting[i].value;
	return NULL;
}

/* --- the server ------------------------------------------------------------------------------- */

static bool
take_settings(Environment *environment, const PGresult *found)
{
	environment->settings = (size_t) PQntuples(found);
	environment->setting = calloc(environment->settings + 1, sizeof(EnvironmentSetting));
	if (environment->setting == NULL)
		return out_of_memory();
	for (int i = 0; i < PQntuples(found); i++)
	{
		EnvironmentSetting *setting = &environment->setting[i];

		setting->name = strdup(PQgetvalue(found, i, 0));
		if (!PQgetisnull(found, i, 1))
			setting->value = strdup(PQgetvalue(found, i, 1));
		if (setting->name == NULL || (setting->value == NULL && !PQgetisnull(found, i, 1)))
			return out_of_memory();
	}
	return true;
}

static bool
read_settings(Environment *environment, Database *database)
{
	PGresult *found = database_execute(database, SETTINGS_QUERY, 0, NULL);
	bool taken;

	if (found == NULL)
	{
		message_error("the server's settings cannot be read: %s", database->message);
		return false;
	}
	taken = take_settings(environment, found);
	PQclear(found);
	return taken;
}

static bool
is_set(const Environment *environment, const char *name, const char *value)
{
	const char *set = environment_setting(environment, name);

	return set != NULL && strcmp(set, value) == 0;
}

/* Every value of synchronous_commit but "off" waits for the local disk at least. */
static bool
find_durability(const Environment *environment)
{
	return is_set(environment, "fsync", "on") && is_set(environment, "full_page_writes", "on") &&
		   environment_setting(environment, "synchronous_commit") != NULL &&
		   !is_set(environment, "synchronous_commit", "off");
}

/* "15.20" of "15.20 (Debian 15.20-0+deb12u1)" */
static bool
read_version(Environment *environment, const Database *database)
{
	const char *version = PQparameterStatus(database->connection, "server_version");

	if (version == NULL)
		version = "";
	environment->server_version = strndup(version, strcspn(version, " "));
	return environment->server_version != NULL || out_of_memory();
}

static bool
read_server(Environment *environment, Database *database)
{
	ServerState state;
	bool was_read;

	if (!read_version(environment, database) || !read_settings(environment, database))
		return false;
	environment->is_durable = find_durability(environment);
	was_read = server_state_read(&state, database);
	if (was_read)
	{
		environment->standbys = state.standbys;
		environment->archives = state.archives;
		environment->in_recovery = state.in_recovery;
	}
	else
		message_error("the server's state cannot be read: %s", database->message);
	server_state_free(&state);
	return was_read;
}

/* --- this machine ------------------------------------------------------------------------------ */

/* The value of "model name : value"; what other architectures than x86 tell is the machine's kind. */
static char *
read_cpu(const char *machine)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];
	char *cpu = NULL;

	while (file != NULL && cpu == NULL && fgets(line, sizeof(line), file) != NULL)
	{
		const char *value = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || value == NULL)
			continue;
		value += 1 + strspn(value + 1, " \t");
		cpu = strndup(value, strcspn(value, "\n"));
	}
	if (file != NULL)
		fclose(file);
	return cpu != NULL ? cpu : strdup(machine);
}

/* Those that this process may run on. */
static int
count_cores(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		return CPU_COUNT(&allowed);
	return (int) sysconf(_SC_NPROCESSORS_ONLN);
}

static bool
read_machine(Environment *environment)
{
	struct utsname names = {0};

	uname(&names);
	environment->client_host = strdup(names.nodename);
	if (asprintf(&environment->kernel, "%s %s %s", names.sysname, names.release, names.machine) < 0)
		environment->kernel = NULL;
	environment->cpu = read_cpu(names.machine);
	environment->cores = count_cores();
	environment->memory_bytes = (int64_t) sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	return (environment->client_host != NULL && environment->kernel != NULL &&
			environment->cpu != NULL) ||
		   out_of_memory();
}

static char *
libpq_version_text(void)
{
	char *text;
	int version = PQlibVersion();

	return asprintf(&text, "%d.%d", version / 10000, version % 10000) < 0 ? NULL : text;
}

static bool
read_programs(Environment *environment)
{
	environment->program_version = strdup(TRANSFERBENCH_VERSION);
	environment->libpq_version = libpq_version_text();
	environment->libcurl_version = strdup(curl_version_info(CURLVERSION_NOW)->version);
	environment->json_c_version = strdup(json_c_version());
	return (environment->program_version != NULL && environment->libpq_version != NULL &&
			environment->libcurl_version != NULL && environment->json_c_version != NULL) ||
		   out_of_memory();
}

static void
read_time(Environment *environment)
{
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(environment->started_at, sizeof(environment->started_at), "%Y-%m-%dT%H:%M:%SZ", &utc);
}

bool
environment_read(Environment *environment, Database *database)
{
	*environment = (Environment){.standbys = -1};
	read_time(environment);
	return read_machine(environment) && read_programs(environment) &&
		   (database == NULL || !database_is_open(database) || read_server(environment, database));
}
