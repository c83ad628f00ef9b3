/*
 * row_sample_test.c - what a first look tells of sources of all kinds and sizes.
 */
#include "rows/row_sample.h"

#include "unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/row_sample_test_XXXXXX";

/* Lines of a number of 9 digits and a text of `width` letters. */
static void
write_lines(int64_t rows, int width)
{
	FILE *file = fopen(path, "w");

	if (file == NULL)
		abort();
	for (int64_t row = 0; row < rows; row++)
		fprintf(file, "%09" PRId64 "\t%0*d\n", row, width, 0);
	if (fclose(file) != 0)
		abort();
}

static RowType *
make_type(void)
{
	RowType *type = row_type_create(2);

	if (type == NULL || !row_type_set_column(type, 0, "id", "bigint", 20) ||
		!row_type_set_column(type, 1, "t", "text", 25))
		abort();
	return type;
}

static void
test_file(const RowType *type, int64_t rows, int width, bool is_exact, const char *name)
{
	RowSource *source;
	RowSample sample;
	RowSourceResult got;

	write_lines(rows, width);
	source = row_source_file(path, ROW_FILE_COPY_TEXT, type);
	got = row_sample_take(source, &sample);
	unit_ok(got == ROW_SOURCE_ROWS || got == ROW_SOURCE_END, name);
	if (is_exact)
		unit_ok(sample.rows == rows, "all its rows were seen");
	else
		unit_ok(sample.rows > rows * 9 / 10 && sample.rows < rows * 11 / 10,
				"its rows, about right");
	unit_ok(sample.value_bytes == (rows == 0 ? 0 : 8 + width), "the length of its values");
	unit_ok(row_source_rewind(source), "it can be rewound");
	row_source_free(source);
}

static void
test_reference(void)
{
	RowSource *source = row_source_reference(10000, 0);
	RowSample sample;

	unit_ok(row_sample_take(source, &sample) == ROW_SOURCE_ROWS, "reference rows");
	unit_ok(sample.rows == -1, "reference rows: not to be told by one chunk");
	unit_ok(sample.value_bytes > 0, "reference rows: the length of their values");
	row_source_free(source);
}

int
main(void)
{
	RowType *type = make_type();
	int file = mkstemp(path);

	if (file < 0)
		abort();
	close(file);
	test_file(type, 0, 1, true, "an empty file");
	test_file(type, 1, 1, true, "a row");
	test_file(type, 100000, 10, true, "a file that is read whole");
	test_file(type, 600000, 10, false, "a file of short rows");
	test_file(type, 12000, 1000, false, "a file of long rows");
	test_file(type, 100, 200000, false, "a file of very long rows");
	test_reference();
	unlink(path);
	row_type_free(type);
	return unit_done();
}
