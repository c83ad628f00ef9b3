/*
 * canonical_json.h - json as parsed: one text for all spellings of a document.
 *
 * Compact; keys in jsonb's order (by length in bytes, then bytewise), the last
 * of equal keys; numbers without trailing zeros or exponent (1.50 = 1.5 =
 * 15e-1); strings escaped as escape_json does. What a jsonb equals, this
 * equals.
 */
#ifndef TRANSFERBENCH_CANONICAL_JSON_H
#define TRANSFERBENCH_CANONICAL_JSON_H

#include "utils/jsonb.h"

/* In the current context, in the database's encoding. */
extern char *canonical_json_text(Jsonb *document);

#endif
