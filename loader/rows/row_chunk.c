/*
 * row_chunk.c - see row_chunk.h.
 *
 * Texts lie one after the other in blocks, which never move: values point into them. The first block
 * holds those of all but unusually long rows; others live until the next reset.
 */
#include "rows/row_chunk.h"

#include <stdlib.h>
#include <string.h>

/* The row with which a chunk becomes full goes beyond the mark, mostly by no more than this. */
#define LAST_ROW_BYTES  (64 * 1024)
#define FIRST_BLOCK     (ROW_CHUNK_TEXT_BYTES + LAST_ROW_BYTES)
#define MIN_OTHER_BLOCK LAST_ROW_BYTES

typedef struct TextBlock
{
	struct TextBlock *before; /* NULL for the first */
	size_t size;
	size_t used;
	char bytes[];
} TextBlock;

struct RowChunk
{
	const RowType *type;
	size_t columns;
	Value *values; /* [ROW_CHUNK_ROWS][columns] */
	int rows;
	size_t text_bytes;
	TextBlock *block;  /* the newest */
	int *text_columns; /* whose values are texts */
	int text_column_count;

	/* before the last row came */
	const TextBlock *block_before;
	size_t block_used_before;
	size_t text_bytes_before;
};

static TextBlock *
create_block(TextBlock *before, size_t size)
{
	TextBlock *block = malloc(sizeof(TextBlock) + size);

	if (block == NULL)
		return NULL;
	block->before = before;
	block->size = size;
	block->used = 0;
	return block;
}

static void
drop_block(RowChunk *chunk)
{
	TextBlock *before = chunk->block->before;

	free(chunk->block);
	chunk->block = before;
}

RowChunk *
row_chunk_create(const RowType *type)
{
	RowChunk *chunk = calloc(1, sizeof(RowChunk));

	if (chunk == NULL)
		return NULL;
	chunk->type = type;
	chunk->columns = (size_t) type->columns;
	chunk->values = calloc(ROW_CHUNK_ROWS * chunk->columns, sizeof(Value));
	chunk->text_columns = calloc(chunk->columns, sizeof(int));
	chunk->block = create_block(NULL, FIRST_BLOCK);
	if (chunk->values == NULL || chunk->text_columns == NULL || chunk->block == NULL)
	{
		row_chunk_free(chunk);
		return NULL;
	}
	for (int i = 0; i < type->columns; i++)
	{
		if (column_type_is_text(type->column[i].type))
			chunk->text_columns[chunk->text_column_count++] = i;
	}
	return chunk;
}

void
row_chunk_free(RowChunk *chunk)
{
	if (chunk == NULL)
		return;
	while (chunk->block != NULL)
		drop_block(chunk);
	free(chunk->values);
	free(chunk->text_columns);
	free(chunk);
}

void
row_chunk_reset(RowChunk *chunk)
{
	while (chunk->block->before != NULL)
		drop_block(chunk);
	chunk->block->used = 0;
	chunk->rows = 0;
	chunk->text_bytes = 0;
}

bool
row_chunk_is_full(const RowChunk *chunk)
{
	return chunk->rows == ROW_CHUNK_ROWS || chunk->text_bytes >= ROW_CHUNK_TEXT_BYTES;
}

int
row_chunk_rows(const RowChunk *chunk)
{
	return chunk->rows;
}

const Value *
row_chunk_row(const RowChunk *chunk, int row)
{
	return chunk->values + (size_t) row * chunk->columns;
}

const RowType *
row_chunk_type(const RowChunk *chunk)
{
	return chunk->type;
}

static Value *
begin_row(RowChunk *chunk)
{
	chunk->block_before = chunk->block;
	chunk->block_used_before = chunk->block->used;
	chunk->text_bytes_before = chunk->text_bytes;
	return chunk->values + (size_t) chunk->rows++ * chunk->columns;
}

Value *
row_chunk_add(RowChunk *chunk)
{
	Value *values = begin_row(chunk);

	for (size_t i = 0; i < chunk->columns; i++)
		values[i] = (Value){.is_null = true};
	return values;
}

void
row_chunk_drop_last(RowChunk *chunk)
{
	while (chunk->block != chunk->block_before)
		drop_block(chunk);
	chunk->block->used = chunk->block_used_before;
	chunk->text_bytes = chunk->text_bytes_before;
	chunk->rows--;
}

/* Room for a text in the newest block, or in one that is made for it. */
static char *
take_room(RowChunk *chunk, size_t length)
{
	TextBlock *block = chunk->block;
	char *room;

	if (length > block->size - block->used)
	{
		block = create_block(block, length > MIN_OTHER_BLOCK ? length : MIN_OTHER_BLOCK);
		if (block == NULL)
			return NULL;
		chunk->block = block;
	}
	room = block->bytes + block->used;
	block->used += length;
	chunk->text_bytes += length;
	return room;
}

const char *
row_chunk_text(RowChunk *chunk, const char *bytes, size_t length)
{
	char *room = take_room(chunk, length);

	if (room != NULL && length > 0)
		memcpy(room, bytes, length);
	return room;
}

bool
row_chunk_copy_row(RowChunk *chunk, const Value *values)
{
	Value *copy = begin_row(chunk);

	memcpy(copy, values, chunk->columns * sizeof(Value));
	for (int i = 0; i < chunk->text_column_count; i++)
	{
		Value *value = &copy[chunk->text_columns[i]];

		if (value->is_null)
			continue;
		value->text.bytes = row_chunk_text(chunk, value->text.bytes, value->text.length);
		if (value->text.bytes == NULL)
		{
			row_chunk_drop_last(chunk);
			return false;
		}
	}
	return true;
}
