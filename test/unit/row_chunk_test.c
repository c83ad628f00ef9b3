/*
 * row_chunk_test.c - rows keep their values and texts until the reset, and chunks become full.
 */
#include "row_log.h"

#include "rows/row_chunk.h"

static void
add_row(RowChunk *chunk, int64_t id, const char *text)
{
	Value *values = row_chunk_add(chunk);

	values[0].is_null = values[2].is_null = false;
	values[0].integer = id;
	values[2].text.bytes = row_chunk_text(chunk, text, strlen(text));
	values[2].text.length = strlen(text);
}

static const char *
log_chunk(const RowChunk *chunk)
{
	static Log log;

	log_clear(&log);
	for (int i = 0; i < row_chunk_rows(chunk); i++)
		log_row(&log, row_chunk_type(chunk), row_chunk_row(chunk, i));
	return log.text;
}

static void
test_rows(RowChunk *chunk)
{
	unit_equal_int(row_chunk_rows(chunk), 0, "no row at first");
	row_chunk_add(chunk);
	add_row(chunk, 2, "b");
	add_row(chunk, 3, "");
	unit_equal_bytes(log_chunk(chunk), strlen(log_chunk(chunk)),
					 "null|null|null\n2|null|[b]\n3|null|[]\n", "rows as they were filled in");
	row_chunk_drop_last(chunk);
	add_row(chunk, 4, "d");
	unit_equal_bytes(log_chunk(chunk), strlen(log_chunk(chunk)),
					 "null|null|null\n2|null|[b]\n4|null|[d]\n", "a row in place of a dropped one");
	row_chunk_reset(chunk);
	unit_equal_int(row_chunk_rows(chunk), 0, "no row after a reset");
	row_chunk_add(chunk);
	unit_equal_bytes(log_chunk(chunk), strlen(log_chunk(chunk)), "null|null|null\n",
					 "a row is all null again after a reset");
	row_chunk_reset(chunk);
}

static void
test_copies(RowChunk *chunk)
{
	char text[] = "lent";
	Value values[3] = {{.integer = 1}, {.is_null = true}, {.text = {text, 4}}};

	unit_ok(row_chunk_copy_row(chunk, values), "a row is copied");
	memcpy(text, "gone", 4);
	values[2].is_null = values[2].is_missing = true;
	unit_ok(row_chunk_copy_row(chunk, values), "a row with a null text is copied");
	unit_equal_bytes(log_chunk(chunk), strlen(log_chunk(chunk)), "1|null|[lent]\n1|null|missing\n",
					 "copies have texts of their own");
	row_chunk_reset(chunk);
}

static void
test_full_by_rows(RowChunk *chunk)
{
	int rows = 0;

	for (; !row_chunk_is_full(chunk); rows++)
		row_chunk_add(chunk);
	unit_equal_int(rows, ROW_CHUNK_ROWS, "full by its rows");
	row_chunk_drop_last(chunk);
	unit_ok(!row_chunk_is_full(chunk), "no longer full after a drop");
	row_chunk_reset(chunk);
	unit_ok(!row_chunk_is_full(chunk), "not full after a reset");
}

/* Texts of rows of different lengths, long ones among them, all stay as they were. */
static void
test_full_by_texts(RowChunk *chunk, size_t row_bytes, int wanted_rows, const char *name)
{
	char *text = malloc(row_bytes + 1);
	bool same = true;
	int rows = 0;

	text[row_bytes] = '\0';
	for (; !row_chunk_is_full(chunk); rows++)
	{
		memset(text, 'a' + rows % 26, row_bytes);
		add_row(chunk, rows, text);
	}
	unit_equal_int(rows, wanted_rows, name);
	for (int i = 0; i < rows; i++)
	{
		const Value *value = &row_chunk_row(chunk, i)[2];

		memset(text, 'a' + i % 26, row_bytes);
		same &= value->text.length == row_bytes && memcmp(value->text.bytes, text, row_bytes) == 0;
	}
	unit_ok(same, "texts stay as they were");
	row_chunk_drop_last(chunk);
	unit_ok(!row_chunk_is_full(chunk), "a drop takes the texts back too");
	row_chunk_reset(chunk);
	free(text);
}

int
main(void)
{
	RowType *type = make_small_type();
	RowChunk *chunk = row_chunk_create(type);

	unit_ok(row_chunk_type(chunk) == type, "the type is the one that was lent");
	test_rows(chunk);
	test_copies(chunk);
	test_full_by_rows(chunk);
	test_full_by_texts(chunk, 4096, 64, "full by its texts");
	test_full_by_texts(chunk, 100000, 3, "full by long texts");
	test_full_by_texts(chunk, 1000000, 1, "full by a single row");
	test_rows(chunk);
	row_chunk_free(chunk);
	row_chunk_free(NULL);
	row_type_free(type);
	return unit_done();
}
