#include "measure/batch_pieces.h"

#include <stdlib.h>

#define FIRST_CAPACITY (64 * 1024)

typedef struct PieceHead
{
	int64_t length;
	int64_t rows;
} PieceHead;

bool
batch_pieces_append(BodySpool *spool, const BatchPiece *piece)
{
	PieceHead head = {.length = (int64_t) piece->length, .rows = piece->rows};

	return body_spool_append(spool, (const char *) &head, sizeof(head)) &&
		   body_spool_append(spool, piece->bytes, piece->length);
}

void
batch_piece_reader_start(BatchPieceReader *reader, BodySpool *spool, int64_t offset, int64_t end)
{
	reader->spool = spool;
	reader->offset = offset;
	reader->end = end;
}

static bool
read_whole(BatchPieceReader *reader, char *bytes, size_t length)
{
	ssize_t got = body_spool_read(reader->spool, reader->offset, bytes, length);

	if (got == (ssize_t) length)
	{
		reader->offset += got;
		return true;
	}
	reader->problem =
		got < 0 ? body_spool_problem(reader->spool) : "a temporary file is shorter than it was";
	return false;
}

static bool
make_room(BatchPieceReader *reader, size_t length)
{
	size_t capacity = reader->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : reader->capacity;
	char *buffer;

	while (capacity < length)
		capacity *= 2;
	if (capacity == reader->capacity)
		return true;
	buffer = realloc(reader->buffer, capacity);
	if (buffer == NULL)
	{
		reader->problem = "out of memory for a piece of a batch";
		return false;
	}
	reader->buffer = buffer;
	reader->capacity = capacity;
	return true;
}

bool
batch_piece_reader_next(BatchPieceReader *reader, BatchPiece *piece)
{
	PieceHead head;

	*piece = (BatchPiece){0};
	if (reader->offset >= reader->end)
		return true;
	if (!read_whole(reader, (char *) &head, sizeof(head)) ||
		!make_room(reader, (size_t) head.length) ||
		!read_whole(reader, reader->buffer, (size_t) head.length))
		return false;
	*piece = (BatchPiece){
		.bytes = reader->buffer, .length = (size_t) head.length, .rows = (int) head.rows};
	return true;
}

void
batch_piece_reader_free(BatchPieceReader *reader)
{
	free(reader->buffer);
	*reader = (BatchPieceReader){0};
}
