#include "measure/batch_encoder.h"
#include "clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY (64 * 1024)
#define KEPT_CAPACITY  (1024 * 1024) /* what an unusually long row took beyond is given back */

struct BatchEncoder
{
	const RowEncoder *encoder;
	RowEncoderState *state;
	const RowType *type;
	int64_t max_rows, max_bytes;
	JsonEncoder to; /* its buffer holds the whole piece: to be full is to grow */
	bool is_begun, is_over;
	int64_t rows;  /* of the batch so far */
	int64_t bytes; /* of the pieces handed out */
	int64_t generate_ns, encode_ns;
	char problem[512];
};

static size_t
capacity_of(const BatchEncoder *batch)
{
	return (size_t) (batch->to.end - batch->to.buffer);
}

static bool grow(void *context, const char *bytes, size_t length);

/* The buffer with `length` bytes written. */
static void
use_buffer(BatchEncoder *batch, char *buffer, size_t capacity, size_t length)
{
	json_encoder_init(&batch->to, buffer, capacity, grow, batch);
	batch->to.position = buffer + length;
}

/* The encoder's flush: all that was written stays, in a larger buffer. */
static bool
grow(void *context, const char *bytes, size_t length)
{
	BatchEncoder *batch = context;
	size_t capacity = 2 * capacity_of(batch);
	char *buffer = realloc(batch->to.buffer, capacity);

	(void) bytes;
	if (buffer == NULL)
		return false;
	use_buffer(batch, buffer, capacity, length);
	return true;
}

static bool
empty_buffer(BatchEncoder *batch)
{
	if (capacity_of(batch) > KEPT_CAPACITY)
	{
		char *buffer = realloc(batch->to.buffer, KEPT_CAPACITY);

		if (buffer == NULL)
			return false;
		use_buffer(batch, buffer, KEPT_CAPACITY, 0);
		return true;
	}
	use_buffer(batch, batch->to.buffer, capacity_of(batch), 0);
	return true;
}

BatchEncoder *
batch_encoder_create(const RowEncoder *encoder, const RowType *type, int64_t batch_rows,
					 int64_t max_batch_bytes, char *problem, size_t problem_size)
{
	BatchEncoder *batch = calloc(1, sizeof(BatchEncoder));
	char *buffer = malloc(FIRST_CAPACITY);

	snprintf(problem, problem_size, "out of memory for an encoder of rows");
	if (batch != NULL && buffer != NULL)
		batch->state = encoder->open(type, problem, problem_size);
	if (batch == NULL || batch->state == NULL)
	{
		free(buffer);
		free(batch);
		return NULL;
	}
	problem[0] = '\0';
	batch->encoder = encoder;
	batch->type = type;
	batch->max_rows = batch_rows;
	batch->max_bytes = max_batch_bytes;
	use_buffer(batch, buffer, FIRST_CAPACITY, 0);
	return batch;
}

void
batch_encoder_free(BatchEncoder *batch)
{
	if (batch == NULL)
		return;
	batch->encoder->close(batch->state);
	free(batch->to.buffer);
	free(batch);
}

void
batch_encoder_start(BatchEncoder *batch)
{
	batch->is_begun = batch->is_over = false;
	batch->rows = batch->bytes = 0;
}

static bool
fail_at_column(BatchEncoder *batch, int64_t row, const Value *values, int column_number)
{
	const RowColumn *column = &batch->type->column[column_number];
	const Value *value = &values[column_number];
	bool is_text =
		column_type_is_text(column->type) && column->type != COLUMN_BYTEA && column->nested == NULL;
	bool has_nul = is_text && !value->is_null && value->text.length > 0 &&
				   memchr(value->text.bytes, '\0', value->text.length) != NULL;

	if (has_nul)
		snprintf(batch->problem, sizeof(batch->problem),
				 "row %" PRId64 ", column \"%s\": the text holds a NUL byte, which no text of "
				 "PostgreSQL can",
				 row, column->name);
	else
		snprintf(batch->problem, sizeof(batch->problem),
				 "row %" PRId64 ", column \"%s\": the value of type %s cannot be written as %s",
				 row, column->name, column->type_name, batch->encoder->name);
	return false;
}

static bool
fail_without_memory(BatchEncoder *batch, int64_t row)
{
	snprintf(batch->problem, sizeof(batch->problem), "row %" PRId64 ": out of memory to encode it",
			 row);
	return false;
}

static bool
fail_too_long(BatchEncoder *batch, int64_t row, int64_t bytes)
{
	snprintf(batch->problem, sizeof(batch->problem),
			 "row %" PRId64 ": it takes %" PRId64 " bytes alone, over the limit of %" PRId64
			 " bytes of a batch: raise --max-body-bytes, the endpoint's too, or leave the row "
			 "out",
			 row, bytes, batch->max_bytes);
	return false;
}

/* With its end, were it to end here. */
static int64_t
bytes_so_far(const BatchEncoder *batch)
{
	return batch->bytes + (int64_t) json_encoder_pending(&batch->to) +
		   (int64_t) batch->encoder->end_bytes;
}

/* Encodes the feed's next row; what would exceed the limit is undone, and the batch is over. */
static bool
encode_row(BatchEncoder *batch, RowFeed *feed, const Value *values)
{
	size_t mark = json_encoder_pending(&batch->to);
	int64_t row = row_feed_row_number(feed);
	int column = 0;

	if (!batch->encoder->row(batch->state, values, batch->rows == 0, &batch->to, &column))
		return fail_at_column(batch, row, values, column);
	if (batch->to.failed)
		return fail_without_memory(batch, row);
	if (batch->max_bytes > 0 && bytes_so_far(batch) > batch->max_bytes)
	{
		if (batch->rows == 0)
			return fail_too_long(batch, row, bytes_so_far(batch));
		batch->to.position = batch->to.buffer + mark;
		batch->is_over = true;
		return true;
	}
	row_feed_take(feed);
	batch->rows++;
	return true;
}

static bool
encode_chunk(BatchEncoder *batch, RowFeed *feed)
{
	const Value *values;

	while (!batch->is_over && (values = row_feed_row(feed)) != NULL)
	{
		if (!encode_row(batch, feed, values))
			return false;
		if (batch->rows == batch->max_rows)
			batch->is_over = true;
	}
	return true;
}

static bool
encode_piece(BatchEncoder *batch, RowFeed *feed)
{
	if (!empty_buffer(batch))
		return fail_without_memory(batch, row_feed_row_number(feed));
	if (!batch->is_begun)
		batch->encoder->begin(batch->state, &batch->to);
	batch->is_begun = true;
	if (!encode_chunk(batch, feed))
		return false;
	if (row_feed_is_over(feed))
		batch->is_over = true;
	if (batch->is_over)
		batch->encoder->end(batch->state, &batch->to);
	return !batch->to.failed || fail_without_memory(batch, row_feed_row_number(feed));
}

static BatchResult
fail_by_source(BatchEncoder *batch, const RowFeed *feed)
{
	snprintf(batch->problem, sizeof(batch->problem), "%s", row_feed_problem(feed));
	return BATCH_FAILED;
}

BatchResult
batch_encoder_piece(BatchEncoder *batch, RowFeed *feed, BatchPiece *piece)
{
	int64_t rows_before = batch->rows;
	int64_t start_ns;
	RowSourceResult filled;
	bool encoded;

	*piece = (BatchPiece){0};
	if (batch->is_over)
		return BATCH_END;
	filled = row_feed_fill(feed, &batch->generate_ns);
	if (filled == ROW_SOURCE_FAILED)
		return fail_by_source(batch, feed);
	if (filled == ROW_SOURCE_INTERRUPTED)
		return BATCH_INTERRUPTED;
	start_ns = clock_now_ns();
	encoded = encode_piece(batch, feed);
	batch->encode_ns += clock_now_ns() - start_ns;
	if (!encoded)
		return BATCH_FAILED;
	piece->bytes = batch->to.buffer;
	piece->length = json_encoder_pending(&batch->to);
	piece->rows = (int) (batch->rows - rows_before);
	batch->bytes += (int64_t) piece->length;
	return piece->length == 0 ? BATCH_END : BATCH_OK;
}

int64_t
batch_encoder_rows(const BatchEncoder *batch)
{
	return batch->rows;
}

int64_t
batch_encoder_bytes(const BatchEncoder *batch)
{
	return batch->bytes;
}

const char *
batch_encoder_problem(const BatchEncoder *batch)
{
	return batch->problem;
}

int64_t
batch_encoder_generate_ns(const BatchEncoder *batch)
{
	return batch->generate_ns;
}

int64_t
batch_encoder_encode_ns(const BatchEncoder *batch)
{
	return batch->encode_ns;
}
