/*
 * trial_functions.c - SQL entry points that yield trials: bench_extract and
 * bench_http_fetch. They read arguments, check, call, and build tuples.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"

#include "arguments.h"
#include "http_path.h"
#include "query_path.h"
#include "reference_rows.h"
#include "trial_runner.h"
#include "tuple_builder.h"

PG_FUNCTION_INFO_V1(pg_transferbench_extract);
PG_FUNCTION_INFO_V1(pg_transferbench_http_fetch);

static void
add_ms_of_ns(TupleBuilder *builder, int64 ns)
{
	tuple_builder_add_float8(builder, ns / 1e6, ns != BENCH_UNKNOWN);
}

static void
add_ms_of_us(TupleBuilder *builder, int64 us)
{
	tuple_builder_add_float8(builder, us / 1e3, us != BENCH_UNKNOWN);
}

/* In the order of the type bench_trial. */
static void
put_trial(ReturnSetInfo *result, const BenchTrial *trial)
{
	TupleBuilder builder;
	bool ran = trial->status_kind != BENCH_TRIAL_FAILED;

	tuple_builder_begin(&builder);

	tuple_builder_add_text(&builder, trial->path);
	tuple_builder_add_int32(&builder, trial->trial, true);
	tuple_builder_add_int64(&builder, trial->rows, ran);
	tuple_builder_add_int64(&builder, trial->bytes, trial->bytes != BENCH_UNKNOWN);
	tuple_builder_add_float8(&builder, trial->elapsed_ns / 1e6, ran);
	tuple_builder_add_float8(&builder, trial->rows / (trial->elapsed_ns / 1e9), ran);
	add_ms_of_us(&builder, trial->cpu_user_us);
	add_ms_of_us(&builder, trial->cpu_system_us);
	tuple_builder_add_int64(&builder, trial->peak_memory_bytes,
							trial->peak_memory_bytes != BENCH_UNKNOWN);
	tuple_builder_add_int32(&builder, trial->requests, trial->requests != BENCH_UNKNOWN);
	add_ms_of_ns(&builder, trial->connect_ns);
	add_ms_of_ns(&builder, trial->first_byte_ns);
	add_ms_of_ns(&builder, trial->transfer_ns);
	add_ms_of_ns(&builder, trial->decode_ns);
	tuple_builder_add_int64(&builder, (int64) trial->digest, trial->has_digest);
	tuple_builder_add_int64(&builder, trial->wire_bytes, trial->wire_bytes != BENCH_UNKNOWN);
	tuple_builder_add_int32(&builder, trial->retries, trial->retries != BENCH_UNKNOWN);
	tuple_builder_add_float8(&builder, trial->retry_wait_ns / 1e6, trial->retries != BENCH_UNKNOWN);
	tuple_builder_add_text(&builder, trial->decoder);
	tuple_builder_add_text(&builder, trial->status);
	tuple_builder_put(&builder, result);
}

static void
warn_of_shortfall(const BenchTrial *trial, int64 n)
{
	ereport(WARNING,
			errmsg("%s: trial %d got " INT64_FORMAT " of " INT64_FORMAT " rows", trial->path,
				   trial->trial, trial->rows, n),
			errhint("The source has fewer rows than that."));
}

/* All trials of a call. One trial fails loudly; of several, a failed one is a row that says so. */
static void
run_trials(ReturnSetInfo *result, BenchPath *path, int64 n, int trials, bool verify)
{
	uint64 digest = verify ? trial_runner_digest(path, n) : 0;
	bool cpu_was_partial = false;

	if (trials > 1 && !verify)
		trial_runner_warm_up(path, n);
	for (int number = 1; number <= trials; number++)
	{
		BenchTrial trial;

		if (trials == 1)
			trial_runner_measure(path, n, number, &trial);
		else
			trial_runner_attempt(path, n, number, &trial);
		if (trial.status_kind == BENCH_TRIAL_SHORT)
			warn_of_shortfall(&trial, n);
		cpu_was_partial |= trial.cpu_is_partial;
		trial.has_digest = verify && trial.status_kind != BENCH_TRIAL_FAILED;
		trial.digest = digest;
		put_trial(result, &trial);
	}
	if (path->remark != NULL)
		path->remark(path);
	if (cpu_was_partial)
		ereport(NOTICE, errmsg("%s: parallel workers ran, so CPU times are null", path->name),
				errdetail("A backend cannot see the CPU time of its workers."),
				errhint("parallel => false measures without workers."));
}

Datum
pg_transferbench_extract(PG_FUNCTION_ARGS)
{
	int64 n = argument_rows(fcinfo, 0, "n");
	char *query = argument_text(fcinfo, 1);
	int trials = argument_trials(fcinfo, 2);
	bool verify = argument_bool(fcinfo, 3, "verify");
	bool parallel = argument_bool(fcinfo, 4, "parallel");
	BenchPath *path = query != NULL ? query_path_create(query, parallel) : generated_path_create();

	InitMaterializedSRF(fcinfo, 0);
	run_trials((ReturnSetInfo *) fcinfo->resultinfo, path, n, trials, verify);
	return (Datum) 0;
}

Datum
pg_transferbench_http_fetch(PG_FUNCTION_ARGS)
{
	char *url = argument_url(fcinfo, 0);
	int64 n = argument_rows(fcinfo, 1, "n");
	int trials = argument_trials(fcinfo, 2);
	HttpPathOptions options = {
		.url = url,
		.row_desc = argument_row_desc(fcinfo, 3),
		.headers = argument_headers(fcinfo, 4),
		.page_rows = argument_page_rows(fcinfo, 5),
		.decoder = argument_text(fcinfo, 6),
	};
	bool verify = argument_bool(fcinfo, 7, "verify");

	if (options.row_desc == NULL)
		options.row_desc = reference_rows_desc();
	InitMaterializedSRF(fcinfo, 0);
	run_trials((ReturnSetInfo *) fcinfo->resultinfo, http_path_create(&options), n, trials, verify);
	return (Datum) 0;
}
