/*
 * row_reader_json_test.c - rows of JSON in all its shapes: values, counts, and what is refused.
 */
#include "row_files.h"
#include "row_log.h"

#define CASES(cases) cases, sizeof(cases) / sizeof((cases)[0])

static const StreamCase row_cases[] = {
	{"an empty array", "[]", "end\n"},
	{"nothing", "", "end\n"},
	{"an array", "[{\"id\":1,\"x\":1.50,\"t\":\"a\"},{\"id\":2,\"x\":null,\"t\":\"\"}]",
	 "1|1.50|[a]\n2|null|[]\nend\n"},
	{"lines", "{\"id\":1,\"x\":1,\"t\":\"a\"}\n{\"id\":2,\"x\":2,\"t\":\"b\"}\n",
	 "1|1|[a]\n2|2|[b]\nend\n"},
	{"lines with CR LF, the last not ended",
	 "{\"id\":1,\"x\":1,\"t\":\"a\"}\r\n{\"id\":2,\"x\":2,\"t\":\"b\"}", "1|1|[a]\n2|2|[b]\nend\n"},
	{"a byte order mark", "\xef\xbb\xbf[{\"id\":1,\"x\":1,\"t\":\"a\"}]", "1|1|[a]\nend\n"},
	{"keys in another order, and others", "[{\"t\":\"a\",\"y\":[{}],\"id\":1}]",
	 "1|missing|[a]\nend\n"},
	{"missing and null", "[{\"id\":null}]", "null|missing|missing\nend\n"},
	{"an empty object", "[{}]", "missing|missing|missing\nend\n"},
	{"the last of two equal keys", "[{\"id\":1,\"id\":2,\"x\":1,\"t\":\"a\"}]", "2|1|[a]\nend\n"},
	{"wide numbers keep their digits",
	 "[{\"id\":9007199254740993,\"x\":0.123456789012345678901234567890,\"t\":\"a\"}]",
	 "9007199254740993|0.123456789012345678901234567890|[a]\nend\n"},
	{"NA for a number", "[{\"id\":1,\"x\":\"NA\",\"t\":\"NA\"}]", "1|null|[NA]\nend\n"},
	{"NaN as a string", "[{\"id\":1,\"x\":\"NaN\",\"t\":\"a\"}]", "1|NaN|[a]\nend\n"},
	{"numbers, booleans and documents for text",
	 "[{\"t\":17},{\"t\":1.5e3},{\"t\":true},{\"t\":[1, {\"a\": 2}]}]",
	 "missing|missing|[17]\nmissing|missing|[1.5e3]\nmissing|missing|[true]\n"
	 "missing|missing|[[1,{\"a\":2}]]\nend\n"},
	{"escapes", "[{\"t\":\"\\u00ef\\ud83d\\ude80\\n\\t\\\"\\\\\\/\"}]",
	 "missing|missing|[\\xc3\\xaf\\xf0\\x9f\\x9a\\x80\\x0a\\x09\"\\\\/]\nend\n"},

	{"a number out of range", "[{\"id\":1},{\"id\":9223372036854775808}]",
	 "1|missing|missing\n"
	 "row 2, column \"id\": \"9223372036854775808\" is no bigint: it is out of range\n"},
	{"a fraction", "[{\"id\":1.5}]",
	 "row 1, column \"id\": \"1.5\" is no bigint: it has a fraction\n"},
	{"a string that is no number", "[{\"x\":\"abc\"}]",
	 "row 1, column \"x\": \"abc\" is no numeric(12,2): it has not the form of one, or is out of "
	 "range\n"},
	{"true for a number", "[{\"x\":true}]",
	 "row 1, column \"x\": true is no numeric(12,2): it is a boolean\n"},
	{"an array for a number", "[{\"x\":[1]}]",
	 "row 1, column \"x\": \"[1]\" is no numeric(12,2): it is an array\n"},
	{"NUL in a text", "[{\"id\":1},{\"t\":\"a\\u0000b\"}]",
	 "1|missing|missing\n"
	 "row 2, column \"t\": \"a?b\" is no text: it holds the character \\u0000\n"},
	{"a row that is none", "[{\"id\":1},17]", "1|missing|missing\nrow 2: not a JSON object\n"},
	{"an answer that is no row", "{\"error\":\"not found\"}",
	 "row 1: it has other keys, and none of the columns\n"},
	{"truncated after a row", "[{\"id\":1},{\"id\":",
	 "1|missing|missing\nexpected a value in row 2, found the end of the body, at byte 17\n"},
	{"more after the array", "[{\"id\":1}]<html>",
	 "1|missing|missing\nexpected the end of the body after row 1, found \"<\", at byte 11\n"},
	{"bare NaN", "[{\"x\":NaN}]", "expected a value in row 1, found \"N\", at byte 7\n"},
	{"a bare infinity", "[{\"x\":-Infinity}]",
	 "expected a digit after \"-\" in row 1, found \"I\", at byte 8\n"},
};

static const StreamCase column_cases[] = {
	{"columns", "{\"id\":[1,2],\"x\":[1.5,null],\"t\":[\"a\",\"b\"]}",
	 "1|1.5|[a]\n2|null|[b]\nend\n"},
	{"columns in another order, with blanks", "{ \"t\" : [ \"a\" , \"b\" ] , \"id\" : [ 1 , 2 ] }",
	 "1|missing|[a]\n2|missing|[b]\nend\n"},
	{"empty columns", "{\"id\":[],\"x\":[]}", "end\n"},
	{"a single row of scalars", "{\"id\":1,\"x\":1.5}", "1|1.5|missing\nend\n"},
	{"an array and a scalar", "{\"id\":[1],\"x\":1.5}", "1|1.5|missing\nend\n"},
	{"NA", "{\"id\":[1,2],\"x\":[1.5,\"NA\"]}", "1|1.5|missing\n2|null|missing\nend\n"},
	{"wide numbers keep their digits",
	 "{\"id\":[1,9007199254740993],\"x\":[-0,12345678901234567890]}",
	 "1|-0|missing\n9007199254740993|12345678901234567890|missing\nend\n"},
	{"an escaped key", "{\"i\\u0064\":[1],\"t\":[\"a\"]}", "1|missing|[a]\nend\n"},
	{"documents for text", "{\"id\":[1,2],\"t\":[{\"a\":[1, 2]},[]]}",
	 "1|missing|[{\"a\":[1,2]}]\n2|missing|[[]]\nend\n"},
	{"other columns", "{\"y\":[1,2],\"id\":[1,2],\"z\":[[],{}]}",
	 "1|missing|missing\n2|missing|missing\nend\n"},

	{"columns of unequal length", "{\"id\":[1,2],\"x\":[1]}",
	 "columns of unequal length: \"id\" has 2 values, \"x\" has 1\n"},
	{"columns of unequal length, another between", "{\"id\":[1,2],\"x\":[1,2],\"t\":[],\"y\":[1]}",
	 "columns of unequal length: \"id\" has 2 values, \"t\" has 0\n"},
	{"another column of unequal length", "{\"id\":[1,2],\"y\\n\":[1]}",
	 "columns of unequal length: \"id\" has 2 values, \"y\\n\" has 1\n"},
	{"a scalar among columns", "{\"id\":[1,2],\"x\":1}",
	 "columns of unequal length: \"id\" has 2 values, \"x\" has 1\n"},
	{"a column that comes twice", "{\"id\":[1,2],\"x\":[1,2],\"i\\u0064\":[1,2]}",
	 "column \"i\\u0064\" comes twice\n"},
	{"none of the columns", "{\"error\":[\"not found\"]}",
	 "the data has none of the columns; it begins with \"error\"\n"},
	{"a value that does not fit", "{\"id\":[1,2],\"x\":[1,\"b\"]}",
	 "1|1|missing\nrow 2, column \"x\": \"b\" is no numeric(12,2): it has not the form of one, or "
	 "is out of range\n"},
	{"truncated columns", "{\"id\":[1,2],\"x\":[1,",
	 "expected a value after value 1 of the column, found the end of the body, at byte 20\n"},
};

static void
test_cases(JsonShape shape, const StreamCase *cases, size_t count)
{
	RowType *type = make_small_type();
	RowReader *reader = row_reader_json(type, shape, ROW_READER_MAX_ROW_BYTES);

	expect_cases(reader, type, cases, count);
	row_reader_free(reader);
	row_type_free(type);
}

static void
test_shapes(void)
{
	static const StreamCase lines[] = {
		{"lines, whatever they begin with", "{\"id\":1,\"x\":2}\n", "1|2|missing\nend\n"},
		{"lines that are an array", "[{\"id\":1}]", "row 1: not a JSON object\n"},
	};
	static const StreamCase columns[] = {
		{"columns of one value", "{\"id\":1,\"x\":1.5,\"t\":\"a\"}", "1|1.5|[a]\nend\n"},
		{"columns without a column", "{}", "end\n"},
		{"columns that are an array", "[]", "expected \"{\", found \"[\", at byte 1\n"},
	};

	test_cases(JSON_SHAPE_LINES, CASES(lines));
	test_cases(JSON_SHAPE_COLUMNS, CASES(columns));
}

/* {"j":[...]} is a row where j takes arrays. */
static void
test_documents(void)
{
	static const TestColumn columns[] = {
		{"j", "jsonb", 3802}, {"a", "integer[]", 1007}, {"b", "bytea", 17}};
	static const StreamCase cases[] = {
		{"a column of documents first", "{\"j\":[1, 2],\"a\":[3],\"b\":\"\\\\x00ff\"}\n",
		 "[[1,2]]|[[3]]|[\\x00\\xff]\nend\n"},
		{"a column of arrays first", "{\"a\":[1],\"j\":\"a\\n\\\"b\\\"\"}\n",
		 "[\"a\\\\n\\\\\"b\\\\\"\"]|[[1]]|missing\nend\n"},
		{"neither first", "{\"b\":[\"\\\\x01\"],\"j\":[{\"k\":[]}]}",
		 "[{\"k\":[]}]|missing|[\\x01]\nend\n"},
	};
	RowType *type = make_type(columns, 3);
	RowReader *reader = row_reader_json(type, JSON_SHAPE_UNKNOWN, ROW_READER_MAX_ROW_BYTES);

	expect_cases(reader, type, CASES(cases));
	row_reader_free(reader);
	row_type_free(type);
}

static void
test_counts(void)
{
	static const char rows[] = "[{\"id\":1,\"x\":\"NA\",\"y\":1,\"z\":2},{\"t\":\"NA\",\"y\":1}]";
	static const char columns[] = "{\"id\":[1,2],\"y\":[1,2],\"x\":[\"NA\",1]}";
	static Log log;
	RowType *type = make_small_type();
	RowReader *reader = row_reader_json(type, JSON_SHAPE_UNKNOWN, ROW_READER_MAX_ROW_BYTES);

	read_pieces(reader, type, rows, sizeof(rows) - 1, 1000, 1, &log);
	unit_equal_int(row_reader_rows(reader), 2, "rows");
	unit_equal_int(row_reader_unknown_keys(reader), 3, "keys that are no column's");
	unit_equal_int(row_reader_missing_values(reader), 3, "values that were not there");
	unit_equal_int(row_reader_na_values(reader), 1, "NA for null");
	read_pieces(reader, type, columns, sizeof(columns) - 1, 1000, 1, &log);
	unit_equal_int(row_reader_rows(reader), 4, "rows, of columns too");
	unit_equal_int(row_reader_unknown_keys(reader), 5, "keys, of each value of a column");
	unit_equal_int(row_reader_missing_values(reader), 5, "values that were not there, a column");
	unit_equal_int(row_reader_na_values(reader), 2, "NA for null, in a column");
	unit_equal_int(row_reader_spool_bytes(reader), 0, "few values never touch the disk");
	row_reader_free(reader);
	row_type_free(type);
}

static void
test_long_rows(void)
{
	static const StreamCase cases[] = {
		{"a row longer than the limit", "[{\"id\":1},{\"id\":1,\"t\":\"0123456789\"}]",
		 "1|missing|missing\nexpected at most 20 bytes in row 2, found more, at byte 31\n"},
		{"columns that make a row longer than the limit",
		 "{\"id\":[1,2],\"t\":[\"a\",\"0123456789\"]}",
		 "1|missing|[a]\nrow 2: longer than the limit of 20 bytes\n"},
	};
	RowType *type = make_small_type();
	RowReader *reader = row_reader_json(type, JSON_SHAPE_UNKNOWN, 20);

	expect_cases(reader, type, CASES(cases));
	row_reader_free(reader);
	row_type_free(type);
}

enum
{
	MANY_ROWS = 100000
};

/* {"id":[0,1,...],"t":["row 0 ...",...]}; the caller frees. */
static char *
make_columns(size_t *length)
{
	char *text;
	FILE *stream = open_memstream(&text, length);

	fprintf(stream, "{\"id\":[0");
	for (int i = 1; i < MANY_ROWS; i++)
		fprintf(stream, ",%d", i);
	fprintf(stream, "],\"t\":[\"row 0\"");
	for (int i = 1; i < MANY_ROWS; i++)
		fprintf(stream, ",\"row %d\"", i);
	fprintf(stream, "]}");
	fclose(stream);
	return text;
}

/* More than fits in memory, twice: the second time over the same file. */
static void
test_spool(void)
{
	size_t length;
	char *text = make_columns(&length);
	RowType *type = make_small_type();
	RowReader *reader = row_reader_json(type, JSON_SHAPE_UNKNOWN, ROW_READER_MAX_ROW_BYTES);
	int64_t spool_bytes[2] = {0, 0};
	Value values[3];

	for (int round = 0; round < 2; round++)
	{
		int64_t rows = 0, right = 0;

		row_reader_reset(reader);
		row_reader_feed(reader, text, length);
		unit_ok(row_reader_next(reader, values) == ROW_READ_MORE,
				"columns come to their end first");
		row_reader_finish(reader);
		for (; row_reader_next(reader, values) == ROW_READ_ROW; rows++)
		{
			char wanted[32];
			int wanted_length = snprintf(wanted, sizeof(wanted), "row %" PRId64, rows);

			right += values[0].integer == rows && values[1].is_missing &&
					 values[2].text.length == (size_t) wanted_length &&
					 memcmp(values[2].text.bytes, wanted, values[2].text.length) == 0;
		}
		unit_equal_int(rows, MANY_ROWS, "all rows of a spooled body");
		unit_equal_int(right, MANY_ROWS, "all rows of a spooled body are right");
		spool_bytes[round] = row_reader_spool_bytes(reader);
	}
	unit_ok(spool_bytes[0] > 1000000, "the bytes of the temporary file are told");
	unit_equal_int(spool_bytes[1], 2 * spool_bytes[0], "and added up");
	unit_ok(row_reader_spool_ns(reader) > 0, "and the time");
	row_reader_free(reader);
	row_type_free(type);
	free(text);
}

static void
test_no_disk(void)
{
	size_t length;
	char *text = make_columns(&length);
	RowType *type = make_small_type();
	RowReader *reader = row_reader_json(type, JSON_SHAPE_UNKNOWN, ROW_READER_MAX_ROW_BYTES);
	Value values[3];

	setenv("TMPDIR", "/nonexistent", 1);
	row_reader_feed(reader, text, length);
	unit_ok(row_reader_next(reader, values) == ROW_READ_FAILED, "no room for a temporary file");
	unit_equal_bytes(row_reader_problem(reader), strlen(row_reader_problem(reader)),
					 "cannot create a temporary file: No such file or directory",
					 "no room for a temporary file: problem");
	unsetenv("TMPDIR");
	row_reader_free(reader);
	row_type_free(type);
	free(text);
}

static void
test_file(const char *name, const char *bytes, size_t length)
{
	static char wanted[sizeof(row_files_log) + 8];
	RowType *type = make_file_type();
	RowReader *reader = row_reader_json(type, JSON_SHAPE_UNKNOWN, ROW_READER_MAX_ROW_BYTES);

	snprintf(wanted, sizeof(wanted), "%send\n", row_files_log);
	expect_rows(name, reader, type, bytes, length, wanted);
	row_reader_free(reader);
	row_type_free(type);
}

int
main(void)
{
	test_cases(JSON_SHAPE_UNKNOWN, CASES(row_cases));
	test_cases(JSON_SHAPE_UNKNOWN, CASES(column_cases));
	test_shapes();
	test_documents();
	test_counts();
	test_long_rows();
	test_spool();
	test_no_disk();
	test_file("Python's json.dump", python_json, sizeof(python_json) - 1);
	test_file("Python's json, a line each", python_ndjson, sizeof(python_ndjson) - 1);
	test_file("Python's json, columns", python_json_columns, sizeof(python_json_columns) - 1);
	return unit_done();
}
