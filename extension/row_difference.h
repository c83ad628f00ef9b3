/*
 * row_difference.h - what differs between two multisets of rows, known by
 * their column hashes: which rows are on one side only, and which values of
 * which columns changed.
 *
 * Sort-based: memory is bounded by work_mem, the rest goes to temporary
 * files. A pair of rows, one only native and one only over HTTP, is taken for
 * the same row with changed values when a column that identifies rows (nearly
 * all its values distinct) says so, or, where there is none, when at least half
 * of their columns agree.
 */
#ifndef TRANSFERBENCH_ROW_DIFFERENCE_H
#define TRANSFERBENCH_ROW_DIFFERENCE_H

typedef enum RowSide
{
	SIDE_NATIVE,
	SIDE_HTTP,
} RowSide;

#define ROW_DIFFERENCE_SAMPLES 3

/* A value that changed: where to find it again. */
typedef struct ChangedValue
{
	int column;
	uint64 row_hashes[2]; /* by RowSide */
} ChangedValue;

typedef struct RowDifferenceResult
{
	int64 native_only; /* native EXCEPT ALL http */
	int64 http_only;   /* http EXCEPT ALL native */
	int64 pairs;       /* of these, taken for one row with changed values */
	int64 values_changed;
	int64 *changed; /* [columns], values of each column */
	int sample_count;
	ChangedValue samples[ROW_DIFFERENCE_SAMPLES];
} RowDifferenceResult;

typedef struct RowDifference RowDifference;

/* Lives in the current context, its sorts in the current resource owner. */
extern RowDifference *row_difference_create(int columns);

/* Adds a row by its hash and its column hashes, [columns], the same order on both sides. */
extern void row_difference_add(RowDifference *difference, RowSide side, uint64 row_hash,
							   const uint64 *column_hashes);

/* Compares; gives all back but the result, which lives in the current context. */
extern RowDifferenceResult *row_difference_finish(RowDifference *difference);

#endif
