/*
 * row_ranges.h - a set of rows by their numbers, as ranges.
 */
#ifndef TRANSFERBENCH_ROW_RANGES_H
#define TRANSFERBENCH_ROW_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct RowRange
{
	int64_t first, last; /* both within */
} RowRange;

typedef struct RowRanges
{
	RowRange *range; /* [count], ascending, neither touching nor overlapping */
	size_t count, capacity;
} RowRanges;

/* {0} is the empty set. Adds rows [first, last]; false when out of memory. */
extern bool row_ranges_add(RowRanges *ranges, int64_t first, int64_t last);
extern void row_ranges_free(RowRanges *ranges);
extern int64_t row_ranges_rows(const RowRanges *ranges);
/* "1-1000, 5001-6000 and 12 more ranges"; the caller frees; NULL when out of memory. */
extern char *row_ranges_text(const RowRanges *ranges, size_t at_most);

#endif
