/*
 * row_encoder_test.c - rows as each encoder writes them, byte for byte.
 */
#include "rows/row_encoder.h"

#include "unit.h"

#include <stdlib.h>

#define OUTPUT_SIZE 8192

/* OIDs of PostgreSQL's types (src/include/catalog/pg_type.dat). */
enum
{
	OID_BOOL = 16,
	OID_BYTEA = 17,
	OID_INT8 = 20,
	OID_INT4 = 23,
	OID_TEXT = 25,
	OID_JSON = 114,
	OID_FLOAT8 = 701,
	OID_INET = 869,
	OID_TIMESTAMPTZ = 1184,
	OID_NUMERIC = 1700,
};

typedef struct Output
{
	char bytes[OUTPUT_SIZE];
	size_t length;
} Output;

static bool
collect(void *context, const char *bytes, size_t length)
{
	Output *output = context;

	if (output->length + length > OUTPUT_SIZE)
		return false;
	memcpy(output->bytes + output->length, bytes, length);
	output->length += length;
	return true;
}

static Value
text_of(const char *bytes, size_t length)
{
	Value value = {0};

	value.text.bytes = bytes;
	value.text.length = length;
	return value;
}

static Value
text(const char *terminated)
{
	return text_of(terminated, strlen(terminated));
}

static Value
integer(int64_t number)
{
	Value value = {.integer = number};

	return value;
}

static const Value null = {.is_null = true};

typedef struct TestColumn
{
	const char *name, *type_name;
	unsigned type_oid;
} TestColumn;

static RowType *
make_type(const TestColumn *columns, int count)
{
	RowType *type = row_type_create(count);

	for (int i = 0; type != NULL && i < count; i++)
		if (!row_type_set_column(type, i, columns[i].name, columns[i].type_name,
								 columns[i].type_oid))
			abort();
	if (type == NULL)
		abort();
	return type;
}

/* Encodes rows as one batch through the smallest buffer; the column that could not be, or -1. */
static int
encode(const RowEncoder *encoder, const RowType *type, const Value *values, int rows,
	   Output *output)
{
	char buffer[JSON_ENCODE_MIN_BUFFER], problem[200] = "";
	RowEncoderState *state = encoder->open(type, problem, sizeof(problem));
	JsonEncoder to;
	int column = -1;
	bool whole = true;

	output->length = 0;
	if (state == NULL)
		abort();
	json_encoder_init(&to, buffer, sizeof(buffer), collect, output);
	encoder->begin(state, &to);
	for (int i = 0; whole && i < rows; i++)
		whole =
			encoder->row(state, values + (size_t) i * (size_t) type->columns, i == 0, &to, &column);
	encoder->end(state, &to);
	if (!json_encoder_flush(&to))
		abort();
	encoder->close(state);
	return whole ? -1 : column;
}

static const TestColumn mixed_columns[] = {
	{"id", "bigint", OID_INT8},
	{"active", "boolean", OID_BOOL},
	{"ratio", "double precision", OID_FLOAT8},
	{"amount", "numeric(12,2)", OID_NUMERIC},
	{"at", "timestamp with time zone", OID_TIMESTAMPTZ},
	{"na\"me", "text", OID_TEXT},
	{"raw", "bytea", OID_BYTEA},
	{"doc", "json", OID_JSON},
};

#define MIXED_COLUMNS 8

/* Two rows: one with a value in each column, one of nulls. */
static void
make_mixed(Value *values)
{
	values[0] = integer(INT64_MIN);
	values[1] = (Value){.boolean = true};
	values[2] = (Value){.real = 0.1};
	values[3] = text("-12.50");
	values[4] = integer(1000000); /* microseconds since 2000 */
	values[5] = text("a\tb\"c");
	values[6] = text_of("\0\xff\x5c", 3);
	values[7] = text("{\"a\":\n 1}");
	for (int i = 0; i < MIXED_COLUMNS; i++)
		values[MIXED_COLUMNS + i] = null;
}

static void
check_mixed(const RowEncoder *encoder, const char *wanted)
{
	RowType *type = make_type(mixed_columns, MIXED_COLUMNS);
	Value values[2 * MIXED_COLUMNS];
	Output output;

	make_mixed(values);
	unit_equal_int(encode(encoder, type, values, 2, &output), -1, encoder->name);
	unit_equal_bytes(output.bytes, output.length, wanted, encoder->name);
	row_type_free(type);
}

static void
test_mixed_rows(void)
{
	check_mixed(
		&row_encoder_copy_text,
		"-9223372036854775808\tt\t0.1\t-12.50\t2000-01-01 00:00:01+00\ta\\tb\"c\t\\\\x00ff5c"
		"\t{\"a\":\\n 1}\n"
		"\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n");
	check_mixed(&row_encoder_json_array,
				"[{\"id\":-9223372036854775808,\"active\":true,\"ratio\":0.1,\"amount\":-12.50,"
				"\"at\":\"2000-01-01T00:00:01+00:00\",\"na\\\"me\":\"a\\tb\\\"c\","
				"\"raw\":\"\\\\x00ff5c\",\"doc\":{\"a\":  1}},"
				"{\"id\":null,\"active\":null,\"ratio\":null,\"amount\":null,\"at\":null,"
				"\"na\\\"me\":null,\"raw\":null,\"doc\":null}]");
	check_mixed(&row_encoder_ndjson,
				"{\"id\":-9223372036854775808,\"active\":true,\"ratio\":0.1,\"amount\":-12.50,"
				"\"at\":\"2000-01-01T00:00:01+00:00\",\"na\\\"me\":\"a\\tb\\\"c\","
				"\"raw\":\"\\\\x00ff5c\",\"doc\":{\"a\":  1}}\n"
				"{\"id\":null,\"active\":null,\"ratio\":null,\"amount\":null,\"at\":null,"
				"\"na\\\"me\":null,\"raw\":null,\"doc\":null}\n");
}

static void
check_bytes(const Output *output, const char *wanted, size_t length, const char *name)
{
	if (unit_ok(output->length == length && memcmp(output->bytes, wanted, length) == 0, name))
		return;
	printf("# got");
	for (size_t i = 0; i < output->length; i++)
		printf(" %02x", (unsigned char) output->bytes[i]);
	printf("\n");
}

static void
test_copy_binary(void)
{
	static const TestColumn columns[] = {
		{"id", "integer", OID_INT4}, {"label", "text", OID_TEXT}, {"active", "boolean", OID_BOOL}};
	static const char wanted[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
								 "\0\3\0\0\0\4\0\0\1\2\0\0\0\2a\\\0\0\0\1\1"
								 "\0\3\377\377\377\377\0\0\0\0\377\377\377\377"
								 "\377\377";
	RowType *type = make_type(columns, 3);
	Value values[] = {integer(258), text("a\\"), {.boolean = true}, null, text(""), null};
	Output output;

	unit_equal_int(encode(&row_encoder_copy_binary, type, values, 2, &output), -1, "binary rows");
	check_bytes(&output, wanted, sizeof(wanted) - 1, "signature, tuples, trailer");
	unit_equal_int(encode(&row_encoder_copy_binary, type, values, 0, &output), -1, "no row");
	unit_equal_int((int64_t) output.length, 19 + 2, "signature and trailer alone");
	row_type_free(type);
}

static void
test_no_binary_form(void)
{
	static const TestColumn columns[] = {{"id", "integer", OID_INT4}, {"host", "inet", OID_INET}};
	RowType *type = make_type(columns, 2);
	char problem[200] = "";

	unit_ok(row_encoder_copy_binary.open(type, problem, sizeof(problem)) == NULL,
			"a type without a binary form is refused");
	unit_equal_bytes(problem, strlen(problem),
					 "column \"host\" of type inet has no binary form here: write it as text",
					 "by column and type");
	row_type_free(type);
}

/* A length word of the host's order, as the encoder of parameters writes it. */
static size_t
put_length(char *to, int32_t length)
{
	memcpy(to, &length, sizeof(length));
	return sizeof(length);
}

static size_t
put_parameter(char *to, const char *value)
{
	size_t length = put_length(to, (int32_t) strlen(value));

	memcpy(to + length, value, strlen(value) + 1);
	return length + strlen(value) + 1;
}

static void
test_parameters(void)
{
	RowType *type = make_type(mixed_columns, MIXED_COLUMNS);
	Value values[2 * MIXED_COLUMNS];
	Output output;
	char wanted[512];
	size_t length = 0;

	make_mixed(values);
	length += put_parameter(wanted + length, "-9223372036854775808");
	length += put_parameter(wanted + length, "t");
	length += put_parameter(wanted + length, "0.1");
	length += put_parameter(wanted + length, "-12.50");
	length += put_parameter(wanted + length, "2000-01-01 00:00:01+00");
	length += put_parameter(wanted + length, "a\tb\"c");
	length += put_parameter(wanted + length, "\\x00ff5c");
	length += put_parameter(wanted + length, "{\"a\":\n 1}");
	for (int i = 0; i < MIXED_COLUMNS; i++)
		length += put_length(wanted + length, -1);
	unit_equal_int(encode(&row_encoder_parameters, type, values, 2, &output), -1, "parameters");
	check_bytes(&output, wanted, length, "lengths, texts, terminators");

	encode(&row_encoder_parameters, type, values, 0, &output);
	unit_equal_int((int64_t) output.length, 0, "no row, no byte");
	row_type_free(type);
}

static void
test_nul_in_text(void)
{
	static const TestColumn columns[] = {{"id", "integer", OID_INT4}, {"label", "text", OID_TEXT}};
	RowType *type = make_type(columns, 2);
	Value values[] = {integer(1), text_of("ab\0c", 4)};
	Output output;

	unit_equal_int(encode(&row_encoder_copy_text, type, values, 1, &output), 1,
				   "COPY text: NUL, by column");
	unit_equal_int(encode(&row_encoder_parameters, type, values, 1, &output), 1,
				   "parameters: NUL, by column");
	values[1] = text_of("a long text of plain words, and then\0", 37);
	unit_equal_int(encode(&row_encoder_copy_text, type, values, 1, &output), 1,
				   "COPY text: NUL at the end");
	unit_equal_int(encode(&row_encoder_parameters, type, values, 1, &output), 1,
				   "parameters: NUL at the end");
	row_type_free(type);
}

static void
check_copy_text(const char *value, const char *wanted, const char *name)
{
	static const TestColumn columns[] = {{"x", "text", OID_TEXT}};
	RowType *type = make_type(columns, 1);
	Value values[] = {text(value)};
	Output output;

	unit_equal_int(encode(&row_encoder_copy_text, type, values, 1, &output), -1, name);
	unit_equal_bytes(output.bytes, output.length, wanted, name);
	row_type_free(type);
}

static void
test_copy_text_escapes(void)
{
	check_copy_text("", "\n", "the empty string");
	check_copy_text("\\N", "\\\\N\n", "what looks like null");
	check_copy_text("\\.", "\\\\.\n", "what looks like the end");
	check_copy_text("\b\t\n\v\f\r\\", "\\b\\t\\n\\v\\f\\r\\\\\n", "all that is escaped");
	check_copy_text("\x01\x07\x1b\x1f\x7f", "\x01\x07\x1b\x1f\x7f\n", "controls that are not");
	check_copy_text("z\xc3\xa9\xf0\x9f\x98\x80 '\"", "z\xc3\xa9\xf0\x9f\x98\x80 '\"\n",
					"non-ASCII and quotes stay");
	check_copy_text("0123456789\\0123456789\t0123456789", "0123456789\\\\0123456789\\t0123456789\n",
					"long runs between");
}

/* Each byte at each place of a run of 17, so that it meets every place of a word. */
static void
test_every_byte_everywhere(void)
{
	static const char escaped[] = "\b\t\n\v\f\r\\", letters[] = "btnvfr\\";
	static const TestColumn columns[] = {{"x", "text", OID_TEXT}};
	RowType *type = make_type(columns, 1);
	int wrong = 0;

	for (int byte = 1; byte < 0x80; byte++)
		for (size_t place = 0; place < 17; place++)
		{
			const char *found = strchr(escaped, byte);
			char run[18], wanted[20];
			Value value = text_of(run, 17);
			Output output;

			memset(run, '!', 17);
			run[place] = (char) byte;
			memcpy(wanted, run, place);
			wanted[place] = found != NULL ? '\\' : (char) byte;
			wanted[place + 1] = found != NULL ? letters[found - escaped] : '!';
			memset(wanted + place + 2, '!', 20 - place - 2);
			wanted[found != NULL ? 18 : 17] = '\n';
			encode(&row_encoder_copy_text, type, &value, 1, &output);
			wrong += output.length != (found != NULL ? 19u : 18u) ||
					 memcmp(output.bytes, wanted, output.length) != 0;
		}
	unit_equal_int(wrong, 0, "each byte at each place");
	row_type_free(type);
}

static void
test_long_bytea(void)
{
	static const TestColumn columns[] = {{"x", "bytea", OID_BYTEA}};
	RowType *type = make_type(columns, 1);
	char bytes[1000], wanted[3 + 2000 + 2];
	Value value = text_of(bytes, sizeof(bytes));
	Output output;

	for (size_t i = 0; i < sizeof(bytes); i++)
	{
		bytes[i] = (char) (i * 7);
		snprintf(wanted + 3 + 2 * i, 3, "%02x", (unsigned char) bytes[i]);
	}
	memcpy(wanted, "\\\\x", 3);
	wanted[2003] = '\n';
	encode(&row_encoder_copy_text, type, &value, 1, &output);
	check_bytes(&output, wanted, 2004, "a bytea of many pieces");
	row_type_free(type);
}

int
main(void)
{
	test_mixed_rows();
	test_copy_binary();
	test_no_binary_form();
	test_parameters();
	test_nul_in_text();
	test_copy_text_escapes();
	test_every_byte_everywhere();
	test_long_bytea();
	return unit_done();
}
