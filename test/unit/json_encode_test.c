#include "json_encode.h"

#include "unit.h"

#include <stdlib.h>

#define OUTPUT_SIZE 4096

typedef struct Output
{
	char bytes[OUTPUT_SIZE];
	size_t length;
	int flushes_left; /* then the flush fails; negative: never */
} Output;

static bool
collect(void *context, const char *bytes, size_t length)
{
	Output *output = context;

	if (output->flushes_left == 0 || output->length + length > OUTPUT_SIZE)
		return false;
	output->flushes_left--;
	memcpy(output->bytes + output->length, bytes, length);
	output->length += length;
	return true;
}

static void
open_encoder(JsonEncoder *encoder, Output *output, char *buffer, size_t size)
{
	output->length = 0;
	output->flushes_left = -1;
	json_encoder_init(encoder, buffer, size, collect, output);
}

static void
check_string(const char *text, size_t length, const char *wanted, const char *name)
{
	char buffer[JSON_ENCODE_MIN_BUFFER];
	JsonEncoder encoder;
	Output output;

	open_encoder(&encoder, &output, buffer, sizeof(buffer));
	json_encode_string(&encoder, text, length);
	unit_ok(json_encoder_flush(&encoder), name);
	unit_equal_bytes(output.bytes, output.length, wanted, name);
}

static void
test_strings(void)
{
	check_string("", 0, "\"\"", "empty string");
	check_string("plain", 5, "\"plain\"", "plain string");
	check_string("a\"b\\c", 5, "\"a\\\"b\\\\c\"", "quotation mark and reverse solidus");
	check_string("\b\t\n\f\r", 5, "\"\\b\\t\\n\\f\\r\"", "control characters with short forms");
	check_string("\x01\x0b\x1f", 3, "\"\\u0001\\u000b\\u001f\"", "control characters without");
	check_string("a\0b", 3, "\"a\\u0000b\"", "NUL");
	check_string("\x7f/", 2, "\"\x7f/\"", "DEL and solidus stay");
	check_string("z\xc3\xa9\xf0\x9f\x98\x80", 7, "\"z\xc3\xa9\xf0\x9f\x98\x80\"",
				 "non-ASCII stays");
	check_string("!\x1f!!!!!!!", 9, "\"!\\u001f!!!!!!!\"", "a borrow does not reach the neighbour");
}

/* Each byte at each place of a run of 17, and against each place of the buffer's end. */
static void
test_every_byte_everywhere(void)
{
	int wrong = 0;

	for (int byte = 1; byte < 0x80; byte++)
	{
		for (size_t place = 0; place < 17; place++)
		{
			for (size_t lead = 0; lead < JSON_ENCODE_MIN_BUFFER; lead++)
			{
				static const char short_escapes[] = "\b\t\n\f\r", letters[] = "btnfr";
				char buffer[JSON_ENCODE_MIN_BUFFER], text[18], wanted[160], escape[8];
				const char *short_escape = byte == 0 ? NULL : strchr(short_escapes, byte);
				JsonEncoder encoder;
				Output output;
				int length;

				memset(text, 'x', 17);
				text[place] = (char) byte;
				text[17] = '\0';
				if (byte == '"' || byte == '\\')
					snprintf(escape, sizeof(escape), "\\%c", byte);
				else if (short_escape != NULL)
					snprintf(escape, sizeof(escape), "\\%c", letters[short_escape - short_escapes]);
				else if (byte < 0x20)
					snprintf(escape, sizeof(escape), "\\u%04x", (unsigned) byte);
				else
					snprintf(escape, sizeof(escape), "%c", byte);
				length = snprintf(wanted, sizeof(wanted), "%*s\"%.*s%s%s\"", (int) lead, "",
								  (int) place, text, escape, text + place + 1);
				open_encoder(&encoder, &output, buffer, sizeof(buffer));
				for (size_t i = 0; i < lead; i++)
					json_encode_char(&encoder, ' ');
				json_encode_string(&encoder, text, 17);
				json_encoder_flush(&encoder);
				wrong += output.length != (size_t) length ||
						 memcmp(output.bytes, wanted, output.length) != 0;
			}
		}
	}
	unit_equal_int(wrong, 0, "every ASCII byte at every place of a string and of the buffer");
}

static void
test_pieces(void)
{
	char buffer[JSON_ENCODE_MIN_BUFFER];
	JsonEncoder encoder;
	Output output;

	open_encoder(&encoder, &output, buffer, sizeof(buffer));
	json_encode_literal(&encoder, "[");
	json_encode_int64(&encoder, INT64_MIN);
	json_encode_char(&encoder, ',');
	json_encode_int64(&encoder, INT64_MAX);
	json_encode_char(&encoder, ',');
	json_encode_int64(&encoder, 0);
	json_encode_raw(&encoder, "]", 1);
	unit_equal_int((int64_t) json_encoder_pending(&encoder), 44, "pending bytes are counted");
	unit_ok(json_encoder_flush(&encoder), "flush");
	unit_equal_bytes(output.bytes, output.length, "[-9223372036854775808,9223372036854775807,0]",
					 "integers to the ends of their range");
	unit_equal_int((int64_t) json_encoder_pending(&encoder), 0, "nothing is pending after a flush");

	open_encoder(&encoder, &output, buffer, sizeof(buffer));
	json_encode_one_line(&encoder, "{\n\"a\":\r\n1}", 10);
	json_encoder_flush(&encoder);
	unit_equal_bytes(output.bytes, output.length, "{ \"a\":  1}", "line breaks become blanks");
}

static void
test_long_values(void)
{
	char buffer[JSON_ENCODE_MIN_BUFFER], text[1000], wanted[2100];
	JsonEncoder encoder;
	Output output;

	memset(text, '"', sizeof(text));
	wanted[0] = '"';
	for (size_t i = 0; i < sizeof(text); i++)
		memcpy(wanted + 1 + 2 * i, "\\\"", 2);
	strcpy(wanted + 2001, "\"");
	check_string(text, sizeof(text), wanted, "a string of escapes, longer than the buffer");

	open_encoder(&encoder, &output, buffer, sizeof(buffer));
	json_encode_raw(&encoder, text, sizeof(text));
	json_encoder_flush(&encoder);
	unit_ok(output.length == sizeof(text) && memcmp(output.bytes, text, sizeof(text)) == 0,
			"raw bytes longer than the buffer");
}

static void
test_failure(void)
{
	char buffer[JSON_ENCODE_MIN_BUFFER], text[200];
	JsonEncoder encoder;
	Output output;

	memset(text, 'x', sizeof(text));
	open_encoder(&encoder, &output, buffer, sizeof(buffer));
	output.flushes_left = 1;
	json_encode_string(&encoder, text, sizeof(text));
	unit_ok(encoder.failed, "a refused flush is told");
	for (int i = 0; i < 100; i++)
	{
		json_encode_string(&encoder, text, sizeof(text));
		json_encode_raw(&encoder, text, sizeof(text));
		json_encode_one_line(&encoder, text, sizeof(text));
		json_encode_char(&encoder, ',');
		json_encode_int64(&encoder, i);
	}
	unit_ok(!json_encoder_flush(&encoder), "and stays told");
	unit_equal_int((int64_t) output.length, JSON_ENCODE_MIN_BUFFER, "nothing comes after it");
}

static void
check_utf8(const char *text, bool wanted, const char *name)
{
	char shifted[64];

	for (size_t lead = 0; lead < 9; lead++)
	{
		memset(shifted, 'x', lead);
		strcpy(shifted + lead, text);
		if (json_encode_is_utf8(shifted, lead + strlen(text)) != wanted)
		{
			unit_ok(false, name);
			return;
		}
	}
	unit_ok(true, name);
}

static void
test_utf8(void)
{
	check_utf8("", true, "nothing is UTF-8");
	check_utf8("abcdefghijklmnop", true, "ASCII is UTF-8");
	check_utf8(
		"\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf",
		true, "the first and last of each length");
	check_utf8("\xff\xfe", false, "FF FE is not");
	check_utf8("\x80", false, "a continuation alone is not");
	check_utf8("\xc3", false, "a cut sequence is not");
	check_utf8("\xe2\x82", false, "a cut sequence of three is not");
	check_utf8("\xf0\x9f\x98", false, "a cut sequence of four is not");
	check_utf8("\xc0\xaf", false, "an overlong form of two is not");
	check_utf8("\xe0\x9f\xbf", false, "an overlong form of three is not");
	check_utf8("\xf0\x8f\xbf\xbf", false, "an overlong form of four is not");
	check_utf8("\xed\xa0\x80", false, "a surrogate is not");
	check_utf8("\xf4\x90\x80\x80", false, "above U+10FFFF is not");
	check_utf8("\xe9t\xe9", false, "LATIN1 is not");
}

int
main(void)
{
	test_strings();
	test_every_byte_everywhere();
	test_pieces();
	test_long_values();
	test_failure();
	test_utf8();
	return unit_done();
}
