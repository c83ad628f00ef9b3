/*
 * content_range.c - see content_range.h.
 */
#include "http/content_range.h"
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct ContentRange
{
	bool is_empty; /* no first and last */
	int64_t first, last;
	int64_t total; /* -1: not told */
} ContentRange;

static bool
is_asterisk(const char *text, size_t length)
{
	return length == 1 && *text == '*';
}

static bool
parse(const char *text, ContentRange *range)
{
	size_t rows = strcspn(text, "/");
	const char *total = text + rows + 1;
	size_t first;

	if (text[rows] == '\0')
		return false;
	range->total = -1;
	if (!is_asterisk(total, strlen(total)) && !parse_digits(total, strlen(total), &range->total))
		return false;
	range->is_empty = is_asterisk(text, rows);
	if (range->is_empty)
		return true;
	first = strcspn(text, "-");
	return first < rows && parse_digits(text, first, &range->first) &&
		   parse_digits(text + first + 1, rows - first - 1, &range->last) &&
		   range->first <= range->last && (range->total < 0 || range->last < range->total);
}

static bool
agrees(const ContentRange *range, int64_t limit, int64_t offset)
{
	if (range->is_empty)
		return limit == 0 || range->total < 0 || range->total <= offset;
	return range->first == offset && range->last - range->first < limit;
}

bool
content_range_check(const char *content_range, int64_t limit, int64_t offset, char *problem,
					size_t problem_size)
{
	ContentRange range = {0};

	if (*content_range == '\0')
		return true;
	if (!parse(content_range, &range))
		snprintf(problem, problem_size, "Content-Range \"%s\" is no range of rows", content_range);
	else if (!agrees(&range, limit, offset))
		snprintf(problem, problem_size,
				 "Content-Range \"%s\" is not what was asked for: %" PRId64 " rows from %" PRId64
				 " on",
				 content_range, limit, offset);
	else
		return true;
	return false;
}
