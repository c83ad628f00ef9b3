/*
 * request_body.h - the bytes of an upload as they are meant: without their content coding,
 * counted against the limit, and hashed on request.
 */
#ifndef TRANSFERBENCH_REQUEST_BODY_H
#define TRANSFERBENCH_REQUEST_BODY_H

#include "serve/upload.h"

#include <stdint.h>

#define REQUEST_BODY_DIGEST_SIZE 32 /* SHA-256 */

typedef struct RequestBody RequestBody;

typedef enum RequestBodyResult
{
	REQUEST_BODY_BYTES,
	REQUEST_BODY_END,
	REQUEST_BODY_GONE,      /* see UPLOAD_GONE */
	REQUEST_BODY_TOO_LARGE, /* more decoded bytes than the limit */
	REQUEST_BODY_CORRUPT,   /* no whole gzip */
	REQUEST_BODY_OUT_OF_MEMORY,
} RequestBodyResult;

/* `upload` is lent; `max_bytes` 0: no limit. NULL when out of memory. */
extern RequestBody *request_body_open(Upload *upload, bool gzip, bool hashed, int64_t max_bytes);
extern void request_body_close(RequestBody *body); /* NULL is fine */
/* Lends the next bytes until the next call. */
extern RequestBodyResult request_body_next(RequestBody *body, const char **bytes, size_t *length);
/* After END, of a body that is hashed: SHA-256 of all the bytes given. False: the library failed. */
extern bool request_body_digest(RequestBody *body, unsigned char digest[REQUEST_BODY_DIGEST_SIZE]);

#endif
