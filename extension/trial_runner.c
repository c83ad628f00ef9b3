/*
 * trial_runner.c - see trial_runner.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "clock.h"
#include "resource_usage.h"
#include "row_hasher.h"
#include "trial_runner.h"

static void
begin_trial(const BenchPath *path, int number, BenchTrial *trial)
{
	*trial = (BenchTrial){
		.path = path->name,
		.trial = number,
		.bytes = BENCH_UNKNOWN,
		.wire_bytes = BENCH_UNKNOWN,
		.requests = BENCH_UNKNOWN,
		.retries = BENCH_UNKNOWN,
		.connect_ns = BENCH_UNKNOWN,
		.first_byte_ns = BENCH_UNKNOWN,
		.transfer_ns = BENCH_UNKNOWN,
		.decode_ns = BENCH_UNKNOWN,
		.cpu_user_us = BENCH_UNKNOWN,
		.cpu_system_us = BENCH_UNKNOWN,
		.peak_memory_bytes = BENCH_UNKNOWN,
	};
}

static void
finish_trial(const BenchPath *path, int64 n, int64 wall_ns, const ResourceUsage *usage,
			 BenchTrial *trial)
{
	trial->elapsed_ns = wall_ns - Max(trial->retry_wait_ns, 0);
	if (path->rest_is_transfer)
		trial->transfer_ns =
			trial->elapsed_ns - trial->connect_ns - trial->first_byte_ns - trial->decode_ns;
	if (!trial->cpu_is_partial)
	{
		trial->cpu_user_us = usage->cpu_user_us;
		trial->cpu_system_us = usage->cpu_system_us;
	}
	trial->peak_memory_bytes = usage->peak_memory_bytes;
	trial->status_kind = trial->rows < n ? BENCH_TRIAL_SHORT : BENCH_TRIAL_OK;
	trial->status = trial->rows < n ? "short" : "ok";
}

void
trial_runner_measure(BenchPath *path, int64 n, int number, BenchTrial *trial)
{
	MemoryContext caller_context = CurrentMemoryContext;
	MemoryContext trial_context =
		AllocSetContextCreate(caller_context, "pg_transferbench trial", ALLOCSET_DEFAULT_SIZES);
	RowConsumer *consumer;
	ResourceUsageStart usage_start;
	ResourceUsage usage;
	int64 start_ns, wall_ns;

	begin_trial(path, number, trial);
	MemoryContextSwitchTo(trial_context);
	consumer = row_consumer_create(path->row_desc, NULL, NULL);

	resource_usage_start(&usage_start);
	start_ns = clock_now_ns();
	path->run(path, n, consumer, trial);
	wall_ns = clock_now_ns() - start_ns;
	resource_usage_finish(&usage_start, &usage);

	trial->rows = consumer->rows;
	MemoryContextSwitchTo(caller_context);
	MemoryContextDelete(trial_context);
	finish_trial(path, n, wall_ns, &usage, trial);
}

/* Class 57: somebody wishes that this statement, or backend, ends. */
static bool
must_propagate(const ErrorData *error)
{
	return ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION;
}

static char *
failure_status(const ErrorData *error)
{
	char *status = psprintf("failed: %s %s", unpack_sql_state(error->sqlerrcode), error->message);

	/* a path that knows row and column says so in the innermost context */
	if (error->context != NULL && strncmp(error->context, "row ", 4) == 0)
		status = psprintf("%s (%.*s)", status, (int) strcspn(error->context, "\n"), error->context);
	return status;
}

void
trial_runner_attempt(BenchPath *path, int64 n, int number, BenchTrial *trial)
{
	MemoryContext caller_context = CurrentMemoryContext;
	ResourceOwner caller_owner = CurrentResourceOwner;
	/* all that the trial allocates, so that a failed one leaves nothing until the statement ends */
	MemoryContext attempt_context =
		AllocSetContextCreate(caller_context, "pg_transferbench attempt", ALLOCSET_SMALL_SIZES);

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(attempt_context);
	PG_TRY();
	{
		trial_runner_measure(path, n, number, trial);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(caller_context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(caller_context);
		if (must_propagate(error))
			ReThrowError(error);
		begin_trial(path, number, trial);
		trial->status_kind = BENCH_TRIAL_FAILED;
		trial->status = failure_status(error);
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller_context);
	MemoryContextDelete(attempt_context);
	CurrentResourceOwner = caller_owner;
}

int64
trial_runner_pass(BenchPath *path, int64 n, RowObserver observer, void *observer_context)
{
	MemoryContext caller_context = CurrentMemoryContext;
	MemoryContext pass_context =
		AllocSetContextCreate(caller_context, "pg_transferbench pass", ALLOCSET_DEFAULT_SIZES);
	RowConsumer *consumer;
	BenchTrial trial;
	int64 rows;

	begin_trial(path, 0, &trial);
	MemoryContextSwitchTo(pass_context);
	consumer = row_consumer_create(path->row_desc, observer, observer_context);
	path->run(path, n, consumer, &trial);
	rows = consumer->rows;
	MemoryContextSwitchTo(caller_context);
	MemoryContextDelete(pass_context);
	return rows;
}

/*
 * A failure of the warm-up is not told: the trials that follow meet the same
 * cause, and tell it.
 */
void
trial_runner_warm_up(BenchPath *path, int64 n)
{
	BenchTrial trial;

	trial_runner_attempt(path, n, 0, &trial);
}

/* what the digesting observer carries */
typedef struct DigestPass
{
	RowHasher *hasher;
	RowDigest digest;
} DigestPass;

static void
digest_row(void *context, const Datum *values, const bool *nulls)
{
	DigestPass *pass = context;

	row_digest_add(&pass->digest, row_hasher_hash(pass->hasher, values, nulls));
}

uint64
trial_runner_digest(BenchPath *path, int64 n)
{
	DigestPass pass;
	int columns;

	pass.hasher = row_hasher_create(path->row_desc);
	columns = row_hasher_columns(pass.hasher);
	row_digest_init(&pass.digest, palloc0(sizeof(uint64) * Max(columns, 1)), columns);
	trial_runner_pass(path, n, digest_row, &pass);
	return pass.digest.digest;
}

int64
bench_trial_cpu_us(const BenchTrial *trial)
{
	if (trial->cpu_user_us < 0 || trial->cpu_system_us < 0)
		return BENCH_UNKNOWN;
	return trial->cpu_user_us + trial->cpu_system_us;
}
