/*
 * row_source_test.c - rows of the generator and of files, chunk by chunk; and what goes wrong.
 */
#include "row_files.h"
#include "row_log.h"

#include "interrupt.h"
#include "reference_row.h"
#include "rows/row_source.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* In place of the signal handlers. */
static bool is_interrupted;
static int interrupts_until;

bool
interrupt_requested(void)
{
	if (interrupts_until > 0 && --interrupts_until == 0)
		is_interrupted = true;
	return is_interrupted;
}

int
interrupt_fd(void)
{
	return -1;
}

static const char *const result_names[] = {"rows", "end", "failed", "interrupted"};

/* Rows by `max_rows` at once, a line "-" after each chunk, and what came in the end. */
static const char *
log_source(RowSource *source, int64_t max_rows)
{
	static Log log;
	RowChunk *chunk = row_chunk_create(row_source_type(source));
	RowSourceResult result;

	log_clear(&log);
	while ((result = row_source_next(source, chunk, max_rows)) == ROW_SOURCE_ROWS)
	{
		for (int i = 0; i < row_chunk_rows(chunk); i++)
			log_row(&log, row_source_type(source), row_chunk_row(chunk, i));
		log_add(&log, "-\n");
		row_chunk_reset(chunk);
	}
	log_add(&log, "%s", result_names[result]);
	if (result == ROW_SOURCE_FAILED)
		log_add(&log, ": %s", row_source_problem(source));
	if (row_source_next(source, chunk, max_rows) != result)
		log_add(&log, ", and then not");
	row_chunk_free(chunk);
	return log.text;
}

static void
expect_log(RowSource *source, int64_t max_rows, const char *wanted, const char *name)
{
	const char *got = log_source(source, max_rows);

	unit_equal_bytes(got, strlen(got), wanted, name);
}

/* --- the generator ------------------------------------------------------------------------- */

static bool
text_is(const Value *value, const char *text, size_t length)
{
	return !value->is_null && value->text.length == length &&
		   memcmp(value->text.bytes, text, length) == 0;
}

static bool
is_reference_row(const Value *values, int64_t number, int64_t seed)
{
	ReferenceRow row;
	char amount[32];
	int length;

	reference_row_make(&row, number, seed);
	length = snprintf(amount, sizeof(amount), "%s%lld.%02lld", row.amount_cents < 0 ? "-" : "",
					  llabs(row.amount_cents) / 100, llabs(row.amount_cents) % 100);
	return values[0].integer == number && values[1].integer == row.code &&
		   values[2].integer == row.created_at_us && text_is(&values[3], amount, (size_t) length) &&
		   values[4].real == row.ratio && values[5].boolean == row.active &&
		   text_is(&values[6], row.label, row.label_length) &&
		   (row.note_is_null ? values[7].is_null : text_is(&values[7], row.note, row.note_length));
}

/* Rows from `first` on that are as they should be, up to the end or `most`. */
static int64_t
count_right_rows(RowSource *source, int64_t first, int64_t most, int64_t seed)
{
	RowChunk *chunk = row_chunk_create(row_source_type(source));
	int64_t right = 0, done = 0;

	while (done < most && row_source_next(source, chunk, most - done) == ROW_SOURCE_ROWS)
	{
		for (int i = 0; i < row_chunk_rows(chunk); i++)
			right += is_reference_row(row_chunk_row(chunk, i), first + done + i, seed);
		done += row_chunk_rows(chunk);
		row_chunk_reset(chunk);
	}
	row_chunk_free(chunk);
	return right == done ? right : -1;
}

static void
test_reference(void)
{
	RowSource *source = row_source_reference(1000, 7);
	RowSource *copy = row_source_copy(source);

	unit_equal_int(row_source_total(source), 1000, "reference rows: the total is known");
	unit_ok(row_source_can_seek(source), "reference rows: can seek");
	unit_equal_int(count_right_rows(source, 1, INT64_MAX, 7), 1000, "reference rows: all, right");
	unit_ok(row_source_rewind(source), "reference rows: rewind");
	unit_equal_int(count_right_rows(source, 1, 10, 7), 10, "reference rows: again, the first ten");
	unit_equal_int(count_right_rows(source, 11, 1, 7), 1, "reference rows: the eleventh");
	row_source_seek(copy, 901);
	row_source_free(source);
	unit_equal_int(count_right_rows(copy, 901, INT64_MAX, 7), 100,
				   "reference rows: the last hundred, of a copy");
	row_source_seek(copy, 500);
	unit_equal_int(count_right_rows(copy, 500, 300, 7), 300, "reference rows: back to the middle");
	row_source_free(copy);

	source = row_source_reference(0, 0);
	expect_log(source, 100, "end", "no reference rows");
	row_source_free(source);
}

/* --- formats --------------------------------------------------------------------------------- */

static void
test_formats(void)
{
	static const struct
	{
		const char *path, *format;
		int wanted; /* -1: unknown */
	} cases[] = {
		{"rows.csv", NULL, ROW_FILE_CSV_HEADER},
		{"dir.csv/ROWS.CSV", NULL, ROW_FILE_CSV_HEADER},
		{"rows.json", NULL, ROW_FILE_JSON},
		{"rows.ndjson", NULL, ROW_FILE_NDJSON},
		{"rows.jsonl", NULL, ROW_FILE_NDJSON},
		{"rows.bin", NULL, ROW_FILE_COPY_BINARY},
		{"rows.txt", NULL, ROW_FILE_COPY_TEXT},
		{"rows", NULL, ROW_FILE_COPY_TEXT},
		{"dir.csv/rows", NULL, ROW_FILE_COPY_TEXT},
		{"-", NULL, ROW_FILE_COPY_TEXT},
		{"rows.csv", "text", ROW_FILE_COPY_TEXT},
		{"-", "csv", ROW_FILE_CSV},
		{"-", "csv-header", ROW_FILE_CSV_HEADER},
		{"-", "binary", ROW_FILE_COPY_BINARY},
		{"-", "json", ROW_FILE_JSON},
		{"-", "ndjson", ROW_FILE_NDJSON},
		{"rows.csv", "xml", -1},
		{"rows.csv", "", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		RowFileFormat format = ROW_FILE_COPY_TEXT;
		bool known = row_file_format(cases[i].path, cases[i].format, &format);
		char label[80];

		snprintf(label, sizeof(label), "format of %s, %s given", cases[i].path,
				 cases[i].format == NULL ? "none" : cases[i].format);
		unit_equal_int(known ? (int) format : -1, cases[i].wanted, label);
	}
}

/* --- files ----------------------------------------------------------------------------------- */

static char path[64];

static void
write_file(const char *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
		unit_ok(false, "the test's own file");
}

/* As row_source_problem has it: the path comes first. */
static const char *
with_path(const char *format)
{
	static char text[256];

	snprintf(text, sizeof(text), format, path);
	return text;
}

static void
test_file(const RowType *type)
{
	RowSource *source;

	write_file("1\t1\ta\n2\t2\tb\n3\t3\tc\n", 18);
	source = row_source_file(path, ROW_FILE_COPY_TEXT, type);
	unit_ok(row_source_type(source) == type, "a file: the type is the one that was lent");
	unit_equal_int(row_source_total(source), -1, "a file: its rows are not known beforehand");
	unit_ok(!row_source_can_seek(source) && row_source_copy(source) == NULL, "a file: cannot seek");
	expect_log(source, 2, "1|1|[a]\n2|2|[b]\n-\n3|3|[c]\n-\nend", "a file, by two rows");
	unit_ok(row_source_rewind(source), "a file: rewind");
	expect_log(source, 1, "1|1|[a]\n-\n2|2|[b]\n-\n3|3|[c]\n-\nend", "a file again, row by row");
	row_source_free(source);

	write_file("", 0);
	source = row_source_file(path, ROW_FILE_COPY_TEXT, type);
	expect_log(source, 2, "end", "an empty file");
	row_source_free(source);
}

static void
test_broken_file(const RowType *type)
{
	RowSource *source;

	write_file("1\t1\ta\n2\tx\tb\n", 12);
	source = row_source_file(path, ROW_FILE_COPY_TEXT, type);
	expect_log(source, 100,
			   with_path("1|1|[a]\n-\nfailed: %s: row 2, column \"x\": \"x\" is no numeric(12,2)"),
			   "rows before a broken one are given");
	row_source_free(source);
}

static void
test_cut_file(const RowType *type)
{
	RowSource *source;

	write_file("1\t1\ta\n2\t2\tb\n", 12);
	source = row_source_file(path, ROW_FILE_COPY_TEXT, type);
	if (truncate(path, 6) != 0)
		unit_ok(false, "the test's own file is cut");
	expect_log(
		source, 100,
		with_path("1|1|[a]\n-\nfailed: %s: cut short while it was read: it had 12 bytes, and "
				  "ends after 6"),
		"a file that becomes shorter");
	row_source_free(source);
}

/* A row of one text, whose value is an array, looks like a body of columns. */
static void
test_array_in_text(void)
{
	static const char row[] = "{\"t\":[\"a\",\"b\"]}\n";
	static const TestColumn columns[] = {{"t", "text", 25}};
	RowType *type = make_type(columns, 1);
	RowSource *source;

	write_file(row, sizeof(row) - 1);
	source = row_source_file(path, ROW_FILE_NDJSON, type);
	expect_log(source, 100, "[[\"a\",\"b\"]]\n-\nend", "an array for a text, ndjson: one row");
	unit_ok(row_source_rewind(source), "an array for a text, ndjson: rewind");
	expect_log(source, 100, "[[\"a\",\"b\"]]\n-\nend", "an array for a text, ndjson: again");
	row_source_free(source);
	source = row_source_file(path, ROW_FILE_JSON, type);
	expect_log(source, 100, "[a]\n[b]\n-\nend", "an array for a text, json: a column");
	row_source_free(source);

	write_file("[{\"t\":\"a\"}]\n", 12);
	source = row_source_file(path, ROW_FILE_NDJSON, type);
	expect_log(source, 100, with_path("failed: %s: row 1: not a JSON object"),
			   "an array of rows is no ndjson");
	row_source_free(source);
	row_type_free(type);
}

static void
test_no_file(const RowType *type)
{
	static const TestColumn columns[] = {COLUMN_TEST_ID, {"o", "inet", 869}};
	RowType *other_type = make_type(columns, 2);

	/* the messages are for people */
	if (freopen("/dev/null", "w", stderr) == NULL)
		unit_ok(false, "the test's own standard error");
	unit_ok(row_source_file("/nonexistent/rows", ROW_FILE_COPY_TEXT, type) == NULL,
			"a file that is not there");
	unit_ok(row_source_file("/", ROW_FILE_COPY_TEXT, type) == NULL, "a directory");
	unit_ok(row_source_file(path, ROW_FILE_COPY_BINARY, other_type) == NULL,
			"a binary file with a type whose form is not known");
	row_type_free(other_type);
}

/* Many chunks and pieces: 20000 rows, some 1.5 MB. */
static void
test_large_file(const RowType *type)
{
	enum
	{
		ROWS = 20000
	};
	FILE *file = fopen(path, "wb");
	RowSource *source = NULL;
	RowChunk *chunk = row_chunk_create(type);
	int64_t rows = 0, right = 0;

	for (int i = 0; i < ROWS; i++)
		fprintf(file, "{\"id\":%d,\"t\":\"%*d\"}\n", i, i % 100 + 1, i % 10);
	fclose(file);
	source = row_source_file(path, ROW_FILE_JSON, type);
	while (row_source_next(source, chunk, INT64_MAX) == ROW_SOURCE_ROWS)
	{
		for (int i = 0; i < row_chunk_rows(chunk); i++, rows++)
		{
			const Value *values = row_chunk_row(chunk, i);

			right += values[0].integer == rows && values[1].is_missing &&
					 values[2].text.length == (size_t) (rows % 100 + 1) &&
					 values[2].text.bytes[rows % 100] == '0' + rows % 10;
		}
		row_chunk_reset(chunk);
	}
	unit_equal_int(rows, ROWS, "a large file: all rows");
	unit_equal_int(right, ROWS, "a large file: all are right");
	row_chunk_free(chunk);
	row_source_free(source);
}

static void
test_interrupt(const RowType *type)
{
	RowSource *source;

	write_file("1\t1\ta\n", 6);
	source = row_source_file(path, ROW_FILE_COPY_TEXT, type);
	interrupts_until = 2;
	expect_log(source, 100, "1|1|[a]\n-\ninterrupted", "interrupted before the second reading");
	is_interrupted = false;
	unit_ok(row_source_rewind(source), "rewind after an interrupt");
	expect_log(source, 100, "1|1|[a]\n-\nend", "again, to the end");
	row_source_free(source);
}

/* --- standard input -------------------------------------------------------------------------- */

static void
test_pipe(const RowType *type)
{
	int ends[2];
	RowSource *source;

	if (pipe(ends) != 0 || write(ends[1], "id,t\n1,a\n", 9) != 9 || dup2(ends[0], STDIN_FILENO) < 0)
		unit_ok(false, "the test's own pipe");
	close(ends[0]);
	close(ends[1]);
	source = row_source_file("-", ROW_FILE_CSV_HEADER, type);
	unit_ok(!row_source_can_rewind(source), "a pipe is known to be read but once");
	unit_ok(row_source_rewind(source), "a pipe of which nothing was read is at its start");
	expect_log(source, 100, "1|null|[a]\n-\nend", "standard input, a pipe");
	unit_ok(!row_source_rewind(source), "a pipe cannot be read twice");
	unit_equal_bytes(row_source_problem(source), strlen(row_source_problem(source)),
					 "standard input: cannot be read twice",
					 "a pipe cannot be read twice: problem");
	row_source_free(source);
	unit_ok(fcntl(STDIN_FILENO, F_GETFD) >= 0, "standard input is not closed");
}

static void
test_redirected(const RowType *type)
{
	RowSource *source;
	int file;

	write_file("skipped\n1\t1\ta\n", 14);
	file = open(path, O_RDONLY);
	if (lseek(file, 8, SEEK_SET) != 8 || dup2(file, STDIN_FILENO) < 0)
		unit_ok(false, "the test's own standard input");
	close(file);
	source = row_source_file("-", ROW_FILE_COPY_TEXT, type);
	expect_log(source, 100, "1|1|[a]\n-\nend", "standard input, from the middle of a file");
	unit_ok(row_source_rewind(source), "standard input that is a file: rewind");
	expect_log(source, 100, "1|1|[a]\n-\nend", "to where it began");
	row_source_free(source);
}

/* A descriptor that cannot be read. */
static void
test_unreadable(const RowType *type)
{
	RowSource *source;
	int file = open("/dev/null", O_WRONLY);

	if (dup2(file, STDIN_FILENO) < 0)
		unit_ok(false, "the test's own standard input");
	close(file);
	source = row_source_file("-", ROW_FILE_COPY_TEXT, type);
	expect_log(source, 100, "failed: standard input: cannot be read: Bad file descriptor",
			   "standard input that cannot be read");
	row_source_free(source);
}

/* --- files of others --------------------------------------------------------------------------- */

static void
test_file_of(const char *name, RowFileFormat format, const char *bytes, size_t length)
{
	static char wanted[sizeof(row_files_log) + 8];
	RowType *type = make_file_type();
	RowSource *source;

	snprintf(wanted, sizeof(wanted), "%s-\nend", row_files_log);
	write_file(bytes, length);
	source = row_source_file(path, format, type);
	expect_log(source, 100, wanted, name);
	row_source_free(source);
	row_type_free(type);
}

#define FILE_OF(name, format, bytes) test_file_of(name, format, bytes, sizeof(bytes) - 1)

int
main(void)
{
	RowType *type = make_small_type();
	const char *directory = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/row_source_test.%d", directory == NULL ? "/tmp" : directory,
			 (int) getpid());
	test_reference();
	test_formats();
	test_file(type);
	test_broken_file(type);
	test_cut_file(type);
	test_large_file(type);
	test_interrupt(type);
	FILE_OF("psql's text", ROW_FILE_COPY_TEXT, psql_text);
	FILE_OF("psql's csv", ROW_FILE_CSV, psql_csv);
	FILE_OF("psql's csv header", ROW_FILE_CSV_HEADER, psql_csv_header);
	FILE_OF("psql's binary", ROW_FILE_COPY_BINARY, psql_binary);
	FILE_OF("Python's json", ROW_FILE_JSON, python_json);
	FILE_OF("Python's ndjson", ROW_FILE_NDJSON, python_ndjson);
	FILE_OF("Python's ndjson, told by its first bytes", ROW_FILE_JSON, python_ndjson);
	FILE_OF("Python's json of columns", ROW_FILE_JSON, python_json_columns);
	test_pipe(type);
	test_redirected(type);
	test_unreadable(type);
	test_array_in_text();
	test_no_file(type);
	row_source_free(NULL);
	row_type_free(type);
	unlink(path);
	return unit_done();
}
