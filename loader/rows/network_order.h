/*
 * network_order.h - integers of 16, 32 and 64 bits in bytes, the most significant
 * first, at any alignment.
 */
#ifndef TRANSFERBENCH_NETWORK_ORDER_H
#define TRANSFERBENCH_NETWORK_ORDER_H

#include <stdint.h>

static inline uint16_t
load_uint16(const char *bytes)
{
	const uint8_t *b = (const uint8_t *) bytes;

	return (uint16_t) (b[0] << 8 | b[1]);
}

static inline uint32_t
load_uint32(const char *bytes)
{
	return (uint32_t) load_uint16(bytes) << 16 | load_uint16(bytes + 2);
}

static inline uint64_t
load_uint64(const char *bytes)
{
	return (uint64_t) load_uint32(bytes) << 32 | load_uint32(bytes + 4);
}

/* These return the end. */
static inline char *
store_uint16(char *to, uint16_t value)
{
	to[0] = (char) (value >> 8);
	to[1] = (char) value;
	return to + 2;
}

static inline char *
store_uint32(char *to, uint32_t value)
{
	return store_uint16(store_uint16(to, (uint16_t) (value >> 16)), (uint16_t) value);
}

static inline char *
store_uint64(char *to, uint64_t value)
{
	return store_uint32(store_uint32(to, (uint32_t) (value >> 32)), (uint32_t) value);
}

#endif
