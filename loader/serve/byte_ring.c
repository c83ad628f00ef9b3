#include "serve/byte_ring.h"

#include <stdlib.h>
#include <string.h>

bool
byte_ring_open(ByteRing *ring)
{
	*ring = (ByteRing){.bytes = malloc(BYTE_RING_SIZE)};
	return ring->bytes != NULL;
}

void
byte_ring_close(ByteRing *ring)
{
	free(ring->bytes);
	ring->bytes = NULL;
}

size_t
byte_ring_filled(const ByteRing *ring)
{
	return (size_t) (ring->written - ring->taken);
}

size_t
byte_ring_room(const ByteRing *ring)
{
	return BYTE_RING_SIZE - byte_ring_filled(ring);
}

/* Bytes from a place of the stream on, up to `count`, that follow without a break. */
static size_t
unbroken(uint64_t at, size_t count)
{
	size_t until_wrap = BYTE_RING_SIZE - (size_t) (at % BYTE_RING_SIZE);

	return count < until_wrap ? count : until_wrap;
}

void
byte_ring_put(ByteRing *ring, const char *bytes, size_t count)
{
	size_t first = unbroken(ring->written, count);

	memcpy(ring->bytes + ring->written % BYTE_RING_SIZE, bytes, first);
	memcpy(ring->bytes, bytes + first, count - first);
}

void
byte_ring_get(const ByteRing *ring, char *bytes, size_t count)
{
	size_t first = unbroken(ring->taken, count);

	memcpy(bytes, ring->bytes + ring->taken % BYTE_RING_SIZE, first);
	memcpy(bytes + first, ring->bytes, count - first);
}

const char *
byte_ring_peek(const ByteRing *ring, size_t filled, size_t *length)
{
	*length = unbroken(ring->taken, filled);
	return ring->bytes + ring->taken % BYTE_RING_SIZE;
}
