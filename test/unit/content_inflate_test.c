/*
 * content_inflate_test.c - content codings come off in bounded pieces, and only sound ones.
 */
#include "unit.h"

#include <stdlib.h>

#include <sys/resource.h>
#include <zlib.h>

#include "content_inflate.h"

enum
{
	GZIP_BITS = 15 + 16,
	ZLIB_BITS = 15,
	RAW_BITS = -15,
	PIECE_BYTES = 65536,
	BOMB_BYTES = 100 * 1000 * 1000
};

typedef struct Bytes
{
	unsigned char data[4096];
	size_t length;
} Bytes;

/* Appends one member that holds `text`. */
static void
deflate_text(Bytes *bytes, const char *text, int window_bits)
{
	z_stream stream = {0};

	deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
	stream.next_in = (z_const Bytef *) text;
	stream.avail_in = (uInt) strlen(text);
	stream.next_out = bytes->data + bytes->length;
	stream.avail_out = (uInt) (sizeof(bytes->data) - bytes->length);
	deflate(&stream, Z_FINISH);
	bytes->length += stream.total_out;
	deflateEnd(&stream);
}

/*
 * Inflates in pieces of `feed` bytes into pieces of `capacity`; appends what
 * comes to `text` and returns the last result. Fed bytes lie in a block of
 * their own, so that reading on in an old one is seen by the sanitizer.
 */
static ContentInflateResult
inflate_all(ContentInflate *inflate, const Bytes *bytes, size_t feed, size_t capacity, char *text)
{
	ContentInflateResult result = CONTENT_INFLATE_MORE;
	size_t total = 0;

	for (size_t from = 0; from < bytes->length && result == CONTENT_INFLATE_MORE; from += feed)
	{
		size_t length = bytes->length - from < feed ? bytes->length - from : feed;
		unsigned char *piece = malloc(length);
		size_t produced;

		memcpy(piece, bytes->data + from, length);
		content_inflate_feed(inflate, piece, length);
		while ((result = content_inflate_next(inflate, text + total, capacity, &produced)) ==
			   CONTENT_INFLATE_OUTPUT)
			total += produced;
		free(piece);
	}
	text[total] = '\0';
	return result;
}

static void
expect(const char *name, const Bytes *bytes, ContentInflateResult result, bool complete,
	   const char *text)
{
	static const size_t feeds[] = {1, 2, 7, 4096};
	static const size_t capacities[] = {1, 3, 4096};
	ContentInflate *inflate = content_inflate_create();
	char label[160];
	char output[8192 + 4096];

	for (size_t i = 0; i < sizeof(feeds) / sizeof(feeds[0]); i++)
	{
		for (size_t j = 0; j < sizeof(capacities) / sizeof(capacities[0]); j++)
		{
			content_inflate_reset(inflate);
			snprintf(label, sizeof(label), "%s: result, fed by %zu into %zu", name, feeds[i],
					 capacities[j]);
			unit_equal_int(inflate_all(inflate, bytes, feeds[i], capacities[j], output), result,
						   label);
			snprintf(label, sizeof(label), "%s: complete, fed by %zu into %zu", name, feeds[i],
					 capacities[j]);
			unit_equal_int(content_inflate_complete(inflate), complete, label);
			snprintf(label, sizeof(label), "%s: text, fed by %zu into %zu", name, feeds[i],
					 capacities[j]);
			if (text != NULL)
				unit_equal_bytes(output, strlen(output), text, label);
		}
	}
	content_inflate_free(inflate);
}

static void
test_sound_bodies(void)
{
	Bytes bytes = {.length = 0};

	expect("empty body", &bytes, CONTENT_INFLATE_MORE, true, "");
	deflate_text(&bytes, "[{\"id\":1}]", GZIP_BITS);
	expect("gzip", &bytes, CONTENT_INFLATE_MORE, true, "[{\"id\":1}]");
	deflate_text(&bytes, "", GZIP_BITS);
	deflate_text(&bytes, " more", GZIP_BITS);
	expect("three gzip members", &bytes, CONTENT_INFLATE_MORE, true, "[{\"id\":1}] more");
	bytes.length = 0;
	deflate_text(&bytes, "[{\"id\":2}]", ZLIB_BITS);
	expect("zlib", &bytes, CONTENT_INFLATE_MORE, true, "[{\"id\":2}]");
}

static void
test_unsound_bodies(void)
{
	Bytes bytes = {.length = 0};
	size_t whole;

	deflate_text(&bytes, "[{\"id\":1}]", GZIP_BITS);
	whole = bytes.length;
	bytes.length = whole - 1;
	expect("gzip cut in the trailer", &bytes, CONTENT_INFLATE_MORE, false, "[{\"id\":1}]");
	bytes.length = 5;
	expect("gzip cut in the header", &bytes, CONTENT_INFLATE_MORE, false, "");
	bytes.length = whole + 1;
	bytes.data[whole] = 'x';
	expect("garbage after gzip", &bytes, CONTENT_INFLATE_CORRUPT, false, "[{\"id\":1}]");
	bytes.data[whole] = '\0';
	expect("NUL after gzip", &bytes, CONTENT_INFLATE_CORRUPT, false, "[{\"id\":1}]");
	bytes.length = whole;
	deflate_text(&bytes, "x", ZLIB_BITS);
	expect("zlib after gzip", &bytes, CONTENT_INFLATE_CORRUPT, false, "[{\"id\":1}]");
	bytes.length = whole;
	bytes.data[whole - 5] ^= 1;
	expect("wrong checksum", &bytes, CONTENT_INFLATE_CORRUPT, false, "[{\"id\":1}]");

	bytes.length = 0;
	deflate_text(&bytes, "x", ZLIB_BITS);
	deflate_text(&bytes, "y", ZLIB_BITS);
	expect("two zlib streams", &bytes, CONTENT_INFLATE_CORRUPT, false, "x");
	bytes.length = 0;
	deflate_text(&bytes, "x", RAW_BITS);
	expect("raw deflate", &bytes, CONTENT_INFLATE_CORRUPT, false, "");
	bytes.length = (size_t) snprintf((char *) bytes.data, sizeof(bytes.data), "[{\"id\":1}]");
	expect("plain JSON", &bytes, CONTENT_INFLATE_CORRUPT, false, "");
}

static void
test_errors_last(void)
{
	ContentInflate *inflate = content_inflate_create();
	char output[16];
	size_t produced = 1;

	content_inflate_feed(inflate, "{}", 2);
	unit_equal_int(content_inflate_next(inflate, output, sizeof(output), &produced),
				   CONTENT_INFLATE_CORRUPT, "garbage is corrupt");
	unit_equal_int((int64_t) produced, 0, "garbage produces nothing");
	unit_equal_int(content_inflate_next(inflate, output, sizeof(output), &produced),
				   CONTENT_INFLATE_CORRUPT, "and stays so");
	content_inflate_reset(inflate);
	unit_equal_int(content_inflate_complete(inflate), true, "until the next body");
	content_inflate_free(inflate);
	content_inflate_free(NULL);
}

/* 100 MB of zeros in some 100 kB of gzip, made as they are read. */
static void
test_bomb(void)
{
	static unsigned char zeros[PIECE_BYTES], packed[PIECE_BYTES], output[PIECE_BYTES];
	ContentInflate *inflate = content_inflate_create();
	z_stream stream = {0};
	struct rusage before, after;
	int64_t total = 0, largest = 0;
	size_t left = BOMB_BYTES, produced;
	bool all_zero = true;
	int status = Z_OK;

	deflateInit2(&stream, 9, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY);
	getrusage(RUSAGE_SELF, &before);
	while (status != Z_STREAM_END)
	{
		if (stream.avail_in == 0)
		{
			stream.next_in = zeros;
			stream.avail_in = (uInt) (left < sizeof(zeros) ? left : sizeof(zeros));
			left -= stream.avail_in;
		}
		stream.next_out = packed;
		stream.avail_out = sizeof(packed);
		status = deflate(&stream, left == 0 ? Z_FINISH : Z_NO_FLUSH);
		content_inflate_feed(inflate, packed, sizeof(packed) - stream.avail_out);
		while (content_inflate_next(inflate, output, sizeof(output), &produced) ==
			   CONTENT_INFLATE_OUTPUT)
		{
			total += (int64_t) produced;
			largest = (int64_t) produced > largest ? (int64_t) produced : largest;
			all_zero &= memcmp(output, zeros, produced) == 0;
		}
	}
	getrusage(RUSAGE_SELF, &after);
	unit_equal_int(total, BOMB_BYTES, "bomb: all its bytes come");
	unit_equal_int(largest, PIECE_BYTES, "bomb: never more than the caller's buffer at once");
	unit_ok(all_zero, "bomb: and they are zeros");
	unit_ok(content_inflate_complete(inflate), "bomb: complete");
	unit_ok(after.ru_maxrss - before.ru_maxrss < 2048, "bomb: peak memory grows by less than 2 MB");
	deflateEnd(&stream);
	content_inflate_free(inflate);
}

int
main(void)
{
	test_sound_bodies();
	test_unsound_bodies();
	test_errors_last();
	test_bomb();
	return unit_done();
}
