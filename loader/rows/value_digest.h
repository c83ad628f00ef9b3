/*
 * value_digest.h - the digest of typed rows (common/row_digest.h), by their types;
 * the same as the extension's row_hasher makes of the same rows in the server. A json that
 * jsonb would refuse is digested as it is spelled.
 */
#ifndef TRANSFERBENCH_VALUE_DIGEST_H
#define TRANSFERBENCH_VALUE_DIGEST_H

#include "row_digest.h"
#include "rows/row_type.h"

typedef struct ValueDigest ValueDigest;

/* `type` is lent. NULL when out of memory. */
extern ValueDigest *value_digest_create(const RowType *type);
extern void value_digest_free(ValueDigest *digest); /* NULL is fine */
extern void value_digest_reset(ValueDigest *digest);
/* Adds a row, [columns]; of arrays and composites, the bytes were checked. False when out of memory. */
extern bool value_digest_add(ValueDigest *digest, const Value *values);
/* The sums so far; column_sums in the order of the type's columns. */
extern const RowDigest *value_digest_sums(const ValueDigest *digest);
/* A sum that a change of scale alone (1.5, 1.50) changes, of a numeric column or of numerics within its
 * arrays and composites; else 0. */
extern uint64_t value_digest_scale_sum(const ValueDigest *digest, int column);
/* The hash of one column's value of the row added last. */
extern uint64_t value_digest_last_hash(const ValueDigest *digest, int column);

#endif
