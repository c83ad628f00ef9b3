/*
 * json_hasher.h - the digest of json: as parsed, by its canonical text
 * (common/json_canonical.h), so that all spellings of a document are equal. What has
 * no canonical form is hashed as it is spelled, without its white space.
 */
#ifndef TRANSFERBENCH_JSON_HASHER_H
#define TRANSFERBENCH_JSON_HASHER_H

typedef struct JsonHasher JsonHasher;

/* Lives in the current context. */
extern JsonHasher *json_hasher_create(void);

/* Hash of a valid document in UTF-8, which need not be terminated. Raises 53200 when out of
 * memory, 54001 when the stack is too short for it; garbage is left in the current context. */
extern uint64 json_hasher_hash(JsonHasher *hasher, uint64 column_seed, const char *utf8,
							   size_t length);

/* The text that is hashed, terminated, in the current context. */
extern char *json_hasher_text(JsonHasher *hasher, const char *utf8, size_t length);

#endif
