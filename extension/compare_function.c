/*
 * compare_function.c - SQL entry point bench_compare: one row per size.
 */
#include "postgres.h"

#include <math.h>
#include <unistd.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "arguments.h"
#include "clock.h"
#include "comparison.h"
#include "http_path.h"
#include "query_path.h"
#include "reference_table.h"
#include "splitmix64.h"
#include "tuple_builder.h"

PG_FUNCTION_INFO_V1(pg_transferbench_compare);

/* this backend, the endpoint, the endpoint's backend */
#define BUSY_PROCESSES 3

static void
add_known(TupleBuilder *builder, double value)
{
	tuple_builder_add_float8(builder, value, !isnan(value));
}

static Datum
changed_columns(const Verification *verification)
{
	Datum *names = palloc(sizeof(Datum) * Max(verification->columns, 1));
	int count = 0;

	for (int i = 0; i < verification->columns; i++)
	{
		if (verification->changed[i] > 0)
			names[count++] = CStringGetTextDatum(verification->column_names[i]);
	}
	return PointerGetDatum(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

static void
add_memory(TupleBuilder *builder, const ComparisonSide *side)
{
	tuple_builder_add_int64(builder, side->peak_memory_bytes,
							side->peak_memory_bytes != BENCH_UNKNOWN);
}

/* In the order of the type bench_comparison. */
static void
put_comparison(ReturnSetInfo *result, const Comparison *comparison, const BenchPath *native,
			   const BenchPath *http)
{
	const Verification *verification = comparison->verification;
	TupleBuilder builder;

	tuple_builder_begin(&builder);
	tuple_builder_add_int64(&builder, comparison->n, true);
	tuple_builder_add(&builder, BoolGetDatum(verification->rows_equal), true);
	tuple_builder_add_int64(&builder, verification->values_changed, true);
	tuple_builder_add(&builder, changed_columns(verification), true);
	tuple_builder_add_text(&builder, native->name);
	tuple_builder_add_text(&builder, http->name);
	add_known(&builder, comparison->native.elapsed_ms.median);
	add_known(&builder, comparison->native.elapsed_ms.low);
	add_known(&builder, comparison->native.elapsed_ms.high);
	add_known(&builder, comparison->http.elapsed_ms.median);
	add_known(&builder, comparison->http.elapsed_ms.low);
	add_known(&builder, comparison->http.elapsed_ms.high);
	add_known(&builder, comparison->toll.ratio);
	add_known(&builder, comparison->toll.low);
	add_known(&builder, comparison->toll.high);
	add_known(&builder, comparison->extra_us_per_row);
	add_known(&builder, comparison->native.cpu_ms);
	add_known(&builder, comparison->http.cpu_ms);
	add_memory(&builder, &comparison->native);
	add_memory(&builder, &comparison->http);
	tuple_builder_add_int32(&builder, comparison->trials_ok, true);
	tuple_builder_add_int32(&builder, comparison->trials_failed, true);
	tuple_builder_put(&builder, result);
}

/* What is no change of value, but could surprise. */
static void
tell_scales(const Comparison *comparison)
{
	const Verification *verification = comparison->verification;

	for (int i = 0; i < verification->columns; i++)
	{
		if (verification->scale_changed[i])
			ereport(NOTICE,
					errmsg("n = " INT64_FORMAT
						   ": column \"%s\" has equal values of another scale (1.5 for 1.50)",
						   comparison->n, verification->column_names[i]));
	}
}

/* Says what the row cannot. */
static void
tell(const Comparison *comparison, bool order_is_undefined)
{
	const Verification *verification = comparison->verification;

	if (!verification->rows_equal)
		ereport(WARNING,
				errmsg("n = " INT64_FORMAT ": %s: %s", comparison->n,
					   order_is_undefined ? "different rows or changed values: order undefined"
										  : "the rows differ",
					   verification_summary(verification)),
				errdetail("Native rows that did not come over HTTP: " INT64_FORMAT
						  "; rows over HTTP that are not native: " INT64_FORMAT ".%s%s",
						  verification->native_only, verification->http_only,
						  verification->sample_count > 0 ? " Native -> HTTP: " : "",
						  verification_samples(verification)));
	tell_scales(comparison);
	if (comparison->trials_failed > 0)
		ereport(WARNING,
				errmsg("n = " INT64_FORMAT ": incomplete, %d trials are excluded", comparison->n,
					   comparison->trials_failed),
				errdetail("The first of them: %s", comparison->first_failure));
	if (comparison->cpu_is_partial)
		ereport(NOTICE,
				errmsg("n = " INT64_FORMAT ": parallel workers ran, so native_cpu_ms is null",
					   comparison->n),
				errhint("parallel => false measures without workers."));
}

static bool
is_order_undefined(BenchPath *native, int64 n)
{
	bool undefined = !query_path_is_ordered(native) && query_path_has_more_rows(native, n);

	if (undefined)
		ereport(WARNING, errmsg("n = " INT64_FORMAT ": the query has more rows and no ORDER BY", n),
				errdetail("Which of its rows are the first n is undefined, so the paths may read "
						  "different ones."));
	return undefined;
}

static void
tell_conditions(const BenchPath *http, int64 order_seed)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	ereport(NOTICE, errmsg("order of trials drawn with order_seed => " INT64_FORMAT, order_seed));
	if (cores < BUSY_PROCESSES && http_path_leads_to_loopback(http))
		ereport(NOTICE, errmsg("this backend, the endpoint and its backend share %ld cores", cores),
				errdetail("Elapsed times over HTTP include waiting for a core."));
}

static int64
argument_order_seed(FunctionCallInfo fcinfo, int position)
{
	if (!PG_ARGISNULL(position))
		return PG_GETARG_INT64(position);
	/* short enough to be typed again */
	return (int64) (splitmix64_mix((uint64) clock_now_ns()) % 1000000);
}

Datum
pg_transferbench_compare(PG_FUNCTION_ARGS)
{
	HttpPathOptions options = {
		.url = argument_url(fcinfo, 0),
		.row_desc = argument_row_desc(fcinfo, 4),
		.headers = argument_headers(fcinfo, 5),
		.page_rows = argument_page_rows(fcinfo, 6),
		.decoder = argument_text(fcinfo, 7),
	};
	int size_count;
	int64 *sizes = argument_sizes(fcinfo, 1, &size_count);
	int trials = argument_trials(fcinfo, 2);
	char *query = argument_text(fcinfo, 3);
	bool parallel = argument_bool(fcinfo, 8, "parallel");
	int64 order_seed = argument_order_seed(fcinfo, 9);
	BenchPath *native, *http;

	native = query_path_create(query != NULL ? query : reference_table_query(), parallel);
	query_path_refuse_temporary_tables(native);
	if (options.row_desc == NULL)
		options.row_desc = native->row_desc;
	http = http_path_create(&options);

	InitMaterializedSRF(fcinfo, 0);
	tell_conditions(http, order_seed);
	for (int i = 0; i < size_count; i++)
	{
		bool order_is_undefined = is_order_undefined(native, sizes[i]);
		Comparison *comparison = comparison_run(native, http, sizes[i], trials, order_seed + i);

		tell(comparison, order_is_undefined);
		put_comparison((ReturnSetInfo *) fcinfo->resultinfo, comparison, native, http);
	}
	http->remark(http);
	return (Datum) 0;
}
