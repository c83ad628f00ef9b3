#include "json_encode.h"

#include <string.h>

#define WORD           sizeof(uint64_t)
#define EACH(byte)     (UINT64_C(0x0101010101010101) * (byte))
#define HIGH_BITS      EACH(0x80)
#define LONGEST_ESCAPE 6 /* \u001f */

void
json_encoder_init(JsonEncoder *encoder, char *buffer, size_t size, JsonEncodeFlush flush,
				  void *context)
{
	encoder->buffer = buffer;
	encoder->position = buffer;
	encoder->end = buffer + size;
	encoder->flush = flush;
	encoder->context = context;
	encoder->failed = false;
}

size_t
json_encoder_pending(const JsonEncoder *encoder)
{
	return (size_t) (encoder->position - encoder->buffer);
}

bool
json_encoder_flush(JsonEncoder *encoder)
{
	size_t pending = json_encoder_pending(encoder);

	encoder->position = encoder->buffer;
	if (!encoder->failed && pending > 0)
		encoder->failed = !encoder->flush(encoder->context, encoder->buffer, pending);
	return !encoder->failed;
}

static inline size_t
room(const JsonEncoder *encoder)
{
	return (size_t) (encoder->end - encoder->position);
}

void
json_encode_raw(JsonEncoder *encoder, const char *bytes, size_t length)
{
	while (length > room(encoder))
	{
		size_t piece = room(encoder);

		memcpy(encoder->position, bytes, piece);
		encoder->position += piece;
		bytes += piece;
		length -= piece;
		if (!json_encoder_flush(encoder))
			return;
	}
	memcpy(encoder->position, bytes, length);
	encoder->position += length;
}

void
json_encode_char(JsonEncoder *encoder, char byte)
{
	if (room(encoder) == 0)
		json_encoder_flush(encoder);
	*encoder->position++ = byte;
}

void
json_encode_literal(JsonEncoder *encoder, const char *text)
{
	json_encode_raw(encoder, text, strlen(text));
}

void
json_encode_int64(JsonEncoder *encoder, int64_t value)
{
	char digits[20]; /* -9223372036854775808 */
	char *first = digits + sizeof(digits);
	uint64_t magnitude = value < 0 ? -(uint64_t) value : (uint64_t) value;

	do
		*--first = (char) ('0' + magnitude % 10);
	while ((magnitude /= 10) > 0);
	if (value < 0)
		*--first = '-';
	json_encode_raw(encoder, first, (size_t) (digits + sizeof(digits) - first));
}

static inline bool
must_escape(unsigned char byte)
{
	return byte < 0x20 || byte == '"' || byte == '\\';
}

/*
 * Whether any of eight bytes must be escaped. The subtraction may borrow from a
 * byte that is found into its neighbour, so the answer is exact for the word
 * and not for the place.
 */
static inline bool
word_must_escape(uint64_t word)
{
	uint64_t quote = word ^ EACH('"');
	uint64_t backslash = word ^ EACH('\\');
	uint64_t control_found = (word - EACH(0x20)) & ~word;
	uint64_t quote_found = (quote - EACH(1)) & ~quote;
	uint64_t backslash_found = (backslash - EACH(1)) & ~backslash;

	return ((control_found | quote_found | backslash_found) & HIGH_BITS) != 0;
}

/*
 * Copies bytes up to the first that must be escaped, but at most `length`;
 * returns how many. There is room for them.
 */
static size_t
copy_plain(char *to, const char *from, size_t length)
{
	size_t done = 0;

	for (; length - done >= WORD; done += WORD)
	{
		uint64_t word;

		memcpy(&word, from + done, WORD);
		if (word_must_escape(word))
			break;
		memcpy(to + done, &word, WORD);
	}
	for (; done < length && !must_escape((unsigned char) from[done]); done++)
		to[done] = from[done];
	return done;
}

/* Writes the escape of one byte; returns its length. */
static size_t
put_escape(char *to, unsigned char byte)
{
	static const char hex[] = "0123456789abcdef";
	static const char short_forms[0x20] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

	to[0] = '\\';
	if (byte >= 0x20)
		to[1] = (char) byte;
	else if (short_forms[byte] != 0)
		to[1] = short_forms[byte];
	else
	{
		memcpy(to + 1, "u00", 3);
		to[4] = hex[byte >> 4];
		to[5] = hex[byte & 15];
		return LONGEST_ESCAPE;
	}
	return 2;
}

void
json_encode_string(JsonEncoder *encoder, const char *utf8, size_t length)
{
	json_encode_char(encoder, '"');
	while (length > 0)
	{
		size_t piece, done;

		if (room(encoder) < LONGEST_ESCAPE && !json_encoder_flush(encoder))
			return;
		piece = length < room(encoder) ? length : room(encoder);
		done = copy_plain(encoder->position, utf8, piece);
		encoder->position += done;
		utf8 += done;
		length -= done;
		if (done < piece && room(encoder) >= LONGEST_ESCAPE)
		{
			encoder->position += put_escape(encoder->position, (unsigned char) *utf8);
			utf8++;
			length--;
		}
	}
	json_encode_char(encoder, '"');
}

void
json_encode_one_line(JsonEncoder *encoder, const char *json, size_t length)
{
	const char *end = json + length;

	while (json < end && !encoder->failed)
	{
		const char *plain = json;

		while (json < end && *json != '\n' && *json != '\r')
			json++;
		json_encode_raw(encoder, plain, (size_t) (json - plain));
		for (; json < end && (*json == '\n' || *json == '\r'); json++)
			json_encode_char(encoder, ' ');
	}
}

/* Length of the sequence that begins here, or 0. RFC 3629, section 4. */
static size_t
utf8_sequence(const unsigned char *text, size_t length)
{
	unsigned char lowest = 0x80, highest = 0xbf;
	size_t wanted;

	if (text[0] >= 0xc2 && text[0] <= 0xdf)
		wanted = 2;
	else if (text[0] >= 0xe0 && text[0] <= 0xef)
		wanted = 3;
	else if (text[0] >= 0xf0 && text[0] <= 0xf4)
		wanted = 4;
	else
		return 0;
	if (text[0] == 0xe0)
		lowest = 0xa0;
	else if (text[0] == 0xed)
		highest = 0x9f;
	else if (text[0] == 0xf0)
		lowest = 0x90;
	else if (text[0] == 0xf4)
		highest = 0x8f;
	if (length < wanted || text[1] < lowest || text[1] > highest)
		return 0;
	for (size_t i = 2; i < wanted; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return wanted;
}

bool
json_encode_is_utf8(const char *text, size_t length)
{
	size_t done = 0;

	while (done < length)
	{
		uint64_t word;
		size_t sequence = 1;

		if (length - done >= WORD)
		{
			memcpy(&word, text + done, WORD);
			if ((word & HIGH_BITS) == 0)
			{
				done += WORD;
				continue;
			}
		}
		if (((unsigned char) text[done] & 0x80) != 0)
			sequence = utf8_sequence((const unsigned char *) text + done, length - done);
		if (sequence == 0)
			return false;
		done += sequence;
	}
	return true;
}
