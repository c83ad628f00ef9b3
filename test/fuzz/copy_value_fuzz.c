/*
 * copy_value_fuzz.c - values of JSON that `serve` writes as fields of COPY's text format, read back by
 * the rules of the server: COPY's escapes, then array and row literals (arrays.html#ARRAYS-IO,
 * rowtypes.html#ROWTYPES-IO-SYNTAX), down to the values that were sent. An input is a body of JSON,
 * its columns are those of `columns`.
 */
#include "fuzz.h"
#include "json_frames.h"
#include "json_number.h"
#include "json_oracle.h"
#include "serve/copy_value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const TypeShape text_shape = {.kind = TYPE_SHAPE_TEXT};
static const TypeShape integer_shape = {.kind = TYPE_SHAPE_INTEGER};
static const TypeShape json_shape = {.kind = TYPE_SHAPE_JSON};
static const TypeShape integers_shape = {
	.kind = TYPE_SHAPE_ARRAY, .delimiter = ',', .element = &integer_shape};
static const TypeShape texts_shape = {
	.kind = TYPE_SHAPE_ARRAY, .delimiter = ';', .element = &text_shape};
static const TypeShape jsons_shape = {
	.kind = TYPE_SHAPE_ARRAY, .delimiter = ',', .element = &json_shape};
static TypeAttribute pair_attributes[] = {
	{"a", &text_shape}, {"b", &texts_shape}, {"j", &json_shape}};
static const TypeShape pair_shape = {
	.kind = TYPE_SHAPE_COMPOSITE, .attributes = 3, .attribute = pair_attributes};
static const TypeShape pairs_shape = {
	.kind = TYPE_SHAPE_ARRAY, .delimiter = ',', .element = &pair_shape};
static TypeAttribute outer_attributes[] = {{"a", &integer_shape}, {"b", &pairs_shape}};
static const TypeShape outer_shape = {
	.kind = TYPE_SHAPE_COMPOSITE, .attributes = 2, .attribute = outer_attributes};

static const char *const names[] = {"t", "i", "j", "is", "ts", "js", "p", "ps", "o"};
static const TypeShape *const shapes[] = {&text_shape,     &integer_shape, &json_shape,
										  &integers_shape, &texts_shape,   &jsons_shape,
										  &pair_shape,     &pairs_shape,   &outer_shape};

#define COLUMNS ((int) (sizeof(names) / sizeof(names[0])))

/* --- reading as the server does -------------------------------------------------------------- */

static void check_literal(const TypeShape *shape, const FuzzLog *literal, const char *json,
						  const char *json_end);

static void
unescape_copy(FuzzLog *to, const FuzzLog *field)
{
	static const char letters[] = "bfnrtv", meanings[] = "\b\f\n\r\t\v";

	fuzz_log_bytes(to, "", 0);
	for (size_t i = 0; i < field->length; i++)
	{
		const char *letter = NULL;

		fuzz_require(strchr("\t\n\r", field->bytes[i]) == NULL, "a field holds what ends it");
		if (field->bytes[i] == '\\')
		{
			fuzz_require(++i < field->length, "a field ends with a backslash");
			letter = strchr(letters, field->bytes[i]);
			fuzz_require(strchr("01234567x", field->bytes[i]) == NULL, "an escape of digits");
		}
		fuzz_log_bytes(to, letter == NULL ? &field->bytes[i] : &meanings[letter - letters], 1);
	}
}

/* Takes a quoted item at *p, the quote; what it stands for. */
static void
take_quoted(FuzzLog *to, const char **p, const char *end)
{
	fuzz_log_bytes(to, "", 0);
	for (++*p; *p < end && **p != '"'; ++*p)
	{
		if (**p == '\\')
			++*p;
		fuzz_require(*p < end, "a literal ends within an item");
		fuzz_log_bytes(to, *p, 1);
	}
	fuzz_require(*p < end, "a literal ends within an item");
	++*p;
}

static void
take_byte(const char **p, const char *end, char byte)
{
	fuzz_require(*p < end && **p == byte, "expected %c, %zu bytes before the end", byte,
				 (size_t) (end - *p));
	++*p;
}

static void
check_quoted(const TypeShape *shape, const char **p, const char *end, const char *json,
			 const char *json_end)
{
	FuzzLog item = {0};

	fuzz_require(*p < end && **p == '"', "an item without quotes");
	take_quoted(&item, p, end);
	check_literal(shape, &item, json, json_end);
	fuzz_log_free(&item);
}

/* An array literal at *p. */
static void
check_array(const TypeShape *shape, const char **p, const char *end, const char *json,
			const char *json_end)
{
	const char *at = json + 1, *value, *value_end;
	bool is_first = true;

	take_byte(p, end, '{');
	for (; json_oracle_next_element(&at, json_end, &value, &value_end); is_first = false)
	{
		if (!is_first)
			take_byte(p, end, shape->delimiter);
		if (*value == 'n')
		{
			fuzz_require(end - *p >= 4 && memcmp(*p, "NULL", 4) == 0, "no NULL");
			*p += 4;
		}
		else if (*p < end && **p == '{')
		{
			fuzz_require(*value == '[', "a dimension that is no array");
			check_array(shape, p, end, value, value_end);
		}
		else
			check_quoted(shape->element, p, end, value, value_end);
	}
	take_byte(p, end, '}');
}

/* The last member of that name; false when there is none, or it is null. */
static bool
find_member(const char *json, const char *json_end, const char *name, const char **value,
			const char **value_end)
{
	JsonOracleMember member = {.key = {0}};
	const char *p = json + 1;
	bool found = false;

	while (json_oracle_next_member(&p, json_end, &member))
	{
		if (member.key.length != strlen(name) ||
			memcmp(member.key.bytes, name, member.key.length) != 0)
			continue;
		*value = member.value;
		*value_end = member.value_end;
		found = *member.value != 'n';
	}
	fuzz_log_free(&member.key);
	return found;
}

static void
check_composite(const TypeShape *shape, const char **p, const char *end, const char *json,
				const char *json_end)
{
	take_byte(p, end, '(');
	for (int i = 0; i < shape->attributes; i++)
	{
		const char *value, *value_end;

		if (i > 0)
			take_byte(p, end, ',');
		if (find_member(json, json_end, shape->attribute[i].name, &value, &value_end))
			check_quoted(shape->attribute[i].shape, p, end, value, value_end);
	}
	take_byte(p, end, ')');
}

static bool
is_number(const char *json)
{
	return *json == '-' || (*json >= '0' && *json <= '9');
}

static bool
has_fraction_or_exponent(const char *number, const char *end)
{
	while (number < end && strchr("0123456789+-", *number) != NULL)
		number++;
	return number < end;
}

/* The text that a scalar, or what is taken for text, should be. */
static void
check_text(const TypeShape *shape, const FuzzLog *literal, const char *json, const char *json_end)
{
	FuzzLog wanted = {0};
	int64_t integer;

	if (*json == '"')
		json_oracle_unescape(&wanted, json, json_end);
	else if (shape->kind == TYPE_SHAPE_INTEGER && is_number(json) &&
			 has_fraction_or_exponent(json, json_end) &&
			 json_number_to_int64(json, (size_t) (json_end - json), &integer) == JSON_NUMBER_OK)
		fuzz_log(&wanted, "%" PRId64, integer);
	else
		json_oracle_compact(&wanted, json, json_end);
	fuzz_require_same(literal, &wanted, "a text");
	fuzz_log_free(&wanted);
}

/* Documents are the same but for the escapes in a string. */
static void
check_json(const FuzzLog *literal, const char *json, const char *json_end)
{
	FuzzLog got = {0}, wanted = {0};
	JsonOracleFacts facts = {0};

	fuzz_require(json_oracle_is_document(literal->bytes, literal->length, &facts), "no JSON");
	if (*json == '"')
	{
		fuzz_require(*literal->bytes == '"', "no string");
		json_oracle_unescape(&got, literal->bytes, literal->bytes + literal->length);
		json_oracle_unescape(&wanted, json, json_end);
	}
	else
	{
		json_oracle_compact(&got, literal->bytes, literal->bytes + literal->length);
		json_oracle_compact(&wanted, json, json_end);
	}
	fuzz_require_same(&got, &wanted, "a document");
	fuzz_log_free(&got);
	fuzz_log_free(&wanted);
}

static void
check_literal(const TypeShape *shape, const FuzzLog *literal, const char *json,
			  const char *json_end)
{
	const char *p = literal->bytes, *end = p + literal->length;

	if (shape->kind == TYPE_SHAPE_JSON)
		check_json(literal, json, json_end);
	else if (shape->kind == TYPE_SHAPE_ARRAY && *json == '[')
	{
		check_array(shape, &p, end, json, json_end);
		fuzz_require(p == end, "more behind an array");
	}
	else if (shape->kind == TYPE_SHAPE_COMPOSITE && *json == '{')
	{
		check_composite(shape, &p, end, json, json_end);
		fuzz_require(p == end, "more behind a row");
	}
	else
		check_text(shape, literal, json, json_end);
}

/* --- rows ------------------------------------------------------------------------------------ */

static bool
collect(void *log, const char *bytes, size_t length)
{
	fuzz_log_bytes(log, bytes, length);
	return true;
}

static void
check_field(const TypeShape *shape, const JsonField *field, const char *json, const char *json_end)
{
	char buffer[JSON_ENCODE_MIN_BUFFER];
	FuzzLog bytes = {0}, literal = {0};
	JsonEncoder to;
	CopyValueResult result;

	json_encoder_init(&to, buffer, sizeof(buffer), collect, &bytes);
	result = copy_value_put(&to, shape, field);
	fuzz_require(json_encoder_flush(&to), "the encoder failed");
	if (json == NULL)
		fuzz_require(bytes.length == 2 && memcmp(bytes.bytes, "\\N", 2) == 0, "no null");
	else if (result == COPY_VALUE_OK)
	{
		fuzz_require(bytes.length != 2 || memcmp(bytes.bytes, "\\N", 2) != 0, "null");
		unescape_copy(&literal, &bytes);
		check_literal(shape, &literal, json, json_end);
	}
	fuzz_log_free(&bytes);
	fuzz_log_free(&literal);
}

static void
check_row(JsonDecoder *decoder, const JsonFrame *frame)
{
	const char *end = frame->text + frame->length;
	JsonField fields[COLUMNS];
	int unknown_keys;

	if (json_decode_row(decoder, frame->text, frame->length, frame->has_wide_integers, fields,
						&unknown_keys) != JSON_DECODE_OK)
		return;
	for (int i = 0; i < COLUMNS; i++)
	{
		const char *json = NULL, *json_end = NULL;

		if (!find_member(frame->text, end, names[i], &json, &json_end))
			json = NULL;
		check_field(shapes[i], &fields[i], json, json_end);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	JsonFramesOptions options = {.max_row_bytes = 1 << 20, .shape = JSON_SHAPE_ARRAY};
	JsonFrames *frames = json_frames_create(&options);
	JsonDecoder *decoder = json_decoder_create(names, COLUMNS);
	JsonFrame frame;

	json_frames_feed(frames, (const char *) data, size);
	json_frames_finish(frames);
	while (json_frames_next(frames, &frame) == JSON_FRAME_ROW)
		check_row(decoder, &frame);
	json_decoder_free(decoder);
	json_frames_free(frames);
	return 0;
}
