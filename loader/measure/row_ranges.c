#include "measure/row_ranges.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16
#define RANGE_TEXT_MAX 44 /* two int64, a dash, a comma and a blank */
#define REST_TEXT_MAX  48 /* " and 18446744073709551615 more ranges" */

static bool
is_before(const RowRange *range, int64_t row)
{
	return range->last < row && range->last + 1 < row;
}

/* The first range that ends at `row` - 1 or later: all before it neither hold nor touch `row`. */
static size_t
find_place(const RowRanges *ranges, int64_t row)
{
	size_t low = 0, high = ranges->count;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (is_before(&ranges->range[middle], row))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
make_room(RowRanges *ranges)
{
	size_t capacity = ranges->capacity == 0 ? FIRST_CAPACITY : ranges->capacity * 2;
	RowRange *range;

	if (ranges->count < ranges->capacity)
		return true;
	range = realloc(ranges->range, capacity * sizeof(RowRange));
	if (range == NULL)
		return false;
	ranges->range = range;
	ranges->capacity = capacity;
	return true;
}

static bool
insert(RowRanges *ranges, size_t place, int64_t first, int64_t last)
{
	if (!make_room(ranges))
		return false;
	memmove(&ranges->range[place + 1], &ranges->range[place],
			(ranges->count - place) * sizeof(RowRange));
	ranges->range[place] = (RowRange){.first = first, .last = last};
	ranges->count++;
	return true;
}

/* A range that reaches its neighbours now takes them in. */
static void
join_following(RowRanges *ranges, size_t place)
{
	RowRange *grown = &ranges->range[place];
	size_t next = place + 1;

	while (next < ranges->count && (ranges->range[next].first <= grown->last ||
									ranges->range[next].first == grown->last + 1))
	{
		if (ranges->range[next].last > grown->last)
			grown->last = ranges->range[next].last;
		next++;
	}
	memmove(grown + 1, &ranges->range[next], (ranges->count - next) * sizeof(RowRange));
	ranges->count -= next - place - 1;
}

bool
row_ranges_add(RowRanges *ranges, int64_t first, int64_t last)
{
	size_t place;
	RowRange *range;

	if (first > last)
		return true;
	place = find_place(ranges, first);
	range = &ranges->range[place];
	if (place == ranges->count || (range->first > last && range->first - 1 > last))
		return insert(ranges, place, first, last);
	if (first < range->first)
		range->first = first;
	if (last > range->last)
		range->last = last;
	join_following(ranges, place);
	return true;
}

void
row_ranges_free(RowRanges *ranges)
{
	free(ranges->range);
	*ranges = (RowRanges){0};
}

int64_t
row_ranges_rows(const RowRanges *ranges)
{
	int64_t rows = 0;

	for (size_t i = 0; i < ranges->count; i++)
		rows += ranges->range[i].last - ranges->range[i].first + 1;
	return rows;
}

static size_t
put_range(char *text, size_t size, const RowRange *range, bool is_first)
{
	const char *before = is_first ? "" : ", ";

	if (range->first == range->last)
		return (size_t) snprintf(text, size, "%s%" PRId64, before, range->first);
	return (size_t) snprintf(text, size, "%s%" PRId64 "-%" PRId64, before, range->first,
							 range->last);
}

char *
row_ranges_text(const RowRanges *ranges, size_t at_most)
{
	size_t shown = ranges->count < at_most ? ranges->count : at_most;
	size_t rest = ranges->count - shown;
	size_t size = shown * RANGE_TEXT_MAX + REST_TEXT_MAX, length = 0;
	char *text = malloc(size);

	if (text == NULL)
		return NULL;
	if (ranges->count == 0)
		length = (size_t) snprintf(text, size, "none");
	for (size_t i = 0; i < shown; i++)
		length += put_range(text + length, size - length, &ranges->range[i], i == 0);
	if (rest > 0)
		snprintf(text + length, size - length, "%s%zu %srange%s", shown == 0 ? "" : " and ", rest,
				 shown == 0 ? "" : "more ", rest == 1 ? "" : "s");
	return text;
}
