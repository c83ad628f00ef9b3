#include "measure/batch_sharing.h"
#include "measure/batch_supply.h"
#include "measure/body_deflate.h"
#include "clock.h"
#include "interrupt.h"

#include <stdio.h>
#include <stdlib.h>

struct BatchCursor
{
	BatchSupply *supply;
	BatchEncoder *encoder; /* none of these where batches are stored already */
	RowSource *source;     /* a copy of its own, where the source can seek */
	RowFeed *own_feed;
	RowFeed *feed; /* its own or the supply's */

	bool builds_whole; /* into `built` */
	BodySpool *built, *deflated;
	BodyDeflate *deflate;

	Batch batch;
	bool has_pieces; /* some may be left of it */
	BatchPieceReader reader;
	BodySpool *body; /* of a held batch: what is sent, from body_offset on */
	int64_t body_offset;

	int64_t generate_ns, encode_ns; /* besides the encoder's own */
	int64_t read_back_ns;
	int64_t bytes;
	bool is_over_limit;
	char problem[BATCH_PROBLEM_SIZE];
};

static BatchResult
fail(BatchCursor *cursor, const char *problem)
{
	snprintf(cursor->problem, sizeof(cursor->problem), "%s", problem);
	return BATCH_FAILED;
}

/* Whether so many bytes more may be handed out. */
static BatchResult
take_bytes(BatchCursor *cursor, int64_t bytes)
{
	BatchSupply *supply = cursor->supply;
	int64_t limit = supply->options.max_bytes;

	cursor->bytes += bytes;
	if (limit <= 0 || atomic_fetch_add(&supply->bytes, bytes) + bytes <= limit)
		return BATCH_OK;
	cursor->is_over_limit = true;
	snprintf(
		cursor->problem, sizeof(cursor->problem),
		"stopped by --max-write-bytes: the rows, of which nobody could tell how many there are, "
		"take more than %lld bytes: raise it, or write fewer (--rows)",
		(long long) limit);
	return BATCH_FAILED;
}

/* --- making and freeing ------------------------------------------------------ */

static bool
open_feed(BatchCursor *cursor)
{
	BatchSupply *supply = cursor->supply;

	cursor->feed = supply->feed;
	if (supply->feed != NULL)
		return true;
	pthread_mutex_lock(&supply->lock);
	cursor->source = row_source_copy(supply->options.source);
	pthread_mutex_unlock(&supply->lock);
	if (cursor->source == NULL)
		return false;
	cursor->own_feed = cursor->feed = row_feed_create(cursor->source, supply->options.type);
	return cursor->feed != NULL;
}

static bool
open_spools(BatchCursor *cursor)
{
	const BatchSupplyOptions *options = &cursor->supply->options;

	cursor->builds_whole = options->hold || (cursor->own_feed == NULL && options->jobs > 1);
	if (cursor->builds_whole)
		cursor->built = body_spool_create(BATCH_MEMORY_BYTES);
	if (options->hold && options->gzip)
	{
		cursor->deflated = body_spool_create(BATCH_MEMORY_BYTES);
		cursor->deflate = body_deflate_create();
		if (cursor->deflated == NULL || cursor->deflate == NULL)
			return false;
	}
	return !cursor->builds_whole || cursor->built != NULL;
}

static bool
open_encoder(BatchCursor *cursor)
{
	const BatchSupplyOptions *options = &cursor->supply->options;

	cursor->encoder =
		batch_encoder_create(options->encoder, options->type, options->batch_rows,
							 options->max_batch_bytes, cursor->problem, sizeof(cursor->problem));
	return cursor->encoder != NULL && open_feed(cursor) && open_spools(cursor);
}

BatchCursor *
batch_cursor_create(BatchSupply *supply)
{
	BatchCursor *cursor = calloc(1, sizeof(BatchCursor));

	if (cursor == NULL)
		return NULL;
	cursor->supply = supply;
	if (supply->store == NULL && !open_encoder(cursor))
	{
		batch_cursor_free(cursor);
		return NULL;
	}
	return cursor;
}

void
batch_cursor_free(BatchCursor *cursor)
{
	if (cursor == NULL)
		return;
	batch_piece_reader_free(&cursor->reader);
	body_deflate_free(cursor->deflate);
	body_spool_free(cursor->deflated);
	body_spool_free(cursor->built);
	row_feed_free(cursor->own_feed);
	row_source_free(cursor->source);
	batch_encoder_free(cursor->encoder);
	free(cursor);
}

void
batch_cursor_set_alone(BatchCursor *cursor)
{
	cursor->builds_whole = cursor->supply->options.hold;
}

/* --- making a batch ---------------------------------------------------------- */

static BatchResult
make_piece(BatchCursor *cursor, BatchPiece *piece)
{
	BatchResult result = batch_encoder_piece(cursor->encoder, cursor->feed, piece);

	cursor->batch.rows = batch_encoder_rows(cursor->encoder);
	cursor->batch.bytes = batch_encoder_bytes(cursor->encoder);
	return result == BATCH_FAILED ? fail(cursor, batch_encoder_problem(cursor->encoder)) : result;
}

/* Sees to it that the feed has a row. */
static BatchResult
fill_feed(BatchCursor *cursor)
{
	switch (row_feed_fill(cursor->feed, &cursor->generate_ns))
	{
		case ROW_SOURCE_ROWS:
			return BATCH_OK;
		case ROW_SOURCE_END:
			return BATCH_END;
		case ROW_SOURCE_INTERRUPTED:
			return BATCH_INTERRUPTED;
		case ROW_SOURCE_FAILED:
			break;
	}
	return fail(cursor, row_feed_problem(cursor->feed));
}

static void
start_batch(BatchCursor *cursor, int64_t number)
{
	cursor->batch =
		(Batch){.number = number, .first_row = row_feed_row_number(cursor->feed), .wire_bytes = -1};
	cursor->has_pieces = !cursor->supply->options.hold;
	batch_encoder_start(cursor->encoder);
}

static bool
append_piece(BatchCursor *cursor, const BatchPiece *piece)
{
	int64_t start_ns = clock_now_ns();
	bool appended = cursor->supply->options.hold
						? body_spool_append(cursor->built, piece->bytes, piece->length)
						: batch_pieces_append(cursor->built, piece);

	cursor->encode_ns += clock_now_ns() - start_ns;
	return appended;
}

static BatchResult
build_batch(BatchCursor *cursor)
{
	BatchPiece piece;
	BatchResult result;

	body_spool_truncate(cursor->built, 0);
	while ((result = make_piece(cursor, &piece)) == BATCH_OK)
		if (!append_piece(cursor, &piece))
			return fail(cursor, body_spool_problem(cursor->built));
	if (result != BATCH_END)
		return result;
	batch_piece_reader_start(&cursor->reader, cursor->built, 0, body_spool_length(cursor->built));
	return BATCH_OK;
}

/* What is done with a batch that was built, and needs no other job to wait. */
static BatchResult
finish_body(BatchCursor *cursor)
{
	const BatchSupplyOptions *options = &cursor->supply->options;
	int64_t start_ns;
	const char *problem;

	if (!options->hold)
		return BATCH_OK;
	cursor->body = cursor->built;
	if (options->gzip)
	{
		start_ns = clock_now_ns();
		problem = body_deflate_run(cursor->deflate, cursor->built, cursor->deflated);
		cursor->encode_ns += clock_now_ns() - start_ns;
		if (problem != NULL)
			return fail(cursor, problem);
		cursor->body = cursor->deflated;
	}
	cursor->batch.wire_bytes = body_spool_length(cursor->body);
	return BATCH_OK;
}

/* --- the next batch ---------------------------------------------------------- */

static int64_t
next_number(BatchSupply *supply)
{
	int64_t number;

	pthread_mutex_lock(&supply->lock);
	number = ++supply->batches;
	pthread_mutex_unlock(&supply->lock);
	return number;
}

/* A range of rows that no other cursor gets; false when there is none left. */
static bool
take_range(BatchCursor *cursor)
{
	BatchSupply *supply = cursor->supply;
	int64_t first, last = supply->last_row;

	pthread_mutex_lock(&supply->lock);
	first = supply->next_row;
	if (last - first >= supply->options.batch_rows)
		last = first + supply->options.batch_rows - 1;
	if (first <= last)
		supply->next_row = last + 1;
	pthread_mutex_unlock(&supply->lock);
	if (first > last)
		return false;
	row_source_seek(cursor->source, first);
	row_feed_start(cursor->feed, first, last);
	return true;
}

static BatchResult
next_of_own_rows(BatchCursor *cursor)
{
	BatchResult result;

	if (row_feed_is_over(cursor->feed) && !take_range(cursor))
		return BATCH_END;
	result = fill_feed(cursor);
	if (result != BATCH_OK)
		return result;
	start_batch(cursor, next_number(cursor->supply));
	if (cursor->builds_whole)
		result = build_batch(cursor);
	return result == BATCH_OK ? finish_body(cursor) : result;
}

static BatchResult
next_of_shared_rows(BatchCursor *cursor)
{
	BatchSupply *supply = cursor->supply;
	int64_t start_ns = clock_now_ns();
	BatchResult result;

	pthread_mutex_lock(&supply->lock);
	cursor->generate_ns += clock_now_ns() - start_ns;
	result = fill_feed(cursor);
	if (result == BATCH_OK)
	{
		start_batch(cursor, ++supply->batches);
		if (cursor->builds_whole)
			result = build_batch(cursor);
	}
	pthread_mutex_unlock(&supply->lock);
	return result == BATCH_OK ? finish_body(cursor) : result;
}

/* 0 when all were handed out. */
static int64_t
next_stored_number(BatchSupply *supply)
{
	int64_t number = 0;

	pthread_mutex_lock(&supply->lock);
	if (supply->batches < batch_store_batches(supply->store))
		number = ++supply->batches;
	pthread_mutex_unlock(&supply->lock);
	return number;
}

static BatchResult
next_stored(BatchCursor *cursor)
{
	BatchStore *store = cursor->supply->store;
	bool hold = cursor->supply->options.hold;
	int64_t number = next_stored_number(cursor->supply);
	int64_t start_ns = clock_now_ns();
	BatchRecord record;
	bool found;

	if (number == 0)
		return BATCH_END;
	found = batch_store_find(store, number, &record);
	cursor->read_back_ns += clock_now_ns() - start_ns;
	if (!found)
		return fail(cursor, batch_store_problem(store));
	cursor->batch = (Batch){.number = number,
							.first_row = record.first_row,
							.rows = record.rows,
							.bytes = record.bytes,
							.wire_bytes = hold ? record.length : -1};
	cursor->has_pieces = !hold;
	cursor->body = batch_store_spool(store);
	cursor->body_offset = record.offset;
	batch_piece_reader_start(&cursor->reader, cursor->body, record.offset,
							 record.offset + record.length);
	return BATCH_OK;
}

BatchResult
batch_cursor_next(BatchCursor *cursor, Batch *batch)
{
	BatchResult result = batch_cursor_skip(cursor);

	if (result != BATCH_OK)
		return result;
	if (interrupt_requested())
		return BATCH_INTERRUPTED;
	if (cursor->supply->store != NULL)
		result = next_stored(cursor);
	else if (cursor->own_feed != NULL)
		result = next_of_own_rows(cursor);
	else
		result = next_of_shared_rows(cursor);
	if (result != BATCH_OK)
		return result;
	*batch = cursor->batch;
	return cursor->supply->options.hold ? take_bytes(cursor, cursor->batch.bytes) : BATCH_OK;
}

/* --- reading a batch --------------------------------------------------------- */

const Batch *
batch_cursor_batch(const BatchCursor *cursor)
{
	return &cursor->batch;
}

static bool
is_read_back(const BatchCursor *cursor)
{
	return cursor->supply->store != NULL || cursor->builds_whole;
}

static BatchResult
read_piece(BatchCursor *cursor, BatchPiece *piece)
{
	int64_t start_ns = clock_now_ns();
	bool read = batch_piece_reader_next(&cursor->reader, piece);

	cursor->read_back_ns += clock_now_ns() - start_ns;
	return read ? BATCH_OK : fail(cursor, cursor->reader.problem);
}

BatchResult
batch_cursor_piece(BatchCursor *cursor, const char **bytes, size_t *length, int *rows)
{
	BatchPiece piece = {0};
	BatchResult result = BATCH_OK;

	if (cursor->has_pieces && interrupt_requested())
		result = BATCH_INTERRUPTED;
	else if (cursor->has_pieces)
		result = is_read_back(cursor) ? read_piece(cursor, &piece) : make_piece(cursor, &piece);
	if (result == BATCH_END)
		result = BATCH_OK;
	if (result == BATCH_OK && piece.length == 0)
		cursor->has_pieces = false;
	*bytes = piece.bytes;
	*length = piece.length;
	*rows = piece.rows;
	return result == BATCH_OK ? take_bytes(cursor, (int64_t) piece.length) : result;
}

BatchResult
batch_cursor_skip(BatchCursor *cursor)
{
	BatchResult result = BATCH_OK;

	/* the rest may be without end */
	if (cursor->is_over_limit)
		return BATCH_FAILED;
	if (cursor->has_pieces && !is_read_back(cursor))
	{
		BatchPiece piece;

		while (result == BATCH_OK)
			result = make_piece(cursor, &piece);
	}
	if (result != BATCH_OK && result != BATCH_END)
		return result;
	cursor->has_pieces = false;
	return BATCH_OK;
}

ssize_t
batch_cursor_read_body(void *context, int64_t offset, char *bytes, size_t size)
{
	BatchCursor *cursor = context;
	int64_t left = cursor->batch.wire_bytes - offset;
	int64_t start_ns = clock_now_ns();
	ssize_t got;

	if (left <= 0)
		return 0;
	if ((int64_t) size > left)
		size = (size_t) left;
	got = body_spool_read(cursor->body, cursor->body_offset + offset, bytes, size);
	cursor->read_back_ns += clock_now_ns() - start_ns;
	if (got < 0)
		fail(cursor, body_spool_problem(cursor->body));
	return got;
}

const char *
batch_cursor_problem(const BatchCursor *cursor)
{
	return cursor->problem;
}

BatchCursorTimes
batch_cursor_times(const BatchCursor *cursor)
{
	BatchCursorTimes times = {.generate_ns = cursor->generate_ns,
							  .encode_ns = cursor->encode_ns,
							  .read_back_ns = cursor->read_back_ns,
							  .bytes = cursor->bytes};

	if (cursor->encoder != NULL)
	{
		times.generate_ns += batch_encoder_generate_ns(cursor->encoder);
		times.encode_ns += batch_encoder_encode_ns(cursor->encoder);
	}
	return times;
}
