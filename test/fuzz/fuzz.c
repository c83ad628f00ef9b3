/* fuzz.c - see fuzz.h. */
#include "fuzz.h"
#include "row_digest.h"
#include "splitmix64.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_DRAWN_PIECE 24
#define SHOWN_BYTES         160

void
fuzz_fail(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%d: ", file, line);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	abort();
}

void *
fuzz_allocate(size_t size)
{
	void *block = malloc(size + (size == 0));

	if (block == NULL)
		fuzz_fail(__FILE__, __LINE__, "out of memory");
	return block;
}

char *
fuzz_copy(const void *bytes, size_t length)
{
	char *copy = fuzz_allocate(length);

	if (length > 0)
		memcpy(copy, bytes, length);
	return copy;
}

char *
fuzz_text(const void *bytes, size_t length)
{
	const char *nul = length > 0 ? memchr(bytes, '\0', length) : NULL;
	char *copy;

	if (nul != NULL)
		length = (size_t) (nul - (const char *) bytes);
	copy = fuzz_allocate(length + 1);
	if (length > 0)
		memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

char *
fuzz_take_line(const uint8_t **data, size_t *size)
{
	const uint8_t *line_break = *size > 0 ? memchr(*data, '\n', *size) : NULL;
	size_t length = line_break == NULL ? *size : (size_t) (line_break - *data);
	char *line = fuzz_text(*data, length);

	length += line_break != NULL;
	*data += length;
	*size -= length;
	return line;
}

/* --- logs ------------------------------------------------------------------------------------ */

static void
reserve(FuzzLog *log, size_t more)
{
	if (log->length + more <= log->capacity)
		return;
	log->capacity = (log->length + more) * 2;
	log->bytes = realloc(log->bytes, log->capacity);
	if (log->bytes == NULL)
		fuzz_fail(__FILE__, __LINE__, "out of memory");
}

void
fuzz_log_bytes(FuzzLog *log, const void *bytes, size_t length)
{
	reserve(log, length + 1);
	if (length > 0)
		memcpy(log->bytes + log->length, bytes, length);
	log->length += length;
}

void
fuzz_log(FuzzLog *log, const char *format, ...)
{
	va_list arguments, again;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	reserve(log, (size_t) length + 1);
	vsnprintf(log->bytes + log->length, (size_t) length + 1, format, again);
	log->length += (size_t) length;
	va_end(again);
	va_end(arguments);
}

void
fuzz_log_free(FuzzLog *log)
{
	free(log->bytes);
	*log = (FuzzLog){0};
}

static void
show(const char *title, const FuzzLog *log, size_t from)
{
	size_t end = log->length - from > SHOWN_BYTES ? from + SHOWN_BYTES : log->length;

	fprintf(stderr, "%s, from byte %zu of %zu on: ", title, from, log->length);
	for (size_t i = from; i < end; i++)
	{
		unsigned char byte = (unsigned char) log->bytes[i];

		if (byte >= ' ' && byte < 0x7f && byte != '\\')
			fputc(byte, stderr);
		else
			fprintf(stderr, "\\x%02x", byte);
	}
	fputc('\n', stderr);
}

void
fuzz_require_same(const FuzzLog *got, const FuzzLog *wanted, const char *what)
{
	size_t from = 0;

	if (got->length == wanted->length &&
		(got->length == 0 || memcmp(got->bytes, wanted->bytes, got->length) == 0))
		return;
	while (from < got->length && from < wanted->length && got->bytes[from] == wanted->bytes[from])
		from++;
	show("got", got, from);
	show("wanted", wanted, from);
	fuzz_fail(__FILE__, __LINE__, "%s: not the same", what);
}

/* --- pieces ---------------------------------------------------------------------------------- */

void
fuzz_pieces_begin(FuzzPieces *pieces, const uint8_t *data, size_t size, FuzzCut cut)
{
	size_t block_size = cut == FUZZ_WHOLE ? size : LONGEST_DRAWN_PIECE;

	*pieces = (FuzzPieces){
		.at = data,
		.end = size > 0 ? data + size : data,
		.cut = cut,
		.random = row_digest_hash_bytes(0, data, size),
		.block = fuzz_allocate(block_size),
		.block_size = block_size,
	};
}

static size_t
piece_length(FuzzPieces *pieces, size_t left)
{
	size_t length;

	if (pieces->cut == FUZZ_WHOLE)
		return left;
	if (pieces->cut == FUZZ_BYTES)
		return 1;
	pieces->random = splitmix64_mix(pieces->random + 1);
	length = pieces->random % (LONGEST_DRAWN_PIECE + 1);
	return length < left ? length : left;
}

bool
fuzz_pieces_next(FuzzPieces *pieces, const char **bytes, size_t *length)
{
	size_t left = (size_t) (pieces->end - pieces->at);
	char *piece;

	/* what is still read of the piece before is not what it was */
	memset(pieces->block, 0xa5, pieces->block_size);
	if (left == 0)
		return false;
	*length = piece_length(pieces, left);
	piece = pieces->block + pieces->block_size - *length;
	memcpy(piece, pieces->at, *length);
	*bytes = piece;
	pieces->at += *length;
	return true;
}

void
fuzz_pieces_end(FuzzPieces *pieces)
{
	free(pieces->block);
	pieces->block = NULL;
}

size_t
fuzz_choice(const uint8_t *data, size_t size, size_t bound)
{
	return (size_t) (row_digest_hash_bytes(1, data, size) % bound);
}
