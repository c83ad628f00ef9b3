/*
 * serve_request.h - what a GET /load_from_db asks for, from its query parameters.
 *
 * row_limit, offset: digits only, up to 2^63 - 1; format: the name of a format.
 * Each may come once; there are no others.
 */
#ifndef TRANSFERBENCH_SERVE_REQUEST_H
#define TRANSFERBENCH_SERVE_REQUEST_H

#include "rows/row_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVE_DEFAULT_ROW_LIMIT 10000

/* The statuses of the Plumber service whose paths this endpoint repeats. */
#define SERVE_STATUS_RESULT         200
#define SERVE_STATUS_NO_RESULT      201
#define SERVE_STATUS_BAD_REQUEST    400 /* its head is malformed, or leaves the body's end in doubt */
#define SERVE_STATUS_INVALID_CLASS  401 /* a GET that brings a body; a body that is no JSON rows */
#define SERVE_STATUS_INVALID_TYPE   402 /* a format, media type or coding that is not known */
#define SERVE_STATUS_INVALID_VALUE  403 /* a parameter: malformed, out of range, twice, unknown */
#define SERVE_STATUS_NOT_FOUND      404
#define SERVE_STATUS_METHOD         405
#define SERVE_STATUS_TOO_LARGE      413 /* a body beyond --max-body-bytes */
#define SERVE_STATUS_URI_TOO_LONG   414
#define SERVE_STATUS_MISDIRECTED    421 /* for another host, by its name */
#define SERVE_STATUS_OTHER_BODY     422 /* an Idempotency-Key that came with another body */
#define SERVE_STATUS_TOO_MANY       429 /* more requests at once than --max-requests */
#define SERVE_STATUS_UNSPECIFIED    500
#define SERVE_STATUS_WRITING_FAILED 501
#define SERVE_STATUS_READING_FAILED 502
#define SERVE_STATUS_BUSY           503 /* no database connection was free in time, or stopping */

typedef struct ServeRequest
{
	int64_t row_limit;
	int64_t offset;
	const RowFormat *format;
	bool gzip;
	bool head_only; /* HEAD: the status and the fields, no body */
	unsigned seen;  /* parameters taken so far, a bit each */
} ServeRequest;

typedef struct ServeRequestError
{
	int status;
	char detail[160]; /* printable ASCII */
} ServeRequestError;

extern void serve_request_init(ServeRequest *request);
/* Takes one decoded parameter; value may be NULL (no equals sign). False fills *error. */
extern bool serve_request_take(ServeRequest *request, const char *key, size_t key_length,
							   const char *value, size_t value_length, ServeRequestError *error);

/* Room for bytes of a stranger that are repeated in an error. */
#define SERVE_SHOWN_SIZE 44
/* The start of them, printable; returns `shown`. */
extern const char *serve_show(char shown[SERVE_SHOWN_SIZE], const char *text, size_t length);

/* The words that belong to a status, for the "error" of a body. */
extern const char *serve_status_text(int status);

#endif
