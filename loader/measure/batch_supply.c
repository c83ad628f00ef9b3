#include "measure/batch_supply.h"
#include "measure/batch_sharing.h"

#include <stdio.h>
#include <stdlib.h>

#define COPY_BYTES (16 * 1024)

static int64_t
last_row_of(const BatchSupplyOptions *options)
{
	int64_t total = row_source_total(options->source);

	if (options->rows >= 0 && (total < 0 || options->rows < total))
		return options->rows;
	return total < 0 ? ROW_FEED_NO_LAST_ROW : total;
}

/* Opens the encoder once, so that a type that it cannot write is told before any job has begun. */
static bool
can_be_encoded(const BatchSupplyOptions *options, char *problem, size_t problem_size)
{
	BatchEncoder *encoder =
		batch_encoder_create(options->encoder, options->type, options->batch_rows,
							 options->max_batch_bytes, problem, problem_size);
	bool can = encoder != NULL;

	batch_encoder_free(encoder);
	return can;
}

static bool
open_feed(BatchSupply *supply)
{
	if (row_source_can_seek(supply->options.source))
		return true;
	supply->feed = row_feed_create(supply->options.source, supply->options.type);
	if (supply->feed != NULL)
		row_feed_start(supply->feed, 1, supply->last_row);
	return supply->feed != NULL;
}

BatchSupply *
batch_supply_create(const BatchSupplyOptions *options, char *problem, size_t problem_size)
{
	BatchSupply *supply;

	if (!can_be_encoded(options, problem, problem_size))
		return NULL;
	snprintf(problem, problem_size, "out of memory for a supply of batches");
	supply = calloc(1, sizeof(BatchSupply));
	if (supply == NULL)
		return NULL;
	supply->options = *options;
	supply->last_row = last_row_of(options);
	supply->next_row = 1;
	if (pthread_mutex_init(&supply->lock, NULL) != 0)
	{
		free(supply);
		return NULL;
	}
	if (!open_feed(supply))
	{
		batch_supply_free(supply);
		return NULL;
	}
	problem[0] = '\0';
	return supply;
}

void
batch_supply_free(BatchSupply *supply)
{
	if (supply == NULL)
		return;
	batch_store_free(supply->store);
	row_feed_free(supply->feed);
	pthread_mutex_destroy(&supply->lock);
	free(supply);
}

static BatchResult
fail(BatchSupply *supply, const char *problem)
{
	snprintf(supply->problem, sizeof(supply->problem), "%s", problem);
	return BATCH_FAILED;
}

static BatchResult
store_body(BatchSupply *supply, BatchCursor *cursor, BatchStore *store)
{
	char bytes[COPY_BYTES];
	int64_t offset = 0;
	ssize_t got;

	while ((got = batch_cursor_read_body(cursor, offset, bytes, sizeof(bytes))) > 0)
	{
		if (!body_spool_append(batch_store_spool(store), bytes, (size_t) got))
			return fail(supply, batch_store_problem(store));
		offset += got;
	}
	return got < 0 ? fail(supply, batch_cursor_problem(cursor)) : BATCH_OK;
}

static BatchResult
store_pieces(BatchSupply *supply, BatchCursor *cursor, BatchStore *store)
{
	for (;;)
	{
		BatchPiece piece;
		BatchResult result = batch_cursor_piece(cursor, &piece.bytes, &piece.length, &piece.rows);

		if (result == BATCH_FAILED)
			return fail(supply, batch_cursor_problem(cursor));
		if (result != BATCH_OK || piece.length == 0)
			return result;
		if (!batch_pieces_append(batch_store_spool(store), &piece))
			return fail(supply, batch_store_problem(store));
	}
}

static BatchResult
store_batch(BatchSupply *supply, BatchCursor *cursor, BatchStore *store)
{
	const Batch *batch = batch_cursor_batch(cursor);
	BatchResult result = supply->options.hold ? store_body(supply, cursor, store)
											  : store_pieces(supply, cursor, store);
	BatchRecord record = {
		.first_row = batch->first_row, .rows = batch->rows, .bytes = batch->bytes};

	if (result == BATCH_OK && !batch_store_add(store, &record))
		return fail(supply, batch_store_problem(store));
	return result;
}

static BatchResult
store_all(BatchSupply *supply, BatchCursor *cursor, BatchStore *store)
{
	for (;;)
	{
		Batch batch;
		BatchResult result = batch_cursor_next(cursor, &batch);

		if (result == BATCH_END)
			return BATCH_OK;
		if (result == BATCH_FAILED)
			return fail(supply, batch_cursor_problem(cursor));
		if (result == BATCH_OK)
			result = store_batch(supply, cursor, store);
		if (result != BATCH_OK)
			return result;
	}
}

BatchResult
batch_supply_pregenerate(BatchSupply *supply)
{
	BatchStore *store = batch_store_create();
	BatchCursor *cursor = batch_cursor_create(supply);
	BatchResult result;

	if (store == NULL || cursor == NULL)
		result = fail(supply, "out of memory for batches that are made beforehand");
	else
	{
		batch_cursor_set_alone(cursor);
		result = store_all(supply, cursor, store);
	}
	batch_cursor_free(cursor);
	if (result != BATCH_OK)
	{
		batch_store_free(store);
		return result;
	}
	supply->store = store;
	supply->batches = 0;
	supply->bytes = 0;
	return BATCH_OK;
}

bool
batch_supply_rewind(BatchSupply *supply)
{
	if (supply->store == NULL && supply->feed != NULL)
	{
		if (!row_source_rewind(supply->options.source))
		{
			fail(supply, row_source_problem(supply->options.source));
			return false;
		}
		row_feed_start(supply->feed, 1, supply->last_row);
	}
	supply->next_row = 1;
	supply->batches = 0;
	return true;
}

const char *
batch_supply_problem(const BatchSupply *supply)
{
	return supply->problem;
}
