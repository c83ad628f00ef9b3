/*
 * row_hasher.h - digests PostgreSQL rows, column by column (value_hasher.h).
 * Dropped columns are left out.
 */
#ifndef TRANSFERBENCH_ROW_HASHER_H
#define TRANSFERBENCH_ROW_HASHER_H

#include "access/tupdesc.h"

#include "row_digest.h"
#include "value_hasher.h"

typedef struct RowHasher RowHasher;

/* Lives in the current context; `row_desc` must outlive it. */
extern RowHasher *row_hasher_create(TupleDesc row_desc);

/* Columns that count, in order of the row type, and their names (lent). */
extern int row_hasher_columns(const RowHasher *hasher);
extern const char *row_hasher_column_name(const RowHasher *hasher, int column);
/* Where a column is in the row type, 0-based, and what hashes its values. */
extern int row_hasher_attribute(const RowHasher *hasher, int column);
extern ValueHasher *row_hasher_value_hasher(const RowHasher *hasher, int column);

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

/* Sum over all rows hashed so far of the scales of what is numeric in the column (ValueHasherScope);
 * 0 where nothing is. */
extern uint64 row_hasher_scale_sum(const RowHasher *hasher, int column);

#endif
