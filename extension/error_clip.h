/*
 * error_clip.h - errors in words that a peer chose, at a bounded length.
 *
 * The input function of a type repeats the value that it refuses, whole; the
 * values are the endpoint's, up to pg_transferbench.max_row_bytes each, and
 * would go to the client and to the server's log.
 */
#ifndef TRANSFERBENCH_ERROR_CLIP_H
#define TRANSFERBENCH_ERROR_CLIP_H

#define ERROR_CLIP_BYTES 2000 /* of a message, of its detail, hint and context each */

/*
 * Within PG_CATCH: raises the error that was caught, its long texts cut at a
 * character and ended by "..."; the context has it in its middle. The copy lives
 * in `context`.
 */
extern void error_clip_rethrow(MemoryContext context) pg_attribute_noreturn();

#endif
