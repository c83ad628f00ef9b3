/*
 * row_reader_csv_test.c - CSV as COPY and RFC 4180 have it, and what is not.
 */
#include "row_files.h"
#include "row_log.h"

#define CASES(cases) cases, sizeof(cases) / sizeof((cases)[0])

static const StreamCase plain_cases[] = {
	{"nothing", "", "end\n"},
	{"rows", "1,2.50,a\n2,3.00,b\n", "1|2.50|[a]\n2|3.00|[b]\nend\n"},
	{"CR LF", "1,2.50,a\r\n2,3.00,b\r\n", "1|2.50|[a]\n2|3.00|[b]\nend\n"},
	{"no last line break", "1,2.50,a\n2,3.00,b", "1|2.50|[a]\n2|3.00|[b]\nend\n"},
	{"no last line break, the last field quoted", "1,2.50,\"a\"", "1|2.50|[a]\nend\n"},
	{"no last line break, the last field empty", "1,2.50,", "1|2.50|null\nend\n"},
	{"null and the empty string", ",,\n1,1,\"\"\n", "null|null|null\n1|1|[]\nend\n"},
	{"quotes around all", "\"1\",\"2.50\",\"a\"\n", "1|2.50|[a]\nend\n"},
	{"a comma, quotes and line breaks within quotes",
	 "1,1,\"a,\"\"b\"\"\nc\r\nd\re\"\n2,2,\"\"\"\"\n",
	 "1|1|[a,\"b\"\\x0ac\\x0d\\x0ad\\x0de]\n2|2|[\"]\nend\n"},
	{"no escapes but quotes", "1,1,a\\n\\N\\.\tb\n", "1|1|[a\\\\n\\\\N\\\\.\\x09b]\nend\n"},
	{"blanks belong to the field", "1,1, a b \n", "1|1|[ a b ]\nend\n"},
	{"a long field without and one with quotes",
	 "1,1,abcdefghijklmnopqrstuvwxyz-ABC-DEF\n2,1,\"abcdefghijkl,mnopqrstuvwxyz\"\n",
	 "1|1|[abcdefghijklmnopqrstuvwxyz-ABC-DEF]\n2|1|[abcdefghijkl,mnopqrstuvwxyz]\nend\n"},
	{"a byte order mark",
	 "\xef\xbb\xbf"
	 "1,1,a\n2,2,b\n",
	 "1|1|[a]\n2|2|[b]\nend\n"},
	{"a byte order mark before quotes", "\xef\xbb\xbf\"1\",1,a\n", "1|1|[a]\nend\n"},
	{"a byte order mark within the data is data",
	 "1,1,\xef\xbb\xbf"
	 "a\n2,1,\"\xef\xbb\xbf\"\n",
	 "1|1|[\\xef\\xbb\\xbfa]\n2|1|[\\xef\\xbb\\xbf]\nend\n"},
	{"the end mark", "1,1,a\n\\.\n", "1|1|[a]\nend\n"},
	{"too few fields", "1,1,a\n2,2\n",
	 "1|1|[a]\nrow 2, column \"t\": the record has 2 of 3 fields\n"},
	{"an empty line", "1,1,a\n\n", "1|1|[a]\nrow 2, column \"x\": the record has 1 of 3 fields\n"},
	{"too many fields", "1,1,a,b\n", "row 1: the record has more than 3 fields\n"},
	{"a comma too many", "1,1,a,\n", "row 1: the record has more than 3 fields\n"},
	{"no number", "1,a b,a\n", "row 1, column \"x\": \"a b\" is no numeric(12,2)\n"},
	{"the empty string is no number", "\"\",1,a\n", "row 1, column \"id\": \"\" is no bigint\n"},
	{"a quote within an unquoted field", "1,1,a\n2,2,12\" pipe\n",
	 "1|1|[a]\nrow 2, column \"t\": a quote within a field that does not begin with one\n"},
	{"a blank before a quote", "1,1, \"a\"\n",
	 "row 1, column \"t\": a quote within a field that does not begin with one\n"},
	{"text after a closing quote", "1,1,\"a\"b\n",
	 "row 1, column \"t\": text after the closing quote\n"},
	{"a blank after a closing quote", "1,\"1\" ,a\n",
	 "row 1, column \"x\": text after the closing quote\n"},
	{"a field too many that is broken", "1,1,a,b\"\n",
	 "row 1: field 4: a quote within a field that does not begin with one\n"},
	{"a quote that is never closed", "1,1,a\n2,2,\"b\n3,3,c\n",
	 "1|1|[a]\nrow 2, column \"t\": the data ends within quotes\n"},
	{"a bare CR", "1,1,a\rb\n",
	 "row 1, column \"t\": a carriage return, unquoted and without a line feed\n"},
	{"a bare CR after quotes", "1,1,\"a\"\rb\n",
	 "row 1, column \"t\": a carriage return, unquoted and without a line feed\n"},
	{"a CR at the end", "1,1,a\r",
	 "row 1, column \"t\": a carriage return, unquoted and without a line feed\n"},
	{"LF after CR LF", "1,1,a\r\n2,2,b\n",
	 "1|1|[a]\nrow 2: the line ends with LF, those before with CR LF\n"},
	{"data after the end mark", "1,1,a\n\\.\n\n",
	 "1|1|[a]\nthere is more data after the end mark \\.\n"},
	{"invalid UTF-8", "1,1,\"a\xff\"\n",
	 "row 1, column \"t\": invalid UTF-8: byte 0xff at place 2 of the value\n"},
};

static const StreamCase header_cases[] = {
	{"a header", "id,x,t\n1,1,a\n", "1|1|[a]\nend\n"},
	{"a header alone", "id,x,t\n", "end\n"},
	{"a header alone without a line break", "id,x,t", "end\n"},
	{"a header in another order", "t,\"id\",x\r\na,1,2\r\n", "1|2|[a]\nend\n"},
	{"columns that are not there are null", "t\na\n\"\"\n", "null|null|[a]\nnull|null|[]\nend\n"},
	{"a byte order mark before a header", "\xef\xbb\xbfid,x,t\n1,1,a\n", "1|1|[a]\nend\n"},
	{"a byte order mark before a quoted header", "\xef\xbb\xbf\"id\",x,t\n1,1,a\n",
	 "1|1|[a]\nend\n"},
	{"no header", "", "there is no header line\n"},
	{"a column that is none", "id,y,t\n1,1,a\n", "the header names \"y\", which is no column\n"},
	{"a header that is data", "1,1,a\n", "the header names \"1\", which is no column\n"},
	{"names are exact", "ID,x,t\n1,1,a\n", "the header names \"ID\", which is no column\n"},
	{"a name too many", "id,x,t,\n1,1,a,\n", "the header names \"\", which is no column\n"},
	{"a column that comes twice", "id,x,id\n1,1,a\n", "the header names column \"id\" twice\n"},
	{"a column that comes twice beyond the columns", "id,x,t,id\n",
	 "the header names column \"id\" twice\n"},
	{"a quote within the header", "id,x\"\n",
	 "header, field 2: a quote within a field that does not begin with one\n"},
	{"fewer fields than the header", "t,id\na\n",
	 "row 1, column \"id\": the record has 1 of 2 fields\n"},
	{"more fields than the header", "t,id\na,1,2\n", "row 1: the record has more than 2 fields\n"},
};

static const StreamCase one_column_cases[] = {
	{"an empty line is a null", "a\n\n\"\"\n", "[a]\nnull\n[]\nend\n"},
	{"a quoted end mark is a value", "\"\\.\"\nb\n", "[\\\\.]\n[b]\nend\n"},
	{"an end mark that may be a value", "a\n\\.\n",
	 "[a]\nrow 2, column \"t\": \\. without quotes may be a value or COPY's end mark: quote it\n"},
};

static void
test_cases(RowType *type, bool has_header, const StreamCase *cases, size_t count)
{
	RowReader *reader = row_reader_csv(type, has_header, ROW_READER_MAX_ROW_BYTES);

	expect_cases(reader, type, cases, count);
	row_reader_free(reader);
	row_type_free(type);
}

static void
test_long_rows(void)
{
	RowType *type = make_small_type();
	RowReader *reader = row_reader_csv(type, false, 16);
	const char *open = "1,1,a\n2,2,\"bcdefghijklmnopqrstuvwxyz\n";

	expect_rows("quotes that are never closed stop at the limit", reader, type, open, strlen(open),
				"1|1|[a]\nrow 2: longer than the limit of 16 bytes\n");
	row_reader_free(reader);
	row_type_free(type);
}

/* Two columns of a query may have one name. */
static void
test_equal_names(void)
{
	static const TestColumn columns[] = {COLUMN_TEST_TEXT("t"), COLUMN_TEST_TEXT("t")};
	static const StreamCase cases[] = {{"equal names", "t,t\na,b\n", "[a]|[b]\nend\n"}};

	test_cases(make_type(columns, 2), true, CASES(cases));
}

static void
test_file(const char *name, bool has_header, const char *bytes, size_t length, const char *log)
{
	RowType *type = make_file_type();
	RowReader *reader = row_reader_csv(type, has_header, ROW_READER_MAX_ROW_BYTES);
	static char wanted[sizeof(row_files_log) + 16];

	snprintf(wanted, sizeof(wanted), "%send\n", log);
	expect_rows(name, reader, type, bytes, length, wanted);
	row_reader_free(reader);
	row_type_free(type);
}

/* Python's csv writes '' and None alike, so the empty label of row 6 is lost there. */
static void
test_files(void)
{
	static char python_log[sizeof(row_files_log) + 2];
	const char *row_6 = strstr(row_files_log, "6|100.00|");
	size_t before = (size_t) (strstr(row_6, "[]\n") - row_files_log);

	snprintf(python_log, sizeof(python_log), "%.*snull%s", (int) before, row_files_log,
			 row_files_log + before + 2);
	test_file("psql's \\copy csv", false, psql_csv, sizeof(psql_csv) - 1, row_files_log);
	test_file("psql's \\copy csv header", true, psql_csv_header, sizeof(psql_csv_header) - 1,
			  row_files_log);
	test_file("Python's csv.writer", true, python_csv, sizeof(python_csv) - 1, python_log);
	test_file("all quoted but nulls", true, quoted_csv, sizeof(quoted_csv) - 1, row_files_log);
}

static void
test_one_column_file(void)
{
	static const StreamCase cases[] = {
		{"psql's \\copy csv of one column", psql_csv_one_column,
		 "[tab\\x09here]\n[back\\\\slash]\n[line\\x0abreak]\n[\\\\.]\n[\\\\N]\n[]\nnull\n"
		 "[a \"quote\", a comma,\\x0d\\x0aand CR LF ]\n"
		 "[na\\xc3\\xafve \\xf0\\x9f\\x9a\\x80 \\x08\\x0c\\x0b\\x01]\nend\n"},
	};

	test_cases(make_text_type(), false, CASES(cases));
}

int
main(void)
{
	test_cases(make_small_type(), false, CASES(plain_cases));
	test_cases(make_small_type(), true, CASES(header_cases));
	test_cases(make_text_type(), false, CASES(one_column_cases));
	test_long_rows();
	test_equal_names();
	test_files();
	test_one_column_file();
	return unit_done();
}
