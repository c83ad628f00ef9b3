/*
 * batch_supply_test.c - every row exactly once and in exactly one batch, whatever the
 * source, the limits and the number of jobs; and what is told when it cannot be done.
 *
 * The measure of all is one encoding of all rows in a row: batches in the order of
 * their rows must give the same bytes.
 */
#include "measure/batch_supply.h"

#include "interrupt.h"
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#define ROWS     10500
#define SEED     7
#define MAX_JOBS 4

typedef struct Taken
{
	Batch batch;
	char *bytes; /* as they were handed out, uncompressed */
	size_t length;
} Taken;

/* What all jobs of one trial took. */
typedef struct Haul
{
	BatchSupply *supply;
	bool hold, gzip;
	pthread_mutex_t lock; /* of the rest */
	Taken *taken;
	size_t count;
	int broken;         /* pieces that are not of whole rows, lengths that are not as told */
	BatchResult result; /* END, or the first other */
	char problem[512];
	BatchCursorTimes times; /* of all jobs */
} Haul;

static RowType *reference_type;
static char file_path[] = "/tmp/batch_supply_test_XXXXXX";
static Taken whole_text, whole_lines; /* all rows as COPY text and as NDJSON */

static void
check_memory(const void *memory)
{
	if (memory == NULL)
		abort();
}

static FILE *
open_temporary(char *path)
{
	int file = mkstemp(path);
	FILE *stream = file < 0 ? NULL : fdopen(file, "w");

	if (stream == NULL)
		abort();
	return stream;
}

static void
add_bytes(Taken *taken, const char *bytes, size_t length)
{
	taken->bytes = realloc(taken->bytes, taken->length + length + 1);
	check_memory(taken->bytes);
	memcpy(taken->bytes + taken->length, bytes, length);
	taken->length += length;
}

/* --- one job ----------------------------------------------------------------- */

static int
count_lines(const char *bytes, size_t length)
{
	int lines = 0;

	for (size_t i = 0; i < length; i++)
		lines += bytes[i] == '\n';
	return lines;
}

/* The pieces of a batch of COPY text; how many of them are not of whole rows. */
static int
take_pieces(BatchCursor *cursor, Taken *taken, BatchResult *result)
{
	int broken = 0;

	for (;;)
	{
		const char *bytes;
		size_t length;
		int rows;

		*result = batch_cursor_piece(cursor, &bytes, &length, &rows);
		if (*result != BATCH_OK || length == 0)
			break;
		broken += bytes[length - 1] != '\n' || count_lines(bytes, length) != rows;
		add_bytes(taken, bytes, length);
	}
	taken->batch = *batch_cursor_batch(cursor);
	return broken;
}

static void
inflate_all(Taken *taken, const Taken *body)
{
	z_stream stream = {0};
	char bytes[5000];
	int result = inflateInit2(&stream, 15 + 16);

	stream.next_in = (Bytef *) body->bytes;
	stream.avail_in = (uInt) body->length;
	while (result == Z_OK)
	{
		stream.next_out = (Bytef *) bytes;
		stream.avail_out = sizeof(bytes);
		result = inflate(&stream, Z_NO_FLUSH);
		add_bytes(taken, bytes, sizeof(bytes) - stream.avail_out);
	}
	if (result != Z_STREAM_END || stream.avail_in != 0)
		taken->length = 0;
	inflateEnd(&stream);
}

/* Reads the body twice, in pieces of different sizes, as a retry would. */
static int
take_body(BatchCursor *cursor, bool gzip, Taken *taken)
{
	Taken body = {0};
	char bytes[7000];
	ssize_t got;
	int broken = 0;

	while ((got = batch_cursor_read_body(cursor, (int64_t) body.length, bytes, 7000)) > 0)
		add_bytes(&body, bytes, (size_t) got);
	broken += got != 0 || (int64_t) body.length != taken->batch.wire_bytes;
	for (size_t offset = 0; offset < body.length; offset += (size_t) got)
	{
		got = batch_cursor_read_body(cursor, (int64_t) offset, bytes, 1001);
		if (got <= 0 || memcmp(bytes, body.bytes + offset, (size_t) got) != 0)
			return broken + 1;
	}
	if (gzip)
		inflate_all(taken, &body);
	else
		add_bytes(taken, body.bytes, body.length);
	free(body.bytes);
	return broken;
}

static void
keep(Haul *haul, const Taken *taken, int broken)
{
	pthread_mutex_lock(&haul->lock);
	haul->taken = realloc(haul->taken, (haul->count + 1) * sizeof(Taken));
	check_memory(haul->taken);
	haul->taken[haul->count++] = *taken;
	haul->broken += broken + ((int64_t) taken->length != taken->batch.bytes);
	pthread_mutex_unlock(&haul->lock);
}

static void
end_job(Haul *haul, BatchCursor *cursor, BatchResult result)
{
	BatchCursorTimes times = batch_cursor_times(cursor);

	pthread_mutex_lock(&haul->lock);
	if (haul->result == BATCH_END && result != BATCH_END)
	{
		haul->result = result;
		snprintf(haul->problem, sizeof(haul->problem), "%s", batch_cursor_problem(cursor));
	}
	haul->times.generate_ns += times.generate_ns;
	haul->times.encode_ns += times.encode_ns;
	haul->times.read_back_ns += times.read_back_ns;
	haul->times.bytes += times.bytes;
	pthread_mutex_unlock(&haul->lock);
}

static void *
run_job(void *context)
{
	Haul *haul = context;
	BatchCursor *cursor = batch_cursor_create(haul->supply);
	BatchResult result;

	check_memory(cursor);
	for (;;)
	{
		Taken taken = {0};
		int broken;

		result = batch_cursor_next(cursor, &taken.batch);
		if (result != BATCH_OK)
			break;
		broken = haul->hold ? take_body(cursor, haul->gzip, &taken)
							: take_pieces(cursor, &taken, &result);
		if (result != BATCH_OK)
		{
			free(taken.bytes);
			break;
		}
		keep(haul, &taken, broken);
	}
	end_job(haul, cursor, result);
	batch_cursor_free(cursor);
	return NULL;
}

/* --- a trial ----------------------------------------------------------------- */

static int
by_first_row(const void *left, const void *right)
{
	const Taken *a = left, *b = right;

	return (a->batch.first_row > b->batch.first_row) - (a->batch.first_row < b->batch.first_row);
}

/* Runs the jobs; the batches in the order of their rows. */
static void
run_trial(Haul *haul, BatchSupply *supply, const BatchSupplyOptions *options)
{
	pthread_t thread[MAX_JOBS];

	*haul =
		(Haul){.supply = supply, .hold = options->hold, .gzip = options->gzip, .result = BATCH_END};
	pthread_mutex_init(&haul->lock, NULL);
	for (int i = 0; i < options->jobs; i++)
		if (pthread_create(&thread[i], NULL, run_job, haul) != 0)
			abort();
	for (int i = 0; i < options->jobs; i++)
		pthread_join(thread[i], NULL);
	if (haul->count > 0)
		qsort(haul->taken, haul->count, sizeof(Taken), by_first_row);
}

static void
free_haul(Haul *haul)
{
	for (size_t i = 0; i < haul->count; i++)
		free(haul->taken[i].bytes);
	free(haul->taken);
	pthread_mutex_destroy(&haul->lock);
}

/* Whether numbers are 1, 2, ... in whatever order. */
static bool
is_numbered(const Haul *haul)
{
	bool *seen = calloc(haul->count + 1, sizeof(bool));
	bool all = true;

	check_memory(seen);
	for (size_t i = 0; i < haul->count; i++)
	{
		int64_t number = haul->taken[i].batch.number;

		if (number < 1 || number > (int64_t) haul->count || seen[number])
			all = false;
		else
			seen[number] = true;
	}
	free(seen);
	return all;
}

/* The batch that does not begin where the one before ended, or is larger than it may be; -1. */
static int64_t
find_misplaced(const Haul *haul, const BatchSupplyOptions *options)
{
	int64_t next = 1;

	for (size_t i = 0; i < haul->count; i++)
	{
		const Batch *batch = &haul->taken[i].batch;

		if (batch->first_row != next || batch->rows < 1 || batch->rows > options->batch_rows)
			return batch->number;
		if (options->max_batch_bytes > 0 && batch->bytes > options->max_batch_bytes)
			return batch->number;
		next += batch->rows;
	}
	return -1;
}

static int64_t
rows_of(const Haul *haul)
{
	int64_t rows = 0;

	for (size_t i = 0; i < haul->count; i++)
		rows += haul->taken[i].batch.rows;
	return rows;
}

/* Whether all batches one after the other are the first bytes of `whole`, or all of it. */
static bool
is_same_stream(const Haul *haul, const Taken *whole, bool to_the_end)
{
	size_t at = 0;

	for (size_t i = 0; i < haul->count; i++)
	{
		const Taken *taken = &haul->taken[i];

		if (taken->length > whole->length - at ||
			memcmp(taken->bytes, whole->bytes + at, taken->length) != 0)
			return false;
		at += taken->length;
	}
	return !to_the_end || at == whole->length;
}

static void
check_haul(const Haul *haul, const BatchSupplyOptions *options, const char *name)
{
	const Taken *whole = options->hold ? &whole_lines : &whole_text;

	unit_equal_int(haul->result, BATCH_END, name);
	unit_equal_int(haul->broken, 0, name);
	unit_ok(is_numbered(haul), name);
	unit_equal_int(find_misplaced(haul, options), -1, name);
	unit_equal_int(rows_of(haul), ROWS, name);
	unit_ok(is_same_stream(haul, whole, true), name);
	unit_equal_int(haul->times.bytes, (int64_t) whole->length, name);
}

static BatchSupply *
open_supply(const BatchSupplyOptions *options)
{
	char problem[512];
	BatchSupply *supply = batch_supply_create(options, problem, sizeof(problem));

	if (supply == NULL)
		printf("# %s\n", problem);
	check_memory(supply);
	return supply;
}

static RowSource *
open_source(bool from_file)
{
	RowSource *source = from_file ? row_source_file(file_path, ROW_FILE_COPY_TEXT, reference_type)
								  : row_source_reference(ROWS, SEED);

	check_memory(source);
	return source;
}

static BatchSupplyOptions
make_options(RowSource *source, bool hold)
{
	return (BatchSupplyOptions){.source = source,
								.encoder = hold ? &row_encoder_ndjson : &row_encoder_copy_text,
								.type = reference_type,
								.rows = -1,
								.batch_rows = 1000,
								.jobs = 1,
								.hold = hold};
}

/* --- live and beforehand, over all ways -------------------------------------- */

static bool
is_equal_batch(const Taken *left, const Taken *right)
{
	return left->batch.first_row == right->batch.first_row &&
		   left->batch.rows == right->batch.rows && left->batch.bytes == right->batch.bytes &&
		   left->batch.wire_bytes == right->batch.wire_bytes && left->length == right->length &&
		   memcmp(left->bytes, right->bytes, left->length) == 0;
}

static void
check_equal_hauls(const Haul *left, const Haul *right, const char *name)
{
	size_t different = left->count == right->count ? 0 : 1;

	for (size_t i = 0; different == 0 && i < left->count; i++)
		different += !is_equal_batch(&left->taken[i], &right->taken[i]);
	unit_equal_int((int64_t) different, 0, name);
}

/* Two trials live and two that read back, of the same options. */
static void
check_all_trials(const BatchSupplyOptions *options, const char *name)
{
	BatchSupply *supply = open_supply(options);
	Haul live, again, stored, stored_again;

	run_trial(&live, supply, options);
	check_haul(&live, options, name);
	unit_ok(live.times.generate_ns > 0 && live.times.encode_ns > 0, name);
	unit_ok(batch_supply_rewind(supply), name);
	run_trial(&again, supply, options);
	check_haul(&again, options, name);
	check_equal_hauls(&live, &again, name);

	unit_ok(batch_supply_rewind(supply), name);
	unit_equal_int(batch_supply_pregenerate(supply), BATCH_OK, name);
	run_trial(&stored, supply, options);
	check_haul(&stored, options, name);
	check_equal_hauls(&live, &stored, name);
	unit_equal_int(stored.times.generate_ns + stored.times.encode_ns, 0, name);
	unit_ok(stored.times.read_back_ns > 0, name);
	unit_ok(batch_supply_rewind(supply), name);
	run_trial(&stored_again, supply, options);
	check_equal_hauls(&live, &stored_again, name);

	free_haul(&live);
	free_haul(&again);
	free_haul(&stored);
	free_haul(&stored_again);
	batch_supply_free(supply);
}

static void
test_all_ways(void)
{
	static const int64_t limits[] = {0, 50000, 3000};
	static const int job_counts[] = {1, MAX_JOBS};

	for (int from_file = 0; from_file <= 1; from_file++)
		for (int hold = 0; hold <= 2; hold++) /* 2: compressed */
			for (int i = 0; i < 3; i++)
				for (int j = 0; j < 2; j++)
				{
					RowSource *source = open_source(from_file);
					BatchSupplyOptions options = make_options(source, hold > 0);
					char name[100];

					options.gzip = hold == 2;
					options.max_batch_bytes = limits[i];
					options.jobs = job_counts[j];
					snprintf(name, sizeof(name), "%s, %s, limit %d, jobs %d",
							 from_file ? "file" : "generator",
							 hold == 0   ? "pieces"
							 : hold == 1 ? "held"
										 : "compressed",
							 (int) limits[i], job_counts[j]);
					check_all_trials(&options, name);
					row_source_free(source);
				}
}

/* --- sizes ------------------------------------------------------------------- */

static void
check_batches(bool from_file, int64_t rows, int64_t batch_rows, int64_t wanted_batches,
			  int64_t wanted_rows, const char *name)
{
	RowSource *source = open_source(from_file);
	BatchSupplyOptions options = make_options(source, false);
	BatchSupply *supply;
	Haul haul;

	options.rows = rows;
	options.batch_rows = batch_rows;
	supply = open_supply(&options);
	run_trial(&haul, supply, &options);
	unit_equal_int(haul.result, BATCH_END, name);
	unit_equal_int(haul.broken, 0, name);
	unit_equal_int((int64_t) haul.count, wanted_batches, name);
	unit_equal_int(rows_of(&haul), wanted_rows, name);
	unit_equal_int(find_misplaced(&haul, &options), -1, name);
	unit_ok(is_same_stream(&haul, &whole_text, wanted_rows == ROWS), name);
	free_haul(&haul);
	batch_supply_free(supply);
	row_source_free(source);
}

static void
test_sizes(void)
{
	for (int from_file = 0; from_file <= 1; from_file++)
	{
		check_batches(from_file, 0, 1000, 0, 0, "no row, no batch");
		check_batches(from_file, 1, 1000, 1, 1, "one row");
		check_batches(from_file, 2000, 1000, 2, 2000, "two full batches and no empty one");
		check_batches(from_file, 2001, 1000, 3, 2001, "a row over");
		check_batches(from_file, ROWS + 100, 1000, 11, ROWS, "more than there are");
		check_batches(from_file, -1, ROWS, 1, ROWS, "exactly one batch");
		check_batches(from_file, -1, ROWS / 2, 2, ROWS, "exactly two, the end not known before");
		check_batches(from_file, -1, INT64_MAX, 1, ROWS, "no limit");
		check_batches(from_file, 300, 1, 300, 300, "a row each");
	}
}

/* --- formats with a start and an end ----------------------------------------- */

typedef struct Frame
{
	const RowEncoder *encoder;
	const char *start, *between, *end; /* of a batch; between rows */
	size_t start_length, between_length, end_length;
} Frame;

static bool
has_frame(const Taken *taken, const Frame *frame)
{
	return taken->length > frame->start_length + frame->end_length &&
		   memcmp(taken->bytes, frame->start, frame->start_length) == 0 &&
		   memcmp(taken->bytes + taken->length - frame->end_length, frame->end,
				  frame->end_length) == 0;
}

/* All batches as one, as if they had not been cut; how many have no start or no end. */
static int
join(const Haul *haul, const Frame *frame, Taken *joined)
{
	int wrong = 0;

	add_bytes(joined, frame->start, frame->start_length);
	for (size_t i = 0; i < haul->count; i++)
	{
		const Taken *taken = &haul->taken[i];

		if (!has_frame(taken, frame))
		{
			wrong++;
			continue;
		}
		if (i > 0)
			add_bytes(joined, frame->between, frame->between_length);
		add_bytes(joined, taken->bytes + frame->start_length,
				  taken->length - frame->start_length - frame->end_length);
	}
	add_bytes(joined, frame->end, frame->end_length);
	return wrong;
}

static void
check_frame(const Frame *frame, bool from_file)
{
	RowSource *source = open_source(from_file);
	BatchSupplyOptions options = make_options(source, frame->encoder->media_type != NULL);
	BatchSupply *supply;
	Haul cut, whole;
	Taken joined = {0};

	options.encoder = frame->encoder;
	options.max_batch_bytes = 50000;
	supply = open_supply(&options);
	run_trial(&cut, supply, &options);
	unit_equal_int(join(&cut, frame, &joined), 0, "each batch has its start and its end");
	unit_equal_int(find_misplaced(&cut, &options), -1, "and stays within the limit, all included");
	unit_equal_int(rows_of(&cut), ROWS, "and all rows are there");
	batch_supply_free(supply);

	options.max_batch_bytes = 0;
	options.batch_rows = ROWS;
	if (!row_source_rewind(source))
		abort();
	supply = open_supply(&options);
	run_trial(&whole, supply, &options);
	unit_ok(whole.count == 1 && whole.taken[0].length == joined.length &&
				memcmp(whole.taken[0].bytes, joined.bytes, joined.length) == 0,
			"the batches joined are the one that was not cut");
	batch_supply_free(supply);
	free(joined.bytes);
	free_haul(&cut);
	free_haul(&whole);
	row_source_free(source);
}

static void
test_frames(void)
{
	static const Frame binary = {.encoder = &row_encoder_copy_binary,
								 .start = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0",
								 .start_length = 19,
								 .end = "\377\377",
								 .end_length = 2,
								 .between = ""};
	static const Frame array = {.encoder = &row_encoder_json_array,
								.start = "[",
								.start_length = 1,
								.between = ",",
								.between_length = 1,
								.end = "]",
								.end_length = 1};

	for (int from_file = 0; from_file <= 1; from_file++)
	{
		check_frame(&binary, from_file);
		check_frame(&array, from_file);
	}
}

/* A limit that the batch meets exactly holds it; a byte less does not. */
static void
test_exact_limit(void)
{
	RowSource *source = open_source(false);
	BatchSupplyOptions options = make_options(source, true);
	BatchSupply *supply;
	Haul all, exact, less;

	options.encoder = &row_encoder_json_array;
	options.rows = options.batch_rows = 300;
	supply = open_supply(&options);
	run_trial(&all, supply, &options);
	batch_supply_free(supply);

	options.max_batch_bytes = all.taken[0].batch.bytes;
	supply = open_supply(&options);
	run_trial(&exact, supply, &options);
	unit_equal_int((int64_t) exact.count, 1, "a batch of exactly the limit");
	batch_supply_free(supply);

	options.max_batch_bytes--;
	supply = open_supply(&options);
	run_trial(&less, supply, &options);
	unit_equal_int((int64_t) less.count, 2, "a byte less cuts it");
	unit_equal_int(less.taken[0].batch.rows, 299, "before its last row");
	unit_equal_int(less.taken[1].batch.first_row, 300, "which is the next batch");
	batch_supply_free(supply);
	free_haul(&all);
	free_haul(&exact);
	free_haul(&less);
	row_source_free(source);
}

/* --- a batch that is given up ------------------------------------------------ */

static void
check_given_up(bool from_file, int jobs, bool pregenerate)
{
	RowSource *source = open_source(from_file);
	BatchSupplyOptions options = make_options(source, false);
	BatchSupply *supply;
	BatchCursor *cursor;
	Batch batch;
	const char *bytes;
	size_t length;
	int rows;

	options.jobs = jobs;
	supply = open_supply(&options);
	if (pregenerate)
		unit_equal_int(batch_supply_pregenerate(supply), BATCH_OK, "pregenerated");
	cursor = batch_cursor_create(supply);
	check_memory(cursor);
	unit_equal_int(batch_cursor_next(cursor, &batch), BATCH_OK, "a batch");
	unit_equal_int(batch_cursor_piece(cursor, &bytes, &length, &rows), BATCH_OK, "a piece of it");
	unit_equal_int(rows, ROW_CHUNK_ROWS, "of a chunk of rows");
	unit_equal_int(batch_cursor_skip(cursor), BATCH_OK, "skipped then");
	unit_equal_int(batch_cursor_batch(cursor)->rows, 1000, "its rows are known");
	unit_equal_int(batch_cursor_piece(cursor, &bytes, &length, &rows), BATCH_OK, "a piece more");
	unit_equal_int((int64_t) length, 0, "there is none");
	unit_equal_int(batch_cursor_next(cursor, &batch), BATCH_OK, "the second batch, not read");
	unit_equal_int(batch_cursor_next(cursor, &batch), BATCH_OK, "the third");
	unit_equal_int(batch.number, 3, "by its number");
	unit_equal_int(batch.first_row, 2001, "begins where the second ended");
	batch_cursor_free(cursor);
	batch_supply_free(supply);
	row_source_free(source);
}

static void
test_given_up(void)
{
	check_given_up(false, 1, false);
	check_given_up(true, 1, false);
	check_given_up(true, 2, false);
	check_given_up(false, 1, true);
}

/* --- errors ------------------------------------------------------------------ */

static void
check_too_long(bool hold, bool pregenerate)
{
	RowSource *source = open_source(false);
	BatchSupplyOptions options = make_options(source, hold);
	BatchSupply *supply;
	Haul haul;
	char wanted[200];
	size_t longest = 0, row = 0, rows = 0, start = 0;
	const Taken *whole = hold ? &whole_lines : &whole_text;

	for (size_t i = 0; i < whole->length; i++)
	{
		if (whole->bytes[i] != '\n')
			continue;
		rows++;
		if (i + 1 - start > longest)
		{
			longest = i + 1 - start;
			row = rows;
		}
		start = i + 1;
	}
	options.max_batch_bytes = (int64_t) longest - 1;
	snprintf(wanted, sizeof(wanted),
			 "row %zu: it takes %zu bytes alone, over the limit of %zu bytes of a batch: raise "
			 "--max-body-bytes, the endpoint's too, or leave the row out",
			 row, longest, longest - 1);
	supply = open_supply(&options);
	if (pregenerate)
	{
		const char *problem = batch_supply_problem(supply);

		unit_equal_int(batch_supply_pregenerate(supply), BATCH_FAILED, "a row over the limit");
		unit_equal_bytes(problem, strlen(problem), wanted, "is told by its number");
	}
	else
	{
		run_trial(&haul, supply, &options);
		unit_equal_int(haul.result, BATCH_FAILED, "a row over the limit");
		unit_equal_bytes(haul.problem, strlen(haul.problem), wanted, "is told by its number");
		unit_equal_int(rows_of(&haul), (int64_t) row - 1, "after all the rows before");
		free_haul(&haul);
	}
	batch_supply_free(supply);
	row_source_free(source);
}

/* An encoder of ids, which cannot do one of them. */
#define BAD_ID 2345

static RowEncoderState *
open_ids(const RowType *type, char *problem, size_t problem_size)
{
	(void) problem;
	(void) problem_size;
	return (RowEncoderState *) (void *) (uintptr_t) type;
}

static void
close_ids(RowEncoderState *state)
{
	(void) state;
}

static void
put_nothing(RowEncoderState *state, JsonEncoder *to)
{
	(void) state;
	(void) to;
}

static bool
put_id(RowEncoderState *state, const Value *values, bool first, JsonEncoder *to, int *column)
{
	(void) state;
	(void) first;
	json_encode_int64(to, values[0].integer);
	json_encode_char(to, '\n');
	*column = 3;
	return values[0].integer != BAD_ID;
}

static const RowEncoder encoder_of_ids = {.name = "ids",
										  .open = open_ids,
										  .close = close_ids,
										  .begin = put_nothing,
										  .row = put_id,
										  .end = put_nothing};

static void
check_bad_value(bool from_file, bool hold, int jobs)
{
	RowSource *source = open_source(from_file);
	BatchSupplyOptions options = make_options(source, hold);
	BatchSupply *supply;
	Haul haul;

	options.encoder = &encoder_of_ids;
	options.jobs = jobs;
	supply = open_supply(&options);
	run_trial(&haul, supply, &options);
	unit_equal_int(haul.result, BATCH_FAILED, "a value that cannot be encoded");
	unit_equal_bytes(
		haul.problem, strlen(haul.problem),
		"row 2345, column \"amount\": the value of type numeric(12,2) cannot be written as ids",
		"is told by row and column");
	for (size_t i = 0; i < haul.count; i++)
		unit_ok(haul.taken[i].batch.first_row != 2001, "its batch was not handed out whole");
	free_haul(&haul);
	batch_supply_free(supply);
	row_source_free(source);
}

/* A file whose row 1001 is none. */
static void
test_bad_file(int jobs)
{
	char path[] = "/tmp/batch_supply_bad_XXXXXX";
	FILE *stream = open_temporary(path);
	size_t good = 0;
	RowSource *source;
	BatchSupplyOptions options;
	BatchSupply *supply;
	Haul haul;

	for (int lines = 0; lines < 1000; good++)
		lines += whole_text.bytes[good] == '\n';
	fwrite(whole_text.bytes, 1, good, stream);
	fputs("no row\n", stream);
	fclose(stream);
	source = row_source_file(path, ROW_FILE_COPY_TEXT, reference_type);
	check_memory(source);
	options = make_options(source, false);
	options.batch_rows = 400;
	options.jobs = jobs;
	supply = open_supply(&options);
	run_trial(&haul, supply, &options);
	unit_equal_int(haul.result, BATCH_FAILED, "a row that cannot be read");
	unit_ok(strstr(haul.problem, "row 1001") != NULL, "is told by its number");
	unit_equal_int(rows_of(&haul), 800, "two batches came before");
	free_haul(&haul);
	batch_supply_free(supply);
	row_source_free(source);
	unlink(path);
}

static void
test_errors(void)
{
	RowType *type = row_type_create(1);
	RowSource *source = open_source(false);
	BatchSupplyOptions options = make_options(source, false);
	char problem[200] = "";

	check_too_long(false, false);
	check_too_long(true, false);
	check_too_long(false, true);
	check_too_long(true, true);
	for (int from_file = 0; from_file <= 1; from_file++)
		for (int hold = 0; hold <= 1; hold++)
		{
			check_bad_value(from_file, hold, 1);
			check_bad_value(from_file, hold, MAX_JOBS);
		}
	test_bad_file(1);
	test_bad_file(MAX_JOBS);

	check_memory(type);
	row_type_set_column(type, 0, "host", "inet", 869);
	options.type = type;
	options.encoder = &row_encoder_copy_binary;
	unit_ok(batch_supply_create(&options, problem, sizeof(problem)) == NULL,
			"a type that the encoder cannot write");
	unit_equal_bytes(problem, strlen(problem),
					 "column \"host\" of type inet has no binary form here: write it as text",
					 "is told when the supply is made");
	row_source_free(source);
	row_type_free(type);
}

/* --- the end of all: a signal ------------------------------------------------- */

static void
test_interrupt(void)
{
	RowSource *source = open_source(false);
	BatchSupplyOptions options = make_options(source, false);
	BatchSupply *supply = open_supply(&options);
	BatchCursor *cursor = batch_cursor_create(supply);
	Batch batch;
	const char *bytes;
	size_t length;
	int rows;

	check_memory(cursor);
	unit_ok(interrupt_install(), "handlers");
	unit_equal_int(batch_cursor_next(cursor, &batch), BATCH_OK, "a batch before the signal");
	raise(SIGINT);
	unit_equal_int(batch_cursor_piece(cursor, &bytes, &length, &rows), BATCH_INTERRUPTED,
				   "no piece after it");
	unit_equal_int(batch_cursor_next(cursor, &batch), BATCH_INTERRUPTED, "no batch after it");
	batch_cursor_free(cursor);
	unit_equal_int(batch_supply_pregenerate(supply), BATCH_INTERRUPTED,
				   "nothing is made beforehand after it");
	batch_supply_free(supply);
	row_source_free(source);
}

/* All rows in one batch, as one cursor gets them from the generator. */
static void
make_whole(Taken *whole, bool hold)
{
	RowSource *source = open_source(false);
	BatchSupplyOptions options = make_options(source, hold);
	BatchSupply *supply;
	Haul haul;

	options.batch_rows = ROWS;
	supply = open_supply(&options);
	run_trial(&haul, supply, &options);
	unit_equal_int((int64_t) haul.count, 1, "one batch of all rows");
	unit_equal_int(count_lines(haul.taken[0].bytes, haul.taken[0].length), ROWS, "a line each");
	*whole = haul.taken[0];
	haul.count = 0;
	free_haul(&haul);
	batch_supply_free(supply);
	row_source_free(source);
}

static void
write_file(void)
{
	FILE *stream = open_temporary(file_path);

	if (fwrite(whole_text.bytes, 1, whole_text.length, stream) != whole_text.length ||
		fclose(stream) != 0)
		abort();
}

/* What a new encoder says of itself may be shown when its batch is given up. */
static void
test_no_problem(void)
{
	char problem[200] = "?";
	BatchEncoder *encoder = batch_encoder_create(&row_encoder_copy_text, reference_type, 10, 0,
												 problem, sizeof(problem));

	unit_ok(encoder != NULL, "an encoder is made");
	unit_equal_bytes(problem, strlen(problem), "", "an encoder that was made has no problem");
	batch_encoder_free(encoder);
}

/* Bytes that one cursor was handed out until *result. */
static int64_t
take_all(BatchCursor *cursor, bool hold, BatchResult *result)
{
	int64_t bytes = 0;
	Batch batch;

	while ((*result = batch_cursor_next(cursor, &batch)) == BATCH_OK)
	{
		const char *piece;
		size_t length;
		int rows;

		if (hold)
			bytes += batch.bytes;
		while (!hold &&
			   (*result = batch_cursor_piece(cursor, &piece, &length, &rows)) == BATCH_OK &&
			   length > 0)
			bytes += (int64_t) length;
		if (*result != BATCH_OK)
			break;
	}
	return bytes;
}

/* Two trials, with a limit over both of half a trial more than one. */
static void
test_byte_limit(bool hold, int64_t whole_length)
{
	RowSource *source = row_source_reference(ROWS, SEED);
	const BatchSupplyOptions options = {
		.source = source,
		.encoder = hold ? &row_encoder_ndjson : &row_encoder_copy_text,
		.type = reference_type,
		.rows = ROWS,
		.batch_rows = 1000,
		.max_bytes = whole_length * 3 / 2,
		.jobs = 1,
		.hold = hold,
	};
	char problem[200];
	BatchSupply *supply = batch_supply_create(&options, problem, sizeof(problem));
	BatchCursor *first = batch_cursor_create(supply), *second;
	BatchResult result;
	int64_t bytes = take_all(first, hold, &result);

	unit_ok(result == BATCH_END && bytes == whole_length, "limit of bytes: a trial below it");
	batch_cursor_free(first);
	batch_supply_rewind(supply);
	second = batch_cursor_create(supply);
	bytes += take_all(second, hold, &result);
	unit_ok(result == BATCH_FAILED, "limit of bytes: the next trial goes beyond");
	unit_ok(bytes <= options.max_bytes && bytes > options.max_bytes * 9 / 10,
			"limit of bytes: no more is handed out");
	unit_ok(strstr(batch_cursor_problem(second), "--max-write-bytes") != NULL,
			"limit of bytes: says so");
	unit_ok(batch_cursor_skip(second) == BATCH_FAILED, "limit of bytes: the rest is not made");
	batch_cursor_free(second);
	batch_supply_free(supply);
	row_source_free(source);
}

int
main(void)
{
	reference_type = row_type_reference();
	check_memory(reference_type);
	make_whole(&whole_text, false);
	make_whole(&whole_lines, true);
	write_file();
	test_all_ways();
	test_sizes();
	test_frames();
	test_exact_limit();
	test_given_up();
	test_errors();
	test_no_problem();
	test_byte_limit(false, (int64_t) whole_text.length);
	test_byte_limit(true, (int64_t) whole_lines.length);
	test_interrupt();
	unlink(file_path);
	free(whole_text.bytes);
	free(whole_lines.bytes);
	row_type_free(reference_type);
	return unit_done();
}
