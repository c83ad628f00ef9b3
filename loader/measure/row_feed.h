/*
 * row_feed.h - the rows of a source one by one, with their numbers, taken from it in chunks.
 *
 * A row that was looked at and not taken is the next one again. For one thread at a
 * time.
 */
#ifndef TRANSFERBENCH_ROW_FEED_H
#define TRANSFERBENCH_ROW_FEED_H

#include "rows/row_source.h"

#define ROW_FEED_NO_LAST_ROW (INT64_MAX - 1) /* until the source ends */

typedef struct RowFeed RowFeed;

/* Both are lent. NULL when out of memory. Without rows until it is started. */
extern RowFeed *row_feed_create(RowSource *source, const RowType *type);
extern void row_feed_free(RowFeed *feed); /* NULL is fine */
/* Rows first..last come next: the source stands at `first`. What was left is forgotten. */
extern void row_feed_start(RowFeed *feed, int64_t first, int64_t last);

/* Sees to it that there is a next row, by a further chunk if need be, whose time is added to
 * *generate_ns: ROWS, or why there is none. INTERRUPTED too when interrupt.h says so. */
extern RowSourceResult row_feed_fill(RowFeed *feed, int64_t *generate_ns);
/* The next row; NULL when a further chunk is needed. */
extern const Value *row_feed_row(const RowFeed *feed);
extern int64_t row_feed_row_number(const RowFeed *feed);
extern void row_feed_take(RowFeed *feed);
/* Whether all rows up to the last were taken, or the source has ended. */
extern bool row_feed_is_over(const RowFeed *feed);
/* After FAILED. */
extern const char *row_feed_problem(const RowFeed *feed);

#endif
