/*
 * nested_rows_test.c - rows with arrays and composites, out of each stream of rows and into each.
 */
#include "rows/row_encoder.h"

#include <stdlib.h>

#include "nested_vectors.h"
#include "row_log.h"
#include "unit_sink.h"

static Sink sink;

/* id bigint, a integer[], p pair */
static RowType *
make_type_of_rows(void)
{
	RowType *type = row_type_create(3);

	row_type_set_column(type, 0, "id", "bigint", 20);
	row_type_set_column(type, 1, "a", "integer[]", 1007);
	row_type_set_family(type, 1, 1007, COLUMN_ARRAY, make_nested_type("integer[]"));
	row_type_set_column(type, 2, "p", "pair", OID_PAIR);
	row_type_set_family(type, 2, OID_PAIR, COLUMN_COMPOSITE, make_pair_type());
	return type;
}

#define ARRAY_1_2                                                                                  \
	"\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x17\\x00\\x00\\x00\\x02\\x00\\x00"   \
	"\\x00\\x01\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x02"
#define PAIR_1_X                                                                                   \
	"\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x17\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x01\\x00\\x00"   \
	"\\x00\\x19\\x00\\x00\\x00\\x01x"
#define TWO_ROWS "1|[" ARRAY_1_2 "]|[" PAIR_1_X "]\n2|null|null\nend\n"

static const StreamCase text_cases[] = {
	{"COPY text", "1\t{1,2}\t(1,x)\n2\t\\N\t\\N\n", TWO_ROWS},
	{"COPY text, an array that is none", "1\t{1,2\t(1,x)\n",
	 "row 1, column \"a\": the text is no integer[]: it is no text of an array\n"},
	{"COPY text, a composite that is none", "1\t{1,2}\t(1,x)\n2\t{1}\t(1\n",
	 "1|[" ARRAY_1_2 "]|[" PAIR_1_X
	 "]\nrow 2, column \"p\": the text is no pair: it is no text of a composite\n"},
};

static const StreamCase csv_cases[] = {
	{"CSV", "1,\"{1,2}\",\"(1,x)\"\n2,,\n", TWO_ROWS},
	{"CSV, an array that is none", "1,\"{1,x}\",\"(1,x)\"\n",
	 "row 1, column \"a\": the text is no integer[]: a value within is not of its type\n"},
};

static const StreamCase json_cases[] = {
	{"JSON",
	 "[{\"id\":1,\"a\":[1,2],\"p\":{\"a\":1,\"B \\\"b\\\"\":\"x\"}}, {\"id\":2,\"a\":null}]",
	 "1|[" ARRAY_1_2 "]|[" PAIR_1_X "]\n2|null|missing\nend\n"},
	{"columns", "{\"id\":[1],\"a\":[[1,2]],\"p\":[{\"B \\\"b\\\"\":\"x\",\"a\":1}]}",
	 "1|[" ARRAY_1_2 "]|[" PAIR_1_X "]\nend\n"},
	{"columns of one row", "{\"id\":1,\"a\":[1,2],\"p\":\"(1,x)\"}",
	 "1|[" ARRAY_1_2 "]|[" PAIR_1_X "]\nend\n"},
	{"JSON, an array that is none", "[{\"id\":1,\"a\":[1,\"x\"],\"p\":null}]",
	 "row 1, column \"a\": \"[1,\"x\"]\" is no integer[]: it has not the form of one, or is "
	 "out of "
	 "range\n"},
};

#define HEADER "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
#define ID_1   "\0\3\0\0\0\10\0\0\0\0\0\0\0\1"
#define BYTES_1_2                                                                                  \
	"\0\0\0\44\0\0\0\1\0\0\0\0\0\0\0\27\0\0\0\2\0\0\0\1\0\0\0\4\0\0\0\1\0\0\0\4\0\0\0\2"
#define BYTES_1_X "\0\0\0\31\0\0\0\2\0\0\0\27\0\0\0\4\0\0\0\1\0\0\0\31\0\0\0\1x"

static const char binary_rows[] = HEADER ID_1 BYTES_1_2 BYTES_1_X
	"\0\3\0\0\0\10\0\0\0\0\0\0\0\2\377\377\377\377\377\377\377\377\377\377";
static const char binary_damaged[] =
	HEADER ID_1 "\0\0\0\20\0\0\0\1\0\0\0\0\0\0\0\31\0\0\0\0" BYTES_1_X "\377\377";

static void
test_readers(const RowType *type)
{
	RowReader *text = row_reader_copy_text(type, 1000);
	RowReader *csv = row_reader_csv(type, false, 1000);
	RowReader *json = row_reader_json(type, JSON_SHAPE_UNKNOWN, 1000);
	RowReader *binary = row_reader_copy_binary(type, 1000);

	expect_cases(text, type, text_cases, sizeof(text_cases) / sizeof(text_cases[0]));
	expect_cases(csv, type, csv_cases, sizeof(csv_cases) / sizeof(csv_cases[0]));
	expect_cases(json, type, json_cases, sizeof(json_cases) / sizeof(json_cases[0]));
	expect_rows("COPY binary", binary, type, binary_rows, sizeof(binary_rows) - 1, TWO_ROWS);
	expect_rows(
		"COPY binary, an array that is none", binary, type, binary_damaged,
		sizeof(binary_damaged) - 1,
		"row 1, column \"a\": these 16 bytes are not the form of a integer[]: an array's head "
		"is wrong\n");
	row_reader_free(text);
	row_reader_free(csv);
	row_reader_free(json);
	row_reader_free(binary);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The two rows above, as an encoder writes them. */
static void
encode_rows(const RowEncoder *encoder, const RowType *type)
{
	RowReader *reader = row_reader_copy_binary(type, 1000);
	char problem[256] = "";
	RowEncoderState *state = encoder->open(type, problem, sizeof(problem));
	JsonEncoder *to = sink_begin(&sink);
	Value values[3];
	int column;

	row_reader_feed(reader, binary_rows, sizeof(binary_rows) - 1);
	encoder->begin(state, to);
	for (bool first = true; row_reader_next(reader, values) == ROW_READ_ROW; first = false)
		unit_ok(encoder->row(state, values, first, to, &column), encoder->name);
	encoder->end(state, to);
	unit_ok(sink_end(&sink), encoder->name);
	encoder->close(state);
	row_reader_free(reader);
}

static void
test_encoders(const RowType *type)
{
	static const char json[] = "[{\"id\":1,\"a\":[1,2],\"p\":{\"a\":1,\"B "
							   "\\\"b\\\"\":\"x\"}},{\"id\":2,\"a\":null,\"p\":null}]";
	const int32_t lengths[] = {1, 5, 5, 1, -1, -1};
	char parameters[256];
	char *end = parameters;

	encode_rows(&row_encoder_copy_text, type);
	unit_equal_bytes(sink.bytes, sink.length, "1\t{1,2}\t(1,x)\n2\t\\N\t\\N\n", "to COPY text");
	encode_rows(&row_encoder_json_array, type);
	unit_equal_bytes(sink.bytes, sink.length, json, "to JSON");
	encode_rows(&row_encoder_copy_binary, type);
	unit_ok(sink.length == sizeof(binary_rows) - 1 &&
				memcmp(sink.bytes, binary_rows, sink.length) == 0,
			"to COPY binary");
	encode_rows(&row_encoder_parameters, type);
	for (int i = 0; i < 6; i++)
	{
		static const char *const texts[] = {"1", "{1,2}", "(1,x)", "2", "", ""};

		memcpy(end, &lengths[i], 4);
		end += 4;
		if (lengths[i] < 0)
			continue;
		memcpy(end, texts[i], (size_t) lengths[i] + 1);
		end += lengths[i] + 1;
	}
	unit_ok(sink.length == (size_t) (end - parameters) &&
				memcmp(sink.bytes, parameters, sink.length) == 0,
			"to parameters");
}

int
main(void)
{
	RowType *type = make_type_of_rows();

	test_readers(type);
	test_encoders(type);
	row_type_free(type);
	return unit_done();
}
