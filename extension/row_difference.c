/*
 * row_difference.c - see row_difference.h.
 *
 * 1. All rows of both sides are sorted by row hash; equal rows cancel out one
 *    against one. What is left over is EXCEPT ALL, both ways.
 * 2. What is left over is sorted by the hash of one column at a time, the
 *    identifying columns first; a value that stands once on either side makes
 *    a pair, whose other columns are compared. The column that makes the most
 *    pairs is taken, and of these the one that explains them by the fewest
 *    changes: where the keys changed, not all the rest.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "lib/hyperloglog.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "row_difference.h"
#include "row_digest.h"

/* 2^12 registers: 1.6 % standard error */
#define DISTINCT_REGISTER_BITS 12
/* an identifying column has at least this share of distinct values, with room for that error */
#define IDENTIFYING_SHARE 0.9

/* a row in a sort: what it is sorted by, its side, its column hashes */
#define RECORD_COLUMNS 3

typedef struct Record
{
	uint64 key;
	RowSide side;
	const uint64 *hashes; /* lent from the slot it was read into */
} Record;

struct RowDifference
{
	int columns;
	int64 native_rows;
	hyperLogLogState *distinct; /* [columns], of native values */
	TupleDesc record_desc;
	TupleTableSlot *write_slot; /* virtual */
	TupleTableSlot *read_slot;  /* minimal tuple */
	bytea *write_hashes;
	uint64 *read_hashes; /* [columns], aligned copy */
	Tuplesortstate *rows;
	Tuplestorestate *left_over;
	RowDifferenceResult *result;
};

/* --- records ------------------------------------------------------------------------- */

static Tuplesortstate *
begin_sort(RowDifference *difference)
{
	AttrNumber attributes[] = {1, 2};
	Oid operators[] = {Int8LessOperator, Int4LessOperator};
	Oid collations[] = {InvalidOid, InvalidOid};
	bool nulls_first[] = {false, false};

	return tuplesort_begin_heap(difference->record_desc, 2, attributes, operators, collations,
								nulls_first, work_mem, NULL, TUPLESORT_NONE);
}

static TupleTableSlot *
fill_write_slot(RowDifference *difference, const Record *record)
{
	TupleTableSlot *slot = difference->write_slot;

	ExecClearTuple(slot);
	memcpy(VARDATA(difference->write_hashes), record->hashes, sizeof(uint64) * difference->columns);
	slot->tts_values[0] = Int64GetDatum((int64) record->key);
	slot->tts_values[1] = Int32GetDatum(record->side);
	slot->tts_values[2] = PointerGetDatum(difference->write_hashes);
	memset(slot->tts_isnull, 0, sizeof(bool) * RECORD_COLUMNS);
	return ExecStoreVirtualTuple(slot);
}

/* The read slot's record; its hashes are good until the next. */
static Record
read_record(RowDifference *difference)
{
	TupleTableSlot *slot = difference->read_slot;
	struct varlena *hashes;

	slot_getallattrs(slot);
	hashes = (struct varlena *) DatumGetPointer(slot->tts_values[2]);
	memcpy(difference->read_hashes, VARDATA_ANY(hashes), sizeof(uint64) * difference->columns);
	return (Record){.key = (uint64) DatumGetInt64(slot->tts_values[0]),
					.side = (RowSide) DatumGetInt32(slot->tts_values[1]),
					.hashes = difference->read_hashes};
}

RowDifference *
row_difference_create(int columns)
{
	RowDifference *difference = palloc0(sizeof(RowDifference));
	Size hashes_size = VARHDRSZ + sizeof(uint64) * columns;

	difference->columns = columns;
	difference->record_desc = CreateTemplateTupleDesc(RECORD_COLUMNS);
	TupleDescInitEntry(difference->record_desc, 1, "key", INT8OID, -1, 0);
	TupleDescInitEntry(difference->record_desc, 2, "side", INT4OID, -1, 0);
	TupleDescInitEntry(difference->record_desc, 3, "hashes", BYTEAOID, -1, 0);
	difference->write_slot = MakeSingleTupleTableSlot(difference->record_desc, &TTSOpsVirtual);
	difference->read_slot = MakeSingleTupleTableSlot(difference->record_desc, &TTSOpsMinimalTuple);
	difference->write_hashes = palloc0(hashes_size);
	SET_VARSIZE(difference->write_hashes, hashes_size);
	difference->read_hashes = palloc0(sizeof(uint64) * Max(columns, 1));
	difference->distinct = palloc0(sizeof(hyperLogLogState) * Max(columns, 1));
	for (int i = 0; i < columns; i++)
		initHyperLogLog(&difference->distinct[i], DISTINCT_REGISTER_BITS);
	difference->rows = begin_sort(difference);
	difference->result = palloc0(sizeof(RowDifferenceResult));
	difference->result->changed = palloc0(sizeof(int64) * Max(columns, 1));
	return difference;
}

void
row_difference_add(RowDifference *difference, RowSide side, uint64 row_hash,
				   const uint64 *column_hashes)
{
	Record record = {.key = row_hash, .side = side, .hashes = column_hashes};

	tuplesort_puttupleslot(difference->rows, fill_write_slot(difference, &record));
	if (side != SIDE_NATIVE)
		return;
	difference->native_rows++;
	for (int i = 0; i < difference->columns; i++)
		addHyperLogLog(&difference->distinct[i], (uint32) (column_hashes[i] >> 32));
}

/* --- 1: equal rows cancel out -------------------------------------------------------- */

static void
keep_left_over(RowDifference *difference, const Record *record)
{
	tuplestore_puttupleslot(difference->left_over, fill_write_slot(difference, record));
	if (record->side == SIDE_NATIVE)
		difference->result->native_only++;
	else
		difference->result->http_only++;
}

/*
 * Within a group of equal rows the native ones come first: `surplus` counts
 * them down. Only natives that no HTTP row cancels are left over, and they are
 * known at the group's end, so copies of the group's one row are kept then.
 */
static void
cancel_out(RowDifference *difference)
{
	uint64 *group_hashes = palloc0(sizeof(uint64) * Max(difference->columns, 1));
	Record group = {.hashes = group_hashes};
	int64 surplus = 0;

	while (tuplesort_gettupleslot(difference->rows, true, false, difference->read_slot, NULL))
	{
		Record record = read_record(difference);

		CHECK_FOR_INTERRUPTS();
		if (record.key != group.key)
		{
			for (; surplus > 0; surplus--)
				keep_left_over(difference, &group);
			group.key = record.key;
			memcpy(group_hashes, record.hashes, sizeof(uint64) * difference->columns);
		}
		if (record.side == SIDE_NATIVE)
			surplus++;
		else if (surplus > 0)
			surplus--;
		else
			keep_left_over(difference, &record);
	}
	for (; surplus > 0; surplus--)
		keep_left_over(difference, &group);
}

/* --- 2: rows left over become pairs -------------------------------------------------- */

/* what one column, taken for the key, makes of the rows left over */
typedef struct Pairing
{
	int64 pairs;
	int64 values_changed;
	int64 *changed; /* [columns] */
	int sample_count;
	ChangedValue samples[ROW_DIFFERENCE_SAMPLES];
} Pairing;

static bool
identifies(RowDifference *difference, int column)
{
	double distinct = estimateHyperLogLog(&difference->distinct[column]);

	return distinct >= IDENTIFYING_SHARE * difference->native_rows;
}

static Tuplesortstate *
sort_left_over(RowDifference *difference, int column)
{
	Tuplesortstate *sort = begin_sort(difference);

	tuplestore_rescan(difference->left_over);
	while (tuplestore_gettupleslot(difference->left_over, true, false, difference->read_slot))
	{
		Record record = read_record(difference);

		CHECK_FOR_INTERRUPTS();
		record.key = record.hashes[column];
		tuplesort_puttupleslot(sort, fill_write_slot(difference, &record));
	}
	tuplesort_performsort(sort);
	return sort;
}

static void
note_change(const RowDifference *difference, int column, const uint64 *native, const uint64 *http,
			Pairing *pairing)
{
	pairing->values_changed++;
	pairing->changed[column]++;
	if (pairing->sample_count == ROW_DIFFERENCE_SAMPLES)
		return;
	pairing->samples[pairing->sample_count++] =
		(ChangedValue){.column = column,
					   .row_hashes = {row_digest_row(native, difference->columns),
									  row_digest_row(http, difference->columns)}};
}

static void
try_pair(const RowDifference *difference, const uint64 *native, const uint64 *http,
		 bool is_identified, Pairing *pairing)
{
	int differing = 0;

	for (int i = 0; i < difference->columns; i++)
		differing += native[i] != http[i];
	if (!is_identified && differing * 2 > difference->columns)
		return;
	pairing->pairs++;
	for (int i = 0; i < difference->columns; i++)
	{
		if (native[i] != http[i])
			note_change(difference, i, native, http, pairing);
	}
}

/* A group is what has one value of the column: one native and one HTTP row make a pair. */
static Pairing
pair_by(RowDifference *difference, int column, bool is_identified)
{
	Tuplesortstate *sort = sort_left_over(difference, column);
	Size hashes_size = sizeof(uint64) * difference->columns;
	uint64 *sides[2] = {palloc0(hashes_size), palloc0(hashes_size)};
	int64 counts[2] = {0, 0};
	uint64 group_key = 0;
	Pairing pairing = {.changed = palloc0(sizeof(int64) * difference->columns)};

	while (tuplesort_gettupleslot(sort, true, false, difference->read_slot, NULL))
	{
		Record record = read_record(difference);

		CHECK_FOR_INTERRUPTS();
		if (record.key != group_key)
		{
			if (counts[SIDE_NATIVE] == 1 && counts[SIDE_HTTP] == 1)
				try_pair(difference, sides[SIDE_NATIVE], sides[SIDE_HTTP], is_identified, &pairing);
			counts[SIDE_NATIVE] = counts[SIDE_HTTP] = 0;
			group_key = record.key;
		}
		counts[record.side]++;
		memcpy(sides[record.side], record.hashes, hashes_size);
	}
	if (counts[SIDE_NATIVE] == 1 && counts[SIDE_HTTP] == 1)
		try_pair(difference, sides[SIDE_NATIVE], sides[SIDE_HTTP], is_identified, &pairing);
	ExecClearTuple(difference->read_slot);
	tuplesort_end(sort);
	return pairing;
}

/* Tries the columns that identify rows, or those that do not; keeps the best in *best. */
static void
try_columns(RowDifference *difference, bool identifying, Pairing *best)
{
	int64 possible = Min(difference->result->native_only, difference->result->http_only);

	for (int i = 0; i < difference->columns; i++)
	{
		Pairing pairing;

		if (identifies(difference, i) != identifying)
			continue;
		pairing = pair_by(difference, i, identifying);
		if (pairing.pairs > best->pairs ||
			(pairing.pairs == best->pairs && pairing.values_changed < best->values_changed))
			*best = pairing;
		/* no column can do better than all pairs with one change each */
		if (best->pairs == possible && best->values_changed == possible)
			return;
	}
}

static void
pair_left_over(RowDifference *difference)
{
	RowDifferenceResult *result = difference->result;
	int64 possible = Min(result->native_only, result->http_only);
	Pairing best = {.changed = result->changed};

	if (possible == 0)
		return;
	if (difference->columns == 1)
	{
		/* nothing can identify a row but the value that changed */
		best.pairs = best.values_changed = best.changed[0] = possible;
	}
	else
	{
		try_columns(difference, true, &best);
		if (best.pairs == 0)
			try_columns(difference, false, &best);
	}
	result->pairs = best.pairs;
	result->values_changed = best.values_changed;
	result->changed = best.changed;
	result->sample_count = best.sample_count;
	memcpy(result->samples, best.samples, sizeof(best.samples));
}

RowDifferenceResult *
row_difference_finish(RowDifference *difference)
{
	difference->left_over = tuplestore_begin_heap(false, false, work_mem);
	tuplesort_performsort(difference->rows);
	cancel_out(difference);
	ExecClearTuple(difference->read_slot);
	tuplesort_end(difference->rows);
	pair_left_over(difference);
	ExecClearTuple(difference->read_slot);
	tuplestore_end(difference->left_over);
	return difference->result;
}
