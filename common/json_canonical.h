/*
 * json_canonical.h - one text for all spellings of a JSON document.
 *
 * Compact; an object's keys in jsonb's order (by length in bytes, then bytewise), of
 * equal keys the last; numbers without trailing zeros or exponent (1.50 = 1.5 = 15e-1,
 * -0 = 0); strings with nothing escaped but what PostgreSQL's escape_json escapes.
 * Byte by byte the same of a document and of what its jsonb is written as.
 *
 * Refused is what jsonb would not take either: what is not JSON (RFC 8259) in UTF-8,
 * \u0000, an escaped surrogate without its partner, a number beyond numeric's limits
 * (decimal_text.h). And what goes beyond the bounds here: nesting, and the length of
 * the canonical text, since seven bytes of 1e99999 are 100,000 digits.
 */
#ifndef TRANSFERBENCH_JSON_CANONICAL_H
#define TRANSFERBENCH_JSON_CANONICAL_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_CANONICAL_MAX_DEPTH 1024 /* arrays and objects within each other */
/* Beyond the length of the document itself, which all but long numbers stay within. */
#define JSON_CANONICAL_MAX_GROWTH ((size_t) 16 * 1024 * 1024)

typedef struct JsonCanonical JsonCanonical;

/* Keeps buffers from one document to the next. NULL when out of memory. */
extern JsonCanonical *json_canonical_create(void);
extern void json_canonical_free(JsonCanonical *canonical); /* NULL is fine */

/*
 * Makes the canonical text of a document, which need not be terminated. The result is lent:
 * valid until the next call. NULL when the document is refused, or out of memory.
 */
extern const char *json_canonical_make(JsonCanonical *canonical, const char *json, size_t length,
									   size_t *canonical_length);
/* Whether the last document was refused for want of memory alone. */
extern bool json_canonical_is_out_of_memory(const JsonCanonical *canonical);

#endif
