/*
 * row_reader_copy_text_test.c - COPY's text format, as it should be and as it should not.
 */
#include "row_files.h"
#include "row_log.h"

#define CASES(cases) cases, sizeof(cases) / sizeof((cases)[0])

static const StreamCase whole_cases[] = {
	{"nothing", "", "end\n"},
	{"one row", "1\t2.50\ta\n", "1|2.50|[a]\nend\n"},
	{"rows", "1\t2.50\ta\n2\t3.00\tb\n", "1|2.50|[a]\n2|3.00|[b]\nend\n"},
	{"CR LF", "1\t2.50\ta\r\n2\t3.00\tb\r\n", "1|2.50|[a]\n2|3.00|[b]\nend\n"},
	{"null and the empty string", "\\N\t\\N\t\\N\n1\t1\t\n", "null|null|null\n1|1|[]\nend\n"},
	{"an N that is escaped", "1\t1\t\\\\N\n1\t1\t\\Na\n1\t1\ta\\N\n",
	 "1|1|[\\\\N]\n1|1|[Na]\n1|1|[aN]\nend\n"},
	{"letters", "1\t1\t\\b\\f\\n\\r\\t\\v\\\\\n",
	 "1|1|[\\x08\\x0c\\x0a\\x0d\\x09\\x0b\\\\]\nend\n"},
	{"octal", "1\t1\t\\1\\12\\101\\1018\\303\\257\n", "1|1|[\\x01\\x0aAA8\\xc3\\xaf]\nend\n"},
	{"hexadecimal", "1\t1\t\\x1\\x41\\x41a\\xg\\x\n", "1|1|[\\x01AAaxgx]\nend\n"},
	{"any other escaped character is itself", "1\t1\t\\a\\\t\\\"\n", "1|1|[a\\x09\"]\nend\n"},
	{"escapes within a number", "\\061\t\\x31.5\ta\n", "1|1.5|[a]\nend\n"},
	{"control characters that nothing escapes", "1\t1\ta\x01\x0b\x1f\x7f\n",
	 "1|1|[a\\x01\\x0b\\x1f\\x7f]\nend\n"},
	{"a long field between escapes",
	 "1\t1\t\\tabcdefghijklmnopqrstuvwxyz\\nABCDEFGHIJKLMNOPQRSTUVWXYZ\\\\\n",
	 "1|1|[\\x09abcdefghijklmnopqrstuvwxyz\\x0aABCDEFGHIJKLMNOPQRSTUVWXYZ\\\\]\nend\n"},
	{"the end mark", "1\t1\ta\n\\.\n", "1|1|[a]\nend\n"},
	{"the end mark with CR LF", "1\t1\ta\r\n\\.\r\n", "1|1|[a]\nend\n"},
	{"the end mark alone", "\\.\n", "end\n"},
};

static const StreamCase broken_cases[] = {
	{"too few columns", "1\t1\ta\n2\t2\n",
	 "1|1|[a]\nrow 2, column \"t\": the line has 2 of 3 columns\n"},
	{"an empty line", "\n", "row 1, column \"id\": \"\" is no bigint\n"},
	{"an empty line after rows", "1\t1\ta\n\n",
	 "1|1|[a]\nrow 2, column \"id\": \"\" is no bigint\n"},
	{"too many columns", "1\t1\ta\tb\n", "row 1: the line has more than 3 columns\n"},
	{"too many columns, the last empty", "1\t1\ta\t\n",
	 "row 1: the line has more than 3 columns\n"},
	{"no number", "1\tabc\ta\n", "row 1, column \"x\": \"abc\" is no numeric(12,2)\n"},
	{"out of range", "9223372036854775808\t1\ta\n",
	 "row 1, column \"id\": \"9223372036854775808\" is no bigint\n"},
	{"the empty string is no number", "1\t\ta\n",
	 "row 1, column \"x\": \"\" is no numeric(12,2)\n"},
	{"a message is one printable line", "1\ta\x1b[2J\\n\xc2\x9b\t\n",
	 "row 1, column \"x\": \"a?[2J???\" is no numeric(12,2)\n"},
	{"a message is short, and cuts no character",
	 "1\t012345678901234567890123456789012345678901234567890123456789"
	 "0123456789012345678901234567\xc3\xaf\xc3\xaf\ta\n",
	 "row 1, column \"x\": \"012345678901234567890123456789012345678901234567890123456789"
	 "0123456789012345678901234567\xc3\xaf...\" is no numeric(12,2)\n"},
	{"an unfinished line", "1\t1\ta\n2\t2\tb",
	 "1|1|[a]\nrow 2: the data ends within the line: it has no line break\n"},
	{"an unfinished end mark", "1\t1\ta\n\\.",
	 "1|1|[a]\nrow 2: the data ends within the line: it has no line break\n"},
	{"a bare CR", "1\t1\ta\rb\n", "row 1, column \"t\": a carriage return that is not escaped\n"},
	{"a bare CR behind an escape", "1\t1\t\\\\a\rb\n",
	 "row 1, column \"t\": a carriage return that is not escaped\n"},
	{"two CR", "1\t1\ta\r\r\n", "row 1, column \"t\": a carriage return that is not escaped\n"},
	{"CR LF after LF", "1\t1\ta\n1\t1\tb\r\n",
	 "1|1|[a]\nrow 2: the line ends with CR LF, those before with LF\n"},
	{"LF after CR LF", "1\t1\ta\r\n1\t1\tb\n",
	 "1|1|[a]\nrow 2: the line ends with LF, those before with CR LF\n"},
	{"only CR", "1\t1\ta\r1\t1\tb\r",
	 "row 1: the data ends within the line: it has no line break\n"},
	{"a line break that is escaped", "1\t1\ta\\\nb\n",
	 "row 1, column \"t\": the line ends with a backslash\n"},
	{"data after the end mark", "1\t1\ta\n\\.\n2\t2\tb\n",
	 "1|1|[a]\nthere is more data after the end mark \\.\n"},
	{"a byte after the end mark", "\\.\n\n", "there is more data after the end mark \\.\n"},
	{"the end mark behind data", "1\t1\ta\\.\n",
	 "row 1, column \"t\": the end mark \\. is not alone on its line\n"},
	{"the end mark before data", "\\.1\t1\ta\n",
	 "row 1, column \"id\": the end mark \\. is not alone on its line\n"},
	{"invalid UTF-8", "1\t1\ta\xc3\xaf\xff\xfe\n",
	 "row 1, column \"t\": invalid UTF-8: byte 0xff at place 4 of the value\n"},
	{"UTF-8 that is cut", "1\t1\t\xf0\x9f\x9a\n",
	 "row 1, column \"t\": invalid UTF-8: byte 0xf0 at place 1 of the value\n"},
	{"invalid UTF-8 by escapes", "1\t1\t\\303\\050\n",
	 "row 1, column \"t\": invalid UTF-8: byte 0xc3 at place 1 of the value\n"},
	{"NUL by an escape", "1\t1\ta\\0\n",
	 "row 1, column \"t\": a text cannot hold a NUL character\n"},
};

static void
test_long_rows(const RowType *type)
{
	RowReader *reader = row_reader_copy_text(type, 16);

	expect_rows("as long as the limit", reader, type, "1\t1\t0123456789ab\n", 17,
				"1|1|[0123456789ab]\nend\n");
	expect_rows("longer than the limit", reader, type, "1\t1\ta\n1\t1\t0123456789abc\n", 24,
				"1|1|[a]\nrow 2: longer than the limit of 16 bytes\n");
	row_reader_free(reader);
}

/* The line buffer grows, and texts of a long row are whole. */
static void
test_growth(const RowType *type)
{
	enum
	{
		LONG = 100000
	};
	RowReader *reader = row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);
	char *bytes = malloc(LONG + 8);
	Value values[3];
	RowReadResult result;

	memcpy(bytes, "1\t2\t", 4);
	memset(bytes + 4, 'x', LONG);
	bytes[LONG + 4] = '\n';
	for (size_t from = 0; from < LONG + 5; from += 1000)
	{
		row_reader_feed(reader, bytes + from, LONG + 5 - from < 1000 ? LONG + 5 - from : 1000);
		result = row_reader_next(reader, values);
	}
	unit_ok(result == ROW_READ_ROW, "a row in a hundred pieces");
	unit_equal_int((int64_t) values[2].text.length, LONG, "a row in a hundred pieces: length");
	unit_ok(values[2].text.bytes[0] == 'x' && values[2].text.bytes[LONG - 1] == 'x',
			"a row in a hundred pieces: text");
	free(bytes);
	row_reader_free(reader);
}

static void
test_counts(const RowType *type)
{
	static Log log;
	RowReader *reader = row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);
	const char *stream = "1\t1\ta\n2\t2\tb\n";
	Value values[3];

	read_pieces(reader, type, stream, strlen(stream), 100, 100, &log);
	read_pieces(reader, type, stream, strlen(stream), 100, 100, &log);
	unit_equal_int(row_reader_rows(reader), 4, "rows are counted across streams");
	unit_equal_int(row_reader_unknown_keys(reader) + row_reader_missing_values(reader) +
					   row_reader_na_values(reader) + row_reader_spool_ns(reader) +
					   row_reader_spool_bytes(reader),
				   0, "there is nothing else to count");
	unit_ok(row_reader_next(reader, values) == ROW_READ_END, "the end stays the end");
	read_pieces(reader, type, "x\n", 2, 2, 2, &log);
	unit_ok(row_reader_next(reader, values) == ROW_READ_FAILED, "a failure stays one");
	unit_ok(strncmp(row_reader_problem(reader), "row 1, ", 7) == 0,
			"a problem tells the row of its own stream");
	row_reader_free(reader);
}

static void
test_bytea(void)
{
	static const TestColumn columns[] = {{"b", "bytea", 17}, {"j", "jsonb", 3802}};
	static const StreamCase cases[] = {
		{"bytea and jsonb", "\\\\x00FF0a\t{\"a\": 1}\n", "[\\x00\\xff\\x0a]|[{\"a\": 1}]\nend\n"},
		{"no bytea", "\\\\x0\t1\n", "row 1, column \"b\": the text is no bytea\n"},
	};
	RowType *type = make_type(columns, 2);
	RowReader *reader = row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);

	expect_cases(reader, type, CASES(cases));
	row_reader_free(reader);
	row_type_free(type);
}

static void
test_one_column(void)
{
	static const StreamCase cases[] = {
		{"one column", "a\n\nb\n\\N\n\\\\.\n", "[a]\n[]\n[b]\nnull\n[\\\\.]\nend\n"},
	};
	RowType *type = make_text_type();
	RowReader *reader = row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);

	expect_cases(reader, type, CASES(cases));
	row_reader_free(reader);
	row_type_free(type);
}

static void
test_nul(const RowType *type)
{
	static const char in_text[] = "1\t1\ta\0b\n";
	static const char in_number[] = "1\0\t1\ta\n";
	RowReader *reader = row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);

	expect_rows("NUL in a text", reader, type, in_text, sizeof(in_text) - 1,
				"row 1, column \"t\": a text cannot hold a NUL character\n");
	expect_rows("NUL in a number", reader, type, in_number, sizeof(in_number) - 1,
				"row 1, column \"id\": \"1?\" is no bigint\n");
	row_reader_free(reader);
}

static void
test_files(void)
{
	RowType *type = make_file_type();
	RowReader *reader = row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);
	static char wanted[sizeof(row_files_log) + 8];

	snprintf(wanted, sizeof(wanted), "%send\n", row_files_log);
	expect_rows("psql's \\copy", reader, type, psql_text, sizeof(psql_text) - 1, wanted);
	row_reader_free(reader);
	row_type_free(type);
}

int
main(void)
{
	RowType *type = make_small_type();
	RowReader *reader = row_reader_copy_text(type, ROW_READER_MAX_ROW_BYTES);

	expect_cases(reader, type, CASES(whole_cases));
	expect_cases(reader, type, CASES(broken_cases));
	row_reader_free(reader);
	test_long_rows(type);
	test_growth(type);
	test_counts(type);
	test_nul(type);
	row_type_free(type);
	test_bytea();
	test_one_column();
	test_files();
	row_reader_free(NULL);
	return unit_done();
}
