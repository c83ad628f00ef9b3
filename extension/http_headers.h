/*
 * http_headers.h - the request headers that a user gives as jsonb.
 */
#ifndef TRANSFERBENCH_HTTP_HEADERS_H
#define TRANSFERBENCH_HTTP_HEADERS_H

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/*
 * {"Name": "value", …} as a List of "Name: value" in the current context.
 * Raises 22023 for anything else: a name that is no token (RFC 9110, 5.6.2), a
 * value that is no string or number or holds a control character. Values are
 * never repeated in messages.
 */
extern List *http_headers_from_jsonb(Jsonb *headers);

#endif
