/*
 * value_spool.c - see value_spool.h.
 *
 * A value is a head, 32 bits: twice its length, and the mark; then its bytes. The end of all that was
 * put stays in the buffer and is read from there.
 */
#include "rows/value_spool.h"

#include "clock.h"
#include "temporary_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES     (256 * 1024)
#define HEAD_BYTES       sizeof(uint32_t)
#define VALUE_MAX        (UINT32_MAX / 2)
#define READ_BYTES_TOTAL (2 * 1024 * 1024) /* all columns together, unless they are very many */
#define READ_BYTES_MIN   (4 * 1024)
#define READ_BYTES_MAX   (64 * 1024)

typedef struct SpooledColumn
{
	int64_t next; /* where in the spool to read on, and where the column ends */
	int64_t end;
	char *block; /* what was read and is not taken yet: from `taken` to `length` */
	size_t capacity;
	size_t length;
	size_t taken;
} SpooledColumn;

struct ValueSpool
{
	int file;      /* -1 until it is needed */
	int64_t filed; /* bytes that went to the file; the buffer's follow them */
	char *buffer;
	size_t buffered;
	size_t read_bytes; /* that a column reads at once */
	int64_t spent_ns;
	int64_t written_bytes;
	char problem[160];
	int columns;
	int current; /* column that is being put */
	SpooledColumn column[];
};

ValueSpool *
value_spool_create(int columns)
{
	ValueSpool *spool = calloc(1, sizeof(ValueSpool) + (size_t) columns * sizeof(SpooledColumn));
	size_t read_bytes = (size_t) READ_BYTES_TOTAL / (size_t) columns;

	if (spool == NULL)
		return NULL;
	spool->file = -1;
	spool->columns = columns;
	spool->read_bytes = read_bytes > READ_BYTES_MAX   ? READ_BYTES_MAX
						: read_bytes < READ_BYTES_MIN ? READ_BYTES_MIN
													  : read_bytes;
	spool->buffer = malloc(BUFFER_BYTES);
	if (spool->buffer != NULL)
		return spool;
	free(spool);
	return NULL;
}

void
value_spool_free(ValueSpool *spool)
{
	if (spool == NULL)
		return;
	if (spool->file >= 0)
		close(spool->file);
	for (int i = 0; i < spool->columns; i++)
		free(spool->column[i].block);
	free(spool->buffer);
	free(spool);
}

void
value_spool_reset(ValueSpool *spool)
{
	spool->filed = 0;
	spool->buffered = 0;
	spool->problem[0] = '\0';
	for (int i = 0; i < spool->columns; i++)
	{
		SpooledColumn *column = &spool->column[i];

		column->next = column->end = 0;
		column->length = column->taken = 0;
	}
}

static bool
fail(ValueSpool *spool, const char *what)
{
	snprintf(spool->problem, sizeof(spool->problem), "cannot %s a temporary file: %m", what);
	return false;
}

static bool
fail_memory(ValueSpool *spool)
{
	snprintf(spool->problem, sizeof(spool->problem), "out of memory");
	return false;
}

/* --- writing ----------------------------------------------------------------------------- */

static bool
write_buffer(ValueSpool *spool)
{
	if (spool->file < 0)
		spool->file = temporary_file_open();
	if (spool->file < 0)
		return fail(spool, "create");
	if (!temporary_file_write(spool->file, spool->buffer, spool->buffered, spool->filed))
		return fail(spool, "write");
	spool->filed += (int64_t) spool->buffered;
	spool->written_bytes += (int64_t) spool->buffered;
	spool->buffered = 0;
	return true;
}

static bool
put_bytes(ValueSpool *spool, const char *bytes, size_t length)
{
	while (length > 0)
	{
		size_t room = BUFFER_BYTES - spool->buffered;
		size_t piece = length < room ? length : room;

		memcpy(spool->buffer + spool->buffered, bytes, piece);
		spool->buffered += piece;
		bytes += piece;
		length -= piece;
		if (spool->buffered == BUFFER_BYTES)
		{
			int64_t start_ns = clock_now_ns();
			bool written = write_buffer(spool);

			spool->spent_ns += clock_now_ns() - start_ns;
			if (!written)
				return false;
		}
	}
	return true;
}

static int64_t
spool_length(const ValueSpool *spool)
{
	return spool->filed + (int64_t) spool->buffered;
}

void
value_spool_begin(ValueSpool *spool, int column)
{
	spool->current = column;
	spool->column[column].next = spool->column[column].end = spool_length(spool);
}

bool
value_spool_put(ValueSpool *spool, const SpooledValue *value)
{
	uint32_t head = (uint32_t) value->length << 1 | value->mark;

	if (value->length > VALUE_MAX)
	{
		snprintf(spool->problem, sizeof(spool->problem), "a value of more than %" PRIu32 " bytes",
				 VALUE_MAX);
		return false;
	}
	if (!put_bytes(spool, (const char *) &head, HEAD_BYTES) ||
		!put_bytes(spool, value->bytes, value->length))
		return false;
	spool->column[spool->current].end = spool_length(spool);
	return true;
}

/* --- reading ----------------------------------------------------------------------------- */

static bool
read_file(ValueSpool *spool, int64_t offset, char *bytes, size_t length)
{
	int64_t start_ns = clock_now_ns();
	ssize_t got = temporary_file_read(spool->file, bytes, length, offset);

	spool->spent_ns += clock_now_ns() - start_ns;
	if (got < 0)
		return fail(spool, "read");
	if ((size_t) got == length)
		return true;
	snprintf(spool->problem, sizeof(spool->problem), "a temporary file was cut short");
	return false;
}

/* Reads what was put at `offset`, from the file and, behind its end, from the buffer. */
static bool
read_bytes(ValueSpool *spool, int64_t offset, char *bytes, size_t length)
{
	int64_t filed = spool->filed - offset;
	size_t from_file = filed <= 0 ? 0 : filed < (int64_t) length ? (size_t) filed : length;

	if (from_file > 0 && !read_file(spool, offset, bytes, from_file))
		return false;
	if (from_file < length)
		memcpy(bytes + from_file, spool->buffer + (offset + (int64_t) from_file - spool->filed),
			   length - from_file);
	return true;
}

/* Makes the column's next `wanted` bytes lie together in its block. */
static bool
want_bytes(ValueSpool *spool, SpooledColumn *column, size_t wanted)
{
	size_t left = column->length - column->taken;
	size_t more;

	if (left >= wanted)
		return true;
	if (left > 0)
		memmove(column->block, column->block + column->taken, left);
	column->taken = 0;
	column->length = left;
	if (wanted > column->capacity)
	{
		size_t capacity = wanted > spool->read_bytes ? wanted : spool->read_bytes;
		char *block = realloc(column->block, capacity);

		if (block == NULL)
			return fail_memory(spool);
		column->block = block;
		column->capacity = capacity;
	}
	more = column->capacity - left;
	if ((int64_t) more > column->end - column->next)
		more = (size_t) (column->end - column->next);
	if (!read_bytes(spool, column->next, column->block + left, more))
		return false;
	column->next += (int64_t) more;
	column->length += more;
	return true;
}

bool
value_spool_take(ValueSpool *spool, int column_number, SpooledValue *value)
{
	SpooledColumn *column = &spool->column[column_number];
	uint32_t head;

	if (!want_bytes(spool, column, HEAD_BYTES))
		return false;
	memcpy(&head, column->block + column->taken, HEAD_BYTES);
	value->length = head >> 1;
	value->mark = head & 1;
	if (!want_bytes(spool, column, HEAD_BYTES + value->length))
		return false;
	value->bytes = column->block + column->taken + HEAD_BYTES;
	column->taken += HEAD_BYTES + value->length;
	return true;
}

const char *
value_spool_problem(const ValueSpool *spool)
{
	return spool->problem;
}

int64_t
value_spool_ns(const ValueSpool *spool)
{
	return spool->spent_ns;
}

int64_t
value_spool_bytes(const ValueSpool *spool)
{
	return spool->written_bytes;
}
