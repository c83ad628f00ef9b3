/*
 * row_hasher.h - digests PostgreSQL rows: picks each column's canonical form
 * (common/row_digest.h) by its type.
 *
 * Families by base type (domains as what they are over): bool; int2, int4,
 * int8; float4, float8; numeric; text and varchar; bpchar; bytea; date, time,
 * timestamp, timestamptz; uuid; money as the integer that it is; json and jsonb
 * as parsed (canonical_json.h).
 * Every other type by its output text under DateStyle ISO, IntervalStyle
 * postgres, TimeZone UTC, extra_float_digits 3, bytea_output hex. Text is
 * converted to UTF-8.
 * Dropped columns are left out.
 */
#ifndef TRANSFERBENCH_ROW_HASHER_H
#define TRANSFERBENCH_ROW_HASHER_H

#include "access/tupdesc.h"

#include "row_digest.h"

typedef struct RowHasher RowHasher;

/* Lives in the current context; `row_desc` must outlive it. */
extern RowHasher *row_hasher_create(TupleDesc row_desc);

/* Columns that count, in order of the row type, and their names (lent). */
extern int row_hasher_columns(const RowHasher *hasher);
extern const char *row_hasher_column_name(const RowHasher *hasher, int column);

/* Whether values of both columns can be equal at all; 'other' types count as one family. */
extern bool row_hasher_same_family(const RowHasher *a, int a_column, const RowHasher *b,
								   int b_column);

/*
 * Column hashes of one row, [row_hasher_columns], lent until the next call.
 * Values are detoasted; garbage is left in the current context. What a type's
 * output function or a conversion raises has the row, counted from the first of
 * this hasher, and the column as its context.
 */
extern const uint64 *row_hasher_hash(RowHasher *hasher, const Datum *values, const bool *nulls);

/*
 * Sum over all rows hashed so far of what the column's decimal scales are, value
 * by value: 1.50 and 1.5 are the same value and hash alike, but differ here.
 * 0 for columns that are not numeric.
 */
extern uint64 row_hasher_scale_sum(const RowHasher *hasher, int column);

#endif
