/*
 * save_request.h - what a POST /save_to_db brings, from the fields of its head.
 *
 * Content-Type: application/json (an array of objects) or application/x-ndjson, in
 * UTF-8; Content-Encoding: gzip or none; Idempotency-Key: printable ASCII. Each may
 * come once; other fields are nobody's here.
 */
#ifndef TRANSFERBENCH_SAVE_REQUEST_H
#define TRANSFERBENCH_SAVE_REQUEST_H

#include "json_frames.h"
#include "serve/serve_request.h"

#define SAVE_KEY_MAX 200 /* bytes */

typedef struct SaveRequest
{
	JsonShape shape; /* ARRAY or LINES; UNKNOWN until a media type was taken */
	bool gzip;
	char key[SAVE_KEY_MAX + 1]; /* "": none came */
	bool has_key;
	bool has_coding;
} SaveRequest;

extern void save_request_init(SaveRequest *request);
/* Takes one field; value may be NULL. False fills *error. */
extern bool save_request_take(SaveRequest *request, const char *name, const char *value,
							  ServeRequestError *error);
/* After all of them. */
extern bool save_request_check(const SaveRequest *request, ServeRequestError *error);

#endif
