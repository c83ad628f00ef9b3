#include "serve/body_stream.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW_BITS (15 + 16) /* zlib.h: the largest window, gzip's wrapper */
#define GZIP_MEMORY      8         /* zlib.h: the default */
#define OUTPUT_SIZE      (32 * 1024)

struct BodyStream
{
	Exchange *exchange;
	bool gzip;
	z_stream deflate;
	char output[OUTPUT_SIZE];
};

BodyStream *
body_stream_create(Exchange *exchange, bool gzip)
{
	BodyStream *stream = calloc(1, sizeof(BodyStream));

	if (stream == NULL)
		return NULL;
	stream->exchange = exchange;
	stream->gzip = gzip;
	if (gzip && deflateInit2(&stream->deflate, BODY_STREAM_GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS,
							 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
	{
		free(stream);
		return NULL;
	}
	return stream;
}

void
body_stream_free(BodyStream *stream)
{
	if (stream == NULL)
		return;
	if (stream->gzip)
		deflateEnd(&stream->deflate);
	free(stream);
}

/* Deflates what is lent until nothing more comes out of it. */
static bool
deflate_all(BodyStream *stream, int mode)
{
	z_stream *z = &stream->deflate;

	do
	{
		z->next_out = (Bytef *) stream->output;
		z->avail_out = OUTPUT_SIZE;
		/* with valid arguments only Z_BUF_ERROR is left: nothing to do, no error */
		if (deflate(z, mode) == Z_STREAM_ERROR)
			return false;
		if (!exchange_write(stream->exchange, stream->output, OUTPUT_SIZE - z->avail_out))
			return false;
	} while (z->avail_out == 0);
	return true;
}

bool
body_stream_write(void *context, const char *bytes, size_t length)
{
	BodyStream *stream = context;

	if (!stream->gzip)
		return exchange_write(stream->exchange, bytes, length);
	stream->deflate.next_in = (Bytef *) bytes;
	stream->deflate.avail_in = (uInt) length; /* an encoder's buffer at most */
	return deflate_all(stream, Z_NO_FLUSH);
}

bool
body_stream_flush(BodyStream *stream)
{
	return !stream->gzip || deflate_all(stream, Z_SYNC_FLUSH);
}

bool
body_stream_finish(BodyStream *stream)
{
	return !stream->gzip || deflate_all(stream, Z_FINISH);
}
