/*
 * api_request.h - how a dialect writes an ApiRequest: the URL piece by piece, the headers one by
 * one; a lack of memory is found at the end.
 */
#ifndef TRANSFERBENCH_API_REQUEST_H
#define TRANSFERBENCH_API_REQUEST_H

#include "http/api_dialect.h"

#include <stdio.h>

typedef struct ApiRequestWriter
{
	ApiRequest *request;
	FILE *url;
	size_t url_length;
	bool failed;
} ApiRequestWriter;

extern void api_request_open(ApiRequestWriter *writer, ApiRequest *request);
/* False, with the request empty, when out of memory. */
extern bool api_request_close(ApiRequestWriter *writer);

extern void api_url_text(ApiRequestWriter *writer, const char *text);
extern void api_url_integer(ApiRequestWriter *writer, int64_t value);
/* Percent-encoded but for what is unreserved (RFC 3986, section 2.3) and the bytes of `kept`. */
extern void api_url_escaped(ApiRequestWriter *writer, const char *text, const char *kept);
/* With every {n} and {offset} replaced. */
extern void api_url_template(ApiRequestWriter *writer, const char *text, int64_t limit,
							 int64_t offset);
extern void api_header(ApiRequestWriter *writer, const char *name, const char *value);

/* What is common to `reference` and `plumber`. */
extern bool api_row_limit_get(const ApiTarget *target, int64_t limit, int64_t offset,
							  ApiRequest *request);
extern void api_save_url(ApiRequestWriter *writer, const ApiTarget *target);
/* A proxy answers 503 for an API whose answer it lost, too; Retry-After says that somebody turned the
 * request away. */
extern bool api_turned_away(const HttpAnswer *answer, const char *body);
extern bool api_row_limit_check_get(const HttpAnswer *answer, int64_t limit, int64_t offset,
									char *problem, size_t problem_size);

/* Puts an unwanted status in words; always false. */
extern bool api_refuse_status(const HttpAnswer *answer, char *problem, size_t problem_size);

#endif
