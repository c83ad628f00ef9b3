#include "measure/body_deflate.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW_BITS (15 + 16) /* zlib.h: the largest window, gzip's wrapper */
#define GZIP_MEMORY      8         /* zlib.h: the default */
#define PIECE_BYTES      (64 * 1024)

struct BodyDeflate
{
	z_stream stream;
	char input[PIECE_BYTES];
	char output[PIECE_BYTES];
};

BodyDeflate *
body_deflate_create(void)
{
	BodyDeflate *deflate = calloc(1, sizeof(BodyDeflate));

	if (deflate == NULL)
		return NULL;
	if (deflateInit2(&deflate->stream, BODY_DEFLATE_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS,
					 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
	{
		free(deflate);
		return NULL;
	}
	return deflate;
}

void
body_deflate_free(BodyDeflate *deflate)
{
	if (deflate == NULL)
		return;
	deflateEnd(&deflate->stream);
	free(deflate);
}

/* Deflates the input until nothing more comes out of it. */
static const char *
deflate_piece(BodyDeflate *body, int mode, BodySpool *to)
{
	z_stream *stream = &body->stream;

	do
	{
		size_t length;

		stream->next_out = (Bytef *) body->output;
		stream->avail_out = PIECE_BYTES;
		/* with valid arguments only Z_BUF_ERROR is left: nothing to do, no error */
		if (deflate(stream, mode) == Z_STREAM_ERROR)
			return "zlib refused to compress the body";
		length = PIECE_BYTES - stream->avail_out;
		if (length > 0 && !body_spool_append(to, body->output, length))
			return body_spool_problem(to);
	} while (stream->avail_out == 0);
	return NULL;
}

const char *
body_deflate_run(BodyDeflate *deflate, BodySpool *from, BodySpool *to)
{
	int64_t offset = 0, length = body_spool_length(from);
	const char *problem = NULL;

	body_spool_truncate(to, 0);
	if (deflateReset(&deflate->stream) != Z_OK)
		return "zlib refused to compress the body";
	while (problem == NULL && offset < length)
	{
		ssize_t got = body_spool_read(from, offset, deflate->input, PIECE_BYTES);

		if (got <= 0)
			return got < 0 ? body_spool_problem(from) : "a temporary file is shorter than it was";
		offset += got;
		deflate->stream.next_in = (Bytef *) deflate->input;
		deflate->stream.avail_in = (uInt) got;
		problem = deflate_piece(deflate, Z_NO_FLUSH, to);
	}
	return problem != NULL ? problem : deflate_piece(deflate, Z_FINISH, to);
}
