/*
 * json_check.h - whether a text is one JSON document, for texts of strangers that become part of a
 * larger document as they stand.
 */
#ifndef TRANSFERBENCH_JSON_CHECK_H
#define TRANSFERBENCH_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct JsonCheck JsonCheck;

/* NULL when out of memory. */
extern JsonCheck *json_check_create(void);
extern void json_check_free(JsonCheck *check); /* NULL is fine */

/* Strictly: RFC 8259 in UTF-8, no lone surrogates, JSON_FRAMES_MAX_DEPTH, white space around it
 * allowed. *why says what is wrong, lent until the next call. */
extern bool json_check_is_document(JsonCheck *check, const char *text, size_t length,
								   const char **why);

#endif
