/*
 * reference_rows.c - see reference_rows.h; also what bench_rows stands on.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "extension_objects.h"
#include "reference_row.h"
#include "reference_rows.h"

PG_FUNCTION_INFO_V1(pg_transferbench_generate_rows);

/* the two arguments, kept between the calls of one set */
typedef struct GenerateArguments
{
	int64 n;
	int64 seed;
} GenerateArguments;

static Datum
text_from_utf8(const char *utf8, int length)
{
	const char *text = pg_any_to_server(utf8, length, PG_UTF8);

	/* converted text comes terminated, unconverted text is what was given */
	return PointerGetDatum(text == utf8 ? cstring_to_text_with_len(utf8, length)
										: cstring_to_text(text));
}

/* Values of row i in the current context. */
static void
make_values(int64 i, int64 seed, Datum values[REFERENCE_ROW_COLUMNS],
			bool nulls[REFERENCE_ROW_COLUMNS])
{
	ReferenceRow row;

	reference_row_make(&row, i, seed);
	memset(nulls, 0, sizeof(bool) * REFERENCE_ROW_COLUMNS);
	values[0] = Int64GetDatum(row.id);
	values[1] = Int64GetDatum(row.code);
	values[2] = TimestampTzGetDatum(row.created_at_us);
	values[3] =
		NumericGetDatum(int64_div_fast_to_numeric(row.amount_cents, REFERENCE_AMOUNT_SCALE));
	values[4] = Float8GetDatum(row.ratio);
	values[5] = BoolGetDatum(row.active);
	values[6] = text_from_utf8(row.label, row.label_length);
	nulls[7] = row.note_is_null;
	values[7] = row.note_is_null ? (Datum) 0 : text_from_utf8(row.note, row.note_length);
}

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
	make_values((int64) set->call_cntr + 1, arguments->seed, values, nulls);
	SRF_RETURN_NEXT(set, HeapTupleGetDatum(heap_form_tuple(set->tuple_desc, values, nulls)));
}

TupleDesc
reference_rows_desc(void)
{
	return lookup_rowtype_tupdesc_copy(extension_type_oid("bench_reference_row"), -1);
}

static void
generated_path_run(BenchPath *path, int64 n, RowConsumer *consumer, BenchTrial *trial)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(path->row_desc, &TTSOpsVirtual);

	for (int64 i = 1; i <= n; i++)
	{
		MemoryContext caller_context = MemoryContextSwitchTo(consumer->row_context);

		CHECK_FOR_INTERRUPTS();
		ExecClearTuple(slot);
		make_values(i, 0, slot->tts_values, slot->tts_isnull);
		ExecStoreVirtualTuple(slot);
		MemoryContextSwitchTo(caller_context);
		row_consumer_consume(consumer, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
}

BenchPath *
generated_path_create(void)
{
	BenchPath *path = palloc0(sizeof(BenchPath));

	path->name = "in-server-generated";
	path->row_desc = reference_rows_desc();
	path->run = generated_path_run;
	return path;
}
