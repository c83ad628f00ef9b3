/*
 * json_decode_fuzz.c - rows that json_frames lets through: json_decode takes each of them, and its
 * fields are those that the oracle finds by walking through the row's text. json_scan stays within
 * the text, and its items put together again are the text without its white space.
 *
 * json-c is not asked: what it gets wrong (json_decode.c) is what the decoder must get right.
 */
#include "fuzz.h"
#include "json_decode.h"
#include "json_frames.h"
#include "json_oracle.h"
#include "json_scan.h"

#include <stdlib.h>
#include <string.h>

#define ROOMY (1 << 20)

/* short, so that a fuzzer meets them; one is two names in JSON, by its escape */
static const char *const names[] = {"a",           "b", "", "id", "\xc3\xaf", "\xf0\xad\xa0\x80",
									"\xef\xbf\xbd"};

#define COLUMNS ((int) (sizeof(names) / sizeof(names[0])))

/* --- json_scan ------------------------------------------------------------------------------- */

static void
put_item(FuzzLog *to, const JsonItem *item)
{
	if (item->key != NULL)
	{
		fuzz_log_bytes(to, item->key, (size_t) (item->key_end - item->key));
		fuzz_log(to, ":");
	}
	json_oracle_compact(to, item->value, item->value_end);
}

/* Of an array or object. */
static void
check_scan(const char *text, size_t length)
{
	FuzzLog got = {0}, wanted = {0};
	char *compact = fuzz_allocate(length);
	JsonScan scan;
	JsonItem item;
	bool is_first = true;

	fuzz_log_bytes(&got, text, 1);
	json_scan_begin(&scan, text, length);
	for (; json_scan_next(&scan, &item); is_first = false)
	{
		fuzz_require((item.key != NULL) == (*text == '{'), "a key where there is none");
		fuzz_require(item.value >= text && item.value < item.value_end &&
						 item.value_end <= text + length,
					 "an item outside of the text");
		fuzz_require(json_scan_value_end(item.value, text + length) == item.value_end,
					 "a value has two ends");
		if (!is_first)
			fuzz_log(&got, ",");
		put_item(&got, &item);
		if (*item.value == '[' || *item.value == '{')
			check_scan(item.value, (size_t) (item.value_end - item.value));
	}
	fuzz_log(&got, *text == '{' ? "}" : "]");
	json_oracle_compact(&wanted, text, text + length);
	fuzz_require_same(&got, &wanted, "the items of a text");
	got.length = 0;
	fuzz_log_bytes(&got, compact,
				   (size_t) (json_scan_compact(compact, text, text + length) - compact));
	fuzz_require_same(&got, &wanted, "a compact text");
	free(compact);
	fuzz_log_free(&got);
	fuzz_log_free(&wanted);
}

/* --- fields ---------------------------------------------------------------------------------- */

/* An integer literal that an int64 holds, but for -0. */
static bool
read_integer(const char *p, const char *end, int64_t *integer)
{
	bool is_negative = *p == '-';
	__int128 value = 0;

	p += is_negative;
	if (end - p > 30)
		return false;
	for (; p < end; p++)
	{
		if (*p < '0' || *p > '9')
			return false;
		value = value * 10 + (*p - '0');
	}
	if (is_negative)
		value = -value;
	*integer = (int64_t) value;
	return value >= INT64_MIN && value <= INT64_MAX && !(is_negative && value == 0);
}

static void
put_field(FuzzLog *log, const JsonField *field)
{
	fuzz_log(log, "%d ", field->kind);
	if (field->kind == JSON_FIELD_BOOL)
		fuzz_log(log, "%d", field->boolean);
	else if (field->kind == JSON_FIELD_INTEGER)
		fuzz_log(log, "%lld", (long long) field->integer);
	else if (field->kind > JSON_FIELD_INTEGER)
		fuzz_log_bytes(log, field->text, field->length);
	fuzz_log(log, "\n");
}

static void
put_value(FuzzLog *log, const char *p, const char *end)
{
	FuzzLog text = {0};
	JsonField field = {0};

	switch (*p)
	{
		case '"':
			field.kind = JSON_FIELD_STRING;
			json_oracle_unescape(&text, p, end);
			break;
		case '[':
		case '{':
			field.kind = *p == '[' ? JSON_FIELD_ARRAY : JSON_FIELD_OBJECT;
			json_oracle_compact(&text, p, end);
			break;
		case 't':
		case 'f':
			field.kind = JSON_FIELD_BOOL;
			field.boolean = *p == 't';
			break;
		case 'n':
			field.kind = JSON_FIELD_NULL;
			break;
		default:
			field.kind =
				read_integer(p, end, &field.integer) ? JSON_FIELD_INTEGER : JSON_FIELD_NUMBER;
			fuzz_log_bytes(&text, p, (size_t) (end - p));
	}
	field.text = text.bytes;
	field.length = text.length;
	put_field(log, &field);
	fuzz_log_free(&text);
}

static int
column_of(const FuzzLog *key)
{
	for (int i = 0; i < COLUMNS; i++)
		if (key->length > 0 && key->length == strlen(names[i]) &&
			memcmp(key->bytes, names[i], key->length) == 0)
			return i;
	return -1;
}

/* What the row's fields should be: of a key that comes twice the last one. */
static void
put_wanted_fields(FuzzLog *log, const char *text, size_t length)
{
	const char *end = text + length;

	for (int i = 0; i < COLUMNS; i++)
	{
		const char *p = text + 1, *value = NULL, *value_end = NULL;
		JsonField missing = {.kind = JSON_FIELD_MISSING};
		JsonOracleMember member = {.key = {0}};

		while (json_oracle_next_member(&p, end, &member))
		{
			if (column_of(&member.key) != i)
				continue;
			value = member.value;
			value_end = member.value_end;
		}
		fuzz_log_free(&member.key);
		if (value == NULL)
			put_field(log, &missing);
		else
			put_value(log, value, value_end);
	}
}

static void
check_row(JsonDecoder *decoder, const JsonFrame *frame)
{
	FuzzLog got = {0}, wanted = {0};
	JsonField fields[COLUMNS];
	JsonDecodeResult result;
	int unknown_keys;

	result = json_decode_row(decoder, frame->text, frame->length, frame->has_wide_integers, fields,
							 &unknown_keys);
	fuzz_require(result == (*frame->text == '{' ? JSON_DECODE_OK : JSON_DECODE_NOT_AN_OBJECT),
				 "the decoder says %d: %s", result, json_decoder_message(decoder));
	if (result == JSON_DECODE_OK)
	{
		for (int i = 0; i < COLUMNS; i++)
			put_field(&got, &fields[i]);
		put_wanted_fields(&wanted, frame->text, frame->length);
		fuzz_require_same(&got, &wanted, "the fields of a row");
	}
	fuzz_log_free(&got);
	fuzz_log_free(&wanted);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	JsonFramesOptions options = {.max_row_bytes = ROOMY};
	JsonFrames *frames = json_frames_create(&options);
	JsonDecoder *decoder = json_decoder_create(names, COLUMNS);
	JsonFrame frame;

	json_frames_feed(frames, (const char *) data, size);
	json_frames_finish(frames);
	while (json_frames_next(frames, &frame) < JSON_FRAME_END)
	{
		/* in a block of its own, not terminated */
		char *text = fuzz_copy(frame.text, frame.length);

		frame.text = text;
		if (*text == '[' || *text == '{')
			check_scan(text, frame.length);
		if (frame.kind == JSON_FRAME_ROW)
			check_row(decoder, &frame);
		free(text);
	}
	json_decoder_free(decoder);
	json_frames_free(frames);
	return 0;
}
