/*
 * upload.h - the body of a request on its way from the thread that speaks HTTP to the one that
 * writes it to the database: a bounded queue.
 *
 * The HTTP side never blocks: where the queue is full it goes to sleep (suspends its
 * connection), and is woken once half of it is free. The database side blocks until there
 * are bytes, the end, or no more of either.
 */
#ifndef TRANSFERBENCH_UPLOAD_H
#define TRANSFERBENCH_UPLOAD_H

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>

/* Called with the upload's lock held. */
typedef void (*UploadHook)(void *http_side);

typedef struct Upload Upload;

/* What is expected of a client for whom others have to wait. */
#define UPLOAD_MIN_BYTES_PER_S (64 * 1024)
#define UPLOAD_PACE_NS         (2 * CLOCK_NS_PER_S)

typedef enum UploadResult
{
	UPLOAD_BYTES,
	UPLOAD_END,
	UPLOAD_GONE, /* the client went away, or the rest is not wanted */
} UploadResult;

/* NULL when out of memory. */
extern Upload *upload_create(UploadHook sleep, UploadHook wake, void *http_side);
extern void upload_free(Upload *upload); /* NULL is fine */

/* --- the HTTP side --- */

/* Takes what fits; if that is not all, the HTTP side has been put to sleep. False: nobody wants the
 * bytes any more. */
extern bool upload_put(Upload *upload, const char *bytes, size_t length, size_t *taken);
/* The body is complete. */
extern void upload_end(Upload *upload);

/* --- the database side --- */

/* Lends the next bytes until the next call. */
extern UploadResult upload_take(Upload *upload, const char **bytes, size_t *length);

/* --- whoever looks after the connections --- */

/* Whether bytes have come more slowly than UPLOAD_MIN_BYTES_PER_S, over UPLOAD_PACE_NS at least that
 * the database side has waited for them; the time it did not wait is not counted. */
extern bool upload_is_slow(Upload *upload);

/* --- anybody --- */

/* Nobody wants the rest: what comes is refused, who waits is woken. */
extern void upload_discard(Upload *upload);
/* The same, and `http_side` is gone. */
extern void upload_abandon(Upload *upload);

#endif
