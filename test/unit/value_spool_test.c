/*
 * value_spool_test.c - values put column by column come back row by row, from memory and from disk.
 */
#include "unit.h"

#include "rows/value_spool.h"

#include <stdlib.h>

/* Any bytes that tell column and row; lengths from none to `longest`. */
static size_t
make_value(char *bytes, int column, int row, size_t longest)
{
	size_t length = ((size_t) row * 7919 + (size_t) column * 104729) % (longest + 1);

	memset(bytes, column * 31 + row, length);
	return length;
}

static bool
put_all(ValueSpool *spool, int columns, int rows, size_t longest, char *bytes)
{
	bool put = true;

	/* a column's number is not its place */
	for (int i = columns - 1; i >= 0; i--)
	{
		value_spool_begin(spool, i);
		for (int row = 0; row < rows; row++)
		{
			SpooledValue value = {.bytes = bytes, .mark = (row + i) % 3 == 0};

			value.length = make_value(bytes, i, row, longest);
			put = put && value_spool_put(spool, &value);
		}
	}
	return put;
}

static int
take_all(ValueSpool *spool, int columns, int rows, size_t longest, char *bytes)
{
	int right = 0;

	for (int row = 0; row < rows; row++)
	{
		for (int i = 0; i < columns; i++)
		{
			size_t length = make_value(bytes, i, row, longest);
			SpooledValue value;

			right += value_spool_take(spool, i, &value) && value.length == length &&
					 memcmp(value.bytes, bytes, length) == 0 && value.mark == ((row + i) % 3 == 0);
		}
	}
	return right;
}

static void
test(const char *name, int columns, int rows, size_t longest, bool touches_disk)
{
	ValueSpool *spool = value_spool_create(columns);
	char *bytes = malloc(longest + 1);
	char label[80];

	for (int round = 1; round <= 2; round++)
	{
		value_spool_reset(spool);
		snprintf(label, sizeof(label), "%s: put, round %d", name, round);
		unit_ok(put_all(spool, columns, rows, longest, bytes), label);
		snprintf(label, sizeof(label), "%s: taken as they were put, round %d", name, round);
		unit_equal_int(take_all(spool, columns, rows, longest, bytes), (int64_t) columns * rows,
					   label);
	}
	snprintf(label, sizeof(label), "%s: the disk", name);
	unit_ok((value_spool_bytes(spool) > 0) == touches_disk &&
				(value_spool_ns(spool) > 0) == touches_disk,
			label);
	unit_equal_bytes(value_spool_problem(spool), strlen(value_spool_problem(spool)), "",
					 "no problem");
	value_spool_free(spool);
	free(bytes);
}

int
main(void)
{
	test("no row", 3, 0, 10, false);
	test("few values", 3, 100, 20, false);
	test("empty values", 2, 1000, 0, false);
	test("many values", 3, 50000, 20, true);
	test("long values", 2, 20, 300000, true);
	test("many columns", 1600, 30, 200, true);
	value_spool_free(NULL);
	return unit_done();
}
