/*
 * content_inflate.c - see content_inflate.h.
 */
#include "content_inflate.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include <zlib.h>

/* zlib.h, inflateInit2: 15 is the largest window; + 32 tells gzip and zlib apart, + 16 is gzip */
#define WINDOW_GZIP_OR_ZLIB (15 + 32)
#define WINDOW_GZIP         (15 + 16)

/* first byte of a gzip member (RFC 1952, section 2.3.1); no zlib header begins with it, since its
 * low half would have to be 8 (RFC 1950, section 2.2) */
#define GZIP_FIRST_BYTE 0x1f

typedef enum Stage
{
	STAGE_START,      /* no byte of the body seen */
	STAGE_MEMBER,     /* within a member */
	STAGE_AFTER_GZIP, /* a member is complete, another may follow */
	STAGE_AFTER_ZLIB, /* the stream is complete, nothing may follow */
	STAGE_CORRUPT,
	STAGE_OUT_OF_MEMORY,
} Stage;

struct ContentInflate
{
	z_stream stream; /* next_in is ours to advance; avail_in is set per call, being only 32 bits */
	size_t unread;   /* bytes lent from next_in on */
	Stage stage;
	bool is_gzip;
};

ContentInflate *
content_inflate_create(void)
{
	ContentInflate *inflater = calloc(1, sizeof(*inflater));

	if (inflater != NULL && inflateInit2(&inflater->stream, WINDOW_GZIP_OR_ZLIB) != Z_OK)
	{
		free(inflater);
		return NULL;
	}
	return inflater;
}

void
content_inflate_free(ContentInflate *inflater)
{
	if (inflater == NULL)
		return;
	inflateEnd(&inflater->stream);
	free(inflater);
}

void
content_inflate_reset(ContentInflate *inflater)
{
	/* neither reset can fail: the stream is sound and the window keeps its size */
	inflateReset2(&inflater->stream, WINDOW_GZIP_OR_ZLIB);
	inflater->stream.next_in = NULL;
	inflater->unread = 0;
	inflater->stage = STAGE_START;
}

void
content_inflate_feed(ContentInflate *inflater, const void *bytes, size_t length)
{
	inflater->stream.next_in = (z_const Bytef *) bytes;
	inflater->unread = length;
}

/* Looks at the byte that comes outside of any member. */
static void
enter_member(ContentInflate *inflater)
{
	bool is_gzip = *inflater->stream.next_in == GZIP_FIRST_BYTE;

	if (inflater->stage == STAGE_START)
	{
		inflater->is_gzip = is_gzip;
		inflater->stage = STAGE_MEMBER;
	}
	else if (inflater->stage == STAGE_AFTER_GZIP && is_gzip)
	{
		inflateReset2(&inflater->stream, WINDOW_GZIP);
		inflater->stage = STAGE_MEMBER;
	}
	else
		inflater->stage = STAGE_CORRUPT;
}

/* One call of inflate(); returns the bytes it wrote. */
static size_t
inflate_some(ContentInflate *inflater, unsigned char *output, size_t capacity)
{
	z_stream *stream = &inflater->stream;
	uInt lent = inflater->unread > UINT_MAX ? UINT_MAX : (uInt) inflater->unread;
	uInt room = capacity > UINT_MAX ? UINT_MAX : (uInt) capacity;

	stream->avail_in = lent;
	stream->next_out = output;
	stream->avail_out = room;
	switch (inflate(stream, Z_NO_FLUSH))
	{
		case Z_OK:
		case Z_BUF_ERROR: /* no progress was possible: not an error */
			break;
		case Z_STREAM_END:
			inflater->stage = inflater->is_gzip ? STAGE_AFTER_GZIP : STAGE_AFTER_ZLIB;
			break;
		case Z_MEM_ERROR:
			inflater->stage = STAGE_OUT_OF_MEMORY;
			break;
		default: /* Z_DATA_ERROR, Z_NEED_DICT: HTTP has no way to agree on a dictionary */
			inflater->stage = STAGE_CORRUPT;
			break;
	}
	inflater->unread -= lent - stream->avail_in;
	return room - stream->avail_out;
}

ContentInflateResult
content_inflate_next(ContentInflate *inflater, void *output, size_t capacity, size_t *produced)
{
	*produced = 0;
	for (;;)
	{
		if (inflater->stage == STAGE_CORRUPT)
			return CONTENT_INFLATE_CORRUPT;
		if (inflater->stage == STAGE_OUT_OF_MEMORY)
			return CONTENT_INFLATE_OUT_OF_MEMORY;
		if (inflater->stage != STAGE_MEMBER)
		{
			if (inflater->unread == 0)
				return CONTENT_INFLATE_MORE;
			enter_member(inflater);
			continue;
		}
		*produced = inflate_some(inflater, output, capacity);
		if (*produced > 0)
			return CONTENT_INFLATE_OUTPUT;
		if (inflater->stage == STAGE_MEMBER && inflater->unread == 0)
			return CONTENT_INFLATE_MORE;
	}
}

bool
content_inflate_complete(const ContentInflate *inflater)
{
	return inflater->unread == 0 &&
		   (inflater->stage == STAGE_START || inflater->stage == STAGE_AFTER_GZIP ||
			inflater->stage == STAGE_AFTER_ZLIB);
}
