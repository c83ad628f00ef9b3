/*
 * http_headers.h - the request headers that a user gives as jsonb.
 */
#ifndef TRANSFERBENCH_HTTP_HEADERS_H
#define TRANSFERBENCH_HTTP_HEADERS_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/*
 * {"Name": "value", …} as a List of "Name: value" in the current context, values
 * as UTF-8.
 * Raises 22023 for anything else: a name that is no token (RFC 9110, 5.6.2) or
 * is ours to send, a value that is no string or number or holds a control
 * character. Values are never repeated in messages.
 */
extern List *http_headers_from_jsonb(Jsonb *headers);

/* Whether a name is a token (RFC 9110, 5.6.2). */
extern bool http_headers_is_name(const char *name, size_t length);

/*
 * Whether a header of this name, whatever its case, is for nobody else to send:
 * it says where a request ends, what becomes of its connection, or which host it
 * is for. With a Content-Length of his choice a caller could have a header of
 * his read as the next request on the connection, of any method, the lines of
 * the credentials file below it.
 */
extern bool http_headers_is_ours(const char *name, size_t length);

/* Whether a value is free of control characters, line breaks above all (RFC 9110, 5.5). */
extern bool http_headers_is_value(const char *value);

/* Whether a List of "Name: value" has a header of that name, whatever its case. */
extern bool http_headers_have(List *headers, const char *name, size_t length);

#endif
