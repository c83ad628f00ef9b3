/*
 * verification.c - see verification.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "row_difference.h"
#include "row_digest.h"
#include "row_hasher.h"
#include "trial_runner.h"
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

static void
observe_row(void *context, const Datum *values, const bool *nulls)
{
	SidePass *pass = context;
	const uint64 *hashes = row_hasher_hash(pass->hasher, values, nulls);
	uint64 row_hash;

	for (int i = 0; i < pass->digest.columns; i++)
		pass->hashes[pass->order[i]] = hashes[i];
	row_hash = row_digest_add(&pass->digest, pass->hashes);
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
	for (int i = 0; i < verification->columns; i++)
		verification->column_names[i] = row_hasher_column_name(native_hasher, i);

	http->accepts_surplus = true;
	verification->native_rows = trial_runner_pass(native, n, observe_row, &passes[SIDE_NATIVE]);
	verification->http_rows = trial_runner_pass(http, n, observe_row, &passes[SIDE_HTTP]);
	verification->rows_equal = verification->native_rows == verification->http_rows &&
							   passes[SIDE_NATIVE].digest.digest == passes[SIDE_HTTP].digest.digest;
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
