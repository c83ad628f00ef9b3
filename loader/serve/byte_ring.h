/*
 * byte_ring.h - a bounded ring of bytes between a thread that writes and one that reads.
 *
 * Byte i of the stream is at i modulo the size. Bytes [taken, written) are the
 * reader's, the others the writer's, so that both copy without a lock; the two counts
 * are the owner's to guard, and to raise once bytes were copied.
 */
#ifndef TRANSFERBENCH_BYTE_RING_H
#define TRANSFERBENCH_BYTE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BYTE_RING_SIZE (256 * 1024) /* bytes; a power of two */

typedef struct ByteRing
{
	char *bytes; /* [BYTE_RING_SIZE] */
	uint64_t written;
	uint64_t taken;
} ByteRing;

/* False when out of memory. */
extern bool byte_ring_open(ByteRing *ring);
extern void byte_ring_close(ByteRing *ring); /* one that is all zeros is fine */
extern size_t byte_ring_filled(const ByteRing *ring);
extern size_t byte_ring_room(const ByteRing *ring);

/* The writer's: copies `count` bytes, at most the room, to behind what is written. */
extern void byte_ring_put(ByteRing *ring, const char *bytes, size_t count);
/* The reader's: copies `count` bytes, at most what is filled. */
extern void byte_ring_get(const ByteRing *ring, char *bytes, size_t count);
/* The reader's: where the next bytes are, and how many of `filled` follow there without a break. */
extern const char *byte_ring_peek(const ByteRing *ring, size_t filled, size_t *length);

#endif
