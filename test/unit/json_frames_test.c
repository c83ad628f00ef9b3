/*
 * json_frames_test.c - every body gives the same frames, however it is cut into pieces.
 *
 * What comes out of a body is written down as a log, one line per frame:
 *
 *     row@1 {"id":1}           text and offset; row@1! when it has wide integers
 *     column@1 "id"
 *     value@7 1
 *     end array                with the shape
 *     error SYNTAX@10 rows=1 array: expected ... found ...
 */
#include "unit.h"
#include "unit_log.h"

#include <stdlib.h>

#include "json_frames.h"

enum
{
	ROOMY = 1 << 20
};

static const char *const shape_names[] = {"unknown", "array", "lines", "columns"};
static const char *const error_names[] = {"OK",        "SYNTAX",       "ENCODING",
										  "TRUNCATED", "SURROGATE",    "NUL_IN_KEY",
										  "TOO_DEEP",  "ROW_TOO_LONG", "OUT_OF_MEMORY"};

typedef struct Case
{
	const char *name;
	const char *body;
	const char *log;
} Case;

/* --- the runner ---------------------------------------------------------------------- */

static void
log_frame(Log *log, const JsonFrames *frames, const JsonFrame *frame)
{
	static const char *const names[] = {"", "row", "column", "value", "", ""};
	const JsonFramesError *error = json_frames_error(frames);
	const char *shape = shape_names[json_frames_shape(frames)];

	if (frame->kind == JSON_FRAME_ERROR)
		log_add(log, "error %s@%" PRId64 " rows=%" PRId64 " %s: %s\n", error_names[error->kind],
				error->offset, error->rows, shape, error->message);
	else if (frame->kind == JSON_FRAME_END)
		log_add(log, "end %s\n", shape);
	else
		log_add(log, "%s@%" PRId64 "%s %.*s\n", names[frame->kind], frame->offset,
				frame->has_wide_integers ? "!" : "", (int) frame->length, frame->text);
}

/* Takes frames until a piece is used up (true), or all is over (false). */
static bool
take_frames(JsonFrames *frames, Log *log)
{
	JsonFrame frame;

	while (json_frames_next(frames, &frame) != JSON_FRAME_MORE)
	{
		log_frame(log, frames, &frame);
		if (frame.kind == JSON_FRAME_END || frame.kind == JSON_FRAME_ERROR)
			return false;
	}
	return true;
}

/*
 * Feeds the body in pieces: the first of `first` bytes, the others of `rest`.
 * A piece lies in a block of its own size, and is gone once it is used up.
 */
static void
run(JsonFrames *frames, const char *body, size_t length, size_t first, size_t rest, Log *log)
{
	size_t piece_length = first;
	bool more = true;

	log->length = 0;
	log->text[0] = '\0';
	for (size_t from = 0; from < length && more;)
	{
		char *piece;

		if (piece_length > length - from)
			piece_length = length - from;
		piece = malloc(piece_length + (piece_length == 0));
		memcpy(piece, body + from, piece_length);
		json_frames_feed(frames, piece, piece_length);
		more = take_frames(frames, log);
		free(piece);
		from += piece_length;
		piece_length = rest;
	}
	if (!more)
		return;
	json_frames_finish(frames);
	if (take_frames(frames, log))
		log_add(log, "more after the end\n");
}

static bool
matches(const Log *log, const char *wanted)
{
	if (strcmp(log->text, wanted) == 0)
		return true;
	printf("# got:\n");
	for (const char *line = log->text; *line != '\0';)
	{
		int length = (int) strcspn(line, "\n");

		printf("#   %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
	return false;
}

/* Whole, byte by byte, and cut in two at every place. */
static void
expect_frames(const char *name, const JsonFramesOptions *options, const char *body, size_t length,
			  const char *wanted)
{
	static Log log;
	JsonFrames *frames = json_frames_create(options);
	char label[160];
	bool same = true;

	run(frames, body, length, length, 1, &log);
	snprintf(label, sizeof(label), "%s: whole", name);
	unit_ok(matches(&log, wanted), label);

	json_frames_reset(frames, options->shape);
	run(frames, body, length, 1, 1, &log);
	snprintf(label, sizeof(label), "%s: byte by byte", name);
	unit_ok(matches(&log, wanted), label);

	for (size_t first = 0; first <= length && same; first++)
	{
		/* a piece without a byte does no harm */
		json_frames_reset(frames, options->shape);
		run(frames, body, length, first, length, &log);
		same = matches(&log, wanted);
		if (!same)
			printf("# cut after %zu bytes\n", first);
	}
	snprintf(label, sizeof(label), "%s: cut in two anywhere", name);
	unit_ok(same, label);
	json_frames_free(frames);
}

static void
expect_all(const Case *cases, size_t count, const JsonFramesOptions *options)
{
	for (size_t i = 0; i < count; i++)
		expect_frames(cases[i].name, options, cases[i].body, strlen(cases[i].body), cases[i].log);
}

#define EXPECT_ALL(cases, options) expect_all(cases, sizeof(cases) / sizeof((cases)[0]), options)

static const JsonFramesOptions by_first_bytes = {.max_row_bytes = ROOMY};

/* --- shapes --------------------------------------------------------------------------- */

static const Case array_cases[] = {
	{"empty array", "[]", "end array\n"},
	{"empty array with white space", " \t\r\n[ \n ] \n", "end array\n"},
	{"two rows", "[{\"id\":1},{\"id\":2}]", "row@1 {\"id\":1}\nrow@10 {\"id\":2}\nend array\n"},
	{"pretty-printed", "[\n  {\n    \"id\": 1,\n    \"x\": [ ]\n  },\n  { }\n]\n",
	 "row@4 {\n    \"id\": 1,\n    \"x\": [ ]\n  }\nrow@39 { }\nend array\n"},
	{"rows of every kind", "[1,\"a\",null,true,false,[],{},-1.5e-3]",
	 "row@1 1\nrow@3 \"a\"\nrow@7 null\nrow@12 true\nrow@17 false\nrow@23 []\nrow@26 {}\n"
	 "row@29 -1.5e-3\nend array\n"},
	{"nested", "[{\"a\":{\"b\":[1,{\"c\":[[],{}]}]},\"d\":[{\"e\":1},2]}]",
	 "row@1 {\"a\":{\"b\":[1,{\"c\":[[],{}]}]},\"d\":[{\"e\":1},2]}\nend array\n"},
	{"byte order mark", "\xef\xbb\xbf[{\"id\":1}]", "row@4 {\"id\":1}\nend array\n"},
	{"HTML after the array", "[{\"id\":1}]<html>",
	 "row@1 {\"id\":1}\nerror SYNTAX@10 rows=1 array: expected the end of the body after row 1, "
	 "found \"<\"\n"},
	{"HTML after an array of numbers", "[1]<html>",
	 "row@1 1\nerror SYNTAX@3 rows=1 array: expected the end of the body after row 1, found "
	 "\"<\"\n"},
	{"second array", "[1] [2]",
	 "row@1 1\nerror SYNTAX@4 rows=1 array: expected the end of the body after row 1, found "
	 "\"[\"\n"},
	{"HTML", "<html>", "error SYNTAX@0 rows=0 unknown: expected a JSON value, found \"<\"\n"},
	{"second row cut", "[{\"id\":1},{\"id\":",
	 "row@1 {\"id\":1}\nerror TRUNCATED@16 rows=1 array: expected a value in row 2, found the end "
	 "of the body\n"},
	{"array not closed", "[{\"id\":1}",
	 "row@1 {\"id\":1}\nerror TRUNCATED@9 rows=1 array: expected \",\" or \"]\" after row 1, found "
	 "the end of the body\n"},
	{"array not closed after a comma", "[1, ",
	 "row@1 1\nerror TRUNCATED@4 rows=1 array: expected a row after row 1, found the end of the "
	 "body\n"},
	{"nothing after the bracket", "[",
	 "error TRUNCATED@1 rows=0 array: expected a row or \"]\", found the end of the body\n"},
	{"number that may go on", "[12",
	 "error TRUNCATED@3 rows=0 array: expected the end of a number in row 1, found the end of the "
	 "body\n"},
	{"comma before the first row", "[,1]",
	 "error SYNTAX@1 rows=0 array: expected a row or \"]\", found \",\"\n"},
	{"comma after the last row", "[1,]",
	 "row@1 1\nerror SYNTAX@3 rows=1 array: expected a row after row 1, found \"]\"\n"},
	{"two commas", "[1,,2]",
	 "row@1 1\nerror SYNTAX@3 rows=1 array: expected a row after row 1, found \",\"\n"},
	{"no comma", "[{} {}]",
	 "row@1 {}\nerror SYNTAX@4 rows=1 array: expected \",\" or \"]\" after row 1, found \"{\"\n"},
	{"wrong bracket closes the array", "[1}",
	 "row@1 1\nerror SYNTAX@2 rows=1 array: expected \",\" or \"]\" after row 1, found \"}\"\n"},
};

static const Case lines_cases[] = {
	{"empty body", "", "end lines\n"},
	{"white space only", " \r\n\t\n", "end lines\n"},
	{"byte order mark only", "\xef\xbb\xbf", "end lines\n"},
	{"empty object", "{}", "row@0 {}\nend lines\n"},
	{"empty object with white space", " { } ", "row@1 { }\nend lines\n"},
	{"last line break", "{\"id\":1}\n{\"id\":2}\n",
	 "row@0 {\"id\":1}\nrow@9 {\"id\":2}\nend lines\n"},
	{"no last line break", "{\"id\":1}\n{\"id\":2}",
	 "row@0 {\"id\":1}\nrow@9 {\"id\":2}\nend lines\n"},
	{"CR LF", "{\"id\":1}\r\n{\"id\":2}\r\n", "row@0 {\"id\":1}\nrow@10 {\"id\":2}\nend lines\n"},
	{"empty lines and spaces", "\n {\"id\":1} \t\n\r\n \n {\"id\":2} \n\n",
	 "row@2 {\"id\":1}\nrow@18 {\"id\":2}\nend lines\n"},
	{"byte order mark", "\xef\xbb\xbf{\"id\":1}\n{}", "row@3 {\"id\":1}\nrow@12 {}\nend lines\n"},
	{"columns of a single row", "{\"id\":1,\"x\":1.5}", "row@0 {\"id\":1,\"x\":1.5}\nend lines\n"},
	{"array in the second key", "{\"id\":1,\"x\":[1]}", "row@0 {\"id\":1,\"x\":[1]}\nend lines\n"},
	{"object in the first key", "{ \"id\" : {\"x\":[1]}}",
	 "row@0 { \"id\" : {\"x\":[1]}}\nend lines\n"},
	{"array in the first key of the second row", "{\"id\":1}\n{\"id\":[1]}",
	 "row@0 {\"id\":1}\nrow@9 {\"id\":[1]}\nend lines\n"},
	{"row over several lines", "{\n\"id\":1\n}\n{}",
	 "row@0 {\n\"id\":1\n}\nrow@11 {}\nend lines\n"},
	{"rows that are no objects", "1\n\"a\"\nnull\n-2.5",
	 "row@0 1\nrow@2 \"a\"\nrow@6 null\nrow@11 -2.5\nend lines\n"},
	{"number at the end", "1", "row@0 1\nend lines\n"},
	{"zero at the end", "1\n0", "row@0 1\nrow@2 0\nend lines\n"},
	{"exponent at the end", "1\n1e5", "row@0 1\nrow@2 1e5\nend lines\n"},
	{"half a number at the end", "1\n1e",
	 "row@0 1\nerror TRUNCATED@4 rows=1 lines: expected an exponent in row 2, found the end of "
	 "the body\n"},
	{"half a word at the end", "nul",
	 "error TRUNCATED@3 rows=0 lines: expected true, false or null in row 1, found the end of the "
	 "body\n"},
	{"no line break", "{\"id\":1}{\"id\":2}",
	 "row@0 {\"id\":1}\nerror SYNTAX@8 rows=1 lines: expected a line break after row 1, found "
	 "\"{\"\n"},
	{"space for a line break", "{\"id\":1} {\"id\":2}",
	 "row@0 {\"id\":1}\nerror SYNTAX@9 rows=1 lines: expected a line break after row 1, found "
	 "\"{\"\n"},
	{"CR for a line break", "{}\r{}",
	 "row@0 {}\nerror SYNTAX@3 rows=1 lines: expected a line break after row 1, found \"{\"\n"},
	{"comma between lines", "{},\n{}",
	 "row@0 {}\nerror SYNTAX@2 rows=1 lines: expected a line break after row 1, found \",\"\n"},
	{"comma at the start of a line", "{}\n,{}",
	 "row@0 {}\nerror SYNTAX@3 rows=1 lines: expected a row after row 1, found \",\"\n"},
	{"last row cut", "{\"id\":1}\n{\"id\"",
	 "row@0 {\"id\":1}\nerror TRUNCATED@14 rows=1 lines: expected \":\" in row 2, found the end of "
	 "the body\n"},
	{"first key cut", "{\"id",
	 "error TRUNCATED@4 rows=0 unknown: expected the rest of a string in row 1, found the end of "
	 "the body\n"},
	{"cut before the first value", "{\"id\": ",
	 "error TRUNCATED@7 rows=0 unknown: expected a value in row 1, found the end of the body\n"},
	{"first value missing", "{\"id\":}",
	 "error SYNTAX@6 rows=0 lines: expected a value in row 1, found \"}\"\n"},
	{"UTF-16", "\xff\xfe{", "error SYNTAX@0 rows=0 unknown: expected a JSON value, found \\xff\n"},
	{"half a byte order mark", "\xef\xbb",
	 "error TRUNCATED@2 rows=0 unknown: expected a byte order mark, found the end of the body\n"},
	{"wrong byte order mark", "\xef\xbb {}",
	 "error SYNTAX@2 rows=0 unknown: expected a byte order mark, found \" \"\n"},
	{"two byte order marks", "\xef\xbb\xbf\xef\xbb\xbf{}",
	 "error SYNTAX@3 rows=0 unknown: expected a JSON value, found \\xef\n"},
	{"byte order mark after white space", " \xef\xbb\xbf{}",
	 "error SYNTAX@1 rows=0 unknown: expected a JSON value, found \\xef\n"},
	{"byte order mark in the second line", "{}\n\xef\xbb\xbf{}",
	 "row@0 {}\nerror SYNTAX@3 rows=1 lines: expected a row after row 1, found \\xef\n"},
};

static const Case columns_cases[] = {
	{"columns without rows", "{\"id\":[],\"x\":[]}",
	 "column@1 \"id\"\ncolumn@9 \"x\"\nend columns\n"},
	{"two columns", "{\"id\":[1,2],\"x\":[1.5,null]}",
	 "column@1 \"id\"\nvalue@7 1\nvalue@9 2\ncolumn@12 \"x\"\nvalue@17 1.5\nvalue@21 null\n"
	 "end columns\n"},
	{"missing number as a list serializer writes it", "{\"x\":[1.5,\"NA\"]}",
	 "column@1 \"x\"\nvalue@6 1.5\nvalue@10 \"NA\"\nend columns\n"},
	{"white space", " { \"id\"\n: [ 1 , 2 ]\t, \"x\" : [ ] } \r\n",
	 "column@3 \"id\"\nvalue@12 1\nvalue@16 2\ncolumn@22 \"x\"\nend columns\n"},
	{"columns of unequal length are the caller's to refuse", "{\"id\":[1,2],\"x\":[1]}",
	 "column@1 \"id\"\nvalue@7 1\nvalue@9 2\ncolumn@12 \"x\"\nvalue@17 1\nend columns\n"},
	{"same column twice is the caller's to refuse", "{\"x\":[1],\"x\":[2]}",
	 "column@1 \"x\"\nvalue@6 1\ncolumn@9 \"x\"\nvalue@14 2\nend columns\n"},
	{"scalar and object columns have one value", "{\"a\":[1],\"b\":2,\"c\":{\"d\":[3]},\"e\":null}",
	 "column@1 \"a\"\nvalue@6 1\ncolumn@9 \"b\"\nvalue@13 2\ncolumn@15 \"c\"\nvalue@19 "
	 "{\"d\":[3]}\ncolumn@29 \"e\"\nvalue@33 null\nend columns\n"},
	{"nested values", "{\"a\":[[1,[2]],{\"b\":[]},[]]}",
	 "column@1 \"a\"\nvalue@6 [1,[2]]\nvalue@14 {\"b\":[]}\nvalue@23 []\nend columns\n"},
	{"escaped key", "{\"\\u0069d\":[1]}", "column@1 \"\\u0069d\"\nvalue@12 1\nend columns\n"},
	{"empty key", "{\"\":[1]}", "column@1 \"\"\nvalue@5 1\nend columns\n"},
	{"quote and backslash in a key", "{\"a\\\"\\\\\":[1]}",
	 "column@1 \"a\\\"\\\\\"\nvalue@10 1\nend columns\n"},
	{"wide integers by value", "{\"a\":[1234567890123456789,1,-0]}",
	 "column@1 \"a\"\nvalue@6! 1234567890123456789\nvalue@26 1\nvalue@28! -0\nend columns\n"},
	{"byte order mark", "\xef\xbb\xbf{\"x\":[]}", "column@4 \"x\"\nend columns\n"},
	{"NUL in a key of a value", "{\"a\":[{\"\\u0000\":1}]}",
	 "column@1 \"a\"\nvalue@6 {\"\\u0000\":1}\nend columns\n"},
	{"NUL in the first column's key", "{\"a\\u0000\":[1]}",
	 "error NUL_IN_KEY@3 rows=0 unknown: expected no NUL within a key in row 1, found \\u0000\n"},
	{"NUL in the second column's key", "{\"a\":[1],\"\\u0000\":[1]}",
	 "column@1 \"a\"\nvalue@6 1\nerror NUL_IN_KEY@10 rows=1 columns: expected no NUL in a column's "
	 "key, found \\u0000\n"},
	{"text after the object", "{\"x\":[1]}\n{\"x\":[1]}",
	 "column@1 \"x\"\nvalue@6 1\nerror SYNTAX@10 rows=1 columns: expected the end of the body, "
	 "found \"{\"\n"},
	{"comma after the last value", "{\"x\":[1,]}",
	 "column@1 \"x\"\nvalue@6 1\nerror SYNTAX@8 rows=1 columns: expected a value after value 1 of "
	 "the column, found \"]\"\n"},
	{"no comma between values", "{\"x\":[1 2]}",
	 "column@1 \"x\"\nvalue@6 1\nerror SYNTAX@8 rows=1 columns: expected \",\" or \"]\" after "
	 "value 1 of the column, found \"2\"\n"},
	{"comma after the last column", "{\"x\":[],}",
	 "column@1 \"x\"\nerror SYNTAX@8 rows=0 columns: expected a column's key, found \"}\"\n"},
	{"no comma between columns", "{\"x\":[]\"y\":[]}",
	 "column@1 \"x\"\nerror SYNTAX@7 rows=0 columns: expected \",\" or \"}\" after a column, found "
	 "'\"'\n"},
	{"no colon", "{\"x\":[],\"y\"[]}",
	 "column@1 \"x\"\ncolumn@8 \"y\"\nerror SYNTAX@11 rows=0 columns: expected \":\" after a "
	 "column's key, found \"[\"\n"},
	{"no value", "{\"x\":[],\"y\":}",
	 "column@1 \"x\"\ncolumn@8 \"y\"\nerror SYNTAX@12 rows=0 columns: expected a column's array, "
	 "found \"}\"\n"},
	{"error in a value", "{\"x\":[1,tru]}",
	 "column@1 \"x\"\nvalue@6 1\nerror SYNTAX@11 rows=1 columns: expected true, false or null in "
	 "value 2 of the column, found \"]\"\n"},
	{"cut in a value", "{\"x\":[1,\"a",
	 "column@1 \"x\"\nvalue@6 1\nerror TRUNCATED@10 rows=1 columns: expected the rest of a string "
	 "in value 2 of the column, found the end of the body\n"},
	{"cut after a column", "{\"x\":[1]",
	 "column@1 \"x\"\nvalue@6 1\nerror TRUNCATED@8 rows=1 columns: expected \",\" or \"}\" after a "
	 "column, found the end of the body\n"},
	{"cut in a number", "{\"x\":[1",
	 "column@1 \"x\"\nerror TRUNCATED@7 rows=0 columns: expected the end of a number in value 1 of "
	 "the column, found the end of the body\n"},
};

static const Case wanted_array_cases[] = {
	{"array wanted", "[{}]", "row@1 {}\nend array\n"},
	{"array wanted, object found", "{\"id\":[1]}",
	 "error SYNTAX@0 rows=0 unknown: expected \"[\", found \"{\"\n"},
	{"array wanted, nothing found", " ",
	 "error TRUNCATED@1 rows=0 unknown: expected a JSON value, found the end of the body\n"},
};

static const Case wanted_lines_cases[] = {
	{"lines wanted", "{\"id\":[1]}\n{\"id\":[2]}",
	 "row@0 {\"id\":[1]}\nrow@11 {\"id\":[2]}\nend lines\n"},
	{"lines wanted, arrays are rows", "[1,2]\n[]", "row@0 [1,2]\nrow@6 []\nend lines\n"},
	{"lines wanted, nothing found", "", "end lines\n"},
	{"lines wanted, byte order mark", "\xef\xbb\xbf{}", "row@3 {}\nend lines\n"},
	{"lines wanted, half a byte order mark", "\xef",
	 "error TRUNCATED@1 rows=0 lines: expected a byte order mark, found the end of the body\n"},
};

static const Case wanted_columns_cases[] = {
	{"columns wanted", "{\"id\":1,\"x\":[2,3]}",
	 "column@1 \"id\"\nvalue@6 1\ncolumn@8 \"x\"\nvalue@13 2\nvalue@15 3\nend columns\n"},
	{"columns wanted, none found", "{ }", "end columns\n"},
	{"columns wanted, array found", "[{}]",
	 "error SYNTAX@0 rows=0 unknown: expected \"{\", found \"[\"\n"},
	{"columns wanted, no key found", "{1}",
	 "error SYNTAX@1 rows=0 columns: expected a column's key or \"}\", found \"1\"\n"},
};

static void
test_shapes(void)
{
	JsonFramesOptions options = {.max_row_bytes = ROOMY};

	EXPECT_ALL(array_cases, &by_first_bytes);
	EXPECT_ALL(lines_cases, &by_first_bytes);
	EXPECT_ALL(columns_cases, &by_first_bytes);
	options.shape = JSON_SHAPE_ARRAY;
	EXPECT_ALL(wanted_array_cases, &options);
	options.shape = JSON_SHAPE_LINES;
	EXPECT_ALL(wanted_lines_cases, &options);
	options.shape = JSON_SHAPE_COLUMNS;
	EXPECT_ALL(wanted_columns_cases, &options);
}

/* The context is the one key whose column takes arrays, as it stands in the body. */
static bool
key_is(void *context, const char *key, size_t length)
{
	const char *wanted = context;

	return strlen(wanted) == length && memcmp(wanted, key, length) == 0;
}

static const Case array_key_cases[] = {
	{"key that takes arrays", "{\"tags\" : [1,2]}\n{\"tags\":[]}",
	 "row@0 {\"tags\" : [1,2]}\nrow@17 {\"tags\":[]}\nend lines\n"},
	{"key that takes no arrays", "{\"id\":[1],\"tags\":[[2]]}",
	 "column@1 \"id\"\nvalue@7 1\ncolumn@10 \"tags\"\nvalue@18 [2]\nend columns\n"},
	{"longer key", "{\"tags2\":[]}", "column@1 \"tags2\"\nend columns\n"},
	{"shorter key", "{\"tag\":[]}", "column@1 \"tag\"\nend columns\n"},
};

static void
test_key_takes_array(void)
{
	char tags[] = "tags";
	JsonFramesOptions options = {
		.max_row_bytes = ROOMY, .key_takes_array = key_is, .context = tags};

	EXPECT_ALL(array_key_cases, &options);
}

/* --- grammar --------------------------------------------------------------------------- */

/* A value within an array, within a row: what is expected, at which place, and what is found. */
typedef struct ValueCase
{
	const char *value;
	const char *error; /* NULL: valid */
	int at;            /* from the value's first byte */
} ValueCase;

#define SYNTAX(message)    "SYNTAX " message
#define ENCODING(found)    "ENCODING expected valid UTF-8 in row 1, found " found
#define SURROGATE(message) "SURROGATE " message

static const ValueCase value_cases[] = {
	{"0", NULL, 0},
	{"-1", NULL, 0},
	{"0.5", NULL, 0},
	{"-0.0", NULL, 0},
	{"10.010", NULL, 0},
	{"1e5", NULL, 0},
	{"1E+05", NULL, 0},
	{"0e-0", NULL, 0},
	{"1.5e400", NULL, 0},
	{"123456789012345678", NULL, 0},
	{"0.123456789012345678901234567890", NULL, 0},
	{"true", NULL, 0},
	{"false", NULL, 0},
	{"null", NULL, 0},
	{"\"\"", NULL, 0},
	{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", NULL, 0},
	{"\"\\u0000\\u00e9\\uFFFF\\uD83D\\uDE00\\ud83d\\ude00\"", NULL, 0},
	{"\"0123456789012345678901234567890123456789 plain {}[],:\"", NULL, 0},
	{"\"\x7f\"", NULL, 0},
	{"\"\xc2\x80\xdf\xbf\"", NULL, 0},
	{"\"\xe0\xa0\x80\xe1\x80\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"", NULL, 0},
	{"\"\xf0\x90\x80\x80\xf3\xbf\xbf\xbf\xf4\x8f\xbf\xbf\"", NULL, 0},
	{"{}", NULL, 0},
	{"[]", NULL, 0},
	{"[ {} , [ ] ]", NULL, 0},
	{"{ \"a\" : 1 , \"b\" : { } , \"\" : \"\" }", NULL, 0},
	{"{\"a\":1,\"a\":2}", NULL, 0},
	{"{\"\\u0000\":1}", NULL, 0},

	{"01", SYNTAX("expected no digit after a leading 0 in row 1, found \"1\""), 1},
	{"-01", SYNTAX("expected no digit after a leading 0 in row 1, found \"1\""), 2},
	{"00", SYNTAX("expected no digit after a leading 0 in row 1, found \"0\""), 1},
	{"1.", SYNTAX("expected a digit after the decimal point in row 1, found \"]\""), 2},
	{"1.e5", SYNTAX("expected a digit after the decimal point in row 1, found \"e\""), 2},
	{".5", SYNTAX("expected a value or \"]\" in row 1, found \".\""), 0},
	{"+1", SYNTAX("expected a value or \"]\" in row 1, found \"+\""), 0},
	{"-", SYNTAX("expected a digit after \"-\" in row 1, found \"]\""), 1},
	{"--1", SYNTAX("expected a digit after \"-\" in row 1, found \"-\""), 1},
	{"-a", SYNTAX("expected a digit after \"-\" in row 1, found \"a\""), 1},
	{"1e", SYNTAX("expected an exponent in row 1, found \"]\""), 2},
	{"1e+", SYNTAX("expected the digits of an exponent in row 1, found \"]\""), 3},
	{"1e5.5", SYNTAX("expected \",\" or \"]\" in row 1, found \".\""), 3},
	{"1.5.5", SYNTAX("expected \",\" or \"]\" in row 1, found \".\""), 3},
	{"0x10", SYNTAX("expected \",\" or \"]\" in row 1, found \"x\""), 1},
	{"1 2", SYNTAX("expected \",\" or \"]\" in row 1, found \"2\""), 2},
	{"NaN", SYNTAX("expected a value or \"]\" in row 1, found \"N\""), 0},
	{"nan", SYNTAX("expected true, false or null in row 1, found \"a\""), 1},
	{"Infinity", SYNTAX("expected a value or \"]\" in row 1, found \"I\""), 0},
	{"-Infinity", SYNTAX("expected a digit after \"-\" in row 1, found \"I\""), 1},
	{"True", SYNTAX("expected a value or \"]\" in row 1, found \"T\""), 0},
	{"tru", SYNTAX("expected true, false or null in row 1, found \"]\""), 3},
	{"truE", SYNTAX("expected true, false or null in row 1, found \"E\""), 3},
	{"nulll", SYNTAX("expected \",\" or \"]\" in row 1, found \"l\""), 4},
	{"falsey", SYNTAX("expected \",\" or \"]\" in row 1, found \"y\""), 5},
	{"undefined", SYNTAX("expected a value or \"]\" in row 1, found \"u\""), 0},
	{"'a'", SYNTAX("expected a value or \"]\" in row 1, found \"'\""), 0},
	{"/**/1", SYNTAX("expected a value or \"]\" in row 1, found \"/\""), 0},
	{"\f1", SYNTAX("expected a value or \"]\" in row 1, found \\x0c"), 0},
	{"\xc2\xa0", SYNTAX("expected a value or \"]\" in row 1, found \\xc2"), 0},
	{"\"a\x1f\"", SYNTAX("expected the rest of a string in row 1, found \\x1f"), 2},
	{"\"0123456\n\"", SYNTAX("expected the rest of a string in row 1, found \\x0a"), 8},
	{"\"\t\"", SYNTAX("expected the rest of a string in row 1, found \\x09"), 1},
	{"\"\\a\"", SYNTAX("expected an escape after \"\\\" in row 1, found \"a\""), 2},
	{"\"\\U0041\"", SYNTAX("expected an escape after \"\\\" in row 1, found \"U\""), 2},
	{"\"\\u004\"", SYNTAX("expected four hexadecimal digits after \"\\u\" in row 1, found '\"'"),
	 6},
	{"\"\\u00g0\"", SYNTAX("expected four hexadecimal digits after \"\\u\" in row 1, found \"g\""),
	 5},
	{"\"\\u00`0\"", SYNTAX("expected four hexadecimal digits after \"\\u\" in row 1, found \"`\""),
	 5},
	{"{\"a\"}", SYNTAX("expected \":\" in row 1, found \"}\""), 4},
	{"{\"a\":}", SYNTAX("expected a value in row 1, found \"}\""), 5},
	{"{\"a\":1,}", SYNTAX("expected a key in row 1, found \"}\""), 7},
	{"{,}", SYNTAX("expected a key or \"}\" in row 1, found \",\""), 1},
	{"{a:1}", SYNTAX("expected a key or \"}\" in row 1, found \"a\""), 1},
	{"{1:1}", SYNTAX("expected a key or \"}\" in row 1, found \"1\""), 1},
	{"{\"a\":1 \"b\":2}", SYNTAX("expected \",\" or \"}\" in row 1, found '\"'"), 7},
	{"{\"a\":1]", SYNTAX("expected \",\" or \"}\" in row 1, found \"]\""), 6},
	{"[1}", SYNTAX("expected \",\" or \"]\" in row 1, found \"}\""), 2},
	{"[1,]", SYNTAX("expected a value in row 1, found \"]\""), 3},
	{"[,1]", SYNTAX("expected a value or \"]\" in row 1, found \",\""), 1},

	{"\"\xff\xfe\"", ENCODING("\\xff"), 1},
	{"\"abc\x80\"", ENCODING("\\x80"), 4},
	{"\"\xc0\x80\"", ENCODING("\\xc0"), 1},
	{"\"\xc1\xbf\"", ENCODING("\\xc1"), 1},
	{"\"\xe0\x80\x80\"", ENCODING("\\x80"), 2},
	{"\"\xe0\x9f\xbf\"", ENCODING("\\x9f"), 2},
	{"\"\xed\xa0\x80\"", ENCODING("\\xa0"), 2},
	{"\"\xf0\x80\x80\x80\"", ENCODING("\\x80"), 2},
	{"\"\xf0\x8f\xbf\xbf\"", ENCODING("\\x8f"), 2},
	{"\"\xf4\x90\x80\x80\"", ENCODING("\\x90"), 2},
	{"\"\xf5\x80\x80\x80\"", ENCODING("\\xf5"), 1},
	{"\"\xc3\"", ENCODING("'\"'"), 2},
	{"\"\xe2\x82\"", ENCODING("'\"'"), 3},
	{"\"\xe2\x82\xc3\"", ENCODING("\\xc3"), 3},
	{"\"\xf0\x9f\x98\"", ENCODING("'\"'"), 4},
	{"\"\xf0\x9f\x98 \"", ENCODING("\" \""), 4},

	{"\"\\ud83d\"", SURROGATE("expected the escape of a low surrogate in row 1, found '\"'"), 7},
	{"\"\\ud83dx\"", SURROGATE("expected the escape of a low surrogate in row 1, found \"x\""), 7},
	{"\"\\ud83d\\n\"", SURROGATE("expected the escape of a low surrogate in row 1, found \"n\""),
	 8},
	{"\"\\ud83d\\u0041\"",
	 SURROGATE("expected the escape of a low surrogate in row 1, found \\u0041"), 7},
	{"\"\\ud83d\\ud83d\"",
	 SURROGATE("expected the escape of a low surrogate in row 1, found \\ud83d"), 7},
	{"\"\\ude00\"", SURROGATE("expected a high surrogate before a low one in row 1, found \\ude00"),
	 1},
	{"\"\\ud83d\\ude00\\ude00\"",
	 SURROGATE("expected a high surrogate before a low one in row 1, found \\ude00"), 13},
};

static void
test_values(void)
{
	for (size_t i = 0; i < sizeof(value_cases) / sizeof(value_cases[0]); i++)
	{
		const ValueCase *wanted = &value_cases[i];
		char body[128];
		char log[320];

		snprintf(body, sizeof(body), "[{\"a\":[%s]}]", wanted->value);
		if (wanted->error == NULL)
			snprintf(log, sizeof(log), "row@1 {\"a\":[%s]}\nend array\n", wanted->value);
		else
		{
			int kind_length = (int) strcspn(wanted->error, " ");
			snprintf(log, sizeof(log), "error %.*s@%d rows=0 array: %s\n", kind_length,
					 wanted->error, 7 + wanted->at, wanted->error + kind_length + 1);
		}
		expect_frames(wanted->value, &by_first_bytes, body, strlen(body), log);
	}
}

static const Case wide_cases[] = {
	{"wide integers",
	 "[123456789012345678,1234567890123456789,-123456789012345678,-1234567890123456789,-0,0,"
	 "-0.0,-0e0,1234567890123456789.5,12345678901234567890e0]",
	 "row@1 123456789012345678\nrow@20! 1234567890123456789\nrow@40 -123456789012345678\n"
	 "row@60! -1234567890123456789\nrow@81! -0\nrow@84 0\nrow@86 -0.0\nrow@91 -0e0\n"
	 "row@96 1234567890123456789.5\nrow@118 12345678901234567890e0\nend array\n"},
	{"wide integer at the end of lines", "-0", "row@0! -0\nend lines\n"},
	{"wide integers within rows",
	 "[{\"a\":1234567890123456789},{\"a\":1},{\"a\":[{\"b\":-0}]},{\"a\":\"1234567890123456789\"}]",
	 "row@1! {\"a\":1234567890123456789}\nrow@27 {\"a\":1}\nrow@35! {\"a\":[{\"b\":-0}]}\n"
	 "row@52 {\"a\":\"1234567890123456789\"}\nend array\n"},
};

static const Case key_cases[] = {
	{"NUL in a row's key", "[{},{\"id\":1,\"a\\u0000b\":1}]",
	 "row@1 {}\nerror NUL_IN_KEY@14 rows=1 array: expected no NUL within a key in row 2, found "
	 "\\u0000\n"},
	{"NUL in a deeper key", "[{\"a\":{\"\\u0000\":1}}]",
	 "row@1 {\"a\":{\"\\u0000\":1}}\nend array\n"},
	{"NUL in a value", "[{\"a\":\"\\u0000\"}]", "row@1 {\"a\":\"\\u0000\"}\nend array\n"},
	{"NUL in a key of an object in an array", "[[{\"\\u0000\":1}]]",
	 "row@1 [{\"\\u0000\":1}]\nend array\n"},
	{"surrogate in a key", "[{\"\\udc00\":1}]",
	 "error SURROGATE@3 rows=0 array: expected a high surrogate before a low one in row 1, found "
	 "\\udc00\n"},
	{"bad UTF-8 in a key", "[{\"\xc3\":1}]",
	 "error ENCODING@4 rows=0 array: expected valid UTF-8 in row 1, found '\"'\n"},
};

static const Case truncated_cases[] = {
	{"cut in a character", "[\"\xe2\x82",
	 "error TRUNCATED@4 rows=0 array: expected valid UTF-8 in row 1, found the end of the body\n"},
	{"cut after a backslash", "[\"\\",
	 "error TRUNCATED@3 rows=0 array: expected an escape after \"\\\" in row 1, found the end of "
	 "the body\n"},
	{"cut in an escape", "[\"\\u00",
	 "error TRUNCATED@6 rows=0 array: expected four hexadecimal digits after \"\\u\" in row 1, "
	 "found the end of the body\n"},
	{"cut between surrogates", "[\"\\ud83d",
	 "error TRUNCATED@8 rows=0 array: expected the escape of a low surrogate in row 1, found the "
	 "end of the body\n"},
	{"cut in the second surrogate", "[\"\\ud83d\\",
	 "error TRUNCATED@9 rows=0 array: expected the escape of a low surrogate in row 1, found the "
	 "end of the body\n"},
	{"cut in nested arrays", "[[[",
	 "error TRUNCATED@3 rows=0 array: expected a value or \"]\" in row 1, found the end of the "
	 "body\n"},
};

/* A NUL byte is no white space and no end. */
static void
test_nul_bytes(void)
{
	expect_frames("NUL byte after the array", &by_first_bytes, "[1]\0", 4,
				  "row@1 1\nerror SYNTAX@3 rows=1 array: expected the end of the body after row 1, "
				  "found \\x00\n");
	expect_frames("NUL byte in a string", &by_first_bytes, "[\"a\0b\"]", 7,
				  "error SYNTAX@3 rows=0 array: expected the rest of a string in row 1, found "
				  "\\x00\n");
}

/* --- limits ---------------------------------------------------------------------------- */

static void
test_depth(void)
{
	char body[1024];
	char log[1024];
	int depth = JSON_FRAMES_MAX_DEPTH;

	/* alternately arrays and objects, so that each level's bit is used */
	for (int extra = 0; extra <= 1; extra++)
	{
		size_t length = 0;
		int levels = depth + extra;

		body[length++] = '[';
		for (int level = 0; level < levels; level++)
		{
			if (level % 2 == 0)
				body[length++] = '[';
			else
				length += (size_t) snprintf(body + length, 8, "{\"\":");
			if (level == depth && extra)
				snprintf(log, sizeof(log),
						 "error TOO_DEEP@%zu rows=0 array: expected at most 256 levels of nesting "
						 "in row 1, found \"[\"\n",
						 length - 1);
		}
		/* the innermost level of 256 is an object that needs a value */
		length += (size_t) snprintf(body + length, 8, levels % 2 == 0 ? "1" : "");
		for (int level = levels - 1; level >= 0; level--)
			body[length++] = level % 2 == 0 ? ']' : '}';
		body[length++] = ']';
		if (extra == 0)
			snprintf(log, sizeof(log), "row@1 %.*s\nend array\n", (int) length - 2, body + 1);
		expect_frames(extra ? "257 levels" : "256 levels", &by_first_bytes, body, length, log);
	}
}

static const Case ten_byte_cases[] = {
	{"row at the limit", "[{\"id\":123},{\"id\":123}]",
	 "row@1 {\"id\":123}\nrow@12 {\"id\":123}\nend array\n"},
	{"row above the limit", "[{},{\"id\":1234}]",
	 "row@1 {}\nerror ROW_TOO_LONG@14 rows=1 array: expected at most 10 bytes in row 2, found "
	 "more\n"},
	{"row far above the limit", "[{\"id\":\"0123456789012345678901234567890\"}]",
	 "error ROW_TOO_LONG@11 rows=0 array: expected at most 10 bytes in row 1, found more\n"},
	{"error before the limit", "[{\"id\";12345]",
	 "error SYNTAX@6 rows=0 array: expected \":\" in row "
	 "1, found \";\"\n"},
	{"error above the limit", "[{\"id\":1234;]",
	 "error ROW_TOO_LONG@11 rows=0 array: expected at most 10 bytes in row 1, found more\n"},
	{"number at the limit", "[1234567890]", "row@1 1234567890\nend array\n"},
	{"number above the limit", "[12345678901]",
	 "error ROW_TOO_LONG@11 rows=0 array: expected at most 10 bytes in row 1, found more\n"},
	{"number with its point at the limit", "[1234567890.5]",
	 "error ROW_TOO_LONG@11 rows=0 array: expected at most 10 bytes in row 1, found more\n"},
	{"number that is none at the limit", "[123456789.]",
	 "error ROW_TOO_LONG@11 rows=0 array: expected at most 10 bytes in row 1, found more\n"},
	{"number at the limit and the end", "1234567890", "row@0 1234567890\nend lines\n"},
	{"wide integer at the limit", "[1.5,-0]", "row@1 1.5\nrow@5! -0\nend array\n"},
	{"string at the limit", "[\"12345678\"]", "row@1 \"12345678\"\nend array\n"},
	{"string above the limit", "[\"123456789\"]",
	 "error ROW_TOO_LONG@11 rows=0 array: expected at most 10 bytes in row 1, found more\n"},
	{"first key above the limit", "{\"id\"         :[]}",
	 "error ROW_TOO_LONG@10 rows=0 unknown: expected at most 10 bytes in row 1, found more\n"},
	{"first key and bracket at the limit", "{\"12345\":[1,2]}",
	 "column@1 \"12345\"\nvalue@10 1\nvalue@12 2\nend columns\n"},
	{"column's key above the limit", "{\"id\":[],\"123456789\":[]}",
	 "column@1 \"id\"\nerror ROW_TOO_LONG@19 rows=0 columns: expected at most 10 bytes in a "
	 "column's key, found more\n"},
	{"value above the limit", "{\"id\":[1,\"123456789\"]}",
	 "column@1 \"id\"\nvalue@7 1\nerror ROW_TOO_LONG@19 rows=1 columns: expected at most 10 bytes "
	 "in value 2 of the column, found more\n"},
	{"white space between rows has no limit", "[{}               ,            {}]",
	 "row@1 {}\nrow@31 {}\nend array\n"},
};

static const Case one_byte_cases[] = {
	{"limit of one byte", "[1,2]", "row@1 1\nrow@3 2\nend array\n"},
	{"limit of one byte and two digits", "[1,23]",
	 "row@1 1\nerror ROW_TOO_LONG@4 rows=1 array: expected at most 1 bytes in row 2, found more\n"},
	{"limit of one byte and NUL", "[1,{}]",
	 "row@1 1\nerror ROW_TOO_LONG@4 rows=1 array: expected at most 1 bytes in row 2, found more\n"},
};

/* Rows that make the carry buffer grow, up to the limit and no further. */
static void
test_growth(void)
{
	static char body[8 + 5000];
	static char log[LOG_BYTES];
	JsonFramesOptions options = {.max_row_bytes = 5000};

	memset(body, 'x', sizeof(body));
	body[0] = '[';
	body[1] = '"';
	body[5000] = '"';
	body[5001] = ']';
	snprintf(log, sizeof(log), "row@1 %.*s\nend array\n", 5000, body + 1);
	expect_frames("5000 bytes, limit 5000", &options, body, 5002, log);
	options.max_row_bytes = 4999;
	expect_frames("5000 bytes, limit 4999", &options, body, 5002,
				  "error ROW_TOO_LONG@5000 rows=0 array: expected at most 4999 bytes in row 1, "
				  "found more\n");
	options.max_row_bytes = SIZE_MAX;
	expect_frames("5000 bytes, no limit", &options, body, 5002, log);
}

static void
test_limits(void)
{
	JsonFramesOptions options = {.max_row_bytes = 10};

	test_depth();
	EXPECT_ALL(ten_byte_cases, &options);
	options.max_row_bytes = 1;
	EXPECT_ALL(one_byte_cases, &options);
	test_growth();
}

/* --- the life of a JsonFrames ----------------------------------------------------------- */

static void
test_lent_text(void)
{
	static const char body[] = "[{\"id\":1},{\"id\":2}";
	JsonFrames *frames = json_frames_create(&by_first_bytes);
	JsonFrame frame;

	json_frames_feed(frames, body, strlen(body));
	json_frames_next(frames, &frame);
	unit_ok(frame.text == body + 1, "a row within the piece is not copied");
	json_frames_next(frames, &frame);
	unit_ok(frame.text == body + 10, "nor is the next");
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_MORE, "then more is wanted");
	unit_ok(frame.text == NULL && frame.length == 0, "MORE has no text");
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_MORE, "and again");
	json_frames_feed(frames, NULL, 0);
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_MORE, "and after nothing");
	json_frames_feed(frames, "]", 1);
	json_frames_finish(frames);
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_END, "the end");
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_END, "and again the end");
	unit_equal_int(json_frames_error(frames)->kind, JSON_FRAMES_OK, "no error");
	json_frames_free(frames);
	json_frames_free(NULL);
}

static void
test_reset(void)
{
	JsonFrames *frames = json_frames_create(&by_first_bytes);
	JsonFrame frame;

	json_frames_feed(frames, "[1,x]", 5);
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_ROW, "a row before the error");
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_ERROR, "the error");
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_ERROR, "and again the error");
	unit_equal_int(json_frames_error(frames)->offset, 3, "at its place");
	json_frames_reset(frames, JSON_SHAPE_LINES);
	unit_equal_int(json_frames_error(frames)->kind, JSON_FRAMES_OK, "no error after a reset");
	unit_equal_int(json_frames_shape(frames), JSON_SHAPE_LINES, "the shape of the new body");
	json_frames_feed(frames, "[1]", 3);
	json_frames_finish(frames);
	json_frames_next(frames, &frame);
	unit_equal_bytes(frame.text, frame.length, "[1]", "its first row");
	unit_equal_int(frame.offset, 0, "its first offset");
	json_frames_reset(frames, JSON_SHAPE_UNKNOWN);
	unit_equal_int(json_frames_next(frames, &frame), JSON_FRAME_MORE, "a body without a byte yet");
	json_frames_free(frames);
}

int
main(void)
{
	test_shapes();
	test_key_takes_array();
	test_values();
	EXPECT_ALL(wide_cases, &by_first_bytes);
	EXPECT_ALL(key_cases, &by_first_bytes);
	EXPECT_ALL(truncated_cases, &by_first_bytes);
	test_nul_bytes();
	test_limits();
	test_lent_text();
	test_reset();
	return unit_done();
}
