/*
 * json_encode_fuzz.c - strings go out as JSON and come back, through buffers of any size; UTF-8 is
 * what the oracle takes for it; a document on one line is the same document.
 */
#include "fuzz.h"
#include "json_encode.h"
#include "json_oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BUFFER 200

static bool
collect(void *log, const char *bytes, size_t length)
{
	fuzz_require(length > 0, "nothing is handed on");
	fuzz_log_bytes(log, bytes, length);
	return true;
}

typedef struct Writing
{
	JsonEncoder encoder;
	char *buffer;
	FuzzLog bytes;
} Writing;

static void
begin(Writing *writing, const uint8_t *data, size_t size)
{
	size_t buffer_size = JSON_ENCODE_MIN_BUFFER + fuzz_choice(data, size, MOST_BUFFER);

	*writing = (Writing){.buffer = fuzz_allocate(buffer_size)};
	json_encoder_init(&writing->encoder, writing->buffer, buffer_size, collect, &writing->bytes);
}

static void
end(Writing *writing)
{
	fuzz_require(json_encoder_flush(&writing->encoder), "the encoder failed");
	fuzz_require(json_encoder_pending(&writing->encoder) == 0, "bytes are left");
	free(writing->buffer);
}

static void
check_string(const uint8_t *data, size_t size, const char *text)
{
	FuzzLog back = {0}, wanted = {0};
	JsonOracleFacts facts = {0};
	Writing writing;

	begin(&writing, data, size);
	json_encode_string(&writing.encoder, text, size);
	end(&writing);
	fuzz_require(*writing.bytes.bytes == '"' &&
					 json_oracle_is_document(writing.bytes.bytes, writing.bytes.length, &facts),
				 "no string of JSON");
	json_oracle_unescape(&back, writing.bytes.bytes, writing.bytes.bytes + writing.bytes.length);
	fuzz_log_bytes(&wanted, text, size);
	fuzz_require_same(&back, &wanted, "a string");
	fuzz_log_free(&back);
	fuzz_log_free(&wanted);
	fuzz_log_free(&writing.bytes);
}

static void
check_one_line(const uint8_t *data, size_t size, const char *text)
{
	FuzzLog got = {0}, wanted = {0};
	Writing writing;

	begin(&writing, data, size);
	json_encode_one_line(&writing.encoder, text, size);
	end(&writing);
	fuzz_require(memchr(writing.bytes.bytes, '\n', writing.bytes.length) == NULL &&
					 memchr(writing.bytes.bytes, '\r', writing.bytes.length) == NULL,
				 "a line break");
	json_oracle_compact(&got, writing.bytes.bytes, writing.bytes.bytes + writing.bytes.length);
	json_oracle_compact(&wanted, text, text + size);
	fuzz_require_same(&got, &wanted, "a document on one line");
	fuzz_log_free(&got);
	fuzz_log_free(&wanted);
	fuzz_log_free(&writing.bytes);
}

static void
check_integer(const uint8_t *data, size_t size)
{
	FuzzLog wanted = {0};
	int64_t integer = 0;
	Writing writing;

	memcpy(&integer, data, size < sizeof(integer) ? size : sizeof(integer));
	begin(&writing, data, size);
	json_encode_int64(&writing.encoder, integer);
	end(&writing);
	fuzz_log(&wanted, "%" PRId64, integer);
	fuzz_require_same(&writing.bytes, &wanted, "an integer");
	fuzz_log_free(&wanted);
	fuzz_log_free(&writing.bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_copy(data, size);
	JsonOracleFacts facts = {0};
	bool is_utf8 = json_encode_is_utf8(text, size);

	fuzz_require(is_utf8 == json_oracle_is_utf8(text, size), "UTF-8: the oracle says otherwise");
	if (is_utf8)
		check_string(data, size, text);
	if (json_oracle_is_document(text, size, &facts))
		check_one_line(data, size, text);
	if (size > 0)
		check_integer(data, size);
	free(text);
	return 0;
}
