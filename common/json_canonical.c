/*
 * json_canonical.c - see json_canonical.h.
 *
 * A recursive descent over the text, which writes the canonical text as it goes. An
 * object's members are written as they come; where each stands is kept until the object
 * ends, and if they then are not in order, they are put in order there.
 */
#include "json_canonical.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decimal_text.h"
#include "json_encode.h"

#define FIRST_BYTES   1024
#define FIRST_MEMBERS 32
#define PIECE_BYTES   1024

typedef struct Bytes
{
	char *bytes;
	size_t length;
	size_t capacity;
} Bytes;

/* A member of an object that is not over yet. */
typedef struct Member
{
	size_t key_offset; /* in `keys` */
	size_t key_length;
	const char *key;    /* the same place, set when no key is to be added any more */
	size_t text_offset; /* in `text`: key, colon and value */
	size_t text_length;
} Member;

struct JsonCanonical
{
	const char *at; /* in the document */
	const char *end;
	int depth;
	JsonEncoder encoder; /* fills `text` */
	char piece[PIECE_BYTES];
	bool out_of_memory;
	Bytes text;
	size_t max_text;
	Bytes keys;    /* unescaped, of the members below; at the end the string being read */
	Bytes ordered; /* members on their way to where they belong */
	Member *members;
	size_t member_count;
	size_t member_capacity;
};

static bool read_value(JsonCanonical *canonical);

/* --- buffers ------------------------------------------------------------------------- */

static bool
append(JsonCanonical *canonical, Bytes *to, const char *bytes, size_t length)
{
	/* at least one byte more, so that there always is a place to point to */
	if (length >= to->capacity - to->length)
	{
		size_t wanted = to->length + length + 1;
		size_t capacity = to->capacity * 2 > wanted ? to->capacity * 2 : wanted;
		char *grown;

		if (capacity < FIRST_BYTES)
			capacity = FIRST_BYTES;
		grown = realloc(to->bytes, capacity);
		if (grown == NULL)
		{
			canonical->out_of_memory = true;
			return false;
		}
		to->bytes = grown;
		to->capacity = capacity;
	}
	if (length > 0)
		memcpy(to->bytes + to->length, bytes, length);
	to->length += length;
	return true;
}

/* The encoder's flush. */
static bool
append_text(void *context, const char *bytes, size_t length)
{
	JsonCanonical *canonical = context;

	return length <= canonical->max_text - canonical->text.length &&
		   append(canonical, &canonical->text, bytes, length);
}

/* How much of the text is written. After a failure any answer will do. */
static size_t
text_length(JsonCanonical *canonical)
{
	json_encoder_flush(&canonical->encoder);
	return canonical->text.length;
}

static Member *
add_member(JsonCanonical *canonical)
{
	if (canonical->member_count == canonical->member_capacity)
	{
		size_t capacity =
			canonical->member_capacity == 0 ? FIRST_MEMBERS : canonical->member_capacity * 2;
		Member *grown = realloc(canonical->members, capacity * sizeof(Member));

		if (grown == NULL)
		{
			canonical->out_of_memory = true;
			return NULL;
		}
		canonical->members = grown;
		canonical->member_capacity = capacity;
	}
	return &canonical->members[canonical->member_count++];
}

/* --- the document's bytes ------------------------------------------------------------- */

static void
skip_space(JsonCanonical *canonical)
{
	while (canonical->at < canonical->end && (*canonical->at == ' ' || *canonical->at == '\n' ||
											  *canonical->at == '\r' || *canonical->at == '\t'))
		canonical->at++;
}

/* Takes this byte, white space before it. */
static bool
take(JsonCanonical *canonical, char byte)
{
	skip_space(canonical);
	if (canonical->at == canonical->end || *canonical->at != byte)
		return false;
	canonical->at++;
	return true;
}

/* --- strings ---------------------------------------------------------------------------- */

/* Takes four hex digits. */
static bool
take_code_unit(JsonCanonical *canonical, unsigned *unit)
{
	if (canonical->end - canonical->at < 4)
		return false;
	*unit = 0;
	for (int i = 0; i < 4; i++)
	{
		char c = *canonical->at++;
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned) (c - '0');
		else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
			digit = (unsigned) ((c | 0x20) - 'a' + 10);
		else
			return false;
		*unit = *unit << 4 | digit;
	}
	return true;
}

static bool
append_character(JsonCanonical *canonical, unsigned c)
{
	char utf8[4];
	size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = length - 1; i > 0; i--, c >>= 6)
		utf8[i] = (char) (0x80 | (c & 0x3f));
	utf8[0] = (char) (leads[length] | c);
	return append(canonical, &canonical->keys, utf8, length);
}

/* Behind "\u". */
static bool
take_unicode_escape(JsonCanonical *canonical)
{
	unsigned c, low;

	if (!take_code_unit(canonical, &c) || c == 0 || (c >= 0xdc00 && c <= 0xdfff))
		return false;
	if (c >= 0xd800 && c <= 0xdbff)
	{
		if (canonical->end - canonical->at < 2 || memcmp(canonical->at, "\\u", 2) != 0)
			return false;
		canonical->at += 2;
		if (!take_code_unit(canonical, &low) || low < 0xdc00 || low > 0xdfff)
			return false;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return append_character(canonical, c);
}

/* Behind the backslash. */
static bool
take_escape(JsonCanonical *canonical)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *letter;

	if (canonical->at == canonical->end)
		return false;
	if (*canonical->at == 'u')
	{
		canonical->at++;
		return take_unicode_escape(canonical);
	}
	letter = memchr(letters, *canonical->at++, sizeof(letters) - 1);
	return letter != NULL && append(canonical, &canonical->keys, &meanings[letter - letters], 1);
}

/* Takes a string, from its opening quote on, and adds its characters to `keys`. */
static bool
take_string(JsonCanonical *canonical)
{
	if (!take(canonical, '"'))
		return false;
	for (;;)
	{
		const char *from = canonical->at;
		const char *at = from;

		while (at < canonical->end && *at != '"' && *at != '\\' && (unsigned char) *at >= ' ')
			at++;
		canonical->at = at;
		if (at == canonical->end ||
			!append(canonical, &canonical->keys, from, (size_t) (at - from)))
			return false;
		canonical->at++;
		if (*at == '"')
			return true;
		if (*at != '\\' || !take_escape(canonical))
			return false;
	}
}

static bool
read_string(JsonCanonical *canonical)
{
	size_t start = canonical->keys.length;

	if (!take_string(canonical))
		return false;
	json_encode_string(&canonical->encoder, canonical->keys.bytes + start,
					   canonical->keys.length - start);
	canonical->keys.length = start;
	return true;
}

/* --- numbers and literals ------------------------------------------------------------------ */

static void
put_zeros(JsonEncoder *encoder, int64_t count)
{
	for (; count > 0 && !encoder->failed; count--)
		json_encode_char(encoder, '0');
}

/* Writes up to `count` digits and moves *at behind them; zeros once there are no more. */
static void
put_digits(JsonEncoder *encoder, const DecimalText *decimal, const char **at, int64_t count)
{
	for (; count > 0 && *at < decimal->end; count--)
		json_encode_char(encoder, (char) ('0' + decimal_text_take(at)));
	put_zeros(encoder, count);
}

static void
put_decimal(JsonEncoder *encoder, const DecimalText *decimal)
{
	const char *at = decimal->first;

	if (decimal->is_negative)
		json_encode_char(encoder, '-');
	if (decimal->integer_digits > 0)
		put_digits(encoder, decimal, &at, decimal->integer_digits);
	else
		json_encode_char(encoder, '0');
	if (at == decimal->end)
		return;
	json_encode_char(encoder, '.');
	put_zeros(encoder, -decimal->integer_digits);
	while (at < decimal->end)
		json_encode_char(encoder, (char) ('0' + decimal_text_take(&at)));
}

static bool
read_number(JsonCanonical *canonical)
{
	static const char number_bytes[] = "+-.0123456789Ee";
	const char *from = canonical->at;
	DecimalText decimal;

	while (canonical->at < canonical->end &&
		   memchr(number_bytes, *canonical->at, sizeof(number_bytes) - 1) != NULL)
		canonical->at++;
	if (!decimal_text_read(from, (size_t) (canonical->at - from), &decimal))
		return false;
	put_decimal(&canonical->encoder, &decimal);
	return true;
}

static bool
read_literal(JsonCanonical *canonical, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t) (canonical->end - canonical->at) < length ||
		memcmp(canonical->at, literal, length) != 0)
		return false;
	canonical->at += length;
	json_encode_raw(&canonical->encoder, literal, length);
	return true;
}

/* --- arrays and objects ----------------------------------------------------------------------- */

static bool
read_elements(JsonCanonical *canonical)
{
	for (;;)
	{
		if (!read_value(canonical))
			return false;
		if (!take(canonical, ','))
			return take(canonical, ']');
		json_encode_char(&canonical->encoder, ',');
	}
}

static bool
read_array(JsonCanonical *canonical)
{
	canonical->at++;
	json_encode_char(&canonical->encoder, '[');
	if (!take(canonical, ']') && !read_elements(canonical))
		return false;
	json_encode_char(&canonical->encoder, ']');
	return true;
}

static int
compare_keys(const Member *a, const Member *b)
{
	if (a->key_length != b->key_length)
		return a->key_length < b->key_length ? -1 : 1;
	return memcmp(a->key, b->key, a->key_length);
}

/* Of equal keys the one that came later is greater. */
static int
compare_members(const void *a, const void *b)
{
	const Member *first = a, *second = b;
	int order = compare_keys(first, second);

	if (order != 0)
		return order;
	return (first->text_offset > second->text_offset) - (first->text_offset < second->text_offset);
}

static bool
are_in_order(const Member *members, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (compare_keys(&members[i - 1], &members[i]) >= 0)
			return false;
	return true;
}

/* Puts the members of an object, which are all in `text`, where they belong. */
static bool
order_members(JsonCanonical *canonical, Member *members, size_t count)
{
	size_t start;

	if (count < 2)
		return true;
	for (size_t i = 0; i < count; i++)
		members[i].key = canonical->keys.bytes + members[i].key_offset;
	if (are_in_order(members, count))
		return true;

	start = members[0].text_offset;
	qsort(members, count, sizeof(Member), compare_members);
	canonical->ordered.length = 0;
	for (size_t i = 0; i < count; i++)
	{
		if (i + 1 < count && compare_keys(&members[i], &members[i + 1]) == 0)
			continue;
		if ((canonical->ordered.length > 0 && !append(canonical, &canonical->ordered, ",", 1)) ||
			!append(canonical, &canonical->ordered, canonical->text.bytes + members[i].text_offset,
					members[i].text_length))
			return false;
	}
	/* not longer than what it replaces */
	memcpy(canonical->text.bytes + start, canonical->ordered.bytes, canonical->ordered.length);
	canonical->text.length = start + canonical->ordered.length;
	return true;
}

static bool
read_member(JsonCanonical *canonical)
{
	size_t number = canonical->member_count;
	size_t text_offset = text_length(canonical);
	size_t key_offset = canonical->keys.length;
	Member *member = add_member(canonical);

	if (member == NULL || !take_string(canonical) || !take(canonical, ':'))
		return false;
	member->text_offset = text_offset;
	member->key_offset = key_offset;
	member->key_length = canonical->keys.length - key_offset;
	json_encode_string(&canonical->encoder, canonical->keys.bytes + key_offset, member->key_length);
	json_encode_char(&canonical->encoder, ':');
	if (!read_value(canonical))
		return false;
	/* members may have moved */
	canonical->members[number].text_length = text_length(canonical) - text_offset;
	return true;
}

static bool
read_members(JsonCanonical *canonical)
{
	size_t first = canonical->member_count;

	for (;;)
	{
		if (!read_member(canonical))
			return false;
		if (!take(canonical, ','))
			break;
		json_encode_char(&canonical->encoder, ',');
	}
	return take(canonical, '}') && !canonical->encoder.failed &&
		   order_members(canonical, canonical->members + first, canonical->member_count - first);
}

static bool
read_object(JsonCanonical *canonical)
{
	size_t first = canonical->member_count;
	size_t keys_start = canonical->keys.length;

	canonical->at++;
	json_encode_char(&canonical->encoder, '{');
	if (!take(canonical, '}') && !read_members(canonical))
		return false;
	json_encode_char(&canonical->encoder, '}');
	canonical->member_count = first;
	canonical->keys.length = keys_start;
	return true;
}

static bool
read_container(JsonCanonical *canonical)
{
	bool read;

	if (canonical->depth == JSON_CANONICAL_MAX_DEPTH)
		return false;
	canonical->depth++;
	read = *canonical->at == '[' ? read_array(canonical) : read_object(canonical);
	canonical->depth--;
	return read;
}

/* False when the document is refused; it is enough to look at `failed` of the encoder once. */
static bool
read_value(JsonCanonical *canonical)
{
	skip_space(canonical);
	if (canonical->at == canonical->end || canonical->encoder.failed)
		return false;
	switch (*canonical->at)
	{
		case '{':
		case '[':
			return read_container(canonical);
		case '"':
			return read_string(canonical);
		case 't':
			return read_literal(canonical, "true");
		case 'f':
			return read_literal(canonical, "false");
		case 'n':
			return read_literal(canonical, "null");
		default:
			return read_number(canonical);
	}
}

/* --- life --------------------------------------------------------------------------------- */

JsonCanonical *
json_canonical_create(void)
{
	return calloc(1, sizeof(JsonCanonical));
}

void
json_canonical_free(JsonCanonical *canonical)
{
	if (canonical == NULL)
		return;
	free(canonical->text.bytes);
	free(canonical->keys.bytes);
	free(canonical->ordered.bytes);
	free(canonical->members);
	free(canonical);
}

const char *
json_canonical_make(JsonCanonical *canonical, const char *json, size_t length,
					size_t *canonical_length)
{
	canonical->at = json;
	canonical->end = json + length;
	canonical->depth = 0;
	canonical->out_of_memory = false;
	canonical->text.length = canonical->keys.length = 0;
	canonical->member_count = 0;
	canonical->max_text = length + JSON_CANONICAL_MAX_GROWTH;
	json_encoder_init(&canonical->encoder, canonical->piece, sizeof(canonical->piece), append_text,
					  canonical);
	if (!json_encode_is_utf8(json, length) || !read_value(canonical))
		return NULL;
	skip_space(canonical);
	if (canonical->at != canonical->end || !json_encoder_flush(&canonical->encoder))
		return NULL;
	*canonical_length = canonical->text.length;
	return canonical->text.bytes;
}

bool
json_canonical_is_out_of_memory(const JsonCanonical *canonical)
{
	return canonical->out_of_memory;
}
