/*
 * reference_rows.c - see reference_rows.h.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "extension_objects.h"
#include "reference_row.h"
#include "reference_rows.h"

static Datum
text_from_utf8(const char *utf8, int length)
{
	const char *text = pg_any_to_server(utf8, length, PG_UTF8);

	/* converted text comes terminated, unconverted text is what was given */
	return PointerGetDatum(text == utf8 ? cstring_to_text_with_len(utf8, length)
										: cstring_to_text(text));
}

void
reference_rows_check_encoding(void)
{
	int encoding = GetDatabaseEncoding();

	if (encoding != PG_UTF8 && encoding != PG_SQL_ASCII)
		ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("reference rows hold characters that encoding \"%s\" may not have",
					   GetDatabaseEncodingName()),
				errhint("Use a database in UTF8, or measure a query of your own."));
}

void
reference_rows_make(int64 i, int64 seed, Datum values[REFERENCE_ROW_COLUMNS],
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
		reference_rows_make(i, 0, slot->tts_values, slot->tts_isnull);
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

	reference_rows_check_encoding();
	path->name = "in-server-generated";
	path->row_desc = reference_rows_desc();
	path->run = generated_path_run;
	return path;
}
