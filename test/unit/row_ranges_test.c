/*
 * row_ranges_test.c - sets of row numbers: joined where they touch, told in a line.
 */
#include "measure/row_ranges.h"

#include "splitmix64.h"
#include "unit.h"

#include <stdlib.h>

static void
check_text(const RowRanges *ranges, size_t at_most, const char *wanted, const char *name)
{
	char *text = row_ranges_text(ranges, at_most);

	unit_equal_bytes(text == NULL ? "" : text, text == NULL ? 0 : strlen(text), wanted, name);
	free(text);
}

/* Adds a list of firsts and lasts that ends with 0. */
static void
check_added(const int64_t *list, const char *wanted, const char *name)
{
	RowRanges ranges = {0};

	for (; list[0] != 0; list += 2)
		unit_ok(row_ranges_add(&ranges, list[0], list[1]), name);
	check_text(&ranges, 100, wanted, name);
	row_ranges_free(&ranges);
}

static void
test_joining(void)
{
	check_added((int64_t[]){0}, "none", "the empty set");
	check_added((int64_t[]){7, 7, 0}, "7", "one row");
	check_added((int64_t[]){1, 10, 11, 20, 0}, "1-20", "ranges that touch");
	check_added((int64_t[]){11, 20, 1, 10, 0}, "1-20", "ranges that touch, backwards");
	check_added((int64_t[]){1, 10, 12, 20, 0}, "1-10, 12-20", "a row between");
	check_added((int64_t[]){12, 20, 1, 10, 0}, "1-10, 12-20", "a row between, backwards");
	check_added((int64_t[]){1, 10, 12, 20, 11, 11, 0}, "1-20", "a gap that is filled");
	check_added((int64_t[]){5, 8, 2, 20, 0}, "2-20", "a range around another");
	check_added((int64_t[]){2, 20, 5, 8, 0}, "2-20", "a range within another");
	check_added((int64_t[]){1, 5, 10, 15, 20, 25, 4, 21, 0}, "1-25", "a range over three");
	check_added((int64_t[]){1, 5, 10, 15, 20, 25, 30, 35, 7, 27, 0}, "1-5, 7-27, 30-35",
				"a range around two of four");
	check_added((int64_t[]){9, 8, 0}, "none", "no row");
	check_added((int64_t[]){INT64_MAX - 1, INT64_MAX, 1, 1, 2, INT64_MAX, 0},
				"1-9223372036854775807", "the highest number");
}

static void
test_text(void)
{
	RowRanges ranges = {0};

	for (int64_t i = 0; i < 14; i++)
		row_ranges_add(&ranges, 1 + 5000 * i, 1000 + 5000 * i);
	check_text(&ranges, 2, "1-1000, 5001-6000 and 12 more ranges", "two of fourteen");
	check_text(
		&ranges, 13,
		"1-1000, 5001-6000, 10001-11000, 15001-16000, 20001-21000, 25001-26000, 30001-31000, "
		"35001-36000, 40001-41000, 45001-46000, 50001-51000, 55001-56000, 60001-61000 and 1 "
		"more range",
		"all but one");
	check_text(&ranges, 0, "14 ranges", "none of them");
	unit_equal_int(row_ranges_rows(&ranges), 14000, "rows of fourteen ranges");
	row_ranges_free(&ranges);
	unit_equal_int((int64_t) ranges.count, 0, "freed ranges are the empty set");

	row_ranges_add(&ranges, INT64_MAX - 2, INT64_MAX - 1);
	check_text(&ranges, 5, "9223372036854775805-9223372036854775806", "the longest numbers");
	row_ranges_free(&ranges);
}

#define MODEL_ROWS 400

/* The ranges against a set of flags. */
static bool
agrees(const RowRanges *ranges, const bool *present)
{
	size_t at = 0;
	int64_t rows = 0;

	for (int64_t row = 1; row <= MODEL_ROWS; row++)
	{
		bool starts = present[row] && !present[row - 1];
		bool ends = present[row] && !present[row + 1];

		rows += present[row];
		if (starts && (at >= ranges->count || ranges->range[at].first != row))
			return false;
		if (ends && ranges->range[at++].last != row)
			return false;
	}
	return at == ranges->count && rows == row_ranges_rows(ranges);
}

static void
test_against_model(void)
{
	uint64_t drawn = 0;
	int wrong = 0;

	for (int trial = 0; trial < 200; trial++)
	{
		bool present[MODEL_ROWS + 2] = {false};
		RowRanges ranges = {0};

		for (int i = 0; i < 60; i++)
		{
			int64_t first = 1 + (int64_t) (splitmix64_mix(++drawn) % MODEL_ROWS);
			int64_t last = first + (int64_t) (splitmix64_mix(++drawn) % 12);

			if (last > MODEL_ROWS)
				last = MODEL_ROWS;
			for (int64_t row = first; row <= last; row++)
				present[row] = true;
			wrong += !row_ranges_add(&ranges, first, last) || !agrees(&ranges, present);
		}
		row_ranges_free(&ranges);
	}
	unit_equal_int(wrong, 0, "random ranges as a set of flags has them");
}

int
main(void)
{
	test_joining();
	test_text();
	test_against_model();
	return unit_done();
}
