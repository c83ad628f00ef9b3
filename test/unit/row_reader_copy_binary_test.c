/*
 * row_reader_copy_binary_test.c - COPY's binary format, byte for byte.
 */
#include "row_files.h"
#include "row_log.h"

#define SIGNATURE "PGCOPY\n\377\r\n\0"
#define HEADER    SIGNATURE "\0\0\0\0\0\0\0\0"
#define TRAILER   "\377\377"
#define NULL_     "\377\377\377\377"
#define ONE       "\0\0\0\10\0\0\0\0\0\0\0\1" /* a bigint */

/* id bigint, t text */
#define ROW_1_A "\0\2" ONE "\0\0\0\1a"

typedef struct BytesCase
{
	const char *name;
	const char *bytes;
	size_t length;
	const char *log;
} BytesCase;

#define BYTES(bytes) (bytes), sizeof(bytes) - 1

static const BytesCase cases[] = {
	{"no row", BYTES(HEADER TRAILER), "end\n"},
	{"a row", BYTES(HEADER ROW_1_A TRAILER), "1|[a]\nend\n"},
	{"rows and nulls", BYTES(HEADER ROW_1_A "\0\2" NULL_ NULL_ ROW_1_A TRAILER),
	 "1|[a]\nnull|null\n1|[a]\nend\n"},
	{"the empty string", BYTES(HEADER "\0\2" ONE "\0\0\0\0" TRAILER), "1|[]\nend\n"},
	{"flags that are not critical", BYTES(SIGNATURE "\0\0\377\377\0\0\0\0" TRAILER), "end\n"},
	{"an extension of the header", BYTES(SIGNATURE "\0\0\0\0\0\0\0\5abcde" ROW_1_A TRAILER),
	 "1|[a]\nend\n"},

	{"another file", BYTES("id,t\n1,a\n2,b\n"),
	 "this is not COPY's binary format: it does not begin with its signature\n"},
	{"a signature that was taken for text", BYTES("PGCOPY\n\377\n\0\0\0\0\0\0\0\0\0" TRAILER),
	 "this is not COPY's binary format: it does not begin with its signature\n"},
	{"critical flags", BYTES(SIGNATURE "\0\1\0\0\0\0\0\0" TRAILER),
	 "COPY binary header: unknown critical flags 0x00010000\n"},
	{"a negative extension", BYTES(SIGNATURE "\0\0\0\0\377\377\377\377" TRAILER),
	 "COPY binary header: -1 is no length of an extension\n"},
	{"nothing", BYTES(""), "the data ends within the header of COPY's binary format\n"},
	{"half a header", BYTES("PGCOPY\n\377\r\n\0\0"),
	 "the data ends within the header of COPY's binary format\n"},
	{"half an extension", BYTES(SIGNATURE "\0\0\0\0\0\0\0\5abc"),
	 "the data ends within the header of COPY's binary format\n"},
	{"no trailer", BYTES(HEADER ROW_1_A), "1|[a]\nthe data ends after row 1 without the trailer\n"},
	{"half a trailer", BYTES(HEADER ROW_1_A "\377"),
	 "1|[a]\nrow 2: the data ends within the row\n"},
	{"half a row", BYTES(HEADER ROW_1_A "\0\2" ONE "\0\0\0\2a"),
	 "1|[a]\nrow 2: the data ends within the row\n"},
	{"half a length", BYTES(HEADER "\0\2" ONE "\0\0"), "row 1: the data ends within the row\n"},
	{"bytes after the trailer", BYTES(HEADER ROW_1_A TRAILER "\0"),
	 "1|[a]\nthere is more data after the trailer of COPY's binary format\n"},
	{"too few fields", BYTES(HEADER "\0\1" ONE TRAILER),
	 "row 1: 1 fields, and there are 2 columns\n"},
	{"too many fields", BYTES(HEADER "\0\3" ONE ONE ONE TRAILER),
	 "row 1: 3 fields, and there are 2 columns\n"},
	{"a negative number of fields", BYTES(HEADER "\377\376"),
	 "row 1: -2 fields, and there are 2 columns\n"},
	{"a negative length", BYTES(HEADER "\0\2" ONE "\377\377\377\376"),
	 "row 1, column \"t\": -2 is no length of a field\n"},
	{"a length beyond the limit", BYTES(HEADER "\0\2" ONE "\177\377\377\377"),
	 "row 1, column \"t\": the row is longer than the limit of 1000 bytes\n"},
	{"a bigint of four bytes", BYTES(HEADER "\0\2\0\0\0\4\0\0\0\1\0\0\0\1a" TRAILER),
	 "row 1, column \"id\": these 4 bytes are not the form of a bigint\n"},
	{"invalid UTF-8", BYTES(HEADER "\0\2" ONE "\0\0\0\2a\377" TRAILER),
	 "row 1, column \"t\": invalid UTF-8: byte 0xff at place 2 of the value\n"},
	{"NUL in a text", BYTES(HEADER "\0\2" ONE "\0\0\0\1\0" TRAILER),
	 "row 1, column \"t\": a text cannot hold a NUL character\n"},
};

static void
test_cases(void)
{
	static const TestColumn columns[] = {COLUMN_TEST_ID, COLUMN_TEST_TEXT("t")};
	RowType *type = make_type(columns, 2);
	RowReader *reader = row_reader_copy_binary(type, 1000);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_rows(cases[i].name, reader, type, cases[i].bytes, cases[i].length, cases[i].log);
	row_reader_free(reader);
	row_type_free(type);
}

/* Of a type that is not known here the bytes pass, be they text or not. */
/* The limit may fall on a value or on the length before it. */
static void
test_long_rows(void)
{
	static const char bytes[] = HEADER "\0\2\0\0\0\16abcdefghijklmn" ONE TRAILER;
	static const TestColumn columns[] = {COLUMN_TEST_TEXT("t"), COLUMN_TEST_ID};
	RowType *type = make_type(columns, 2);

	for (size_t limit = 19; limit <= 32; limit++)
	{
		RowReader *reader = row_reader_copy_binary(type, limit);
		char name[40], wanted[100];

		snprintf(name, sizeof(name), "a row of 32 bytes, limit %zu", limit);
		snprintf(wanted, sizeof(wanted),
				 limit == 32
					 ? "[abcdefghijklmn]|1\nend\n"
					 : "row 1, column \"%s\": the row is longer than the limit of %zu bytes\n",
				 limit < 20 ? "t" : "id", limit);
		expect_rows(name, reader, type, BYTES(bytes), wanted);
		row_reader_free(reader);
	}
	row_type_free(type);
}

static void
test_other(void)
{
	static const char bytes[] = HEADER "\0\1\0\0\0\3\0\377a" TRAILER;
	static const TestColumn columns[] = {{"o", "inet", 869}};
	RowType *type = make_type(columns, 1);
	RowReader *reader = row_reader_copy_binary(type, ROW_READER_MAX_ROW_BYTES);

	expect_rows("bytes of another type", reader, type, BYTES(bytes), "[\\x00\\xffa]\nend\n");
	row_reader_free(reader);
	row_type_free(type);
}

/* Each numeric of a row has its own digits. */
static void
test_numerics(void)
{
	static const char bytes[] = HEADER "\0\2"
									   "\0\0\0\14\0\2\0\0\0\0\0\2\0\1\23\210"
									   "\0\0\0\12\0\1\0\0\100\0\0\0\0\7" TRAILER;
	static const TestColumn columns[] = {{"a", "numeric", 1700}, {"b", "numeric", 1700}};
	RowType *type = make_type(columns, 2);
	RowReader *reader = row_reader_copy_binary(type, ROW_READER_MAX_ROW_BYTES);

	expect_rows("two numerics", reader, type, BYTES(bytes), "1.50|-7\nend\n");
	row_reader_free(reader);
	row_type_free(type);
}

static void
test_files(void)
{
	static char wanted[sizeof(row_files_log) + 8];
	RowType *type = make_file_type();
	RowReader *reader = row_reader_copy_binary(type, ROW_READER_MAX_ROW_BYTES);

	snprintf(wanted, sizeof(wanted), "%send\n", row_files_log);
	expect_rows("psql's \\copy binary", reader, type, BYTES(psql_binary), wanted);
	row_reader_free(reader);
	row_type_free(type);
}

int
main(void)
{
	test_cases();
	test_long_rows();
	test_other();
	test_numerics();
	test_files();
	return unit_done();
}
