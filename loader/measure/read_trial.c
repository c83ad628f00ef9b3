#include "measure/read_trial.h"
#include "clock.h"
#include "interrupt.h"

#include <stdio.h>

static void
begin_cost(CostMeter *meter, const ReadPath *path, const ReadJob *job)
{
	int pid = path->is_native ? database_backend_pid(&job->database) : 0;

	if (meter != NULL)
		cost_meter_begin(meter, &pid, path->is_native ? 1 : 0);
}

/* What is no phase of its own is the client's work on the bytes: reading them as typed values. */
static void
fill_phases(Trial *trial, const ReadJob *job, int64_t open_ns)
{
	int64_t connect_ns = open_ns + job->connect_ns;
	int64_t decode_ns = trial->elapsed_ns - connect_ns - job->first_byte_ns - job->receive_ns;

	trial->phase_ns[PHASE_CONNECT] = connect_ns;
	trial->phase_ns[PHASE_FIRST_BYTE] = job->first_byte_ns;
	trial->phase_ns[PHASE_TRANSFER] = job->receive_ns;
	trial->phase_ns[PHASE_DECODE] = decode_ns > 0 ? decode_ns : 0;
}

static void
fill_status(Trial *trial, const ReadJob *job, ReadOutcome outcome)
{
	trial->status = outcome == READ_INTERRUPTED     ? TRIAL_INTERRUPTED
					: outcome == READ_FAILED        ? TRIAL_FAILED
					: job->sink->rows < trial->size ? TRIAL_SHORT
													: TRIAL_OK;
	if (trial->status == TRIAL_SHORT)
		snprintf(trial->problem, sizeof(trial->problem), "%lld rows came, %lld were asked for",
				 (long long) job->sink->rows, (long long) trial->size);
	else
		snprintf(trial->problem, sizeof(trial->problem), "%s", job->problem);
}

static void
fill_digest(Trial *trial, const RowSink *sink)
{
	trial->has_digest = sink->digest != NULL && trial->status == TRIAL_OK;
	if (trial->has_digest)
		trial->digest = value_digest_sums(sink->digest)->digest;
}

void
read_trial_run(const ReadPath *path, const ReadPlan *plan, int64_t size, CostMeter *meter,
			   RowSink *sink, Trial *trial)
{
	ReadJob job = {
		.plan = plan,
		.sink = sink,
		.wire_bytes = TRIAL_UNKNOWN,
		.requests = TRIAL_UNKNOWN,
		.retries = TRIAL_UNKNOWN,
	};
	int64_t start_ns = clock_now_ns();
	ReadOutcome outcome = READ_FAILED;
	int64_t open_ns;
	bool opened;

	trial_init(trial);
	trial->path = path->name;
	trial->direction = TRANSFER_READ;
	trial->size = size;
	opened = path->open(&job);
	open_ns = clock_now_ns() - start_ns;
	if (!opened && interrupt_requested())
		outcome = READ_INTERRUPTED;
	if (opened)
	{
		begin_cost(meter, path, &job);
		start_ns = clock_now_ns();
		outcome = path->run(&job, size);
		trial->elapsed_ns = open_ns + clock_now_ns() - start_ns - job.retry_wait_ns;
		if (meter != NULL)
			cost_meter_end(meter, &trial->cost);
		trial_keep_own_costs(trial, path->is_native);
		fill_phases(trial, &job, open_ns);
	}
	trial->rows = sink->rows;
	trial->bytes = job.bytes;
	trial->wire_bytes = job.wire_bytes;
	trial->requests = job.requests;
	trial->retries = job.retries;
	trial->retry_wait_ns = job.retry_wait_ns;
	fill_status(trial, &job, outcome);
	fill_digest(trial, sink);
	path->close(&job);
}
