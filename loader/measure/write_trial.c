/*
 * write_trial.c - the jobs of a trial, in step: all connect, the cost meter begins, all send, the
 * clock is read, the cost meter ends, all disconnect.
 */
#include "measure/write_trial.h"
#include "clock.h"
#include "interrupt.h"
#include "progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct WriteCrew WriteCrew;

typedef struct WriteHand
{
	WriteCrew *crew;
	pthread_t thread;
	WriteJob job;
	bool opened;
	int64_t send_ns; /* from the common start to its own end */
} WriteHand;

struct WriteCrew
{
	const WritePath *path;
	Trial *trial;
	int hands;
	WriteHand *hand;        /* [hands] */
	pthread_barrier_t step; /* of all hands and the foreman */

	pthread_mutex_t lock; /* over all that follows, and the trial's rows and ranges */
	bool stopping;        /* no further batch is begun */
	bool cancelled;       /* not all hands could be started */
};

/* --- a hand ------------------------------------------------------------------------------ */

static bool
may_go_on(WriteCrew *crew)
{
	bool stopping;

	pthread_mutex_lock(&crew->lock);
	stopping = crew->stopping;
	pthread_mutex_unlock(&crew->lock);
	return !stopping && !interrupt_requested();
}

/* The words of the first who fails are the trial's. */
static void
stop_crew(WriteHand *hand)
{
	WriteCrew *crew = hand->crew;

	pthread_mutex_lock(&crew->lock);
	crew->stopping = true;
	if (*crew->trial->problem == '\0')
		snprintf(crew->trial->problem, sizeof(crew->trial->problem), "%s", hand->job.problem);
	pthread_mutex_unlock(&crew->lock);
}

/* A batch that was not sent to its end does not know its own rows yet. */
static void
count_rest(WriteHand *hand)
{
	/* after a stop the rest of it is not even made */
	if (batch_cursor_skip(hand->job.cursor) == BATCH_FAILED)
		write_job_problem(&hand->job, "%s", batch_cursor_problem(hand->job.cursor));
}

static void
record(WriteHand *hand, BatchOutcome outcome)
{
	WriteCrew *crew = hand->crew;
	const Batch *batch;
	bool noted = true;

	if (outcome != BATCH_COMMITTED)
		count_rest(hand);
	batch = batch_cursor_batch(hand->job.cursor);
	pthread_mutex_lock(&crew->lock);
	if (outcome == BATCH_COMMITTED)
		crew->trial->rows += batch->rows;
	else if (batch->rows > 0)
		noted = row_ranges_add(outcome == BATCH_IN_DOUBT ? &crew->trial->in_doubt
														 : &crew->trial->refused,
							   batch->first_row, batch->first_row + batch->rows - 1);
	pthread_mutex_unlock(&crew->lock);
	if (!noted)
		write_job_problem(&hand->job, "out of memory");
	if (outcome == BATCH_COMMITTED)
		progress_add(batch->rows);
	else
		stop_crew(hand);
}

static void
send_batches(WriteHand *hand)
{
	WriteJob *job = &hand->job;

	while (may_go_on(hand->crew))
	{
		Batch batch;
		BatchResult next = batch_cursor_next(job->cursor, &batch);

		if (next == BATCH_END)
			return;
		if (next == BATCH_OK)
		{
			record(hand, hand->crew->path->write(job, batch_cursor_batch(job->cursor)));
			continue;
		}
		job->interrupted |= next == BATCH_INTERRUPTED;
		if (next == BATCH_FAILED)
			write_job_problem(job, "%s", batch_cursor_problem(job->cursor));
		stop_crew(hand);
	}
}

static void *
run_hand(void *context)
{
	WriteHand *hand = context;
	WriteCrew *crew = hand->crew;
	int64_t start_ns;
	bool cancelled;

	pthread_mutex_lock(&crew->lock);
	cancelled = crew->cancelled;
	pthread_mutex_unlock(&crew->lock);
	if (cancelled)
		return NULL;
	hand->opened = crew->path->open(&hand->job);
	if (!hand->opened)
		stop_crew(hand);
	pthread_barrier_wait(&crew->step); /* all are connected */
	pthread_barrier_wait(&crew->step); /* the clock runs */
	start_ns = clock_now_ns();
	send_batches(hand);
	hand->send_ns = clock_now_ns() - start_ns;
	pthread_barrier_wait(&crew->step); /* all are done */
	pthread_barrier_wait(&crew->step); /* the costs were read */
	crew->path->close(&hand->job);
	return NULL;
}

/* --- the foreman ------------------------------------------------------------------------- */

static void
begin_cost(WriteCrew *crew, CostMeter *meter)
{
	int *pids = calloc((size_t) crew->hands, sizeof(int));
	int count = 0;

	for (int i = 0; pids != NULL && crew->path->is_native && i < crew->hands; i++)
		if (crew->hand[i].opened)
			pids[count++] = database_backend_pid(&crew->hand[i].job.database);
	cost_meter_begin(meter, pids, count);
	free(pids);
}

/* What the foreman does between the steps; how long it took to connect. */
static int64_t
lead(WriteCrew *crew, CostMeter *meter)
{
	int64_t start_ns = clock_now_ns();
	int64_t open_ns;

	pthread_barrier_wait(&crew->step);
	open_ns = clock_now_ns() - start_ns;
	if (meter != NULL)
		begin_cost(crew, meter);
	pthread_barrier_wait(&crew->step);
	pthread_barrier_wait(&crew->step);
	if (meter != NULL)
		cost_meter_end(meter, &crew->trial->cost);
	trial_keep_own_costs(crew->trial, crew->path->is_native);
	pthread_barrier_wait(&crew->step);
	return open_ns;
}

static int64_t
sum_known(int64_t sum, int64_t value)
{
	return sum == TRIAL_UNKNOWN || value == TRIAL_UNKNOWN ? TRIAL_UNKNOWN : sum + value;
}

/* Phases are the jobs' mean; what is none of its own is sending, and waiting for others. */
static void
fill_phases(const WriteCrew *crew, Trial *trial, int64_t open_ns, const int64_t *sums)
{
	int64_t rest_ns = trial->elapsed_ns - open_ns;

	for (int i = 0; i < PHASE_COUNT; i++)
	{
		if (sums[i] == TRIAL_UNKNOWN)
			continue;
		trial->phase_ns[i] = sums[i] / crew->hands;
		rest_ns -= trial->phase_ns[i];
	}
	trial->phase_ns[PHASE_CONNECT] += open_ns;
	trial->phase_ns[PHASE_TRANSFER] = rest_ns > 0 ? rest_ns : 0;
}

static void
fill_figures(const WriteCrew *crew, Trial *trial, int64_t open_ns)
{
	int64_t sums[PHASE_COUNT] = {[PHASE_DECODE] = TRIAL_UNKNOWN, [PHASE_TRANSFER] = TRIAL_UNKNOWN};
	int64_t waited_ns = 0, longest_ns = 0;

	trial->requests = trial->retries = trial->wire_bytes = 0;
	for (int i = 0; i < crew->hands; i++)
	{
		const WriteJob *job = &crew->hand[i].job;
		BatchCursorTimes times = batch_cursor_times(job->cursor);

		sums[PHASE_CONNECT] += job->connect_ns;
		sums[PHASE_GENERATE] += times.generate_ns;
		sums[PHASE_ENCODE] += times.encode_ns;
		sums[PHASE_READ_BACK] += times.read_back_ns;
		sums[PHASE_FIRST_BYTE] = sum_known(sums[PHASE_FIRST_BYTE], job->first_byte_ns);
		sums[PHASE_COMMIT] = sum_known(sums[PHASE_COMMIT], job->commit_ns);
		trial->bytes += times.bytes;
		trial->wire_bytes = sum_known(trial->wire_bytes, job->wire_bytes);
		trial->requests = sum_known(trial->requests, job->requests);
		trial->retries = sum_known(trial->retries, job->retries);
		waited_ns += job->retry_wait_ns;
		if (crew->hand[i].send_ns - job->retry_wait_ns > longest_ns)
			longest_ns = crew->hand[i].send_ns - job->retry_wait_ns;
	}
	trial->retry_wait_ns = waited_ns / crew->hands;
	trial->elapsed_ns = open_ns + longest_ns;
	fill_phases(crew, trial, open_ns, sums);
}

static void
fill_status(const WriteCrew *crew, Trial *trial)
{
	bool interrupted = interrupt_requested();

	if (trial->size == TRIAL_UNKNOWN)
		trial->size =
			trial->rows + row_ranges_rows(&trial->refused) + row_ranges_rows(&trial->in_doubt);
	for (int i = 0; i < crew->hands; i++)
		interrupted |= crew->hand[i].job.interrupted;
	if (trial->in_doubt.count > 0 || (trial->refused.count > 0 && !interrupted) ||
		*trial->problem != '\0')
		trial->status = TRIAL_FAILED;
	else if (interrupted && trial->rows < trial->size)
		trial->status = TRIAL_INTERRUPTED;
	else if (trial->rows < trial->size)
		trial->status = TRIAL_SHORT;
	else
		trial->status = TRIAL_OK;
	if (trial->status == TRIAL_SHORT)
		snprintf(trial->problem, sizeof(trial->problem),
				 "%lld rows were sent, %lld were asked for: the source had no more",
				 (long long) trial->rows, (long long) trial->size);
}

static void
init_hand(WriteCrew *crew, int index, const WritePlan *plan, BatchSupply *supply, int number)
{
	WriteHand *hand = &crew->hand[index];

	hand->crew = crew;
	hand->job = (WriteJob){
		.plan = plan,
		.trial = number,
		.cursor = batch_cursor_create(supply),
		.requests = TRIAL_UNKNOWN,
		.retries = TRIAL_UNKNOWN,
		.wire_bytes = TRIAL_UNKNOWN,
		.first_byte_ns = crew->path->is_native ? TRIAL_UNKNOWN : 0,
		.commit_ns = crew->path->is_native ? 0 : TRIAL_UNKNOWN,
	};
}

/*
 * Starts all or none, since a barrier waits for every one of them: until the last one has been made
 * they are held back by the lock. *started of them are to be joined in any case.
 */
static bool
start_hands(WriteCrew *crew, int *started)
{
	int error = 0;

	pthread_mutex_lock(&crew->lock);
	for (*started = 0; *started < crew->hands; (*started)++)
	{
		WriteHand *hand = &crew->hand[*started];

		error =
			hand->job.cursor == NULL ? ENOMEM : pthread_create(&hand->thread, NULL, run_hand, hand);
		if (error != 0)
			break;
	}
	crew->cancelled = error != 0;
	pthread_mutex_unlock(&crew->lock);
	if (error == 0)
		return true;
	snprintf(crew->trial->problem, sizeof(crew->trial->problem),
			 "job %d of %d cannot be started: %s", *started + 1, crew->hands,
			 error == EAGAIN ? "no more threads may be had" : "out of memory");
	return false;
}

void
write_trial_run(const WritePath *path, const WritePlan *plan, BatchSupply *supply, int64_t size,
				int number, CostMeter *meter, Trial *trial)
{
	WriteCrew crew = {.path = path, .trial = trial, .hands = plan->jobs};
	int started;

	trial_init(trial);
	trial->path = path->name;
	trial->direction = TRANSFER_WRITE;
	trial->size = size;
	trial->number = number;
	trial->status = TRIAL_FAILED;
	crew.hand = calloc((size_t) crew.hands, sizeof(WriteHand));
	if (crew.hand == NULL)
	{
		snprintf(trial->problem, sizeof(trial->problem), "out of memory");
		return;
	}
	pthread_mutex_init(&crew.lock, NULL);
	pthread_barrier_init(&crew.step, NULL, (unsigned) crew.hands + 1);
	for (int i = 0; i < crew.hands; i++)
		init_hand(&crew, i, plan, supply, number);
	if (start_hands(&crew, &started))
	{
		fill_figures(&crew, trial, lead(&crew, meter));
		fill_status(&crew, trial);
	}
	for (int i = 0; i < started; i++)
		pthread_join(crew.hand[i].thread, NULL);
	for (int i = 0; i < crew.hands; i++)
		batch_cursor_free(crew.hand[i].job.cursor);
	pthread_barrier_destroy(&crew.step);
	pthread_mutex_destroy(&crew.lock);
	free(crew.hand);
}
