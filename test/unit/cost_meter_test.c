/*
 * cost_meter_test.c - a cost meter to be driven by test/t/040_cost.pl, which has a server: without
 * arguments there is nothing to test.
 *
 * Arguments: conninfo=TEXT, and then any of work=SQL (run within the span), warm=SQL (before it),
 * api_user=NAME, api_name=NAME, api_pid=PID, pids=none|foreign (instead of our own backend's),
 * memory=1, lost=1 (another span comes first, within which the meter's connection is cut). Prints a
 * line NAME=VALUE for each figure.
 */
#include "measure/cost.h"

#include <stdlib.h>

#include "unit.h"

#define RUN_APPLICATION "transferbench/000000000000"
#define MAX_API_PIDS    4
#define CUT_METER                                                                                  \
	"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"                                 \
	" WHERE application_name = '" RUN_APPLICATION "' AND pid <> pg_backend_pid()"

typedef struct Arguments
{
	ConnectionOptions connection;
	const char *work, *warm;
	bool no_pids, foreign_pids, is_cut;
	pid_t api_pid[MAX_API_PIDS];
	CostMeterOptions meter;
} Arguments;

static const char *
value_of(const char *argument, const char *name)
{
	size_t length = strlen(name);

	return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
																		   : NULL;
}

static bool
take(Arguments *arguments, const char *argument)
{
	const char *value;

	if ((value = value_of(argument, "conninfo")) != NULL)
		arguments->connection.dbname = value;
	else if ((value = value_of(argument, "work")) != NULL)
		arguments->work = value;
	else if ((value = value_of(argument, "warm")) != NULL)
		arguments->warm = value;
	else if ((value = value_of(argument, "api_user")) != NULL)
		arguments->meter.api_db_user = value;
	else if ((value = value_of(argument, "api_name")) != NULL)
		arguments->meter.api_application_name = value;
	else if ((value = value_of(argument, "api_pid")) != NULL &&
			 arguments->meter.api_pid_count < MAX_API_PIDS)
		arguments->api_pid[arguments->meter.api_pid_count++] = (pid_t) strtol(value, NULL, 10);
	else if ((value = value_of(argument, "pids")) != NULL)
	{
		arguments->no_pids = strcmp(value, "none") == 0;
		arguments->foreign_pids = strcmp(value, "foreign") == 0;
	}
	else if ((value = value_of(argument, "lost")) != NULL)
		arguments->is_cut = true;
	else if ((value = value_of(argument, "memory")) != NULL)
		arguments->meter.system_memory = true;
	return value != NULL;
}

static void
run(Database *database, const char *sql)
{
	PGresult *result = sql == NULL ? NULL : database_execute(database, sql, 0, NULL);

	if (sql != NULL && result == NULL)
		printf("failed=%s\n", database->message);
	PQclear(result);
}

static void
print_cost(const CostMeter *meter, const Cost *cost)
{
	static const char *const sources[] = {"none", "extension", "read_file", "local"};
	const char *advice = cost_meter_advice(meter);

	printf("source=%s\nlocal=%d\nadvice=%s\n", sources[cost_meter_source(meter)],
		   cost_meter_is_local(meter), advice == NULL ? "" : advice);
#define PRINT(name) printf(#name "=%" PRId64 "\n", cost->name)
	PRINT(client_cpu_user_us);
	PRINT(client_cpu_system_us);
	PRINT(client_peak_bytes);
	PRINT(backend_cpu_us);
	PRINT(backend_peak_bytes);
	PRINT(api_cpu_us);
	PRINT(api_peak_bytes);
	PRINT(api_backend_cpu_us);
	PRINT(api_backend_peak_bytes);
	PRINT(machine_cpu_us);
	PRINT(system_memory_bytes);
#undef PRINT
}

static void
measure_cut_span(CostMeter *meter, Database *database, int pid)
{
	Cost cost;

	cost_meter_begin(meter, &pid, 1);
	run(database, CUT_METER);
	cost_meter_end(meter, &cost);
	printf("cut_backend_cpu_us=%" PRId64 "\n", cost.backend_cpu_us);
}

static int
measure(const Arguments *arguments)
{
	CostMeter *meter = cost_meter_create(&arguments->meter);
	Database database;
	Cost cost;
	int pid;

	database_init(&database, -1);
	if (meter == NULL || database_open(&database, &arguments->connection, 10000) != DATABASE_OK)
	{
		cost_meter_free(meter);
		return 1;
	}
	/* the first process of the machine is no backend */
	pid = arguments->foreign_pids ? 1 : PQbackendPID(database.connection);
	if (arguments->is_cut)
		measure_cut_span(meter, &database, pid);
	run(&database, arguments->warm);
	cost_meter_begin(meter, &pid, arguments->no_pids ? 0 : 1);
	run(&database, arguments->work);
	cost_meter_end(meter, &cost);
	print_cost(meter, &cost);
	database_close(&database);
	cost_meter_free(meter);
	return 0;
}

int
main(int count, char **argument)
{
	Arguments arguments = {
		.connection = {.application_name = RUN_APPLICATION},
		.meter = {.run_application = RUN_APPLICATION},
	};

	if (count == 1)
	{
		puts("1..0 # SKIP it is driven by test/t/040_cost.pl");
		return 0;
	}
	for (int i = 1; i < count; i++)
	{
		if (!take(&arguments, argument[i]))
		{
			fprintf(stderr, "cost_meter_test: \"%s\" is no argument of it\n", argument[i]);
			return 1;
		}
	}
	arguments.meter.connection = &arguments.connection;
	arguments.meter.api_pids = arguments.api_pid;
	return measure(&arguments);
}
