/*
 * backend_usage.h - usage samples of backends of a server, found in pg_stat_activity and measured
 * by one of the ways that CostSource names.
 */
#ifndef TRANSFERBENCH_BACKEND_USAGE_H
#define TRANSFERBENCH_BACKEND_USAGE_H

#include "database/database.h"
#include "measure/cost.h"
#include "measure/usage_sample.h"

#include <stdbool.h>

/* Which backends; never the one that is asked. */
typedef struct BackendSelection
{
	const char
		*own_pids; /* "{1,2}": these; with api_db_user or api_application_name all but these */
	const char *api_db_user;          /* NULL: not by role */
	const char *api_application_name; /* NULL: not by name */
	const char *run_application;      /* of sessions that are not the API's */
} BackendSelection;

typedef struct BackendReading
{
	CostSource source;
	const char *usage_function; /* for COST_SOURCE_EXTENSION: qualified and quoted */
	bool reset_peak;            /* high-water marks begin anew, where that is allowed */
} BackendReading;

/* `samples` is emptied before; complete when all that were found could be measured. A failure is
 * kept in `database`, without a message. */
extern void backend_usage_read(Database *database, const BackendReading *reading,
							   const BackendSelection *selection, UsageSamples *samples);

#endif
