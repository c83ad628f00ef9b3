/*
 * body_spool.h - bytes that are kept to be sent, maybe more than once: in memory up to
 * a bound, beyond it in a temporary file without a name.
 */
#ifndef TRANSFERBENCH_BODY_SPOOL_H
#define TRANSFERBENCH_BODY_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct BodySpool BodySpool;

/* NULL when out of memory. */
extern BodySpool *body_spool_create(size_t memory_bytes);
extern void body_spool_free(BodySpool *spool); /* NULL is fine */
/* A JsonEncodeFlush: appends; false when the disk or memory is full, see body_spool_problem. */
extern bool body_spool_append(void *spool, const char *bytes, size_t length);
extern int64_t body_spool_length(const BodySpool *spool);
/* Back to a length of before; 0 empties it, keeping memory and file. */
extern void body_spool_truncate(BodySpool *spool, int64_t length);
/* Up to `size` bytes from `offset`; 0 at the end, -1 on failure. Several threads may read what is
 * not being appended to. */
extern ssize_t body_spool_read(BodySpool *spool, int64_t offset, char *bytes, size_t size);
extern const char *body_spool_problem(const BodySpool *spool);

#endif
