/*
 * json_encode.h - writes JSON text through a small buffer of the caller.
 *
 * An encoder fills the buffer that it was lent and hands it on (`flush`) each
 * time it is full, so memory does not depend on the length of a value, a row
 * or a document. It writes tokens and knows nothing of nesting: commas and
 * brackets are the caller's, by json_encode_raw.
 *
 * Text must be valid UTF-8 (json_encode_is_utf8 tells) and goes out
 * byte by byte, except what RFC 8259, section 7 wants escaped: the quotation
 * mark, the reverse solidus and U+0000..U+001F.
 *
 * Allocates nothing. After a flush has failed every call is a no-op and
 * `failed` stays set, so it is enough to look once per row.
 */
#ifndef TRANSFERBENCH_JSON_ENCODE_H
#define TRANSFERBENCH_JSON_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_ENCODE_MIN_BUFFER 64 /* bytes */

/* Takes `length` > 0 bytes; false when they cannot be delivered. */
typedef bool (*JsonEncodeFlush)(void *context, const char *bytes, size_t length);

typedef struct JsonEncoder
{
	char *buffer;
	char *position; /* next byte to be written */
	char *end;
	JsonEncodeFlush flush;
	void *context;
	bool failed;
} JsonEncoder;

/* `buffer` is lent, of at least JSON_ENCODE_MIN_BUFFER bytes. */
extern void json_encoder_init(JsonEncoder *encoder, char *buffer, size_t size,
							  JsonEncodeFlush flush, void *context);
/* Hands on what is buffered; false when this or an earlier flush failed. */
extern bool json_encoder_flush(JsonEncoder *encoder);
/* Bytes written and not yet handed on. */
extern size_t json_encoder_pending(const JsonEncoder *encoder);

/* Bytes as they stand: brackets, keys prepared before, digits, text that is JSON already. */
extern void json_encode_raw(JsonEncoder *encoder, const char *bytes, size_t length);
extern void json_encode_char(JsonEncoder *encoder, char byte);
/* A terminated string of brackets and the like, as it stands. */
extern void json_encode_literal(JsonEncoder *encoder, const char *text);
/* A string, quoted and escaped. */
extern void json_encode_string(JsonEncoder *encoder, const char *utf8, size_t length);
extern void json_encode_int64(JsonEncoder *encoder, int64_t value);
/* JSON text in which raw line breaks become blanks: the same value (a line break can only stand
 * between tokens), and one line of NDJSON. */
extern void json_encode_one_line(JsonEncoder *encoder, const char *json, size_t length);

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
extern bool json_encode_is_utf8(const char *text, size_t length);

#endif
