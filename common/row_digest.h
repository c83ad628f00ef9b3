/*
 * row_digest.h - an order-independent digest of typed rows.
 *
 * Two sets of rows are taken for equal when their digests are. The digest is
 * a sum mod 2^64 over row hashes, so the order of rows does not matter but a
 * doubled row does; a row hash is a mix of the sum of its column hashes, and
 * every column hash is bound to its column's name, so the order of columns
 * does not matter either. Beside it stands one sum per column, which names the
 * columns that differ.
 *
 * The canonical form of each type family, the hash function and its test
 * vectors: row_digest.c and test/unit/row_digest_test.c. Not a cryptographic
 * hash: it guards against accidents, not against forgery.
 *
 * Nothing here allocates or fails.
 */
#ifndef TRANSFERBENCH_ROW_DIGEST_H
#define TRANSFERBENCH_ROW_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64-bit hash of bytes, seeded; the base of all below. */
extern uint64_t row_digest_hash_bytes(uint64_t seed, const void *bytes, size_t length);

/* Seed of a column's value hashes, made from its name (UTF-8). Make it once per column. */
extern uint64_t row_digest_column_seed(const char *name, size_t length);

/*
 * Value hashes; `column` is the column's seed. Families are kept apart by a
 * tag, so that the text '1' and the integer 1 differ; int2, int4 and int8
 * share one family, and float4 joins float8 by exact widening.
 */
extern uint64_t row_digest_null(uint64_t column);
extern uint64_t row_digest_bool(uint64_t column, bool value);
extern uint64_t row_digest_int64(uint64_t column, int64_t value);
/* IEEE 754 bits, one NaN for all, -0 kept apart from 0 */
extern uint64_t row_digest_float64(uint64_t column, double value);
/*
 * A decimal number as text: [sign] digits [. digits] [e exponent], or NaN,
 * Infinity, -Infinity, as numeric_out and JSON write them. Leading and
 * trailing zeros and the spelling of the exponent do not matter (1.50 = 1.5 =
 * 15e-1); zero has no sign. Text of any other form, or with an exponent beyond
 * +-10^17 (no numeric comes near), hashes as its bytes under a tag of its own,
 * so never equals a number.
 */
extern uint64_t row_digest_decimal(uint64_t column, const char *text, size_t length);
extern uint64_t row_digest_text(uint64_t column, const char *utf8, size_t length);
/* text of blank-padded char(n): trailing blanks do not count */
extern uint64_t row_digest_bpchar(uint64_t column, const char *utf8, size_t length);
extern uint64_t row_digest_bytea(uint64_t column, const void *bytes, size_t length);
/* days since 2000-01-01 */
extern uint64_t row_digest_date(uint64_t column, int32_t days);
/* microseconds since midnight */
extern uint64_t row_digest_time(uint64_t column, int64_t microseconds);
/* microseconds since 2000-01-01 00:00:00, local; infinities are INT64_MIN and INT64_MAX */
extern uint64_t row_digest_timestamp(uint64_t column, int64_t microseconds);
/* the same, UTC */
extern uint64_t row_digest_timestamptz(uint64_t column, int64_t microseconds);
extern uint64_t row_digest_uuid(uint64_t column, const uint8_t bytes[16]);
/* any other type: its output text under the pinned settings of DESIGN 'Digest' */
extern uint64_t row_digest_other(uint64_t column, const char *utf8, size_t length);

/* json that has no canonical form (json_canonical.h), as it is spelled, but without white space outside
 * strings; json that has one is `other`, by that text */
extern uint64_t row_digest_verbatim_json(uint64_t column, const char *utf8, size_t length);

/*
 * Arrays and composites, from the hashes of their members: begin, then row_digest_member for each in
 * its order; what the last call returns is the value's hash. Elements are hashed as values of
 * their type with the column's own seed; attributes with a seed made from their name, dropped
 * ones left out. An empty array has no dimension.
 */
extern uint64_t row_digest_array_begin(uint64_t column, int dimensions, const int32_t *lengths,
									   const int32_t *lower_bounds, size_t elements);
extern uint64_t row_digest_composite_begin(uint64_t column, size_t attributes);
extern uint64_t row_digest_member(uint64_t hash, uint64_t member_hash);
extern uint64_t row_digest_attribute_seed(uint64_t column, const char *name, size_t length);

/* Hash of a whole row from its column hashes, in any order. */
extern uint64_t row_digest_row(const uint64_t *column_hashes, int columns);

/* The running sums; `column_sums` has one element per column and belongs to the caller. */
typedef struct RowDigest
{
	int columns;
	int64_t rows;
	uint64_t digest;       /* sum of row hashes mod 2^64 */
	uint64_t *column_sums; /* [columns], sums of column hashes mod 2^64 */
} RowDigest;

extern void row_digest_init(RowDigest *digest, uint64_t *column_sums, int columns);
/* Adds one row; returns its row hash. */
extern uint64_t row_digest_add(RowDigest *digest, const uint64_t *column_hashes);

#endif
