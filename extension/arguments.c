/*
 * arguments.c - see arguments.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "arguments.h"
#include "bench_limits.h"
#include "http_headers.h"

static void
require(FunctionCallInfo fcinfo, int position, const char *name)
{
	if (PG_ARGISNULL(position))
		ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("%s must not be null", name));
}

static void
check_range(const char *name, int64 value, int64 lowest, int64 highest)
{
	if (value < lowest || value > highest)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("%s must be between " INT64_FORMAT " and " INT64_FORMAT
					   ", got " INT64_FORMAT,
					   name, lowest, highest, value));
}

int64
argument_int64(FunctionCallInfo fcinfo, int position, const char *name)
{
	require(fcinfo, position, name);
	return PG_GETARG_INT64(position);
}

bool
argument_bool(FunctionCallInfo fcinfo, int position, const char *name)
{
	require(fcinfo, position, name);
	return PG_GETARG_BOOL(position);
}

char *
argument_text(FunctionCallInfo fcinfo, int position)
{
	return PG_ARGISNULL(position) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(position));
}

char *
argument_required_text(FunctionCallInfo fcinfo, int position, const char *name)
{
	require(fcinfo, position, name);
	return argument_text(fcinfo, position);
}

char *
argument_url(FunctionCallInfo fcinfo, int position)
{
	char *text = argument_required_text(fcinfo, position, "url");

	return pg_server_to_any(text, strlen(text), PG_UTF8);
}

int64
argument_rows(FunctionCallInfo fcinfo, int position, const char *name)
{
	int64 rows = argument_int64(fcinfo, position, name);

	check_range(name, rows, 0, BENCH_MAX_ROWS);
	return rows;
}

int
argument_trials(FunctionCallInfo fcinfo, int position)
{
	require(fcinfo, position, "trials");
	check_range("trials", PG_GETARG_INT32(position), 1, BENCH_MAX_TRIALS);
	return PG_GETARG_INT32(position);
}

int64 *
argument_sizes(FunctionCallInfo fcinfo, int position, int *count)
{
	ArrayType *array;
	Datum *values;
	bool *nulls;
	int64 *sizes;

	require(fcinfo, position, "sizes");
	array = PG_GETARG_ARRAYTYPE_P(position);
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				errmsg("sizes must be a one-dimensional array"));
	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, count);
	check_range("the number of sizes", *count, 1, BENCH_MAX_SIZES);
	sizes = palloc(sizeof(int64) * *count);
	for (int i = 0; i < *count; i++)
	{
		if (nulls[i])
			ereport(ERROR, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					errmsg("sizes must not contain null"));
		sizes[i] = DatumGetInt64(values[i]);
		check_range("each of sizes", sizes[i], 1, BENCH_MAX_ROWS);
	}
	return sizes;
}

int64
argument_page_rows(FunctionCallInfo fcinfo, int position)
{
	if (PG_ARGISNULL(position))
		return 0;
	check_range("page_rows", PG_GETARG_INT64(position), 1, BENCH_MAX_ROWS);
	return PG_GETARG_INT64(position);
}

List *
argument_headers(FunctionCallInfo fcinfo, int position)
{
	return PG_ARGISNULL(position) ? NIL : http_headers_from_jsonb(PG_GETARG_JSONB_P(position));
}

TupleDesc
argument_row_desc(FunctionCallInfo fcinfo, int position)
{
	Oid relation, type;

	if (PG_ARGISNULL(position))
		return NULL;
	relation = PG_GETARG_OID(position);
	type = get_rel_type_id(relation);
	if (!OidIsValid(type))
		ereport(ERROR, errcode(ERRCODE_WRONG_OBJECT_TYPE),
				errmsg("row_type must be a table, a view or a composite type"));
	return lookup_rowtype_tupdesc_copy(type, -1);
}
