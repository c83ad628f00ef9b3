/*
 * body_stream.h - the way of a body's bytes into an exchange, through gzip when the
 * client asked for it.
 */
#ifndef TRANSFERBENCH_BODY_STREAM_H
#define TRANSFERBENCH_BODY_STREAM_H

#include "serve/exchange.h"

#include <stdbool.h>
#include <stddef.h>

/* The fastest level: compressing sets the pace even so, not the database. On reference rows level 6
 * takes 2.4 times as long for 12 percent fewer bytes. */
#define BODY_STREAM_GZIP_LEVEL 1

typedef struct BodyStream BodyStream;

/* NULL when out of memory. The exchange is lent. */
extern BodyStream *body_stream_create(Exchange *exchange, bool gzip);
extern void body_stream_free(BodyStream *stream); /* NULL is fine */

/* A JsonEncodeFlush: false when nobody reads any more. */
extern bool body_stream_write(void *stream, const char *bytes, size_t length);
/* Lets out what the compressor holds back, so that a client sees it now. */
extern bool body_stream_flush(BodyStream *stream);
/* Writes the end of the gzip stream. */
extern bool body_stream_finish(BodyStream *stream);

#endif
