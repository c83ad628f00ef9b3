#include "measure/cost.h"
#include "measure/backend_usage.h"
#include "measure/local_usage.h"
#include "measure/machine_usage.h"
#include "measure/memory_sampler.h"
#include "measure/server_location.h"
#include "measure/server_rights.h"
#include "measure/usage_sample.h"
#include "message.h"
#include "resource_usage.h"

#include <stdio.h>
#include <stdlib.h>

#define CONNECT_TIMEOUT_MS   30000
#define RECONNECT_TIMEOUT_MS 5000

/* How backends are found and measured, and what they had used at the start of a span. */
typedef struct BackendGroup
{
	CostSource source;
	BackendSelection selection;
	UsageSamples start;
} BackendGroup;

/* What the endpoint had used at the start of a span. */
typedef struct EndpointStart
{
	bool is_known;
	int64_t cpu_us, resident_bytes;
} EndpointStart;

struct CostMeter
{
	CostMeterOptions options;
	Database database;
	ServerRights rights;
	bool is_local;
	char *advice;

	/* of the span that is open */
	char *own_pids; /* "{1,2}" */
	size_t own_backends;
	BackendGroup own, api;
	UsageSamples api_processes;
	EndpointStart endpoint;
	int64_t machine_busy_us;
	MemorySampler *sampler;
	ResourceUsageStart client;
};

/* --- finding out what can be known ------------------------------------------------------- */

static BackendReading
reading_of(const CostMeter *meter, CostSource source, bool reset_peak)
{
	return (BackendReading){
		.source = source,
		.usage_function = meter->rights.function,
		.reset_peak = reset_peak,
	};
}

/* Tried on the meter's own backend: a right alone does not make a /proc. */
static bool
source_works(CostMeter *meter, CostSource source)
{
	const BackendReading reading = reading_of(meter, source, false);
	char pids[16];
	BackendSelection selection = {.own_pids = pids};
	UsageSamples samples = {0};
	bool works;

	snprintf(pids, sizeof(pids), "{%d}", meter->rights.backend_pid);
	backend_usage_read(&meter->database, &reading, &selection, &samples);
	works = samples.is_complete && samples.count == 1;
	usage_samples_free(&samples);
	return works;
}

static bool
is_allowed(const CostMeter *meter, CostSource source)
{
	const ServerRights *rights = &meter->rights;

	switch (source)
	{
		case COST_SOURCE_EXTENSION:
			return rights->may_use_schema && rights->may_execute;
		case COST_SOURCE_LOCAL:
			return meter->is_local;
		case COST_SOURCE_READ_FILE:
			return rights->reads_files && rights->may_call_read;
		case COST_SOURCE_NONE:
			break;
	}
	return false;
}

/* The best that works. */
static CostSource
find_source(CostMeter *meter, bool without_extension)
{
	static const CostSource by_merit[] = {COST_SOURCE_EXTENSION, COST_SOURCE_LOCAL,
										  COST_SOURCE_READ_FILE};

	for (size_t i = without_extension; i < sizeof(by_merit) / sizeof(by_merit[0]); i++)
		if (is_allowed(meter, by_merit[i]) && source_works(meter, by_merit[i]))
			return by_merit[i];
	return COST_SOURCE_NONE;
}

/* The extension shows backends of other roles only to those who may see all statistics. */
static CostSource
find_api_source(CostMeter *meter)
{
	const CostMeterOptions *options = &meter->options;
	bool sees = meter->rights.sees_all ||
				(meter->rights.sees_api_db_user && options->api_application_name == NULL);
	CostSource other;

	if (meter->own.source != COST_SOURCE_EXTENSION || sees)
		return meter->own.source;
	other = find_source(meter, true);
	return other != COST_SOURCE_NONE ? other : COST_SOURCE_EXTENSION;
}

static void
warn_of_missing_processes(const CostMeterOptions *options)
{
	for (int i = 0; i < options->api_pid_count; i++)
		if (process_cpu_ns(options->api_pids[i]) < 0)
			message_warning("--api-pid %d: there is no such process on this machine, so what the "
							"API costs is unknown",
							(int) options->api_pids[i]);
}

static bool
open_meter(CostMeter *meter)
{
	const CostMeterOptions *options = &meter->options;
	const ServerRights *rights = &meter->rights;

	if (database_open(&meter->database, options->connection, CONNECT_TIMEOUT_MS) != DATABASE_OK)
	{
		message_error("no second connection, by which the cost of backends is found: %s",
					  meter->database.message);
		return false;
	}
	if (!server_rights_read(&meter->rights, &meter->database, options->api_db_user))
		return false;
	meter->is_local =
		server_location_is_here(&meter->database, rights->backend_pid, rights->backend_age_ms);
	meter->own.source = find_source(meter, false);
	meter->api.source = find_api_source(meter);
	if (meter->own.source == COST_SOURCE_NONE)
		meter->advice = server_rights_advise_usage(&meter->rights);
	warn_of_missing_processes(options);
	return true;
}

CostMeter *
cost_meter_create(const CostMeterOptions *options)
{
	CostMeter *meter = calloc(1, sizeof(CostMeter));

	if (meter == NULL)
	{
		message_error("out of memory");
		return NULL;
	}
	meter->options = *options;
	meter->api.selection = (BackendSelection){
		.api_db_user = options->api_db_user,
		.api_application_name = options->api_application_name,
		.run_application = options->run_application,
	};
	database_init(&meter->database, -1);
	if (open_meter(meter))
		return meter;
	cost_meter_free(meter);
	return NULL;
}

void
cost_meter_free(CostMeter *meter)
{
	if (meter == NULL)
		return;
	memory_sampler_stop(meter->sampler);
	database_close(&meter->database);
	server_rights_free(&meter->rights);
	usage_samples_free(&meter->own.start);
	usage_samples_free(&meter->api.start);
	usage_samples_free(&meter->api_processes);
	free(meter->own_pids);
	free(meter->advice);
	free(meter);
}

CostSource
cost_meter_source(const CostMeter *meter)
{
	return meter->own.source;
}

const char *
cost_meter_advice(const CostMeter *meter)
{
	return meter->advice;
}

bool
cost_meter_is_local(const CostMeter *meter)
{
	return meter->is_local;
}

/* --- backends ---------------------------------------------------------------------------- */

static bool
has_api_backends(const CostMeter *meter)
{
	return meter->options.api_db_user != NULL || meter->options.api_application_name != NULL;
}

/* As an array for SQL; NULL when out of memory. */
static char *
write_pids(const int *pids, int count)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	if (stream == NULL)
		return NULL;
	for (int i = 0; i < count; i++)
		fprintf(stream, "%c%d", i == 0 ? '{' : ',', pids[i]);
	fputs(count == 0 ? "{}" : "}", stream);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

static void
read_group(CostMeter *meter, const BackendGroup *group, bool reset_peak, UsageSamples *samples)
{
	const BackendReading reading = reading_of(meter, group->source, reset_peak);

	backend_usage_read(&meter->database, &reading, &group->selection, samples);
}

/* All of our sessions must be there: a pooler may have told pids that are not the server's. */
static void
read_own(CostMeter *meter, bool reset_peak, UsageSamples *samples)
{
	usage_samples_clear(samples);
	if (meter->own_backends == 0)
		return;
	read_group(meter, &meter->own, reset_peak, samples);
	if (samples->count != meter->own_backends)
		samples->is_complete = false;
}

static void
begin_backends(CostMeter *meter, const int *pids, int count)
{
	usage_samples_clear(&meter->api.start);
	usage_samples_clear(&meter->own.start);
	free(meter->own_pids);
	meter->own_pids = write_pids(pids, count);
	meter->own.selection.own_pids = meter->api.selection.own_pids = meter->own_pids;
	meter->own_backends = meter->own_pids == NULL ? 0 : (size_t) count;
	if (meter->own_pids == NULL || meter->own.source == COST_SOURCE_NONE)
		return;
	if (!database_is_open(&meter->database) &&
		database_open(&meter->database, meter->options.connection, RECONNECT_TIMEOUT_MS) !=
			DATABASE_OK)
		return;
	if (has_api_backends(meter))
		read_group(meter, &meter->api, true, &meter->api.start);
	read_own(meter, true, &meter->own.start);
}

static void
end_backends(CostMeter *meter, Cost *cost)
{
	UsageSamples end = {0};

	if (!database_is_open(&meter->database))
		return;
	read_own(meter, false, &end);
	usage_samples_difference(&meter->own.start, &end, &cost->backend_cpu_us,
							 &cost->backend_peak_bytes);
	if (has_api_backends(meter))
	{
		read_group(meter, &meter->api, false, &end);
		usage_samples_difference(&meter->api.start, &end, &cost->api_backend_cpu_us,
								 &cost->api_backend_peak_bytes);
	}
	usage_samples_free(&end);
}

/* Once a figure was in fact missing for want of a right. */
static void
advise(CostMeter *meter, const Cost *cost)
{
	if (meter->advice != NULL)
		return;
	if (meter->api.source == COST_SOURCE_EXTENSION && has_api_backends(meter) &&
		!meter->api.start.is_complete && database_is_open(&meter->database))
		meter->advice = server_rights_advise_others(&meter->rights);
	else if ((cost->backend_cpu_us >= 0 && cost->backend_peak_bytes < 0) ||
			 (cost->api_backend_cpu_us >= 0 && cost->api_backend_peak_bytes < 0))
		meter->advice = server_rights_advise_peaks(&meter->rights);
}

/* --- the API's processes ------------------------------------------------------------------- */

static void
begin_api(CostMeter *meter)
{
	const CostMeterOptions *options = &meter->options;
	EndpointStart *start = &meter->endpoint;
	int64_t peak_bytes;

	*start = (EndpointStart){0};
	usage_samples_clear(&meter->api_processes);
	if (options->api_pid_count > 0)
		local_usage_read_trees(options->api_pids, (size_t) options->api_pid_count, true,
							   &meter->api_processes);
	else if (options->endpoint_usage != NULL)
		start->is_known = options->endpoint_usage(options->context, true, &start->cpu_us,
												  &start->resident_bytes, &peak_bytes);
}

static void
end_endpoint(const CostMeter *meter, Cost *cost)
{
	const EndpointStart *start = &meter->endpoint;
	int64_t cpu_us, resident_bytes, peak_bytes;

	if (!start->is_known || !meter->options.endpoint_usage(meter->options.context, false, &cpu_us,
														   &resident_bytes, &peak_bytes))
		return;
	/* less than before: it was started anew meanwhile */
	if (start->cpu_us < 0 || cpu_us < start->cpu_us)
		return;
	cost->api_cpu_us = cpu_us - start->cpu_us;
	if (start->resident_bytes >= 0 && peak_bytes >= 0)
		cost->api_peak_bytes =
			peak_bytes > start->resident_bytes ? peak_bytes - start->resident_bytes : 0;
}

static void
end_api(CostMeter *meter, Cost *cost)
{
	const CostMeterOptions *options = &meter->options;
	UsageSamples end = {0};

	if (options->api_pid_count > 0)
	{
		local_usage_read_trees(options->api_pids, (size_t) options->api_pid_count, false, &end);
		usage_samples_difference(&meter->api_processes, &end, &cost->api_cpu_us,
								 &cost->api_peak_bytes);
		usage_samples_free(&end);
	}
	else if (options->endpoint_usage != NULL)
		end_endpoint(meter, cost);
}

/* --- this machine -------------------------------------------------------------------------- */

static void
begin_machine(CostMeter *meter)
{
	memory_sampler_stop(meter->sampler);
	meter->sampler = meter->options.system_memory ? memory_sampler_start() : NULL;
	meter->machine_busy_us = meter->is_local ? machine_busy_us() : COST_UNKNOWN;
}

static void
end_machine(CostMeter *meter, Cost *cost)
{
	int64_t busy_us = machine_busy_us();

	if (meter->machine_busy_us >= 0 && busy_us >= meter->machine_busy_us)
		cost->machine_cpu_us = busy_us - meter->machine_busy_us;
	cost->system_memory_bytes = memory_sampler_stop(meter->sampler);
	meter->sampler = NULL;
}

/* --- spans --------------------------------------------------------------------------------- */

/* From the outside in: each reading costs something, which is not to be within the next. */
void
cost_meter_begin(CostMeter *meter, const int *backend_pids, int backends)
{
	begin_backends(meter, backend_pids, backends);
	begin_api(meter);
	begin_machine(meter);
	resource_usage_start(&meter->client);
}

void
cost_meter_end(CostMeter *meter, Cost *cost)
{
	ResourceUsage client;

	resource_usage_finish(&meter->client, &client);
	*cost = (Cost){
		.client_cpu_user_us = client.cpu_user_us,
		.client_cpu_system_us = client.cpu_system_us,
		.client_peak_bytes = client.peak_memory_bytes,
		.backend_cpu_us = COST_UNKNOWN,
		.backend_peak_bytes = COST_UNKNOWN,
		.api_cpu_us = COST_UNKNOWN,
		.api_peak_bytes = COST_UNKNOWN,
		.api_backend_cpu_us = COST_UNKNOWN,
		.api_backend_peak_bytes = COST_UNKNOWN,
		.machine_cpu_us = COST_UNKNOWN,
		.system_memory_bytes = COST_UNKNOWN,
	};
	end_machine(meter, cost);
	end_api(meter, cost);
	end_backends(meter, cost);
	advise(meter, cost);
}
