/*
 * verification.c - see verification.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "row_difference.h"
#include "row_digest.h"
#include "row_hasher.h"
#include "trial_runner.h"
#include "value_difference.h"
#include "verification.h"

/* what an observing pass over one side carries */
typedef struct SidePass
{
	RowSide side;
	RowHasher *hasher;
	const int *order; /* [columns]: native column of this side's column */
	uint64 *hashes;   /* [columns], in native order */
	RowDigest digest;
	RowDifference *difference; /* NULL while only digests are compared */
} SidePass;

/* The row's hash; its column hashes are then in pass->hashes, in native order. */
static uint64
hash_row(SidePass *pass, const Datum *values, const bool *nulls)
{
	const uint64 *hashes = row_hasher_hash(pass->hasher, values, nulls);

	for (int i = 0; i < pass->digest.columns; i++)
		pass->hashes[pass->order[i]] = hashes[i];
	return row_digest_add(&pass->digest, pass->hashes);
}

static void
observe_row(void *context, const Datum *values, const bool *nulls)
{
	SidePass *pass = context;
	uint64 row_hash = hash_row(pass, values, nulls);

	if (pass->difference != NULL)
		row_difference_add(pass->difference, pass->side, row_hash, pass->hashes);
}

static int
find_column(const RowHasher *hasher, const char *name)
{
	for (int i = 0; i < row_hasher_columns(hasher); i++)
	{
		if (strcmp(row_hasher_column_name(hasher, i), name) == 0)
			return i;
	}
	return -1;
}

/* For each column of `hasher` its place in `native`. */
static int *
match_columns(const RowHasher *native, const RowHasher *hasher)
{
	int columns = row_hasher_columns(hasher);
	int *order = palloc(sizeof(int) * Max(columns, 1));

	for (int i = 0; i < columns; i++)
	{
		order[i] = find_column(native, row_hasher_column_name(hasher, i));
		if (order[i] < 0)
			ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("row_type has a column \"%s\" that the query does not have",
						   row_hasher_column_name(hasher, i)));
	}
	for (int i = 0; i < columns; i++)
	{
		if (!row_hasher_same_family(native, order[i], hasher, i))
			ereport(NOTICE,
					errmsg("column \"%s\" is of another kind of type in the query than in row_type",
						   row_hasher_column_name(hasher, i)),
					errdetail("Its values cannot be equal."));
	}
	for (int i = 0; i < row_hasher_columns(native); i++)
	{
		if (find_column(hasher, row_hasher_column_name(native, i)) < 0)
			ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("the query has a column \"%s\" that row_type does not have",
						   row_hasher_column_name(native, i)));
	}
	return order;
}

static void
prepare_pass(SidePass *pass, RowSide side, RowHasher *hasher, const RowHasher *native)
{
	int columns = row_hasher_columns(hasher);

	*pass = (SidePass){.side = side, .hasher = hasher};
	pass->order = match_columns(native, hasher);
	pass->hashes = palloc0(sizeof(uint64) * Max(columns, 1));
	row_digest_init(&pass->digest, palloc0(sizeof(uint64) * Max(columns, 1)), columns);
}

/* --- showing some of the values ------------------------------------------------------ */

/* what a pass that looks for the samples' rows carries */
typedef struct SamplePass
{
	SidePass *side_pass;
	TupleDesc row_desc;
	const RowDifferenceResult *result;
	bool found[VERIFICATION_SAMPLES];
	HashedValue values[VERIFICATION_SAMPLES];
	MemoryContext context; /* of the values */
} SamplePass;

/* This side's column of a native one. */
static int
side_column(const SidePass *pass, int native_column)
{
	int column = 0;

	while (pass->order[column] != native_column)
		column++;
	return column;
}

static HashedValue
copy_value(const SamplePass *pass, int native_column, const Datum *values, const bool *nulls)
{
	const RowHasher *hasher = pass->side_pass->hasher;
	int column = side_column(pass->side_pass, native_column);
	int number = row_hasher_attribute(hasher, column);
	Form_pg_attribute attribute = TupleDescAttr(pass->row_desc, number);
	HashedValue copy = {.hasher = row_hasher_value_hasher(hasher, column),
						.is_null = nulls[number]};
	MemoryContext caller_context = MemoryContextSwitchTo(pass->context);

	if (!copy.is_null)
		copy.value = datumCopy(values[number], attribute->attbyval, attribute->attlen);
	MemoryContextSwitchTo(caller_context);
	return copy;
}

static void
sample_row(void *context, const Datum *values, const bool *nulls)
{
	SamplePass *pass = context;
	SidePass *side_pass = pass->side_pass;
	uint64 row_hash = hash_row(side_pass, values, nulls);

	for (int i = 0; i < pass->result->sample_count; i++)
	{
		const ChangedValue *sample = &pass->result->samples[i];

		if (pass->found[i] || sample->row_hashes[side_pass->side] != row_hash)
			continue;
		pass->values[i] = copy_value(pass, sample->column, values, nulls);
		pass->found[i] = true;
	}
}

/* Makes a sample of what both passes found, in the caller's context. */
static void
add_sample(Verification *verification, int column, const HashedValue *native,
		   const HashedValue *http, MemoryContext caller_context)
{
	ValueDifference shown = value_difference_show(native, http);
	MemoryContext values_context = MemoryContextSwitchTo(caller_context);

	verification->samples[verification->sample_count++] =
		(VerificationSample){.column_name = verification->column_names[column],
							 .place = pstrdup(shown.place),
							 .native = pstrdup(shown.texts[0]),
							 .http = pstrdup(shown.texts[1])};
	MemoryContextSwitchTo(values_context);
}

static void
collect_samples(BenchPath *paths[2], SidePass passes[2], int64 n, const RowDifferenceResult *result,
				Verification *verification)
{
	MemoryContext caller_context = CurrentMemoryContext;
	MemoryContext values_context =
		AllocSetContextCreate(caller_context, "pg_transferbench samples", ALLOCSET_DEFAULT_SIZES);
	SamplePass sample_passes[2];

	for (int side = SIDE_NATIVE; side <= SIDE_HTTP && result->sample_count > 0; side++)
	{
		sample_passes[side] = (SamplePass){.side_pass = &passes[side],
										   .row_desc = paths[side]->row_desc,
										   .result = result,
										   .context = values_context};
		trial_runner_pass(paths[side], n, sample_row, &sample_passes[side]);
	}
	MemoryContextSwitchTo(values_context);
	for (int i = 0; i < result->sample_count; i++)
	{
		/* not found again: the endpoint gives other rows each time */
		if (sample_passes[SIDE_NATIVE].found[i] && sample_passes[SIDE_HTTP].found[i])
			add_sample(verification, result->samples[i].column,
					   &sample_passes[SIDE_NATIVE].values[i], &sample_passes[SIDE_HTTP].values[i],
					   caller_context);
	}
	MemoryContextSwitchTo(caller_context);
	MemoryContextDelete(values_context);
}

/* --- comparing ----------------------------------------------------------------------- */

static void
find_differences(BenchPath *paths[2], SidePass passes[2], int64 n, Verification *verification)
{
	RowDifference *difference = row_difference_create(verification->columns);
	RowDifferenceResult *result;

	for (int side = SIDE_NATIVE; side <= SIDE_HTTP; side++)
	{
		passes[side].difference = difference;
		trial_runner_pass(paths[side], n, observe_row, &passes[side]);
	}
	result = row_difference_finish(difference);
	verification->native_only = result->native_only;
	verification->http_only = result->http_only;
	verification->rows_missing = result->native_only - result->pairs;
	verification->rows_extra = result->http_only - result->pairs;
	verification->values_changed = result->values_changed;
	verification->changed = result->changed;
	collect_samples(paths, passes, n, result, verification);
}

/* Columns whose values are equal, but not their scales. */
static void
compare_scales(const SidePass passes[2], Verification *verification)
{
	for (int i = 0; i < verification->columns; i++)
	{
		int native_column = passes[SIDE_HTTP].order[i];
		uint64 native_scales = row_hasher_scale_sum(passes[SIDE_NATIVE].hasher, native_column);
		uint64 http_scales = row_hasher_scale_sum(passes[SIDE_HTTP].hasher, i);
		bool same_values = passes[SIDE_NATIVE].digest.column_sums[native_column] ==
						   passes[SIDE_HTTP].digest.column_sums[native_column];

		verification->scale_changed[native_column] = same_values && native_scales != http_scales;
	}
}

Verification *
verification_run(BenchPath *native, BenchPath *http, int64 n)
{
	Verification *verification = palloc0(sizeof(Verification));
	BenchPath *paths[2] = {native, http};
	SidePass passes[2];
	RowHasher *native_hasher = row_hasher_create(native->row_desc);

	prepare_pass(&passes[SIDE_NATIVE], SIDE_NATIVE, native_hasher, native_hasher);
	prepare_pass(&passes[SIDE_HTTP], SIDE_HTTP, row_hasher_create(http->row_desc), native_hasher);
	verification->columns = row_hasher_columns(native_hasher);
	verification->column_names = palloc0(sizeof(char *) * Max(verification->columns, 1));
	verification->changed = palloc0(sizeof(int64) * Max(verification->columns, 1));
	verification->scale_changed = palloc0(sizeof(bool) * Max(verification->columns, 1));
	for (int i = 0; i < verification->columns; i++)
		verification->column_names[i] = row_hasher_column_name(native_hasher, i);

	http->accepts_surplus = true;
	verification->native_rows = trial_runner_pass(native, n, observe_row, &passes[SIDE_NATIVE]);
	verification->http_rows = trial_runner_pass(http, n, observe_row, &passes[SIDE_HTTP]);
	verification->rows_equal = verification->native_rows == verification->http_rows &&
							   passes[SIDE_NATIVE].digest.digest == passes[SIDE_HTTP].digest.digest;
	compare_scales(passes, verification);
	if (!verification->rows_equal)
		find_differences(paths, passes, n, verification);
	http->accepts_surplus = false;
	return verification;
}

static void
append_count(StringInfo text, int64 count, const char *noun, const char *what)
{
	if (count == 0)
		return;
	appendStringInfo(text, "%s" INT64_FORMAT " %s%s %s", text->len > 0 ? ", " : "", count, noun,
					 count == 1 ? "" : "s", what);
}

char *
verification_summary(const Verification *verification)
{
	StringInfoData text;
	const char *separator = " (";

	initStringInfo(&text);
	if (verification->rows_equal)
		appendStringInfoString(&text, "rows equal");
	else if (verification->native_only == 0 && verification->http_only == 0)
		appendStringInfoString(&text, "not when asked once more: the rows are others each time");
	append_count(&text, verification->values_changed, "value", "changed");
	for (int i = 0; i < verification->columns; i++)
	{
		if (verification->changed[i] == 0)
			continue;
		appendStringInfo(&text, "%s%s: " INT64_FORMAT, separator, verification->column_names[i],
						 verification->changed[i]);
		separator = ", ";
	}
	if (verification->values_changed > 0)
		appendStringInfoChar(&text, ')');
	append_count(&text, verification->rows_missing, "row", "missing");
	append_count(&text, verification->rows_extra, "row", "extra");
	return text.data;
}

char *
verification_samples(const Verification *verification)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < verification->sample_count; i++)
	{
		const VerificationSample *sample = &verification->samples[i];

		appendStringInfo(&text, "%s%s%s: %s -> %s", i > 0 ? "; " : "", sample->column_name,
						 sample->place, sample->native, sample->http);
	}
	return text.data;
}
