/*
 * process_usage.c - SQL entry point bench_process_usage: what backends of this server have used.
 *
 * A backend may look at its siblings: they run as the same user of the system. Who may ask about
 * whom is as in pg_stat_activity: members of the backend's role, and of pg_read_all_stats.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/acl.h"
#include "utils/array.h"

#include "arguments.h"
#include "process_usage.h"
#include "tuple_builder.h"

PG_FUNCTION_INFO_V1(pg_transferbench_process_usage);

static int *
argument_pids(FunctionCallInfo fcinfo, int position, int *count)
{
	ArrayType *array;

	if (PG_ARGISNULL(position))
		ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("pids must not be null"));
	array = PG_GETARG_ARRAYTYPE_P(position);
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("pids must be a one-dimensional array"));
	if (array_contains_nulls(array))
		ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("pids must not contain null"));
	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return (int *) ARR_DATA_PTR(array);
}

/* A process that is none of this server's is as unseen as one of another role. */
static bool
may_see(int pid)
{
	PGPROC *backend = BackendPidGetProc(pid);

	return backend != NULL && (has_privs_of_role(GetUserId(), backend->roleId) ||
							   has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS));
}

static void
put_usage(ReturnSetInfo *result, int pid, bool reset_peak)
{
	/* a mark that could not be reset is that of an earlier peak */
	bool is_fresh = !reset_peak || process_memory_reset_high_water(pid);
	int64 cpu_ns = process_cpu_ns(pid);
	ProcessMemory memory;
	TupleBuilder builder;

	process_memory_read(pid, &memory);
	tuple_builder_begin(&builder);
	tuple_builder_add_int32(&builder, pid, true);
	tuple_builder_add_float8(&builder, cpu_ns / 1e6, cpu_ns >= 0);
	tuple_builder_add_int64(&builder, memory.resident_bytes, memory.resident_bytes >= 0);
	tuple_builder_add_int64(&builder, memory.shared_bytes, memory.shared_bytes >= 0);
	tuple_builder_add_int64(&builder, memory.high_water_bytes,
							is_fresh && memory.high_water_bytes >= 0);
	tuple_builder_put(&builder, result);
}

Datum
pg_transferbench_process_usage(PG_FUNCTION_ARGS)
{
	int count;
	int *pids = argument_pids(fcinfo, 0, &count);
	bool reset_peak = argument_bool(fcinfo, 1, "reset_peak");

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (may_see(pids[i]))
			put_usage((ReturnSetInfo *) fcinfo->resultinfo, pids[i], reset_peak);
	}
	return (Datum) 0;
}
