/*
 * nested_codec_test.c - arrays and composites: from text, JSON and binary, to text and JSON, and their
 * digests; and bytes that are none.
 */
#include "rows/nested_codec.h"

#include <stdlib.h>

#include "json_scan.h"
#include "nested_vectors.h"
#include "rows/network_order.h"
#include "rows/value_digest.h"
#include "unit.h"
#include "unit_sink.h"

#define MAX_BYTES (1024 * 1024)

static Sink sink;

/* Bytes in memory of just their size. */
static char *
copy_bytes(const char *bytes, size_t length)
{
	char *copy = malloc(length == 0 ? 1 : length);

	if (length > 0)
		memcpy(copy, bytes, length);
	return copy;
}

static char *
from_hex(const char *hex, size_t *length)
{
	char *bytes = malloc(strlen(hex) / 2 + (*hex == '\0'));

	*length = strlen(hex) / 2;
	for (size_t i = 0; i < *length; i++)
	{
		unsigned byte;

		sscanf(hex + 2 * i, "%2x", &byte);
		bytes[i] = (char) byte;
	}
	return bytes;
}

static void
equal_hex(const Value *value, const char *wanted, const char *name)
{
	char *hex = malloc(2 * value->text.length + 1);

	for (size_t i = 0; i < value->text.length; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned) (unsigned char) value->text.bytes[i]);
	unit_equal_bytes(hex, 2 * value->text.length, wanted, name);
	free(hex);
}

/* Makes a field of compact JSON, as the decoder does. */
static bool
read_json(NestedCodec *codec, const char *json, Value *value)
{
	char *copy = copy_bytes(json, strlen(json));
	char *room = malloc(strlen(json) + 1);
	JsonField field;
	bool is_read;

	json_scan_field(&field, room, copy, copy + strlen(json));
	is_read = nested_codec_from_json(codec, 0, &field, value);
	free(room);
	free(copy);
	return is_read;
}

static bool
read_text(NestedCodec *codec, const char *text, size_t length, Value *value)
{
	char *copy = copy_bytes(text, length);
	bool is_read = nested_codec_from_text(codec, 0, copy, length, value);

	free(copy);
	return is_read;
}

/* --- vectors ---------------------------------------------------------------------------------- */

static void
check_digest(const RowType *type, const Value *value, const NestedVector *vector, const char *name)
{
	ValueDigest *digest = value_digest_create(type);

	unit_ok(value_digest_add(digest, value), name);
	unit_equal_hash(value_digest_sums(digest)->digest, vector->digest, name);
	unit_equal_hash(value_digest_scale_sum(digest, 0), vector->scale_sum, name);
	value_digest_free(digest);
}

static void
check_written(NestedCodec *codec, const Value *value, const NestedVector *vector, const char *name)
{
	char label[256];
	size_t length = 0;
	const char *text = nested_codec_text(codec, 0, value, &length);

	snprintf(label, sizeof(label), "%s: to text", name);
	if (unit_ok(text != NULL, label))
		unit_equal_bytes(text, length, vector->text, label);
	snprintf(label, sizeof(label), "%s: to JSON", name);
	unit_ok(nested_codec_put_json(codec, 0, value, sink_begin(&sink)) && sink_end(&sink), label);
	unit_equal_bytes(sink.bytes, sink.length, vector->json, label);
}

static bool
keeps_spelling(const NestedVector *vector)
{
	return strstr(vector->type_name, "json") == NULL && strcmp(vector->type_name, "deep") != 0;
}

static void
test_vector(const NestedVector *vector)
{
	RowType *type = make_nested_row_type(vector->type_name);
	NestedCodec *codec = nested_codec_create(type, MAX_BYTES);
	size_t length;
	char *bytes = from_hex(vector->binary, &length);
	char label[256], name[200];
	Value value;

	snprintf(name, sizeof(name), "%s %.40s", vector->type_name, vector->text);
	for (char *at = name; *at != '\0'; at++)
		*at = (char) (*at < ' ' || *at == '#' ? '?' : *at);
	snprintf(label, sizeof(label), "%s: from binary", name);
	if (unit_ok(nested_codec_from_binary(codec, 0, bytes, length, &value), label))
	{
		unit_ok(value.text.bytes == bytes && value.text.length == length, label);
		check_digest(type, &value, vector, label);
		check_written(codec, &value, vector, name);
	}
	snprintf(label, sizeof(label), "%s: from text", name);
	if (unit_ok(read_text(codec, vector->text, strlen(vector->text), &value), label))
		equal_hex(&value, vector->binary, label);
	snprintf(label, sizeof(label), "%s: from JSON", name);
	if (unit_ok(read_json(codec, vector->json, &value), label) && !vector->is_lost_in_json)
	{
		check_digest(type, &value, vector, label);
		if (keeps_spelling(vector))
			equal_hex(&value, vector->binary, label);
	}
	free(bytes);
	nested_codec_free(codec);
	row_type_free(type);
}

/* --- what is read besides, and what is refused -------------------------------------------------- */

typedef struct Reading
{
	const char *type_name;
	const char *form; /* text or JSON */
	const char *text; /* that it is written as; NULL: it is refused */
} Reading;

/* As array_in and record_in of PostgreSQL 15.20 read them. */
static const Reading text_readings[] = {
	{"integer[]", " { 1 ,\t2 } ", "{1,2}"},
	{"integer[]", "{\"1\",nUlL}", "{1,NULL}"},
	{"integer[]", "[1:2]={1,2}", "{1,2}"},
	{"integer[]", "[2]={1,2}", "{1,2}"},
	{"integer[]", "[-2147483648:-2147483647] = {1,2}", "[-2147483648:-2147483647]={1,2}"},
	{"integer[]", "{\\1}", "{1}"},
	{"text[]", "{ a b , c\\ }", "{\"a b\",\"c \"}"},
	{"text[]", "{\\NULL,N\\ULL}", "{\"NULL\",\"NULL\"}"},
	{"text[]", "{\"a\\\\b\",\"\\\"\"}", "{\"a\\\\b\",\"\\\"\"}"},
	{"text[]", "{(a),[b]}", "{(a),[b]}"},
	{"integer[]", "{{},{}}", NULL},
	{"integer[]", "{{}}", NULL},
	{"integer[]", "", NULL},
	{"integer[]", "1", NULL},
	{"integer[]", "{", NULL},
	{"integer[]", "{1", NULL},
	{"integer[]", "{1,", NULL},
	{"integer[]", "{1,}", NULL},
	{"integer[]", "{,1}", NULL},
	{"integer[]", "{1}}", NULL},
	{"integer[]", "{1}x", NULL},
	{"integer[]", "{1,{2}}", NULL},
	{"integer[]", "{{1},2}", NULL},
	{"integer[]", "{{1},NULL}", NULL},
	{"integer[]", "{{1},{2,3}}", NULL},
	{"integer[]", "{{1},{}}", NULL},
	{"integer[]", "{{{{{{{1}}}}}}}", NULL},
	{"integer[]", "{x}", NULL},
	{"integer[]", "{2147483648}", NULL},
	{"integer[]", "{\"\"}", NULL},
	{"integer[]", "{1 2}", NULL},
	{"integer[]", "{\"1\"2}", NULL},
	{"integer[]", "{1\"2\"}", NULL},
	{"integer[]", "{\"1", NULL},
	{"integer[]", "{\"1\\", NULL},
	{"integer[]", "{1\\", NULL},
	{"integer[]", "[", NULL},
	{"integer[]", "[1", NULL},
	{"integer[]", "[1:", NULL},
	{"integer[]", "[1:2", NULL},
	{"integer[]", "[1:2]", NULL},
	{"integer[]", "[1:2]=", NULL},
	{"integer[]", "[1:2]{1,2}", NULL},
	{"integer[]", "[1:3]={1,2}", NULL},
	{"integer[]", "[1:2][1:1]={1,2}", NULL},
	{"integer[]", "[1:0]={}", NULL},
	{"integer[]", "[x:2]={1,2}", NULL},
	{"integer[]", "[-:2]={1,2}", NULL},
	{"integer[]", "[2147483647:2147483648]={1,2}", NULL},
	{"integer[]", "[2147483647:2147483647]={1}", NULL},
	{"integer[]", "[99999999999999999999:1]={1}", NULL},
	{"integer[]", "[1:1][1:1][1:1][1:1][1:1][1:1][1:1]={1}", NULL},
	{"text[]", "{\377}", NULL},
	{"pair", " (1,x) ", "(1,x)"},
	{"pair", "(\"1\",a b)", "(1,\"a b\")"},
	{"pair", "(1,a\"b\"c)", "(1,abc)"},
	{"pair", "(1,\"a\"\"b\\\"\")", "(1,\"a\"\"b\"\"\")"},
	{"pair", "(1,\\))", "(1,\")\")"},
	{"pair", "(1,{x})", "(1,{x})"},
	{"pair", "", NULL},
	{"pair", "(", NULL},
	{"pair", "(1", NULL},
	{"pair", "(1)", NULL},
	{"pair", "()", NULL},
	{"pair", "(1,", NULL},
	{"pair", "(1,x", NULL},
	{"pair", "(1,x,)", NULL},
	{"pair", "(1,x)y", NULL},
	{"pair", "(1,\"x)", NULL},
	{"pair", "(1,x\\", NULL},
	{"pair", "( 1,x)", NULL}, /* the server's integers take blanks, those here do not */
	{"pair", "(x,x)", NULL},
	{"pair", "1,x", NULL},
	{"pair[]", "{\"(1,x)\",\"(2\"}", NULL},
	{"deep", "(\"(1,x)\",\"{\"\"(2,\"\"}\",,)", NULL},
	{"ints[]", "{\"{1\"}", NULL},
	{"empty_type", " ( ) ", NULL},
	{"empty_type", " () ", "()"},
	{"empty_type", "(,)", NULL},
	{"empty_type", "(1)", NULL},
};

/* As json_populate_record of PostgreSQL 15.20 reads them, but for numbers (value_json.h). */
static const Reading json_readings[] = {
	{"integer[]", "[1.0,9e0,\"7\",null]", "{1,9,7,NULL}"},
	{"integer[]", "\"{1,2}\"", "{1,2}"},
	{"integer[]", "\"[0:1]={1,2}\"", "[0:1]={1,2}"},
	{"integer[]", "[[]]", "{}"},
	{"integer[]", "[[],[]]", "{}"},
	{"integer[]", "[[1,2],[3,4]]", "{{1,2},{3,4}}"},
	{"text[]", "[1,true,1.50,\"\\u00e4\\n\"]", "{1,true,1.50,\"\303\244\n\"}"},
	{"text[]", "[\"a\",[\"b\",1],{\"c\":2}]", "{a,\"[\\\"b\\\",1]\",\"{\\\"c\\\":2}\"}"},
	{"jsonb[]", "[[1,2],[3,{\"a\":4}]]", "{{1,2},{3,\"{\\\"a\\\":4}\"}}"},
	{"jsonb[]", "[{\"a\":4},[1,2]]", "{\"{\\\"a\\\":4}\",\"[1,2]\"}"},
	{"jsonb[]", "[\"x\\\"\",1]", "{\"\\\"x\\\\\\\"\\\"\",1}"},
	{"numeric[]", "[1e2,1.50,\"NaN\"]", "{100,1.50,NaN}"},
	{"ints[]", "[[1,2],[3],null,\"{4}\",[]]", "{\"{1,2}\",\"{3}\",NULL,\"{4}\",\"{}\"}"},
	{"integer[]", "[1.5]", NULL},
	{"integer[]", "[\"NA\",1]", NULL},
	{"integer[]", "[2147483648]", NULL},
	{"integer[]", "[\"x\"]", NULL},
	{"integer[]", "[1,[2]]", NULL},
	{"integer[]", "[[1],2]", NULL},
	{"integer[]", "[[1],null]", NULL},
	{"integer[]", "[[1],[2,3]]", NULL},
	{"integer[]", "[[1],[]]", NULL},
	{"integer[]", "[[[[[[[1]]]]]]]", NULL},
	{"integer[]", "{\"a\":1}", NULL},
	{"integer[]", "1", NULL},
	{"integer[]", "1.5", NULL},
	{"integer[]", "true", NULL},
	{"integer[]", "\"1\"", NULL},
	{"text[]", "[\"a\\u0000b\"]", NULL},
	{"jsonb[]", "[[1],{\"a\":1}]", NULL},
	{"pair", "{\"B \\\"b\\\"\":\"x\",\"a\":1}", "(1,x)"},
	{"pair", "{\"B \\u0022b\\u0022\":\"x\"}", "(,x)"},
	{"pair", "{\"a\":1,\"a\":2,\"z\":[1]}", "(2,)"},
	{"pair", "{\"a\\u0000\":1}", "(,)"},
	{"pair", "{}", "(,)"},
	{"pair", "\"(1,x)\"", "(1,x)"},
	{"pair", "{\"B \\\"b\\\"\":\"NA\"}", "(,NA)"},
	{"pair", "{\"a\":\"NA\"}", NULL},
	{"pair", "{\"a\":[1]}", NULL},
	{"pair", "[1]", NULL},
	{"pair", "1", NULL},
	{"pair[]", "[{\"a\":1},null,\"(2,y)\"]", "{\"(1,)\",NULL,\"(2,y)\"}"},
	{"pair[]", "[[{\"a\":1}],[null]]", "{{\"(1,)\"},{NULL}}"},
	{"pair[]", "{\"a\":1}", NULL},
	{"deep", "{\"ps\":[{\"B \\\"b\\\"\":\"}\"},{\"a\":3}],\"p\":{\"a\":1},\"n\":1e-2}",
	 "(\"(1,)\",\"{\"\"(,})\"\",\"\"(3,)\"\"}\",,0.01)"},
	{"empty_type", "{\"a\":1}", "()"},
	{"empty_type", "[]", NULL},
};

static void
test_reading(const Reading *reading, bool is_json)
{
	RowType *type = make_nested_row_type(reading->type_name);
	NestedCodec *codec = nested_codec_create(type, MAX_BYTES);
	char name[200];
	Value value;
	size_t length;
	bool is_read = is_json ? read_json(codec, reading->form, &value)
						   : read_text(codec, reading->form, strlen(reading->form), &value);

	snprintf(name, sizeof(name), "%s %s %.100s", reading->type_name, is_json ? "JSON" : "text",
			 reading->form);
	for (char *at = name; *at != '\0'; at++)
		*at = (char) ((unsigned char) *at < ' ' || (unsigned char) *at >= 0x7f || *at == '#' ? '?'
																							 : *at);
	if (unit_ok(is_read == (reading->text != NULL), name) && is_read)
	{
		const char *text = nested_codec_text(codec, 0, &value, &length);

		unit_equal_bytes(text, length, reading->text, name);
	}
	else if (!is_read)
		unit_ok(*nested_codec_why(codec) != '\0', "and why is told");
	nested_codec_free(codec);
	row_type_free(type);
}

static const struct
{
	const char *type_name;
	const char *form;
	const char *why;
} refusals[] = {
	{"integer[]", "{{1},2}", "an array's rows are not of one depth"},
	{"integer[]", "{{1},{2,3}}", "an array's rows are not of one length"},
	{"integer[]", "{{{{{{{1}}}}}}}", "an array has more than 6 dimensions"},
	{"integer[]", "[1:3]={1,2}", "an array's bounds are not those of its elements"},
	{"integer[]", "[2147483647:2147483647]={1}", "an array's bounds are out of range"},
	{"integer[]", "{1", "it is no text of an array"},
	{"integer[]", "{x}", "a value within is not of its type"},
	{"text[]", "{\377}", "a text within is no UTF-8, or holds a NUL character"},
	{"pair", "(1)", "a composite has too few attributes"},
	{"pair", "(1,x,)", "a composite has too many attributes"},
	{"pair", "1", "it is no text of a composite"},
};

static void
test_refusals(void)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
	{
		RowType *type = make_nested_row_type(refusals[i].type_name);
		NestedCodec *codec = nested_codec_create(type, MAX_BYTES);
		Value value;

		unit_ok(!read_text(codec, refusals[i].form, strlen(refusals[i].form), &value),
				refusals[i].why);
		unit_equal_bytes(nested_codec_why(codec), strlen(nested_codec_why(codec)), refusals[i].why,
						 "why it is refused");
		nested_codec_free(codec);
		row_type_free(type);
	}
}

/* --- bytes ------------------------------------------------------------------------------------ */

static const struct
{
	const char *name;
	const char *type_name;
	const char *hex;
} hostile[] = {
	{"nothing", "integer[]", ""},
	{"half a head", "integer[]", "0000000100000000000017"},
	{"7 dimensions", "integer[]",
	 "000000070000000000000017000000010000000100000001000000010000000100000001000000010000000100000"
	 "001"
	 "00000001000000010000000100000001000000010000000400000001"},
	{"-1 dimensions", "integer[]", "ffffffff0000000000000017"},
	{"flags", "integer[]", "000000010000000200000017000000010000000100000004000000ff"},
	{"elements of another type", "integer[]",
	 "000000010000000000000014000000010000000100000004000000ff"},
	{"no bytes for its dimensions", "integer[]", "00000001000000000000001700000001"},
	{"a length of -1", "integer[]", "000000010000000000000017ffffffff00000001"},
	{"2147483647 elements", "integer[]", "0000000100000000000000177fffffff00000000"},
	{"2^62 elements", "integer[]", "0000000200000000000000177fffffff000000007fffffff00000000"},
	{"2^186 elements", "integer[]",
	 "0000000600000000000000177fffffff000000007fffffff000000007fffffff000000007fffffff000000007ffff"
	 "fff"
	 "000000007fffffff00000000"},
	{"a subscript beyond an int32", "integer[]",
	 "000000010000000000000017000000027ffffffe000000040000000100000004000000ff"},
	{"an element too few", "integer[]",
	 "0000000100000000000000170000000200000001000000040000000100000000"},
	{"an element too many", "integer[]",
	 "00000001000000000000001700000001000000010000000400000001ffffffff"},
	{"more behind an empty array", "integer[]", "00000000000000000000001700"},
	{"an element longer than the rest", "integer[]",
	 "00000001000000000000001700000001000000010000000500000001"},
	{"an element of length -2", "integer[]",
	 "0000000100000000000000170000000100000001fffffffe00000001"},
	{"an element of length 2147483647", "integer[]",
	 "00000001000000000000001700000001000000017fffffff00000001"},
	{"an integer of 3 bytes", "integer[]",
	 "000000010000000000000017000000010000000100000003000001"},
	{"a timestamp out of range", "timestamp with time zone[]",
	 "0000000100000000000004a000000001000000010000000880000000000000ff"},
	{"a text with a NUL", "text[]", "000000010000000000000019000000010000000100000003610062"},
	{"a text that is no UTF-8", "text[]", "000000010000000000000019000000010000000100000001ff"},
	{"a jsonb of another version", "jsonb[]",
	 "000000010000000000000eda0000000100000001000000020231"},
	{"a numeric without its digits", "numeric[]",
	 "0000000100000000000006a40000000100000001000000080001000000000000"},
	{"no attributes", "pair", ""},
	{"a composite's head alone", "pair", "00000002"},
	{"an attribute too few", "pair", "00000001000000170000000400000001"},
	{"an attribute too many", "pair",
	 "00000003000000170000000400000001000000190000000178000000190000000178"},
	{"-1 attributes", "pair", "ffffffff"},
	{"an attribute of another type", "pair", "00000002000000140000000400000001000000190000000178"},
	{"an attribute longer than the rest", "pair",
	 "00000002000000170000000400000001000000190000000278"},
	{"half an attribute's type", "pair", "000000020000001700000004000000010000"},
	{"more behind a composite", "pair", "0000000200000017000000040000000100000019000000017800"},
	{"more behind an empty composite", "empty_type", "0000000000"},
	{"an array within that is none", "ints[]",
	 "000000010000000000015f9500000001000000010000000c000000010000000000000017"},
	{"a composite within that is none", "pair[]",
	 "000000010000000000015f9300000001000000010000000400000003"},
};

static void
test_hostile(void)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++)
	{
		RowType *type = make_nested_row_type(hostile[i].type_name);
		NestedCodec *codec = nested_codec_create(type, MAX_BYTES);
		size_t length;
		char *bytes = from_hex(hostile[i].hex, &length);
		Value value;

		if (unit_ok(!nested_codec_from_binary(codec, 0, bytes, length, &value), hostile[i].name))
			unit_ok(*nested_codec_why(codec) != '\0', "and why is told");
		free(bytes);
		nested_codec_free(codec);
		row_type_free(type);
	}
}

/* Cut short anywhere, a value is refused, in each of its forms; with a byte changed it is refused or not,
 * and what is taken can be written and digested. */
static void
test_damage(const NestedVector *vector)
{
	RowType *type = make_nested_row_type(vector->type_name);
	NestedCodec *codec = nested_codec_create(type, MAX_BYTES);
	ValueDigest *digest = value_digest_create(type);
	size_t length;
	char *bytes = from_hex(vector->binary, &length);
	bool all_refused = true, all_written = true;
	char name[200];
	Value value;

	for (size_t i = 0; i < length; i++)
	{
		char *copy = copy_bytes(bytes, i);

		all_refused &= !nested_codec_from_binary(codec, 0, copy, i, &value);
		free(copy);
	}
	for (size_t i = 0; i < strlen(vector->text); i++)
		all_refused &= !read_text(codec, vector->text, i, &value);
	for (size_t i = 0; i < 8 * length; i++)
	{
		char *copy = copy_bytes(bytes, length);
		size_t text_length;

		copy[i / 8] = (char) (copy[i / 8] ^ 1 << i % 8);
		if (nested_codec_from_binary(codec, 0, copy, length, &value))
			all_written &= nested_codec_text(codec, 0, &value, &text_length) != NULL &&
						   nested_codec_put_json(codec, 0, &value, sink_begin(&sink)) &&
						   value_digest_add(digest, &value);
		free(copy);
	}
	snprintf(name, sizeof(name), "%s 0x%.60s: cut short anywhere it is refused", vector->type_name,
			 vector->binary);
	unit_ok(all_refused, name);
	unit_ok(all_written, "with any bit changed it is refused, or can be written");
	free(bytes);
	value_digest_free(digest);
	nested_codec_free(codec);
	row_type_free(type);
}

/* --- others ----------------------------------------------------------------------------------- */

/* An array of a length of 0, as the server takes it though it never sends it. */
static void
test_empty_dimension(void)
{
	RowType *type = make_nested_row_type("integer[]");
	NestedCodec *codec = nested_codec_create(type, MAX_BYTES);
	size_t length, text_length = 0;
	char *bytes = from_hex("0000000100000000000000170000000000000005", &length);
	Value value;
	const char *text;

	unit_ok(nested_codec_from_binary(codec, 0, bytes, length, &value), "a dimension of length 0");
	check_digest(type, &value, &nested_vectors[0], "a dimension of length 0: the empty array");
	text = nested_codec_text(codec, 0, &value, &text_length);
	unit_equal_bytes(text, text_length, "{}", "a dimension of length 0: to text");
	unit_ok(nested_codec_put_json(codec, 0, &value, sink_begin(&sink)) && sink_end(&sink),
			"to JSON");
	unit_equal_bytes(sink.bytes, sink.length, "[]", "a dimension of length 0: to JSON");
	free(bytes);
	nested_codec_free(codec);
	row_type_free(type);
}

/* {1,1,...}: text of 20,001 bytes, of which the binary form has 80,020. */
static void
test_limits(void)
{
	enum
	{
		ELEMENTS = 10000
	};
	RowType *type = make_nested_row_type("integer[]");
	char *text = malloc(2 * ELEMENTS + 1);
	Value value;

	for (int i = 0; i < ELEMENTS; i++)
		memcpy(text + 2 * i, ",1", 2);
	text[0] = '{';
	text[2 * ELEMENTS] = '}';
	for (size_t limit = 80019; limit <= 80020; limit++)
	{
		NestedCodec *codec = nested_codec_create(type, limit);

		unit_ok(read_text(codec, text, 2 * ELEMENTS + 1, &value) == (limit == 80020),
				limit == 80020 ? "a value as long as the limit" : "a value longer than the limit");
		if (limit == 80020)
			unit_equal_int((int64_t) value.text.length, 80020, "its length");
		else
			unit_equal_bytes(nested_codec_why(codec), strlen(nested_codec_why(codec)),
							 "it is longer than a value can be", "why it is refused");
		unit_ok(read_text(codec, "{1}", 3, &value), "the next value is read");
		nested_codec_free(codec);
	}
	free(text);
	row_type_free(type);
}

/* [{},{},...]: three bytes of JSON each, of which the binary form has 24. */
static void
test_json_limit(void)
{
	enum
	{
		ELEMENTS = 1000
	};
	RowType *type = make_nested_row_type("pair[]");
	NestedCodec *codec = nested_codec_create(type, 10000);
	char *json = malloc(3 * ELEMENTS + 2);
	Value value;

	for (int i = 0; i < ELEMENTS; i++)
		memcpy(json + 3 * i, ",{}", 3);
	json[0] = '[';
	memcpy(json + 3 * ELEMENTS, "]", 2);
	unit_ok(!read_json(codec, json, &value), "JSON shorter than the limit, of a value beyond it");
	unit_equal_bytes(nested_codec_why(codec), strlen(nested_codec_why(codec)),
					 "it is longer than a value can be", "why it is refused");
	memcpy(json + 3 * 100, "]", 2);
	unit_ok(read_json(codec, json, &value), "JSON of a value within it");
	unit_equal_int((int64_t) value.text.length, 20 + 100 * 24, "its length");
	free(json);
	nested_codec_free(codec);
	row_type_free(type);
}

static void
test_missing(void)
{
	RowType *type = make_nested_row_type("pair[]");
	NestedCodec *codec = nested_codec_create(type, MAX_BYTES);
	Value value;

	unit_ok(read_json(codec, "[{\"a\":1},null,{},{\"a\":null,\"B \\\"b\\\"\":\"x\"}]", &value),
			"attributes that are missing");
	unit_equal_int(nested_codec_missing_attributes(codec), 3, "they are counted, nulls are not");
	nested_codec_free(codec);
	nested_codec_free(NULL);
	row_type_free(type);
}

int
main(void)
{
	for (size_t i = 0; i < NESTED_VECTORS; i++)
	{
		test_vector(&nested_vectors[i]);
		test_damage(&nested_vectors[i]);
	}
	for (size_t i = 0; i < sizeof(text_readings) / sizeof(text_readings[0]); i++)
		test_reading(&text_readings[i], false);
	for (size_t i = 0; i < sizeof(json_readings) / sizeof(json_readings[0]); i++)
		test_reading(&json_readings[i], true);
	test_refusals();
	test_hostile();
	test_empty_dimension();
	test_limits();
	test_json_limit();
	test_missing();
	return unit_done();
}
