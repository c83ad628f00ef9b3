/*
 * reference_functions.c - SQL entry points that yield reference rows:
 * bench_generate_rows, on which bench_rows stands, and bench_reference_table.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "arguments.h"
#include "reference_rows.h"
#include "reference_table.h"

PG_FUNCTION_INFO_V1(pg_transferbench_generate_rows);
PG_FUNCTION_INFO_V1(pg_transferbench_reference_table);

/* the two arguments, kept between the calls of one set */
typedef struct GenerateArguments
{
	int64 n;
	int64 seed;
} GenerateArguments;

static void
begin_set(FunctionCallInfo fcinfo)
{
	FuncCallContext *set = SRF_FIRSTCALL_INIT();
	MemoryContext caller_context = MemoryContextSwitchTo(set->multi_call_memory_ctx);
	GenerateArguments *arguments = palloc(sizeof(GenerateArguments));
	TupleDesc row_desc;

	for (int i = 0; i < 2; i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					errmsg("bench_rows: %s must not be null", i == 0 ? "n" : "seed"));
	}
	reference_rows_check_encoding();
	arguments->n = PG_GETARG_INT64(0);
	arguments->seed = PG_GETARG_INT64(1);
	if (arguments->n < 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("bench_rows: n must not be negative, got " INT64_FORMAT, arguments->n));
	if (get_call_result_type(fcinfo, NULL, &row_desc) != TYPEFUNC_COMPOSITE ||
		row_desc->natts != REFERENCE_ROW_COLUMNS)
		ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("bench_rows: its result type is not bench_reference_row"));
	set->tuple_desc = BlessTupleDesc(row_desc);
	set->user_fctx = arguments;
	MemoryContextSwitchTo(caller_context);
}

/*
 * One row per call: the executor's ProjectSet asks for a row, uses it and
 * resets our memory, so that any number of rows streams.
 */
Datum
pg_transferbench_generate_rows(PG_FUNCTION_ARGS)
{
	FuncCallContext *set;
	GenerateArguments *arguments;
	Datum values[REFERENCE_ROW_COLUMNS];
	bool nulls[REFERENCE_ROW_COLUMNS];

	if (SRF_IS_FIRSTCALL())
		begin_set(fcinfo);
	set = SRF_PERCALL_SETUP();
	arguments = set->user_fctx;
	if (set->call_cntr >= (uint64) arguments->n)
		SRF_RETURN_DONE(set);
	reference_rows_make((int64) set->call_cntr + 1, arguments->seed, values, nulls);
	SRF_RETURN_NEXT(set, HeapTupleGetDatum(heap_form_tuple(set->tuple_desc, values, nulls)));
}

Datum
pg_transferbench_reference_table(PG_FUNCTION_ARGS)
{
	int64 n = argument_rows(fcinfo, 0, "n");
	int64 seed = argument_int64(fcinfo, 1, "seed");
	char *name = argument_required_text(fcinfo, 2, "name");

	PG_RETURN_OID(reference_table_create(name, n, seed));
}
