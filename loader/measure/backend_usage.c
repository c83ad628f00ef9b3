#include "measure/backend_usage.h"
#include "measure/local_usage.h"
#include "measure/process_stat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS        " OPERATOR(pg_catalog.=) "
#define US_PER_MS 1000

/* What each way selects; the first two columns are the same. */
enum
{
	COLUMN_PID,
	COLUMN_STARTED_US,
	COLUMN_CPU_MS, /* of the extension */
	COLUMN_RESIDENT_BYTES,
	COLUMN_SHARED_BYTES,
	COLUMN_PEAK_BYTES,
	COLUMN_STAT = COLUMN_CPU_MS, /* of pg_read_file */
	COLUMN_STATUS,
};

/*
 * Backends are chosen before any of them is measured: resetting the mark of one that was not meant
 * would spoil somebody else's figures. Others' backend_start is hidden from an ordinary role, and so
 * is their backend_type: what has no database is the server's own.
 */
#define WITH_CHOSEN                                                                                \
	"WITH chosen AS MATERIALIZED (SELECT a.pid, (pg_catalog.date_part('epoch', a.backend_start)"   \
	" OPERATOR(pg_catalog.*) 1000000::pg_catalog.float8)::pg_catalog.int8 AS started"              \
	" FROM pg_catalog.pg_stat_activity a WHERE "
#define SELECT_CHOSEN ") SELECT c.pid, c.started"
#define FROM_CHOSEN   " FROM chosen c"
#define READ_FILE(name)                                                                            \
	", pg_catalog.pg_read_file(pg_catalog.format('/proc/%s/" name "', c.pid), 0, 65536, true)"

#define IS_OWN "a.pid" IS "ANY ($1::pg_catalog.int4[])"
#define IS_API                                                                                     \
	"NOT (a.pid" IS "ANY ($1::pg_catalog.int4[]))"                                                 \
	" AND a.datid IS NOT NULL AND a.pid OPERATOR(pg_catalog.<>) pg_catalog.pg_backend_pid()"       \
	" AND (a.usename::pg_catalog.text" IS "$2::pg_catalog.text"                                    \
	" OR a.application_name" IS "$3::pg_catalog.text)"                                             \
	" AND (a.application_name" IS "$4::pg_catalog.text) IS NOT TRUE"

static char *
make_query(const BackendReading *reading, bool of_api)
{
	char *sql = NULL;
	size_t length;
	FILE *text = open_memstream(&sql, &length);

	if (text == NULL)
		return NULL;
	fprintf(text, WITH_CHOSEN "%s" SELECT_CHOSEN, of_api ? IS_API : IS_OWN);
	if (reading->source == COST_SOURCE_EXTENSION)
		fprintf(text,
				", u.cpu_ms, u.resident_bytes, u.shared_bytes, u.peak_bytes" FROM_CHOSEN
				" LEFT JOIN LATERAL %s(ARRAY[c.pid], %s) AS u ON true",
				reading->usage_function, reading->reset_peak ? "true" : "false");
	else if (reading->source == COST_SOURCE_READ_FILE)
		fputs(READ_FILE("stat") READ_FILE("status") FROM_CHOSEN, text);
	else
		fputs(FROM_CHOSEN, text);
	if (fclose(text) == 0)
		return sql;
	free(sql);
	return NULL;
}

static int64_t
integer(const PGresult *result, int row, int column)
{
	return PQgetisnull(result, row, column) ? PROCESS_USAGE_UNKNOWN
											: strtoll(PQgetvalue(result, row, column), NULL, 10);
}

static bool
take_extension(const PGresult *result, int row, bool reset_peak, UsageSample *sample)
{
	if (PQgetisnull(result, row, COLUMN_CPU_MS))
		return false;
	sample->cpu_us = llround(strtod(PQgetvalue(result, row, COLUMN_CPU_MS), NULL) * US_PER_MS);
	sample->memory.resident_bytes = integer(result, row, COLUMN_RESIDENT_BYTES);
	sample->memory.shared_bytes = integer(result, row, COLUMN_SHARED_BYTES);
	/* null when it was to be reset and could not be */
	sample->memory.high_water_bytes = integer(result, row, COLUMN_PEAK_BYTES);
	sample->mark_was_reset = reset_peak && sample->memory.high_water_bytes >= 0;
	return true;
}

static bool
take_files(const PGresult *result, int row, UsageSample *sample)
{
	ProcessStat stat;

	if (!process_stat_parse(PQgetvalue(result, row, COLUMN_STAT), &stat))
		return false;
	sample->cpu_us = process_stat_ticks_to_us(stat.cpu_ticks + stat.children_cpu_ticks);
	sample->children_faults = stat.children_faults;
	process_memory_parse(PQgetvalue(result, row, COLUMN_STATUS),
						 (size_t) PQgetlength(result, row, COLUMN_STATUS), &sample->memory);
	return true;
}

static bool
take_row(const PGresult *result, int row, const BackendReading *reading, UsageSample *sample)
{
	int pid = (int) integer(result, row, COLUMN_PID);

	*sample = (UsageSample){.pid = pid};
	switch (reading->source)
	{
		case COST_SOURCE_EXTENSION:
			if (!take_extension(result, row, reading->reset_peak, sample))
				return false;
			break;
		case COST_SOURCE_READ_FILE:
			if (!take_files(result, row, sample))
				return false;
			break;
		case COST_SOURCE_LOCAL:
			/* it knows when the process started */
			return local_usage_read(pid, reading->reset_peak, sample);
		case COST_SOURCE_NONE:
			return false;
	}
	if (!PQgetisnull(result, row, COLUMN_STARTED_US))
		sample->started = integer(result, row, COLUMN_STARTED_US);
	return true;
}

void
backend_usage_read(Database *database, const BackendReading *reading,
				   const BackendSelection *selection, UsageSamples *samples)
{
	bool of_api = selection->api_db_user != NULL || selection->api_application_name != NULL;
	const char *values[] = {selection->own_pids, selection->api_db_user,
							selection->api_application_name, selection->run_application};
	char *sql = reading->source == COST_SOURCE_NONE ? NULL : make_query(reading, of_api);
	PGresult *result;
	bool whole;

	usage_samples_clear(samples);
	if (sql == NULL)
		return;
	result = database_execute(database, sql, of_api ? 4 : 1, values);
	free(sql);
	whole = result != NULL;
	for (int row = 0; whole && row < PQntuples(result); row++)
	{
		UsageSample sample;

		whole = take_row(result, row, reading, &sample) && usage_samples_add(samples, &sample);
	}
	PQclear(result);
	samples->is_complete = whole;
}
