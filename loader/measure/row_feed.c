#include "measure/row_feed.h"
#include "clock.h"
#include "interrupt.h"

#include <stdlib.h>

struct RowFeed
{
	RowSource *source;
	RowChunk *chunk;
	int place;        /* of the next row in the chunk */
	int64_t next_row; /* its number */
	int64_t last_row;
	bool source_is_over; /* it said END since the start */
};

RowFeed *
row_feed_create(RowSource *source, const RowType *type)
{
	RowFeed *feed = calloc(1, sizeof(RowFeed));

	if (feed == NULL)
		return NULL;
	feed->source = source;
	feed->next_row = 1;
	feed->chunk = row_chunk_create(type);
	if (feed->chunk == NULL)
	{
		free(feed);
		return NULL;
	}
	return feed;
}

void
row_feed_free(RowFeed *feed)
{
	if (feed == NULL)
		return;
	row_chunk_free(feed->chunk);
	free(feed);
}

void
row_feed_start(RowFeed *feed, int64_t first, int64_t last)
{
	row_chunk_reset(feed->chunk);
	feed->place = 0;
	feed->next_row = first;
	feed->last_row = last;
	feed->source_is_over = false;
}

RowSourceResult
row_feed_fill(RowFeed *feed, int64_t *generate_ns)
{
	RowSourceResult result;
	int64_t start_ns;

	if (feed->place < row_chunk_rows(feed->chunk))
		return ROW_SOURCE_ROWS;
	if (row_feed_is_over(feed))
		return ROW_SOURCE_END;
	if (interrupt_requested())
		return ROW_SOURCE_INTERRUPTED;
	start_ns = clock_now_ns();
	row_chunk_reset(feed->chunk);
	feed->place = 0;
	result = row_source_next(feed->source, feed->chunk, feed->last_row - feed->next_row + 1);
	if (result != ROW_SOURCE_ROWS)
		row_chunk_reset(feed->chunk); /* rows before a failure do not count */
	feed->source_is_over = result == ROW_SOURCE_END;
	*generate_ns += clock_now_ns() - start_ns;
	return result;
}

const Value *
row_feed_row(const RowFeed *feed)
{
	return feed->place < row_chunk_rows(feed->chunk) ? row_chunk_row(feed->chunk, feed->place)
													 : NULL;
}

int64_t
row_feed_row_number(const RowFeed *feed)
{
	return feed->next_row;
}

void
row_feed_take(RowFeed *feed)
{
	feed->place++;
	feed->next_row++;
}

bool
row_feed_is_over(const RowFeed *feed)
{
	return feed->next_row > feed->last_row || feed->source_is_over;
}

const char *
row_feed_problem(const RowFeed *feed)
{
	return row_source_problem(feed->source);
}
