#include "comparison.h"
#include "interrupt.h"
#include "measure/summary.h"
#include "measure/trial_order.h"
#include "message.h"
#include "progress.h"
#include "read_verify.h"
#include "write_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FAILURES 3 /* of a path in a row */

/* --- rows of the result ------------------------------------------------------------------ */

/* A row for a path at a size; NULL when out of memory. */
static ComparisonRow *
add_row(RunSession *session, TransferDirection direction, int64_t size, const char *path)
{
	Run *run = &session->run;
	ComparisonRow *grown = realloc(run->comparison, (run->comparisons + 1) * sizeof(ComparisonRow));
	ComparisonRow *row;

	if (grown == NULL)
	{
		message_error("out of memory");
		return NULL;
	}
	run->comparison = grown;
	row = &grown[run->comparisons++];
	*row = (ComparisonRow){.direction = direction, .size = size, .summary = {.path = path}};
	return row;
}

static bool
add_cost(RunSession *session, TransferDirection direction, const char *path)
{
	Run *run = &session->run;
	PathCost *grown = realloc(run->cost, (run->costs + 1) * sizeof(PathCost));

	if (grown == NULL)
		return false;
	run->cost = grown;
	grown[run->costs++] = (PathCost){.direction = direction, .path = path};
	return true;
}

static void
take_verdict(RunSession *session, ComparisonRow *row, bool done, bool equal)
{
	row->verified = done;
	row->rows_equal = done && equal;
	if (!done)
		run_session_fail(session, EXIT_INCOMPLETE);
	else if (!equal)
		run_session_fail(session, EXIT_CHANGED);
}

/* --- going on ---------------------------------------------------------------------------- */

static bool
goes_on(Comparison *comparison)
{
	if (comparison->child != NULL && !comparison->is_broken_off &&
		!serve_child_is_alive(comparison->child))
		comparison->is_broken_off = true;
	return !comparison->is_broken_off && !interrupt_requested();
}

/* Without a verification nothing is measured; false, and it is told whether the endpoint has ended. */
static bool
break_off(Comparison *comparison)
{
	(void) goes_on(comparison);
	return false;
}

static void
begin_size(Comparison *comparison)
{
	memset(comparison->failures, 0, sizeof(comparison->failures));
}

/* A path that fails again and again will not do better, and each trial may take its time to fail. */
static void
take_outcome(Comparison *comparison, int path, const char *name, bool whole)
{
	comparison->failures[path] = whole ? 0 : comparison->failures[path] + 1;
	if (comparison->failures[path] < MAX_FAILURES || !goes_on(comparison))
		return;
	message_error("%s failed %d times in a row: nothing more is measured", name, MAX_FAILURES);
	comparison->is_broken_off = true;
}

/* --- reading ----------------------------------------------------------------------------- */

static bool
verify_read_path(Comparison *comparison, int64_t size, const ReadPath *path,
				 ValueDigest **first_digest)
{
	RunSession *session = comparison->session;
	ComparisonRow *row = add_row(session, TRANSFER_READ, size, path->name);
	ReadVerification verification;

	if (row == NULL)
		return false;
	if (session->options->verify != VERIFY_FULL)
		return read_setup_trial(&comparison->read, path, size, 0, 0);
	read_verify(&comparison->read, comparison->read_path[0], path, size, first_digest,
				&verification);
	take_verdict(session, row, verification.done, verification.equal);
	row->values_changed = verification.values_changed;
	row->changed_columns = verification.changed_columns;
	return verification.done;
}

static bool
verify_read(Comparison *comparison, int64_t size)
{
	ValueDigest *first_digest = NULL;
	bool going_on = true;

	for (int i = 0; going_on && i < comparison->read_paths; i++)
		going_on = verify_read_path(comparison, size, comparison->read_path[i], &first_digest);
	value_digest_free(first_digest);
	return going_on;
}

static void
read_block(Comparison *comparison, int64_t size, TrialOrder *order)
{
	trial_order_next(order);
	for (int i = 0; i < order->paths && goes_on(comparison); i++)
	{
		int place = order->order[i];
		const ReadPath *path = comparison->read_path[place];

		take_outcome(comparison, place, path->name,
					 read_setup_trial(&comparison->read, path, size, order->block, order->block));
	}
}

bool
comparison_read(Comparison *comparison)
{
	const TransferOptions *options = comparison->session->options;
	TrialOrder order;

	for (size_t i = 0; i < options->sizes.count && goes_on(comparison); i++)
	{
		int64_t size = options->sizes.value[i];

		begin_size(comparison);
		if (!verify_read(comparison, size))
			return break_off(comparison);
		trial_order_init(&order, comparison->read_paths,
						 (uint64_t) comparison->session->run.order_seed + i);
		while (order.block < options->trials && goes_on(comparison))
			read_block(comparison, size, &order);
	}
	return goes_on(comparison);
}

/* --- writing ----------------------------------------------------------------------------- */

/* A supply for one trial; its rows are made beforehand where that is wanted. */
static BatchSupply *
open_supply(Comparison *comparison, const WritePath *path, int64_t size)
{
	BatchSupply *supply = write_setup_supply(&comparison->write, path, size);
	BatchResult made = BATCH_OK;

	if (supply == NULL || !comparison->session->options->pregenerate)
		return supply;
	made = batch_supply_pregenerate(supply);
	if (made == BATCH_OK)
		return supply;
	if (made == BATCH_FAILED)
		message_error("%s", batch_supply_problem(supply));
	batch_supply_free(supply);
	return NULL;
}

/* Keys of batches must differ between trials of the same run, whatever their size. */
static int
key_of_trial(const Comparison *comparison)
{
	return (int) comparison->session->run.trials;
}

/* One trial into the emptied table; false when it was not whole. */
static bool
write_trial(Comparison *comparison, const WritePath *path, int64_t size, int number)
{
	RunSession *session = comparison->session;
	WriteSetup *setup = &comparison->write;
	BatchSupply *supply = open_supply(comparison, path, size);
	char what[128];
	Trial trial;
	bool whole;

	if (supply == NULL || !run_table_empty(&setup->table, &session->control))
	{
		batch_supply_free(supply);
		run_session_fail(session, EXIT_INCOMPLETE);
		return false;
	}
	run_session_checkpoint(session);
	run_session_name_trial(session, what, sizeof(what), TRANSFER_WRITE, path->name, size, number);
	progress_begin(what, size);
	write_trial_run(path, &setup->plan, supply, size, key_of_trial(comparison),
					number == 0 ? NULL : session->meter, &trial);
	progress_end();
	trial.number = trial.block = number;
	/* what became of the rows of a trial that was stopped is counted all the same */
	if (interrupt_requested())
		run_session_begin_cleanup(session);
	write_verify_count(setup, &trial);
	whole = trial.status == TRIAL_OK;
	run_session_add_trial(session, &trial);
	batch_supply_free(supply);
	return whole;
}

/* The warm-up, whose table is then compared with its source. */
static bool
verify_write_path(Comparison *comparison, int64_t size, const WritePath *path)
{
	RunSession *session = comparison->session;
	ComparisonRow *row = add_row(session, TRANSFER_WRITE, size, path->name);
	WriteVerification verification;

	if (row == NULL || !write_trial(comparison, path, size, 0))
		return false;
	if (session->options->verify != VERIFY_FULL)
		return true;
	write_verify_digest(&comparison->write, path->name, size, &verification);
	take_verdict(session, row, verification.done, verification.equal);
	row->values_changed = verification.values_changed;
	row->changed_columns = verification.changed_columns;
	return verification.done;
}

static void
write_block(Comparison *comparison, int64_t size, TrialOrder *order)
{
	trial_order_next(order);
	for (int i = 0; i < order->paths && goes_on(comparison); i++)
	{
		int place = order->order[i];
		const WritePath *path = comparison->write_path[place];

		take_outcome(comparison, place, path->name,
					 write_trial(comparison, path, size, order->block));
	}
}

bool
comparison_write(Comparison *comparison)
{
	const TransferOptions *options = comparison->session->options;
	TrialOrder order;

	for (size_t i = 0; i < options->sizes.count && goes_on(comparison); i++)
	{
		int64_t size = options->sizes.value[i];

		begin_size(comparison);
		for (int path = 0; path < comparison->write_paths; path++)
			if (!verify_write_path(comparison, size, comparison->write_path[path]))
				return break_off(comparison);
		trial_order_init(&order, comparison->write_paths,
						 (uint64_t) comparison->session->run.order_seed + i);
		while (order.block < options->trials && goes_on(comparison))
			write_block(comparison, size, &order);
	}
	return goes_on(comparison);
}

/* --- the answer -------------------------------------------------------------------------- */

static const char *
first_path(const Comparison *comparison, TransferDirection direction)
{
	return direction == TRANSFER_READ ? comparison->read_path[0]->name
									  : comparison->write_path[0]->name;
}

static bool
add_costs(Comparison *comparison)
{
	bool added = true;

	for (int i = 0; i < comparison->read_paths; i++)
		added &= add_cost(comparison->session, TRANSFER_READ, comparison->read_path[i]->name);
	for (int i = 0; i < comparison->write_paths; i++)
		added &= add_cost(comparison->session, TRANSFER_WRITE, comparison->write_path[i]->name);
	return added;
}

bool
comparison_summarise(Comparison *comparison)
{
	Run *run = &comparison->session->run;
	bool filled = add_costs(comparison);

	for (size_t i = 0; i < run->comparisons; i++)
		filled &= summary_fill_row(run, first_path(comparison, run->comparison[i].direction),
								   &run->comparison[i]);
	for (size_t i = 0; i < run->costs; i++)
		filled &=
			summary_fill_cost(run, first_path(comparison, run->cost[i].direction), &run->cost[i]);
	if (!filled)
		message_error("out of memory");
	return filled;
}
