/*
 * content_inflate_fuzz.c - any bytes as a compressed body: the same output and the same end wherever
 * it is cut, never more at once than there is room for, and what zlib itself makes of the whole.
 * The input compressed comes back.
 */
#include "content_inflate.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MOST_OUTPUT   (1 << 16) /* of a bomb no more is taken */
#define MOST_CAPACITY 300

typedef enum Ending
{
	WHOLE,
	CUT, /* within a member */
	CORRUPT,
	TOO_LONG,
} Ending;

/* --- ours ------------------------------------------------------------------------------------ */

static bool
take_output(ContentInflate *inflate, char *room, size_t capacity, FuzzLog *output, Ending *ending)
{
	for (;;)
	{
		size_t produced = 0;

		switch (content_inflate_next(inflate, room, capacity, &produced))
		{
			case CONTENT_INFLATE_OUTPUT:
				fuzz_require(produced > 0 && produced <= capacity, "%zu bytes for room of %zu",
							 produced, capacity);
				fuzz_log_bytes(output, room, produced);
				break;
			case CONTENT_INFLATE_MORE:
				fuzz_require(produced == 0, "output and none");
				return true;
			default:
				*ending = CORRUPT;
				return false;
		}
		if (output->length > MOST_OUTPUT)
		{
			*ending = TOO_LONG;
			return false;
		}
	}
}

static Ending
inflate_pieces(ContentInflate *inflate, const uint8_t *data, size_t size, FuzzCut cut,
			   FuzzLog *output)
{
	size_t capacity = 1 + fuzz_choice(data, size, MOST_CAPACITY);
	char *room = fuzz_allocate(capacity);
	Ending ending = WHOLE;
	FuzzPieces pieces;
	const char *bytes;
	size_t length;
	bool more = true;

	content_inflate_reset(inflate);
	fuzz_pieces_begin(&pieces, data, size, cut);
	while (more && fuzz_pieces_next(&pieces, &bytes, &length))
	{
		content_inflate_feed(inflate, bytes, length);
		more = take_output(inflate, room, capacity, output, &ending);
	}
	fuzz_pieces_end(&pieces);
	if (more && !content_inflate_complete(inflate))
		ending = CUT;
	free(room);
	return ending;
}

/* --- zlib's ---------------------------------------------------------------------------------- */

/* One member; *used is how much of the input it is. */
static Ending
inflate_member(const uint8_t *data, size_t size, int window, FuzzLog *output, size_t *used)
{
	static char room[MOST_OUTPUT + MOST_CAPACITY];
	z_stream stream = {.next_in = (Bytef *) data, .avail_in = (uInt) size};
	int result;

	fuzz_require(inflateInit2(&stream, window) == Z_OK, "out of memory");
	stream.next_out = (Bytef *) room;
	stream.avail_out = sizeof(room);
	result = inflate(&stream, Z_SYNC_FLUSH);
	fuzz_log_bytes(output, room, sizeof(room) - stream.avail_out);
	*used = size - stream.avail_in;
	inflateEnd(&stream);
	if (output->length > MOST_OUTPUT)
		return TOO_LONG;
	return result == Z_STREAM_END ? WHOLE : result == Z_OK || result == Z_BUF_ERROR ? CUT : CORRUPT;
}

static Ending
inflate_at_once(const uint8_t *data, size_t size, FuzzLog *output)
{
	bool is_gzip = size > 0 && *data == 0x1f;
	Ending ending = WHOLE;

	for (bool is_first = true; ending == WHOLE && size > 0; is_first = false)
	{
		size_t used;

		if (!is_first && (!is_gzip || *data != 0x1f))
			return CORRUPT;
		ending = inflate_member(data, size, is_gzip ? 15 + 16 : 15, output, &used);
		data += used;
		size -= used;
	}
	return ending;
}

static void
check_body(ContentInflate *inflate, const uint8_t *data, size_t size)
{
	FuzzLog wanted = {0};
	Ending wanted_ending = inflate_at_once(data, size, &wanted);

	for (int cut = FUZZ_WHOLE; cut < FUZZ_CUTS; cut++)
	{
		FuzzLog output = {0};
		Ending ending = inflate_pieces(inflate, data, size, (FuzzCut) cut, &output);

		fuzz_require(ending == wanted_ending, "ending %d, zlib's is %d", ending, wanted_ending);
		if (ending != TOO_LONG)
			fuzz_require_same(&output, &wanted, "what is inflated");
		fuzz_log_free(&output);
	}
	fuzz_log_free(&wanted);
}

/* --- there and back -------------------------------------------------------------------------- */

static void
check_round_trip(ContentInflate *inflate, const uint8_t *data, size_t size, int window)
{
	z_stream stream = {.next_in = (Bytef *) data, .avail_in = (uInt) size};
	size_t capacity = size + size / 2 + 100;
	uint8_t *compressed = fuzz_allocate(capacity);
	FuzzLog output = {0}, wanted = {0};

	fuzz_require(deflateInit2(&stream, 1, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK,
				 "out of memory");
	stream.next_out = compressed;
	stream.avail_out = (uInt) capacity;
	fuzz_require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflate did not end");
	fuzz_require(inflate_pieces(inflate, compressed, capacity - stream.avail_out, FUZZ_DRAWN,
								&output) == WHOLE,
				 "a compressed body is not whole");
	fuzz_log_bytes(&wanted, data, size);
	fuzz_require_same(&output, &wanted, "a body there and back");
	deflateEnd(&stream);
	free(compressed);
	fuzz_log_free(&output);
	fuzz_log_free(&wanted);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ContentInflate *inflate = content_inflate_create();

	fuzz_require(inflate != NULL, "out of memory");
	check_body(inflate, data, size);
	check_round_trip(inflate, data, size, 15 + 16);
	check_round_trip(inflate, data, size, 15);
	content_inflate_free(inflate);
	return 0;
}
