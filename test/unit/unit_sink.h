/*
 * unit_sink.h - what an encoder writes, kept to be looked at.
 */
#ifndef TRANSFERBENCH_UNIT_SINK_H
#define TRANSFERBENCH_UNIT_SINK_H

#include "json_encode.h"

#include <string.h>

typedef struct Sink
{
	JsonEncoder encoder;
	char piece[JSON_ENCODE_MIN_BUFFER]; /* so small that most values are cut */
	char bytes[512 * 1024];
	size_t length;
} Sink;

static inline bool
sink_take(void *context, const char *bytes, size_t length)
{
	Sink *sink = context;

	if (length > sizeof(sink->bytes) - sink->length)
		return false;
	memcpy(sink->bytes + sink->length, bytes, length);
	sink->length += length;
	return true;
}

/* Empties it; the encoder to write to. */
static inline JsonEncoder *
sink_begin(Sink *sink)
{
	sink->length = 0;
	json_encoder_init(&sink->encoder, sink->piece, sizeof(sink->piece), sink_take, sink);
	return &sink->encoder;
}

/* All that was written is then in `bytes`. */
static inline bool
sink_end(Sink *sink)
{
	return json_encoder_flush(&sink->encoder);
}

#endif
