#include "rows/column_spool.h"
#include "clock.h"
#include "temporary_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_MAX    (64 * 1024)
#define BLOCK_MIN    (4 * 1024)
#define BLOCKS_TOTAL (2 * 1024 * 1024) /* all columns together, unless they are very many */

/* At the start of each block of the file. */
typedef struct BlockHead
{
	int64_t next;   /* number of the column's next block; it may never have been written */
	int64_t length; /* bytes that follow */
} BlockHead;

typedef struct Column
{
	ColumnSpool *spool;
	JsonEncoder encoder;
	char *block;     /* a head, then what the encoder writes */
	int64_t first;   /* numbers of blocks in the file */
	int64_t current; /* the one that the block in memory would get; equal to first: none written */
	bool numbered;
} Column;

struct ColumnSpool
{
	int columns;
	int file; /* -1 until something is spilled */
	size_t block_size;
	int64_t blocks; /* numbers given out */
	int64_t max_bytes;
	int64_t spent_ns;
	char *memory; /* the blocks, and one more to read into */
	char problem[160];
	Column column[];
};

static bool
fail(ColumnSpool *spool, const char *what)
{
	snprintf(spool->problem, sizeof(spool->problem), "cannot %s a temporary file: %s", what,
			 strerror(errno));
	return false;
}

static bool
open_file(ColumnSpool *spool)
{
	spool->file = temporary_file_open();
	return spool->file >= 0 || fail(spool, "create");
}

static bool
write_block(ColumnSpool *spool, const char *block, int64_t number, size_t length)
{
	return temporary_file_write(spool->file, block, length, number * (int64_t) spool->block_size) ||
		   fail(spool, "write");
}

static bool
is_over_limit(ColumnSpool *spool)
{
	if (spool->max_bytes == 0 || spool->blocks <= spool->max_bytes / (int64_t) spool->block_size)
		return false;
	snprintf(spool->problem, sizeof(spool->problem),
			 "the temporary file would exceed its limit of %lld bytes",
			 (long long) spool->max_bytes);
	return true;
}

/* The encoder's flush: the column's block goes to the file. */
static bool
spill(void *context, const char *bytes, size_t length)
{
	Column *column = context;
	ColumnSpool *spool = column->spool;
	BlockHead head = {.length = (int64_t) length};
	int64_t start_ns = clock_now_ns();
	bool written;

	(void) bytes; /* they are in the block, behind the head */
	if (!column->numbered)
	{
		column->first = column->current = spool->blocks++;
		column->numbered = true;
	}
	head.next = spool->blocks++;
	memcpy(column->block, &head, sizeof(head));
	written = !is_over_limit(spool) && (spool->file >= 0 || open_file(spool)) &&
			  write_block(spool, column->block, column->current, sizeof(head) + length);
	column->current = head.next;
	spool->spent_ns += clock_now_ns() - start_ns;
	return written;
}

static size_t
choose_block_size(int columns)
{
	size_t size = (size_t) BLOCKS_TOTAL / (size_t) columns / BLOCK_MIN * BLOCK_MIN;

	return size > BLOCK_MAX ? BLOCK_MAX : size < BLOCK_MIN ? BLOCK_MIN : size;
}

ColumnSpool *
column_spool_create(int columns, int64_t max_bytes)
{
	ColumnSpool *spool = calloc(1, sizeof(ColumnSpool) + (size_t) columns * sizeof(Column));

	if (spool == NULL)
		return NULL;
	spool->columns = columns;
	spool->max_bytes = max_bytes;
	spool->file = -1;
	spool->block_size = choose_block_size(columns);
	spool->memory = malloc(((size_t) columns + 1) * spool->block_size);
	if (spool->memory == NULL)
	{
		free(spool);
		return NULL;
	}
	for (int i = 0; i < columns; i++)
	{
		Column *column = &spool->column[i];

		column->spool = spool;
		column->block = spool->memory + (size_t) i * spool->block_size;
		json_encoder_init(&column->encoder, column->block + sizeof(BlockHead),
						  spool->block_size - sizeof(BlockHead), spill, column);
	}
	return spool;
}

void
column_spool_free(ColumnSpool *spool)
{
	if (spool == NULL)
		return;
	if (spool->file >= 0)
		close(spool->file);
	free(spool->memory);
	free(spool);
}

JsonEncoder *
column_spool_encoder(ColumnSpool *spool, int column)
{
	return &spool->column[column].encoder;
}

/* Reads a block as far as it was written: the file may end within its last one. */
static bool
read_block(ColumnSpool *spool, char *block, int64_t number)
{
	return temporary_file_read(spool->file, block, spool->block_size,
							   number * (int64_t) spool->block_size) >= 0 ||
		   fail(spool, "read");
}

bool
column_spool_copy(ColumnSpool *spool, int column_number, JsonEncoder *to)
{
	Column *column = &spool->column[column_number];
	char *block = spool->memory + (size_t) spool->columns * spool->block_size;
	int64_t number = column->first;

	while (column->numbered && number != column->current)
	{
		int64_t start_ns = clock_now_ns();
		BlockHead head;
		bool read = read_block(spool, block, number);

		spool->spent_ns += clock_now_ns() - start_ns;
		if (!read)
			return false;
		memcpy(&head, block, sizeof(head));
		json_encode_raw(to, block + sizeof(head), (size_t) head.length);
		if (to->failed)
			return false;
		number = head.next;
	}
	json_encode_raw(to, column->encoder.buffer, json_encoder_pending(&column->encoder));
	return !to->failed;
}

const char *
column_spool_problem(const ColumnSpool *spool)
{
	return spool->problem;
}

int64_t
column_spool_ns(const ColumnSpool *spool)
{
	return spool->spent_ns;
}
