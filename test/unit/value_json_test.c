/*
 * value_json_test.c - values out of JSON fields, and JSON out of values.
 */
#include "rows/value_json.h"

#include <stdlib.h>

#include "json_frames.h"
#include "rows/value_text.h"
#include "unit.h"
#include "unit_sink.h"
#include "value_vectors.h"

static Sink sink;
static JsonDecoder *decoder; /* of rows with a column "x" */

/*
 * A field as the decoder makes it of {"x":JSON}; lent until the next. The room that is said to do
 * is all there is.
 */
static bool
read_json(ColumnType type, const char *json, char **buffer, Value *value, const char **why)
{
	size_t length = strlen(json) + 6;
	char *row = malloc(length + 1);
	JsonField field = {0};
	size_t room;
	int unknown_keys;
	bool is_read;

	snprintf(row, length + 1, "{\"x\":%s}", json);
	json_decode_row(decoder, row, length, true, &field, &unknown_keys);
	free(row);
	room = value_json_room(type, &field);
	unit_ok(room <= strlen(json), "the room needed is within the value's own length");
	*buffer = malloc(room == 0 ? 1 : room);
	memset(value, 0, sizeof(*value));
	*why = "";
	is_read = value_from_json(type, &field, *buffer, room, value, why);
	return is_read;
}

/* As text, for a look at it. */
static void
check_value(ColumnType type, const Value *value, const char *wanted, const char *name)
{
	char printed[VALUE_TEXT_MAX] = "";

	if (column_type_is_text(type))
		unit_equal_bytes(value->text.bytes, value->text.length, wanted, name);
	else
		unit_equal_bytes(printed, value_print(type, value, printed), wanted, name);
}

static void
test_vector(const ValueVector *vector)
{
	ColumnType type = column_type_of_name(vector->type_name);
	char *text = malloc(strlen(vector->text) + 1);
	char name[VECTOR_NAME_MAX];
	char *buffer;
	const char *why;
	Value value;

	memcpy(text, vector->text, strlen(vector->text));
	value_from_text(type, text, strlen(vector->text), &value);
	value_put_json(sink_begin(&sink), type, &value);
	value_vector_name(vector, "to JSON", name);
	if (unit_ok(sink_end(&sink), name) && type != COLUMN_OTHER)
		unit_equal_bytes(sink.bytes, sink.length, vector->json, name);
	free(text);

	value_vector_name(vector, "from JSON", name);
	unit_ok(read_json(type, vector->json, &buffer, &value, &why), name);
	if (type == COLUMN_BYTEA || type == COLUMN_JSON || type == COLUMN_JSONB || type == COLUMN_OTHER)
		unit_ok(!value.is_null, name);
	else
		check_value(type, &value, vector->text, name);
	free(buffer);
}

typedef struct Reading
{
	const char *type_name;
	const char *json;
	const char *wanted; /* the value's text; NULL: refused */
	const char *why;
} Reading;

static const Reading readings[] = {
	{"bigint", "9.007199254740993e15", "9007199254740993", ""},
	{"bigint", "1.0", "1", ""},
	{"bigint", "-0", "0", ""},
	{"bigint", "\"12\"", "12", ""},
	{"bigint", "9223372036854775808", NULL, "it is out of range"},
	{"bigint", "1.5", NULL, "it has a fraction"},
	{"bigint", "true", NULL, "it is a boolean"},
	{"bigint", "[1]", NULL, "it is an array"},
	{"bigint", "{}", NULL, "it is an object"},
	{"bigint", "\"x\"", NULL, "it has not the form of one, or is out of range"},
	{"integer", "2147483648", NULL, "it is out of range"},
	{"integer", "2.147483648e9", NULL, "it is out of range"},
	{"smallint", "32768", NULL, "it is out of range"},
	{"smallint", "3.2767e4", "32767", ""},
	{"boolean", "true", "t", ""},
	{"boolean", "false", "f", ""},
	{"boolean", "1", "t", ""},
	{"boolean", "0", "f", ""},
	{"boolean", "\"no\"", "f", ""},
	{"boolean", "2", NULL, "it is neither 0 nor 1"},
	{"boolean", "1.5", NULL, "it is a number"},
	{"double precision", "9007199254740993", "9.007199254740992e+15", ""},
	{"double precision", "-0", "-0", ""},
	{"double precision", "1E2", "100", ""},
	{"double precision", "\"-Infinity\"", "-Infinity", ""},
	{"double precision", "1e400", NULL, "it is out of range"},
	{"double precision", "1e-400", NULL, "it is out of range"},
	{"real", "16777217", "1.6777216e+07", ""},
	{"real", "1.00000005960464477539062500000000001", "1.0000001", ""},
	{"real", "1e39", NULL, "it is out of range"},
	{"numeric", "1.50", "1.50", ""},
	{"numeric", "100", "100", ""},
	{"numeric", "1e+05", "1e+05", ""},
	{"numeric", "0.123456789012345678901234567890", "0.123456789012345678901234567890", ""},
	{"numeric", "12345678901234567890123", "12345678901234567890123", ""},
	{"numeric", "\"1.5\"", "1.5", ""},
	{"numeric", "\"NaN\"", "NaN", ""},
	{"numeric", "1e131072", NULL, "it is out of range"},
	{"money", "12", "$12.00", ""},
	{"money", "12.5", "$12.50", ""},
	{"date", "20240101", NULL, "it is a number"},
	{"timestamp", "\"2024-01-01T00:00:00\"", "2024-01-01 00:00:00", ""},
	{"timestamptz", "\"2024-01-01 02:00:00+02\"", "2024-01-01 00:00:00+00", ""},
	{"timestamptz", "\"0044-03-15T12:00:00+00:00 BC\"", "0044-03-15 12:00:00+00 BC", ""},
	{"timestamptz", "\"2024-01-32T00:00:00Z\"", NULL,
	 "it has not the form of one, or is out of range"},
	{"uuid", "1", NULL, "it is a number"},
	{"uuid", "\"NA\"", NULL, "it has not the form of one, or is out of range"},
	{"bytea", "\"\\\\x4142\"", "AB", ""},
	{"bytea", "1", NULL, "it is a number"},
	{"text", "\"NA\"", "NA", ""},
	{"text", "1.50", "1.50", ""},
	{"text", "-9223372036854775808", "-9223372036854775808", ""},
	{"text", "true", "true", ""},
	{"text", "[1, \"a\"]", "[1,\"a\"]", ""},
	{"text", "\"\\u00e9\\n\"", "\303\251\n", ""},
	{"text", "\"a\\u0000b\"", NULL, "it holds the character \\u0000"},
	{"character(3)", "\"a\\u0000\"", NULL, "it holds the character \\u0000"},
	{"interval", "\"1 day\"", "1 day", ""},
	{"interval", "\"\\u0000\"", NULL, "it holds the character \\u0000"},
	{"json", "{\"b\": 1e2, \"a\": [ ]}", "{\"b\":1e2,\"a\":[]}", ""},
	{"json", "1.50", "1.50", ""},
	{"json", "7", "7", ""},
	{"json", "false", "false", ""},
	{"json", "\"NA\"", "\"NA\"", ""},
	{"json", "\"\"", "\"\"", ""},
	{"json", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f\\ud83d\\ude00\"",
	 "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\177\360\237\230\200\"", ""},
	{"jsonb", "\"\\\"\\\"\\\"\\\"\"", "\"\\\"\\\"\\\"\\\"\"", ""},
	{"jsonb", "\"\\u0000\"", NULL, "it holds the character \\u0000"},
};

static void
test_reading(const Reading *reading)
{
	ColumnType type = column_type_of_name(reading->type_name);
	char name[256];
	char *buffer;
	const char *why;
	Value value;
	bool is_read = read_json(type, reading->json, &buffer, &value, &why);

	snprintf(name, sizeof(name), "%s from %s: %s", reading->type_name, reading->json,
			 reading->wanted == NULL ? "is refused" : "is read");
	unit_ok(is_read == (reading->wanted != NULL), name);
	unit_equal_bytes(why, strlen(why), reading->why, name);
	if (is_read && reading->wanted != NULL)
	{
		unit_ok(!value.is_null && !value.is_missing, name);
		check_value(type, &value, reading->wanted, name);
	}
	free(buffer);
}

static void
test_nulls(void)
{
	JsonField missing = {.kind = JSON_FIELD_MISSING};
	const char *why;
	char *buffer;
	Value value;

	for (int type = COLUMN_BOOL; type <= COLUMN_OTHER; type++)
	{
		bool takes_na = (type <= COLUMN_MONEY && type >= COLUMN_BOOL) ||
						(type >= COLUMN_DATE && type <= COLUMN_TIMESTAMPTZ);

		unit_ok(read_json((ColumnType) type, "null", &buffer, &value, &why) && value.is_null &&
					!value.is_missing,
				"null is null, and not missing");
		free(buffer);
		unit_ok(value_from_json((ColumnType) type, &missing, NULL, 0, &value, &why) &&
					value.is_null && value.is_missing,
				"what is missing is null, and missing");
		if (takes_na)
		{
			unit_ok(read_json((ColumnType) type, "\"NA\"", &buffer, &value, &why) &&
						value.is_null && !value.is_missing,
					"NA is null where it can be no value");
			free(buffer);
		}
	}
	value = (Value){.is_null = true};
	value_put_json(sink_begin(&sink), COLUMN_TEXT, &value);
	sink_end(&sink);
	unit_equal_bytes(sink.bytes, sink.length, "null", "null to JSON");
}

static void
test_small_buffer(void)
{
	JsonField string = {.kind = JSON_FIELD_STRING, .text = "12", .length = 2};
	JsonField integer = {.kind = JSON_FIELD_INTEGER, .integer = 123};
	const char *why = "";
	char buffer[3];
	Value value;

	unit_ok(!value_from_json(COLUMN_INT8, &string, buffer, 1, &value, &why), "too little room");
	unit_equal_bytes(why, strlen(why), "the buffer for it is too small", "too little room: why");
	unit_ok(!value_from_json(COLUMN_JSON, &string, buffer, 3, &value, &why),
			"too little room for the quotes");
	unit_ok(!value_from_json(COLUMN_TEXT, &integer, buffer, 2, &value, &why),
			"too little room for the digits");
	unit_ok(value_from_json(COLUMN_TEXT, &integer, buffer, 3, &value, &why),
			"just enough room for the digits");
}

static void
test_one_line(void)
{
	Value value = {.text = {"{\n\"a\":\r\n1}", 10}};

	value_put_json(sink_begin(&sink), COLUMN_JSON, &value);
	sink_end(&sink);
	unit_equal_bytes(sink.bytes, sink.length, "{ \"a\":  1}",
					 "json is written on one line, so that NDJSON can hold it");
}

int
main(void)
{
	static const char *const names[] = {"x"};

	decoder = json_decoder_create(names, 1);
	for (size_t i = 0; i < VALUE_VECTORS; i++)
		test_vector(&value_vectors[i]);
	for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++)
		test_reading(&readings[i]);
	test_nulls();
	test_small_buffer();
	test_one_line();
	json_decoder_free(decoder);
	return unit_done();
}
