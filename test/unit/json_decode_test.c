/*
 * json_decode_test.c - rows become fields, and no value is changed on the way.
 *
 * Each row goes through json_frames first, as it does in both programs. The
 * fields are written down as text, one per column:
 *
 *     missing  null  true  int 1  number 1.50  string(3) a\0b  array [1]  object {}
 */
#include "unit.h"
#include "unit_log.h"

#include <locale.h>
#include <stdlib.h>

#include "json_decode.h"
#include "json_frames.h"

enum
{
	LONG = 100000 /* bytes of a row that is taken for long, by far */
};

static void
log_string(Log *log, const JsonField *field)
{
	log_add(log, "string(%zu) ", field->length);
	for (size_t i = 0; i < field->length; i++)
	{
		if (field->text[i] == '\0')
			log_add(log, "\\0");
		else
			log_add(log, "%c", field->text[i]);
	}
}

static void
log_field(Log *log, const JsonField *field)
{
	static const char *const names[] = {[JSON_FIELD_NUMBER] = "number",
										[JSON_FIELD_ARRAY] = "array",
										[JSON_FIELD_OBJECT] = "object"};

	switch (field->kind)
	{
		case JSON_FIELD_MISSING:
			log_add(log, "missing");
			break;
		case JSON_FIELD_NULL:
			log_add(log, "null");
			break;
		case JSON_FIELD_BOOL:
			log_add(log, "%s", field->boolean ? "true" : "false");
			break;
		case JSON_FIELD_INTEGER:
			log_add(log, "int %" PRId64, field->integer);
			break;
		case JSON_FIELD_STRING:
			log_string(log, field);
			break;
		default:
			log_add(log, "%s %.*s", names[field->kind], (int) field->length, field->text);
			if (field->text[field->length] != '\0')
				log_add(log, " not terminated");
			break;
	}
}

/* Decodes a body of one row; what json_frames refuses is logged too. */
static JsonDecodeResult
decode(JsonDecoder *decoder, const char *body, JsonField *fields, int *unknown_keys, Log *log)
{
	JsonFramesOptions options = {.max_row_bytes = 1 << 20, .shape = JSON_SHAPE_LINES};
	JsonFrames *frames = json_frames_create(&options);
	JsonDecodeResult result = JSON_DECODE_REJECTED;
	JsonFrame frame;

	json_frames_feed(frames, body, strlen(body));
	json_frames_finish(frames);
	if (json_frames_next(frames, &frame) == JSON_FRAME_ROW)
	{
		/* a block of its own size: reading on is seen by the sanitizer */
		char *row = malloc(frame.length);

		memcpy(row, frame.text, frame.length);
		result = json_decode_row(decoder, row, frame.length, frame.has_wide_integers, fields,
								 unknown_keys);
		free(row);
	}
	else
		log_add(log, "refused: %s\n", json_frames_error(frames)->message);
	json_frames_free(frames);
	return result;
}

/* --- a value, in a column "v" ----------------------------------------------------------- */

typedef struct ValueCase
{
	const char *value;
	const char *field;
} ValueCase;

static const ValueCase value_cases[] = {
	{"null", "null"},
	{"true", "true"},
	{"false", "false"},

	{"0", "int 0"},
	{"1", "int 1"},
	{"-1", "int -1"},
	{"9007199254740993", "int 9007199254740993"},
	{"-9007199254740993", "int -9007199254740993"},
	{"999999999999999999", "int 999999999999999999"},
	{"1000000000000000000", "int 1000000000000000000"},
	{"9223372036854775806", "int 9223372036854775806"},
	{"9223372036854775807", "int 9223372036854775807"},
	{"-9223372036854775807", "int -9223372036854775807"},
	{"-9223372036854775808", "int -9223372036854775808"},
	{"9223372036854775808", "number 9223372036854775808"},
	{"-9223372036854775809", "number -9223372036854775809"},
	{"18446744073709551615", "number 18446744073709551615"},
	{"18446744073709551616", "number 18446744073709551616"},
	{"-18446744073709551616", "number -18446744073709551616"},
	{"123456789012345678901234567890", "number 123456789012345678901234567890"},
	{"-0", "number -0"},

	{"-0.0", "number -0.0"},
	{"-0e0", "number -0e0"},
	{"1.0", "number 1.0"},
	{"1.50", "number 1.50"},
	{"0.123456789012345678901234567890", "number 0.123456789012345678901234567890"},
	{"9.007199254740993e15", "number 9.007199254740993e15"},
	{"1E+2", "number 1E+2"},
	{"1e400", "number 1e400"},
	{"-1e400", "number -1e400"},
	{"1e-400", "number 1e-400"},

	{"\"\"", "string(0) "},
	{"\"plain\"", "string(5) plain"},
	{"\"NaN\"", "string(3) NaN"},
	{"\"-Infinity\"", "string(9) -Infinity"},
	{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "string(8) \"\\/\b\f\n\r\t"},
	{"\"a\\u0000b\"", "string(3) a\\0b"},
	{"\"\\u0000\"", "string(1) \\0"},
	{"\"\\u00e9\\u20ac\"", "string(5) \xc3\xa9\xe2\x82\xac"},
	{"\"\xc3\xa9\xe2\x82\xac\"", "string(5) \xc3\xa9\xe2\x82\xac"},
	{"\"\\ud83d\\ude00\"", "string(4) \xf0\x9f\x98\x80"},
	{"\"\xf0\x9f\x98\x80\"", "string(4) \xf0\x9f\x98\x80"},
	{"\"\\uDBFF\\uDFFF\"", "string(4) \xf4\x8f\xbf\xbf"},
	{"\"\\uffff\"", "string(3) \xef\xbf\xbf"},

	{"[]", "array []"},
	{"{}", "object {}"},
	{"[ 1 , [ 2 ] , { \"a b\" : \" c \" } ]", "array [1,[2],{\"a b\":\" c \"}]"},
	{"{ \"a\" : \"x\\\" ] } \\\\\" , \"b\" : [\n] }", "object {\"a\":\"x\\\" ] } \\\\\",\"b\":[]}"},
	{"[9223372036854775808,-0,1.50,1e400]", "array [9223372036854775808,-0,1.50,1e400]"},
	{"{\"\\u0000\":1,\"a\":1,\"a\":2}", "object {\"\\u0000\":1,\"a\":1,\"a\":2}"},
	{"[\"\\/\\u00e9\"]", "array [\"\\/\\u00e9\"]"},
};

/* What stands beside a value must not matter to it: wide integers and nesting take other ways. */
static void
test_values(void)
{
	static const char *const rows[] = {"{\"v\":%s}",
									   " {\n\"v\" : %s\n} ",
									   "{\"w\":9223372036854775808,\"v\":%s,\"x\":[1]}",
									   "{\"w\":1,\"v\":%s}",
									   "{\"\\u0076\":%s,\"w\":-0}",
									   "{\"v\":[-0],\"v\":1,\"v\":%s}",
									   "{\"w\":{\"v\":-0},\"v\":\"v\",\"v\":%s}"};
	static const char *const names[] = {"v"};
	JsonDecoder *decoder = json_decoder_create(names, 1);

	for (size_t i = 0; i < sizeof(value_cases) / sizeof(value_cases[0]); i++)
	{
		for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++)
		{
			Log log = {.length = 0};
			char body[512];
			JsonField field;
			int unknown_keys;

			snprintf(body, sizeof(body), rows[j], value_cases[i].value);
			if (decode(decoder, body, &field, &unknown_keys, &log) == JSON_DECODE_OK)
				log_field(&log, &field);
			unit_equal_bytes(log.text, log.length, value_cases[i].field, body);
		}
	}
	json_decoder_free(decoder);
}

/* --- members and columns ------------------------------------------------------------------ */

typedef struct RowCase
{
	const char *name;
	const char *row;
	int unknown_keys;
	const char *fields; /* of id, x, (no name), "na\"me" */
} RowCase;

static const RowCase row_cases[] = {
	{"in order", "{\"id\":1,\"x\":2,\"na\\\"me\":3}", 0, "int 1; int 2; missing; int 3"},
	{"out of order", "{\"na\\\"me\":3,\"x\":2,\"id\":1}", 0, "int 1; int 2; missing; int 3"},
	{"missing is not null", "{\"x\":null}", 0, "missing; null; missing; missing"},
	{"empty object", "{}", 0, "missing; missing; missing; missing"},
	{"unknown keys", "{\"a\":1,\"id\":1,\"b\":[2],\"i\":3,\"idx\":4,\"ID\":5}", 5,
	 "int 1; missing; missing; missing"},
	{"empty key matches no column", "{\"\":1}", 1, "missing; missing; missing; missing"},
	{"last of the same key", "{\"id\":1,\"id\":2,\"id\":3}", 0, "int 3; missing; missing; missing"},
	{"last of the same key is null", "{\"id\":1,\"id\":null}", 0,
	 "null; missing; missing; missing"},
	{"same key, written otherwise", "{\"id\":1,\"\\u0069d\":2}", 0,
	 "int 2; missing; missing; missing"},
	{"same key, first wide", "{\"id\":-0,\"id\":5}", 0, "int 5; missing; missing; missing"},
	{"same key, last wide", "{\"id\":5,\"id\":99999999999999999999}", 0,
	 "number 99999999999999999999; missing; missing; missing"},
	{"same key, first nested", "{\"id\":[1],\"id\":\"a\",\"x\":[2]}", 0,
	 "string(1) a; array [2]; missing; missing"},
	{"same key, both nested", "{\"id\":[1],\"id\":{\"a\":1}}", 0,
	 "object {\"a\":1}; missing; missing; missing"},
	{"several texts at once", "{\"id\":[-0],\"x\":-9999999999999999999,\"na\\u0022me\":{\"a\":[]}}",
	 0, "array [-0]; number -9999999999999999999; missing; object {\"a\":[]}"},
	{"replacement character, meant", "{\"id\":\"\xef\xbf\xbd\\ufffd\\\"\\n\",\"x\":true}", 0,
	 "string(8) \xef\xbf\xbd\xef\xbf\xbd\"\n; true; missing; missing"},
	{"a key that json-c mistakes beside values of all kinds",
	 "{\"\\ud876\\udc00\":0,\"id\":false,\"x\":null,\"na\\\"me\":-9223372036854775808}", 1,
	 "false; null; missing; int -9223372036854775808"},
	{"numbers beside a key that json-c mistakes keep their digits",
	 "{\"\\ud876\\udc00\":0,\"id\":1.0,\"x\":1e2,\"na\\\"me\":-0}", 1,
	 "number 1.0; number 1e2; missing; number -0"},
	{"wide integer in an unknown key", "{\"y\":99999999999999999999,\"id\":0}", 1,
	 "int 0; missing; missing; missing"},
};

static void
check_row(JsonDecoder *decoder, const char *row, const RowCase *wanted, const char *name)
{
	Log log = {.length = 0};
	JsonField fields[4];
	int unknown_keys = -1;

	unit_equal_int(decode(decoder, row, fields, &unknown_keys, &log), JSON_DECODE_OK, name);
	for (int j = 0; j < 4; j++)
	{
		log_add(&log, "%s", j == 0 ? "" : "; ");
		log_field(&log, &fields[j]);
	}
	unit_equal_bytes(log.text, log.length, wanted->fields, wanted->row);
	unit_equal_int(unknown_keys, wanted->unknown_keys, "unknown keys");
}

/* Each row as it is, and once more with so much white space in it that it takes the way of long
 * rows. */
static void
test_rows(void)
{
	static const char *const names[] = {"id", "x", "", "na\"me"};
	static char row[LONG + 1024];
	JsonDecoder *decoder = json_decoder_create(names, 4);

	for (size_t i = 0; i < sizeof(row_cases) / sizeof(row_cases[0]); i++)
	{
		const RowCase *wanted = &row_cases[i];

		check_row(decoder, wanted->row, wanted, wanted->name);
		snprintf(row, sizeof(row), "{%*s%s", LONG, "", strchr(wanted->row, '{') + 1);
		check_row(decoder, row, wanted, "the same, long");
	}
	json_decoder_free(decoder);
}

/* Every character beyond the basic plane, by its pair of escapes, in a value and in a key. */
static void
test_surrogate_pairs(void)
{
	int wrong_values = 0, wrong_keys = 0;

	for (unsigned c = 0x10000; c <= 0x10ffff; c++)
	{
		char utf8[5] = {(char) (0xf0 | c >> 18), (char) (0x80 | (c >> 12 & 0x3f)),
						(char) (0x80 | (c >> 6 & 0x3f)), (char) (0x80 | (c & 0x3f))};
		const char *names[] = {"v", utf8};
		JsonDecoder *decoder;
		JsonField fields[2];
		char row[64];
		int unknown_keys, length;

		/* all of the range that json-c mistakes, and samples of the rest */
		if ((c & 0xffff) < 0xd7ff && c % 997 != 0)
			continue;
		decoder = json_decoder_create(names, 2);
		length = snprintf(row, sizeof(row), "{\"v\":\"<\\u%04x\\u%04x>\",\"\\u%04x\\u%04x\":[7]}",
						  0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff),
						  0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
		if (json_decode_row(decoder, row, (size_t) length, false, fields, &unknown_keys) !=
				JSON_DECODE_OK ||
			unknown_keys != 0)
			wrong_keys++;
		wrong_values += fields[0].kind != JSON_FIELD_STRING || fields[0].length != 6 ||
						memcmp(fields[0].text + 1, utf8, 4) != 0;
		wrong_keys += fields[1].kind != JSON_FIELD_ARRAY || strcmp(fields[1].text, "[7]") != 0;
		json_decoder_free(decoder);
	}
	unit_equal_int(wrong_values, 0, "surrogate pairs in values");
	unit_equal_int(wrong_keys, 0, "surrogate pairs in keys");
}

static bool
always(void)
{
	return true;
}

static bool
never(void)
{
	return false;
}

static void
test_interrupted(void)
{
	static const char *const names[] = {"v"};
	static char body[4 * LONG + 16];
	JsonDecoder *decoder = json_decoder_create(names, 1);
	Log log = {.length = 0};
	JsonField field;
	int unknown_keys;

	snprintf(body, sizeof(body), "{\"v\":\"%*s\"}", 4 * LONG, "x");
	json_decoder_set_interrupted(decoder, always);
	unit_equal_int(decode(decoder, body, &field, &unknown_keys, &log), JSON_DECODE_INTERRUPTED,
				   "a long row is interrupted");
	unit_equal_int(decode(decoder, "{\"v\":1}", &field, &unknown_keys, &log), JSON_DECODE_OK,
				   "a short one is not");
	unit_equal_int(field.integer, 1, "and has its value");
	json_decoder_set_interrupted(decoder, never);
	unit_equal_int(decode(decoder, body, &field, &unknown_keys, &log), JSON_DECODE_OK,
				   "nobody interrupts");
	unit_equal_int((int64_t) field.length, 4 * LONG, "its length");
	json_decoder_free(decoder);
}

/* More columns than any guess helps with: the row's members come backwards. */
static void
test_many_columns(void)
{
	enum
	{
		COLUMNS = 1600
	};
	static char texts[COLUMNS][16];
	static const char *names[COLUMNS];
	static JsonField fields[COLUMNS];
	static char body[COLUMNS * 20];
	static Log log;
	JsonDecoder *decoder;
	size_t length = 0;
	int unknown_keys;
	bool right = true;

	for (int i = 0; i < COLUMNS; i++)
	{
		snprintf(texts[i], sizeof(texts[i]), "c%d", i);
		names[i] = texts[i];
	}
	for (int i = COLUMNS - 1; i >= 0; i--)
		length += (size_t) snprintf(body + length, sizeof(body) - length, "%c\"c%d\":%d",
									i == COLUMNS - 1 ? '{' : ',', i, i);
	snprintf(body + length, sizeof(body) - length, "}");
	decoder = json_decoder_create(names, COLUMNS);
	unit_equal_int(decode(decoder, body, fields, &unknown_keys, &log), JSON_DECODE_OK,
				   "1600 columns, backwards");
	for (int i = 0; i < COLUMNS; i++)
		right &= fields[i].kind == JSON_FIELD_INTEGER && fields[i].integer == i;
	unit_ok(right, "each field in its column");
	unit_equal_int(unknown_keys, 0, "no unknown key");
	json_decoder_free(decoder);
}

/* --- the rest -------------------------------------------------------------------------------- */

static void
test_no_objects(void)
{
	static const char *const rows[] = {"[]", "[{\"id\":1}]", "1", "\"id\"", "null", "true"};
	static const char *const names[] = {"id"};
	JsonDecoder *decoder = json_decoder_create(names, 1);
	Log log = {.length = 0};
	JsonField field;
	int unknown_keys;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
	{
		unit_equal_int(decode(decoder, rows[i], &field, &unknown_keys, &log),
					   JSON_DECODE_NOT_AN_OBJECT, rows[i]);
		unit_equal_int(field.kind, JSON_FIELD_MISSING, "its field is missing");
		unit_equal_int(decode(decoder, "{\"id\":1}", &field, &unknown_keys, &log), JSON_DECODE_OK,
					   "and the next row is decoded");
	}
	json_decoder_free(decoder);
}

/* json_frames lets nothing of this through; a caller that skips it is told. */
static void
test_rejected(void)
{
	static const char *const rows[] = {"{\"id\":1", "{\"id\" 1}", "{id:1}", "{"};
	static const char *const names[] = {"id"};
	JsonDecoder *decoder = json_decoder_create(names, 1);
	JsonField field;
	int unknown_keys;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
	{
		unit_equal_int(
			json_decode_row(decoder, rows[i], strlen(rows[i]), false, &field, &unknown_keys),
			JSON_DECODE_REJECTED, rows[i]);
		unit_ok(strlen(json_decoder_message(decoder)) > 0, "with a message");
		unit_equal_int(json_decode_row(decoder, "{\"id\":1}", 8, false, &field, &unknown_keys),
					   JSON_DECODE_OK, "and the next row is decoded");
	}
	json_decoder_free(decoder);
}

static void
test_depth(void)
{
	static const char *const names[] = {"v"};
	JsonDecoder *decoder = json_decoder_create(names, 1);
	Log log = {.length = 0};
	JsonField field;
	char body[1024] = "{\"v\":";
	char wanted[1024];
	size_t length = strlen(body);
	int nested = JSON_FRAMES_MAX_DEPTH - 1;
	int unknown_keys;

	memset(body + length, '[', (size_t) nested);
	length += (size_t) nested;
	body[length++] = '1';
	memset(body + length, ']', (size_t) nested);
	length += (size_t) nested;
	snprintf(wanted, sizeof(wanted), "array %.*s", 2 * nested + 1, body + 5);
	body[length++] = '}';
	body[length] = '\0';
	unit_equal_int(decode(decoder, body, &field, &unknown_keys, &log), JSON_DECODE_OK,
				   "as deep as json_frames lets through");
	log_field(&log, &field);
	unit_equal_bytes(log.text, log.length, wanted, "and its text");
	json_decoder_free(decoder);
}

/* Text and strings longer than any first buffer, and no column at all. */
static void
test_sizes(void)
{
	static const char *const names[] = {"v"};
	static char body[LONG + 16];
	JsonDecoder *decoder = json_decoder_create(names, 1);
	Log log = {.length = 0};
	JsonField field;
	int unknown_keys;

	snprintf(body, sizeof(body), "{\"v\":[\"%*s\"]}", LONG, "x");
	unit_equal_int(decode(decoder, body, &field, &unknown_keys, &log), JSON_DECODE_OK,
				   "long array");
	unit_equal_int((int64_t) field.length, LONG + 4, "its length");
	snprintf(body, sizeof(body), "{\"v\":\"%*s\"}", LONG, "x");
	unit_equal_int(decode(decoder, body, &field, &unknown_keys, &log), JSON_DECODE_OK,
				   "long string");
	unit_equal_int((int64_t) field.length, LONG, "its length");
	json_decoder_free(decoder);

	decoder = json_decoder_create(NULL, 0);
	unit_equal_int(decode(decoder, "{\"v\":1}", NULL, &unknown_keys, &log), JSON_DECODE_OK,
				   "no column");
	unit_equal_int(unknown_keys, 1, "all keys are unknown");
	json_decoder_free(decoder);
	json_decoder_free(NULL);
}

int
main(void)
{
	/* any locale: digits are never printed from a double */
	setlocale(LC_ALL, "");
	test_values();
	test_rows();
	test_surrogate_pairs();
	test_interrupted();
	test_many_columns();
	test_no_objects();
	test_rejected();
	test_depth();
	test_sizes();
	return unit_done();
}
