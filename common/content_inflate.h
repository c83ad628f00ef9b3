/*
 * content_inflate.h - takes a gzip or zlib content coding off a stream, a
 * bounded piece at a time.
 *
 * Why not libcurl's own decoding: it hands out all that one read expands to
 * within one call, hundreds of MB for a bomb, while nobody can look at limits,
 * at interrupts, or pause. Here the caller's buffer is the bound.
 *
 * RFC 9110, section 8.4.1; RFC 1952 (gzip, several members too), RFC 1950.
 */
#ifndef TRANSFERBENCH_CONTENT_INFLATE_H
#define TRANSFERBENCH_CONTENT_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ContentInflateResult
{
	CONTENT_INFLATE_OUTPUT, /* *produced bytes were written; call again before feeding more */
	CONTENT_INFLATE_MORE,   /* all input is used up, nothing was written */
	CONTENT_INFLATE_CORRUPT,
	CONTENT_INFLATE_OUT_OF_MEMORY,
} ContentInflateResult;

typedef struct ContentInflate ContentInflate;

/* NULL when out of memory. Tells gzip and zlib apart by the header. */
extern ContentInflate *content_inflate_create(void);
extern void content_inflate_free(ContentInflate *inflate); /* NULL is fine */
/* Back to the start of a new body. */
extern void content_inflate_reset(ContentInflate *inflate);

/* Lends compressed bytes until content_inflate_next returns MORE. */
extern void content_inflate_feed(ContentInflate *inflate, const void *bytes, size_t length);
/* `capacity` is at least 1. An error comes after all bytes that were good. */
extern ContentInflateResult content_inflate_next(ContentInflate *inflate, void *output,
												 size_t capacity, size_t *produced);
/* True when the stream ended with a complete member and nothing after it; what an end of body must
 * find. An empty body is complete too. */
extern bool content_inflate_complete(const ContentInflate *inflate);

#endif
