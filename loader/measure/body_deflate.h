/*
 * body_deflate.h - a body in a spool, compressed by gzip into another, fast rather than
 * small.
 */
#ifndef TRANSFERBENCH_BODY_DEFLATE_H
#define TRANSFERBENCH_BODY_DEFLATE_H

#include "rows/body_spool.h"

#define BODY_DEFLATE_LEVEL 1

typedef struct BodyDeflate BodyDeflate;

/* NULL when out of memory. */
extern BodyDeflate *body_deflate_create(void);
extern void body_deflate_free(BodyDeflate *deflate); /* NULL is fine */
/* Replaces what `to` holds by all of `from`, compressed. NULL, or why it could not be done. */
extern const char *body_deflate_run(BodyDeflate *deflate, BodySpool *from, BodySpool *to);

#endif
