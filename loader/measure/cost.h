/*
 * cost.h - what a trial cost each process that took part, and how that is found out.
 *
 * Client: resource_usage.h. Backends of ours, and of the API: by the best way that works here,
 * found once at the start (see CostSource). API processes: --api-pid on this machine with all their
 * descendants, or what the endpoint tells of itself (GET /usage of `serve`). What cannot be known
 * is COST_UNKNOWN, never 0.
 *
 * CPU of a process of this machine is read by clock_getcpuclockid(3), to the nanosecond, of all its
 * threads; by /proc/PID/stat it comes in clock ticks (1/100 s), and then is rounded. That is why a
 * server that is proven to be here is looked at in local /proc before pg_read_file is tried: ticks
 * of 10 ms say nothing of a trial of 5 ms. The order is: extension, local /proc, pg_read_file.
 *
 * Peak memory of a process: (VmHWM - RssShmem at the end) - (VmRSS - RssShmem at the start), after
 * the high-water mark was reset where that is allowed: to the extension always, locally to root and
 * the owner of the process, by pg_read_file never. A mark that was not reset counts when it stood
 * at the resident size at the start, or rose since; else an older peak hides the span's, and the
 * figure is unknown.
 *
 * Processes and backends that come within a span count from 0. One that goes away makes its group's
 * figures unknown; one that does both is counted in its parent's CPU when that is among the API's
 * processes (in clock ticks, and peak memory is unknown then), and is not seen when it is a
 * backend: a parallel worker, a connection for one request. A group without any member is unknown.
 */
#ifndef TRANSFERBENCH_COST_H
#define TRANSFERBENCH_COST_H

#include "database/database.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define COST_UNKNOWN (-1)

typedef enum CostSource
{
	COST_SOURCE_NONE,      /* null; cost_meter_advice names what to grant */
	COST_SOURCE_EXTENSION, /* bench_process_usage(pids) of pg_transferbench */
	COST_SOURCE_READ_FILE, /* pg_read_file('/proc/PID/stat') and status */
	COST_SOURCE_LOCAL,     /* /proc of this machine: the server runs on it; before READ_FILE */
} CostSource;

typedef struct Cost
{
	int64_t client_cpu_user_us, client_cpu_system_us;
	int64_t client_peak_bytes;
	int64_t backend_cpu_us;     /* our own backends together */
	int64_t backend_peak_bytes; /* the sum of their peaks */
	int64_t api_cpu_us;         /* API processes together */
	int64_t api_peak_bytes;
	int64_t api_backend_cpu_us; /* the API's backends together */
	int64_t api_backend_peak_bytes;
	int64_t machine_cpu_us;      /* all CPUs' busy time, in clock ticks; unknown unless the server
	                              * is on this machine */
	int64_t system_memory_bytes; /* most memory in use on the host; unknown unless asked for */
} Cost;

typedef struct CostMeterOptions
{
	const ConnectionOptions *connection; /* for a second connection of the meter's own */
	const char *run_application; /* application_name of our own sessions, not to be counted as
	                                      * the API's */
	const pid_t *api_pids;       /* [api_pid_count], lent */
	int api_pid_count;
	const char *api_db_user;          /* backends of this role are the API's; or NULL */
	const char *api_application_name; /* backends of this name are; or NULL */
	bool system_memory;
	/* Asks the endpoint for its own usage, cumulative since it started; false when it does not
	 * tell; a figure that it cannot tell, as a mark that could not be reset, is COST_UNKNOWN.
	 * `reset_peak`: its high-water mark begins anew. NULL where there is no such endpoint. Not
	 * asked where api_pids are given. */
	bool (*endpoint_usage)(void *context, bool reset_peak, int64_t *cpu_us, int64_t *resident_bytes,
						   int64_t *peak_bytes);
	void *context;
} CostMeterOptions;

typedef struct CostMeter CostMeter;

/* Connects and finds out what can be known; NULL, with a message, when out of memory or without a
 * connection. Options are lent. */
extern CostMeter *cost_meter_create(const CostMeterOptions *options);
extern void cost_meter_free(CostMeter *meter); /* NULL is fine */

extern CostSource cost_meter_source(const CostMeter *meter);
/* What to grant for figures that are missing, one line; NULL when none are. It may come with a span
 * in which one was: ask after the last. Valid until the meter is freed. */
extern const char *cost_meter_advice(const CostMeter *meter);
/* Whether the server runs on this machine, by what it says of its address and of a process. */
extern bool cost_meter_is_local(const CostMeter *meter);

/*
 * Opens and closes a span around a trial, outside of its timed region. `backend_pids` are those of
 * our own sessions, open at both moments, by pg_backend_pid(). The client's own span is the
 * innermost. Failures make figures unknown; a meter's connection that was lost is opened anew by
 * the next span.
 */
extern void cost_meter_begin(CostMeter *meter, const int *backend_pids, int backends);
extern void cost_meter_end(CostMeter *meter, Cost *cost);

#endif
