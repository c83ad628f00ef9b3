/*
 * json_frames.c - see json_frames.h.
 *
 * Two layers share one state variable. Between items (an item is a row, a
 * column's key or a column's value) step_between() looks at one byte at a
 * time, by the rules of the shape. Within an item scan_item() checks grammar
 * and encoding; it knows no shape, only its nesting.
 *
 * Each state can be left and entered again at any byte, so the end of a piece
 * is nothing special. The scanners only try to get far before they return to
 * the dispatcher, with tight loops over what bodies are made of: plain bytes
 * of strings, digits, white space.
 */
#include "json_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* first size of the carry buffer: most rows fit */
#define CARRY_FIRST_BYTES 1024

#define NESTING_WORD_BITS 64

/* any integer of so many digits is an int64 */
#define SAFE_INTEGER_DIGITS 18

#define END_OF_BODY "the end of the body"

/* the piece between two pieces */
static const char no_bytes[] = "";

typedef enum State
{
	/* between items */
	START,
	START_BOM_2, /* the second byte of a byte order mark must follow */
	START_BOM_3,
	ROWS_FIRST, /* after the body's [ */
	ROWS_VALUE,
	ROWS_NEXT,
	LINES_VALUE,
	LINES_BREAK,   /* after a row: a line break must come before the next */
	COLUMNS_FIRST, /* after the body's { */
	COLUMNS_KEY,
	COLUMNS_COLON,
	COLUMNS_VALUE, /* the [ of a column, or its only value */
	COLUMNS_NEXT,
	COLUMN_FIRST, /* after a column's [ */
	COLUMN_VALUE,
	COLUMN_NEXT,
	AFTER_BODY,

	/* within an item: structure; white space may precede what is expected */
	VALUE,
	ARRAY_FIRST,
	ARRAY_NEXT,
	OBJECT_FIRST,
	OBJECT_KEY,
	OBJECT_COLON,
	OBJECT_NEXT,
	/* strings */
	STRING,
	STRING_ESCAPE,
	STRING_HEX,
	STRING_LOW_BACKSLASH, /* after the escape of a high surrogate */
	STRING_LOW_U,
	STRING_UTF8, /* within a character of several bytes */
	/* numbers */
	NUMBER_MINUS,
	NUMBER_ZERO,
	NUMBER_INTEGER,
	NUMBER_POINT,
	NUMBER_FRACTION,
	NUMBER_EXPONENT,
	NUMBER_EXPONENT_SIGN,
	NUMBER_EXPONENT_DIGITS,
	LITERAL,

	/* where scan_item() stops of itself */
	FIRST_KEY_VALUE, /* at the value of the first key of a body of unknown shape */
	ITEM_COMPLETE,
	FAILED,
} State;

/* What a state waits for, in the words of a message. */
static const char *const expected_by_state[] = {
	[START] = "a JSON value",
	[START_BOM_2] = "a byte order mark",
	[START_BOM_3] = "a byte order mark",
	[ROWS_FIRST] = "a row or \"]\"",
	[ROWS_VALUE] = "a row",
	[ROWS_NEXT] = "\",\" or \"]\"",
	[LINES_VALUE] = "a row",
	[LINES_BREAK] = "a line break",
	[COLUMNS_FIRST] = "a column's key or \"}\"",
	[COLUMNS_KEY] = "a column's key",
	[COLUMNS_COLON] = "\":\" after a column's key",
	[COLUMNS_VALUE] = "a column's array",
	[COLUMNS_NEXT] = "\",\" or \"}\" after a column",
	[COLUMN_FIRST] = "a value or \"]\"",
	[COLUMN_VALUE] = "a value",
	[COLUMN_NEXT] = "\",\" or \"]\"",
	[AFTER_BODY] = END_OF_BODY,
	[VALUE] = "a value",
	[ARRAY_FIRST] = "a value or \"]\"",
	[ARRAY_NEXT] = "\",\" or \"]\"",
	[OBJECT_FIRST] = "a key or \"}\"",
	[OBJECT_KEY] = "a key",
	[OBJECT_COLON] = "\":\"",
	[OBJECT_NEXT] = "\",\" or \"}\"",
	[STRING] = "the rest of a string",
	[STRING_ESCAPE] = "an escape after \"\\\"",
	[STRING_HEX] = "four hexadecimal digits after \"\\u\"",
	[STRING_LOW_BACKSLASH] = "the escape of a low surrogate",
	[STRING_LOW_U] = "the escape of a low surrogate",
	[STRING_UTF8] = "valid UTF-8",
	[NUMBER_MINUS] = "a digit after \"-\"",
	[NUMBER_ZERO] = "no digit after a leading 0",
	[NUMBER_INTEGER] = "the end of a number",
	[NUMBER_POINT] = "a digit after the decimal point",
	[NUMBER_FRACTION] = "the end of a number",
	[NUMBER_EXPONENT] = "an exponent",
	[NUMBER_EXPONENT_SIGN] = "the digits of an exponent",
	[NUMBER_EXPONENT_DIGITS] = "the end of a number",
	[LITERAL] = "true, false or null",
};

typedef enum Item
{
	ITEM_NONE,
	ITEM_ROW,
	ITEM_KEY,   /* of a column */
	ITEM_VALUE, /* of a column */
} Item;

struct JsonFrames
{
	JsonFramesOptions options;
	JsonShape wanted_shape; /* of this body, UNKNOWN for any */
	JsonShape shape;
	State state;
	bool finished;

	/* the piece lent, and the next byte to look at */
	const char *piece;
	const char *piece_end;
	const char *at;
	int64_t piece_offset; /* of the piece's first byte in the body */

	/* the item being read: what is in `carry`, then the piece from `item_from` on */
	Item item;
	const char *item_from;
	int64_t item_offset;
	bool item_has_wide_integers;
	char *carry;
	size_t carry_length;
	size_t carry_capacity;
	int64_t rows;             /* ROW frames, or VALUE frames of this column, handed out */
	bool column_is_scalar;    /* the column's value is no array, but its only value */
	int64_t first_key_offset; /* of the body's first key, while the shape is unknown */

	/* nesting within the item: one bit per level, set for an object */
	int depth;
	uint64_t nesting[(JSON_FRAMES_MAX_DEPTH - 1) / NESTING_WORD_BITS + 1];
	State after_value;

	/* the token being read */
	State after_string;
	unsigned hex_digits_left;
	unsigned code_unit; /* of a \u escape */
	bool after_high_surrogate;
	unsigned utf8_left;     /* bytes due of this character */
	unsigned char utf8_low; /* range of the next one */
	unsigned char utf8_high;
	bool is_negative;
	size_t integer_digits;
	const char *literal_rest;

	JsonFramesError error;
};

/* --- errors ------------------------------------------------------------------ */

static int64_t
body_offset(const JsonFrames *frames, const char *p)
{
	return frames->piece_offset + (p - frames->piece);
}

/* Writes where in the body's own terms the parser stands, with a space before it, or nothing. */
static void
describe_place(const JsonFrames *frames, char *place, size_t capacity)
{
	bool in_column =
		frames->item == ITEM_VALUE || frames->state == COLUMN_NEXT || frames->state == COLUMN_VALUE;
	const char *of_column = in_column ? " of the column" : "";
	const char *what = in_column ? "value" : "row";

	*place = '\0';
	if (frames->item == ITEM_KEY)
		snprintf(place, capacity, " in a column's key");
	else if (frames->item != ITEM_NONE)
		snprintf(place, capacity, " in %s %" PRId64 "%s", what, frames->rows + 1, of_column);
	else if (frames->rows > 0 && (in_column || frames->shape != JSON_SHAPE_COLUMNS))
		snprintf(place, capacity, " after %s %" PRId64 "%s", what, frames->rows, of_column);
}

/* The one way into FAILED. `expected` NULL: what the state waits for. */
static void
fail_at(JsonFrames *frames, JsonFramesErrorKind kind, int64_t offset, const char *expected,
		const char *found)
{
	JsonFramesError *error = &frames->error;
	char place[64];

	if (expected == NULL)
		expected = expected_by_state[frames->state];
	describe_place(frames, place, sizeof(place));
	snprintf(error->message, sizeof(error->message), "expected %s%s, found %s", expected, place,
			 found);
	error->kind = kind;
	error->offset = offset;
	error->rows = frames->rows;
	frames->state = FAILED;
}

/* Fails at the byte *p. Returns p, so that a scanner can return this call. */
static const char *
fail_byte(JsonFrames *frames, JsonFramesErrorKind kind, const char *p, const char *expected)
{
	unsigned char c = (unsigned char) *p;
	char found[8];

	if (c < ' ' || c > '~')
		snprintf(found, sizeof(found), "\\x%02x", c);
	else
		snprintf(found, sizeof(found), c == '"' ? "'%c'" : "\"%c\"", c);
	fail_at(frames, kind, body_offset(frames, p), expected, found);
	return p;
}

static const char *
fail_syntax(JsonFrames *frames, const char *p)
{
	return fail_byte(frames, JSON_FRAMES_SYNTAX, p, NULL);
}

/* Fails at a \u escape as a whole; p is its last digit. */
static const char *
fail_escape(JsonFrames *frames, JsonFramesErrorKind kind, const char *p, const char *expected)
{
	char found[16];

	snprintf(found, sizeof(found), "\\u%04x", frames->code_unit & 0xffff);
	fail_at(frames, kind, body_offset(frames, p) - 5, expected, found);
	return p;
}

static void
fail_truncated(JsonFrames *frames)
{
	fail_at(frames, JSON_FRAMES_TRUNCATED, body_offset(frames, frames->piece_end), NULL,
			END_OF_BODY);
}

static void
fail_too_long(JsonFrames *frames)
{
	char expected[48];

	snprintf(expected, sizeof(expected), "at most %zu bytes", frames->options.max_row_bytes);
	fail_at(frames, JSON_FRAMES_ROW_TOO_LONG,
			frames->item_offset + (int64_t) frames->options.max_row_bytes, expected, "more");
}

static const char *
fail_too_deep(JsonFrames *frames, const char *p)
{
	char expected[48];

	snprintf(expected, sizeof(expected), "at most %d levels of nesting", JSON_FRAMES_MAX_DEPTH);
	return fail_byte(frames, JSON_FRAMES_TOO_DEEP, p, expected);
}

/* --- runs of bytes, of strings and digits eight at a time -------------------------- */

#define WORD_BYTES ((ptrdiff_t) sizeof(uint64_t))

/* a word with the byte c in all places */
#define EACH_BYTE(c) (UINT64_C(0x0101010101010101) * (c))

/* Eight bytes, the first of them in the lowest place. */
static inline uint64_t
load_word(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Number of the first byte of a word whose top bit is set; there is one. */
static inline int
first_marked(uint64_t word)
{
	return __builtin_ctzll(word) / 8;
}

static inline bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* True for a byte that stands for itself in a string: printable ASCII, no quote, no backslash. */
static inline bool
is_plain(char c)
{
	unsigned char byte = (unsigned char) c;

	return byte >= ' ' && byte < 0x80 && byte != '"' && byte != '\\';
}

static inline const char *
skip_space(const char *p, const char *end)
{
	/* mostly there is none, and the first comparison tells */
	while (p < end && (unsigned char) *p <= ' ' && is_space(*p))
		p++;
	return p;
}

/*
 * The subtractions mark a byte below the space, and one that is equal to the
 * quote or the backslash. A borrow may mark the byte above a marked one too,
 * but only the first mark counts, and that one is right.
 */
static inline const char *
skip_plain(const char *p, const char *end)
{
	for (; end - p >= WORD_BYTES; p += WORD_BYTES)
	{
		uint64_t word = load_word(p);
		uint64_t control = word - EACH_BYTE(' ');
		uint64_t quote = (word ^ EACH_BYTE('"')) - EACH_BYTE(1);
		uint64_t backslash = (word ^ EACH_BYTE('\\')) - EACH_BYTE(1);
		uint64_t marks = (word | control | quote | backslash) & EACH_BYTE(0x80);

		if (marks != 0)
			return p + first_marked(marks);
	}
	while (p < end && is_plain(*p))
		p++;
	return p;
}

/* A digit is what the exclusive or with '0' takes below 10; 0x76 more takes the rest above 0x7f. */
static inline const char *
skip_digits(const char *p, const char *end)
{
	for (; end - p >= WORD_BYTES; p += WORD_BYTES)
	{
		uint64_t value = load_word(p) ^ EACH_BYTE('0');
		uint64_t sum = (value & EACH_BYTE(0x7f)) + EACH_BYTE(0x76);
		uint64_t marks = (value | sum) & EACH_BYTE(0x80);

		if (marks != 0)
			return p + first_marked(marks);
	}
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* --- nesting ------------------------------------------------------------------------ */

static const char *
open_container(JsonFrames *frames, const char *p)
{
	bool is_object = *p == '{';
	uint64_t *word;
	uint64_t bit;

	if (frames->depth == JSON_FRAMES_MAX_DEPTH)
		return fail_too_deep(frames, p);
	word = &frames->nesting[frames->depth / NESTING_WORD_BITS];
	bit = UINT64_C(1) << (frames->depth % NESTING_WORD_BITS);
	*word = is_object ? *word | bit : *word & ~bit;
	frames->depth++;
	frames->after_value = is_object ? OBJECT_NEXT : ARRAY_NEXT;
	frames->state = is_object ? OBJECT_FIRST : ARRAY_FIRST;
	return p + 1;
}

static const char *
close_container(JsonFrames *frames, const char *p)
{
	frames->depth--;
	if (frames->depth == 0)
		frames->after_value = ITEM_COMPLETE;
	else
	{
		int level = frames->depth - 1;
		uint64_t word = frames->nesting[level / NESTING_WORD_BITS];

		frames->after_value = word >> (level % NESTING_WORD_BITS) & 1 ? OBJECT_NEXT : ARRAY_NEXT;
	}
	frames->state = frames->after_value;
	return p + 1;
}

/* --- strings --------------------------------------------------------------------- */

/* Takes the first byte of a character that is not ASCII (RFC 3629, section 4). */
static const char *
begin_utf8(JsonFrames *frames, const char *p)
{
	unsigned char c = (unsigned char) *p;

	if (c < 0xc2 || c > 0xf4)
		return fail_byte(frames, JSON_FRAMES_ENCODING, p, expected_by_state[STRING_UTF8]);
	frames->utf8_left = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	frames->utf8_low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	frames->utf8_high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	frames->state = STRING_UTF8;
	return p + 1;
}

static const char *
scan_utf8(JsonFrames *frames, const char *p, const char *end)
{
	for (; frames->utf8_left > 0; frames->utf8_left--, p++)
	{
		unsigned char c;

		if (p == end)
			return p;
		c = (unsigned char) *p;
		if (c < frames->utf8_low || c > frames->utf8_high)
			return fail_byte(frames, JSON_FRAMES_ENCODING, p, NULL);
		frames->utf8_low = 0x80;
		frames->utf8_high = 0xbf;
	}
	frames->state = STRING;
	return p;
}

/* At a byte of a string that is neither plain nor the closing quote. */
static const char *
scan_special(JsonFrames *frames, const char *p, const char *end)
{
	if (*p == '\\')
	{
		frames->state = STRING_ESCAPE;
		return p + 1;
	}
	if ((unsigned char) *p < ' ')
		return fail_syntax(frames, p);
	/* such characters mostly come together */
	do
	{
		p = begin_utf8(frames, p);
		if (frames->state == STRING_UTF8)
			p = scan_utf8(frames, p, end);
	} while (frames->state == STRING && p < end && (unsigned char) *p >= 0x80);
	return p;
}

/* Between two characters of a string. */
static const char *
scan_string(JsonFrames *frames, const char *p, const char *end)
{
	p = skip_plain(p, end);
	if (p == end)
		return p;
	if (*p != '"')
		return scan_special(frames, p, end);
	frames->state = frames->after_string;
	return p + 1;
}

static const char *
scan_escape(JsonFrames *frames, const char *p)
{
	switch (*p)
	{
		case '"':
		case '\\':
		case '/':
		case 'b':
		case 'f':
		case 'n':
		case 'r':
		case 't':
			frames->state = STRING;
			break;
		case 'u':
			frames->state = STRING_HEX;
			frames->hex_digits_left = 4;
			frames->code_unit = 0;
			break;
		default:
			return fail_syntax(frames, p);
	}
	return p + 1;
}

/* True within a key that names a column. */
static bool
in_column_name(const JsonFrames *frames)
{
	if (frames->item == ITEM_ROW)
		return frames->depth == 1 && frames->after_string == OBJECT_COLON;
	return frames->item == ITEM_KEY;
}

/* At the last digit of a \u escape. */
static const char *
end_code_unit(JsonFrames *frames, const char *p)
{
	bool is_high = frames->code_unit >= 0xd800 && frames->code_unit <= 0xdbff;
	bool is_low = frames->code_unit >= 0xdc00 && frames->code_unit <= 0xdfff;

	if (is_low && !frames->after_high_surrogate)
		return fail_escape(frames, JSON_FRAMES_SURROGATE, p, "a high surrogate before a low one");
	if (!is_low && frames->after_high_surrogate)
		return fail_escape(frames, JSON_FRAMES_SURROGATE, p,
						   expected_by_state[STRING_LOW_BACKSLASH]);
	if (frames->code_unit == 0 && in_column_name(frames))
		return fail_escape(frames, JSON_FRAMES_NUL_IN_KEY, p,
						   frames->item == ITEM_KEY ? "no NUL" : "no NUL within a key");
	frames->after_high_surrogate = is_high;
	frames->state = is_high ? STRING_LOW_BACKSLASH : STRING;
	return p + 1;
}

static const char *
scan_hex(JsonFrames *frames, const char *p, const char *end)
{
	for (; p < end; p++)
	{
		char lower = *p | 0x20;

		if (is_digit(*p))
			frames->code_unit = frames->code_unit << 4 | (unsigned) (*p - '0');
		else if (lower >= 'a' && lower <= 'f')
			frames->code_unit = frames->code_unit << 4 | (unsigned) (lower - 'a' + 10);
		else
			return fail_syntax(frames, p);
		if (--frames->hex_digits_left == 0)
			return end_code_unit(frames, p);
	}
	return p;
}

/* Between the halves of a surrogate pair. */
static const char *
scan_low_surrogate(JsonFrames *frames, const char *p)
{
	char wanted = frames->state == STRING_LOW_BACKSLASH ? '\\' : 'u';

	if (*p != wanted)
		return fail_byte(frames, JSON_FRAMES_SURROGATE, p, NULL);
	if (wanted == 'u')
		return scan_escape(frames, p);
	frames->state = STRING_LOW_U;
	return p + 1;
}

/* --- numbers and literals ---------------------------------------------------------- */

static void
end_number(JsonFrames *frames)
{
	if ((frames->state == NUMBER_ZERO && frames->is_negative) ||
		(frames->state == NUMBER_INTEGER && frames->integer_digits > SAFE_INTEGER_DIGITS))
		frames->item_has_wide_integers = true;
	frames->state = frames->after_value;
}

/* True when the number read so far is one. */
static bool
number_may_end(const JsonFrames *frames)
{
	return frames->state == NUMBER_ZERO || frames->state == NUMBER_INTEGER ||
		   frames->state == NUMBER_FRACTION || frames->state == NUMBER_EXPONENT_DIGITS;
}

static bool
continues_number(char c)
{
	return is_digit(c) || c == '.' || c == 'e' || c == 'E';
}

/* At a byte after the digits of the integer part, or of the fraction. */
static const char *
scan_after_digits(JsonFrames *frames, const char *p, bool in_fraction)
{
	if (*p == '.' && !in_fraction)
		frames->state = NUMBER_POINT;
	else if (*p == 'e' || *p == 'E')
		frames->state = NUMBER_EXPONENT;
	else
	{
		end_number(frames);
		return p;
	}
	return p + 1;
}

/* At a byte that must be a digit, and begins the digits of the state `next`. */
static const char *
scan_first_digit(JsonFrames *frames, const char *p, State next)
{
	if (!is_digit(*p))
		return fail_syntax(frames, p);
	frames->state = next;
	return p + 1;
}

/* One state's share of a number; the caller sees to it that p < end. */
static const char *
scan_number(JsonFrames *frames, const char *p, const char *end)
{
	const char *digits = p;

	switch (frames->state)
	{
		case NUMBER_MINUS:
			/* the digit itself is counted as NUMBER_INTEGER comes to it */
			if (!is_digit(*p))
				return fail_syntax(frames, p);
			frames->state = *p == '0' ? NUMBER_ZERO : NUMBER_INTEGER;
			return *p == '0' ? p + 1 : p;
		case NUMBER_ZERO:
			if (is_digit(*p))
				return fail_syntax(frames, p);
			return scan_after_digits(frames, p, false);
		case NUMBER_INTEGER:
			p = skip_digits(p, end);
			frames->integer_digits += (size_t) (p - digits);
			return p == end ? p : scan_after_digits(frames, p, false);
		case NUMBER_POINT:
			return scan_first_digit(frames, p, NUMBER_FRACTION);
		case NUMBER_FRACTION:
			p = skip_digits(p, end);
			return p == end ? p : scan_after_digits(frames, p, true);
		case NUMBER_EXPONENT:
			if (*p == '+' || *p == '-')
			{
				frames->state = NUMBER_EXPONENT_SIGN;
				return p + 1;
			}
			return scan_first_digit(frames, p, NUMBER_EXPONENT_DIGITS);
		case NUMBER_EXPONENT_SIGN:
			return scan_first_digit(frames, p, NUMBER_EXPONENT_DIGITS);
		default: /* NUMBER_EXPONENT_DIGITS */
			p = skip_digits(p, end);
			if (p < end)
				end_number(frames);
			return p;
	}
}

static const char *
begin_number(JsonFrames *frames, const char *p, const char *end)
{
	frames->is_negative = *p == '-';
	frames->integer_digits = 0;
	if (*p == '-' || *p == '0')
	{
		frames->state = *p == '-' ? NUMBER_MINUS : NUMBER_ZERO;
		return p + 1;
	}
	frames->state = NUMBER_INTEGER;
	return scan_number(frames, p, end);
}

static const char *
scan_literal(JsonFrames *frames, const char *p, const char *end)
{
	for (; *frames->literal_rest != '\0'; frames->literal_rest++, p++)
	{
		if (p == end)
			return p;
		if (*p != *frames->literal_rest)
			return fail_syntax(frames, p);
	}
	frames->state = frames->after_value;
	return p;
}

static const char *
begin_literal(JsonFrames *frames, const char *p, const char *end, const char *rest)
{
	frames->state = LITERAL;
	frames->literal_rest = rest;
	return scan_literal(frames, p + 1, end);
}

/* --- items ------------------------------------------------------------------------- */

static const char *
begin_string(JsonFrames *frames, const char *p, const char *end, State after)
{
	frames->after_string = after;
	frames->after_high_surrogate = false;
	frames->state = STRING;
	return scan_string(frames, p + 1, end);
}

static const char *
begin_value(JsonFrames *frames, const char *p, const char *end)
{
	if (frames->shape == JSON_SHAPE_UNKNOWN && frames->depth == 1)
	{
		frames->state = FIRST_KEY_VALUE;
		return p;
	}
	switch (*p)
	{
		case '"':
			return begin_string(frames, p, end, frames->after_value);
		case '{':
		case '[':
			return open_container(frames, p);
		case 't':
			return begin_literal(frames, p, end, "rue");
		case 'f':
			return begin_literal(frames, p, end, "alse");
		case 'n':
			return begin_literal(frames, p, end, "ull");
		default:
			if (*p != '-' && !is_digit(*p))
				return fail_syntax(frames, p);
			return begin_number(frames, p, end);
	}
}

static const char *
begin_key(JsonFrames *frames, const char *p, const char *end)
{
	if (*p != '"')
		return fail_syntax(frames, p);
	if (frames->shape == JSON_SHAPE_UNKNOWN)
		frames->first_key_offset = body_offset(frames, p);
	return begin_string(frames, p, end, OBJECT_COLON);
}

/* At or before the colon of a member; reads on into the value. */
static const char *
scan_colon(JsonFrames *frames, const char *p, const char *end)
{
	p = skip_space(p, end);
	if (p == end)
		return p;
	if (*p != ':')
		return fail_syntax(frames, p);
	frames->state = VALUE;
	p = skip_space(p + 1, end);
	return p == end ? p : begin_value(frames, p, end);
}

/* At the first byte of a member. */
static const char *
scan_member(JsonFrames *frames, const char *p, const char *end)
{
	p = begin_key(frames, p, end);
	return frames->state == OBJECT_COLON ? scan_colon(frames, p, end) : p;
}

/* At the byte after a value within an object or array: its end, or a comma and the next one. */
static const char *
scan_next(JsonFrames *frames, const char *p, const char *end)
{
	bool in_object = frames->state == OBJECT_NEXT;

	if (*p == ',')
	{
		frames->state = in_object ? OBJECT_KEY : VALUE;
		p = skip_space(p + 1, end);
		if (p == end)
			return p;
		return in_object ? scan_member(frames, p, end) : begin_value(frames, p, end);
	}
	if (*p != (in_object ? '}' : ']'))
		return fail_syntax(frames, p);
	return close_container(frames, p);
}

/* The states between tokens. */
static const char *
scan_structure(JsonFrames *frames, const char *p, const char *end)
{
	p = skip_space(p, end);
	if (p == end)
		return p;
	switch (frames->state)
	{
		case OBJECT_FIRST:
			return *p == '}' ? close_container(frames, p) : scan_member(frames, p, end);
		case OBJECT_KEY:
			return scan_member(frames, p, end);
		case OBJECT_COLON:
			return scan_colon(frames, p, end);
		case OBJECT_NEXT:
		case ARRAY_NEXT:
			return scan_next(frames, p, end);
		case ARRAY_FIRST:
			return *p == ']' ? close_container(frames, p) : begin_value(frames, p, end);
		default: /* VALUE */
			return begin_value(frames, p, end);
	}
}

/*
 * Reads on in the item. Returns `end`, or where it stopped of itself: after
 * the item (at the delimiter, if that is what ended a number), at the value
 * of the first key, or at the byte that is wrong.
 */
static const char *
scan_item(JsonFrames *frames, const char *p, const char *end)
{
	while (p < end)
	{
		switch (frames->state)
		{
			case VALUE:
			case ARRAY_FIRST:
			case ARRAY_NEXT:
			case OBJECT_FIRST:
			case OBJECT_KEY:
			case OBJECT_COLON:
			case OBJECT_NEXT:
				p = scan_structure(frames, p, end);
				break;
			case STRING:
				p = scan_string(frames, p, end);
				break;
			case STRING_ESCAPE:
				p = scan_escape(frames, p);
				break;
			case STRING_HEX:
				p = scan_hex(frames, p, end);
				break;
			case STRING_LOW_BACKSLASH:
			case STRING_LOW_U:
				p = scan_low_surrogate(frames, p);
				break;
			case STRING_UTF8:
				p = scan_utf8(frames, p, end);
				break;
			case NUMBER_MINUS:
			case NUMBER_ZERO:
			case NUMBER_INTEGER:
			case NUMBER_POINT:
			case NUMBER_FRACTION:
			case NUMBER_EXPONENT:
			case NUMBER_EXPONENT_SIGN:
			case NUMBER_EXPONENT_DIGITS:
				p = scan_number(frames, p, end);
				break;
			case LITERAL:
				p = scan_literal(frames, p, end);
				break;
			default:
				return p;
		}
	}
	return p;
}

/* Looks at other bytes from here on. Of the old ones nothing is looked at again. */
static void
set_piece(JsonFrames *frames, const char *bytes, size_t length)
{
	frames->piece_offset += frames->piece_end - frames->piece;
	frames->piece = bytes;
	frames->piece_end = bytes + length;
	frames->at = bytes;
	frames->item_from = bytes;
}

/* The piece is used up and goes back to its owner; an open item was carried. */
static void
give_more(JsonFrames *frames, JsonFrame *frame)
{
	set_piece(frames, no_bytes, 0);
	frame->kind = JSON_FRAME_MORE;
}

/* An item begins at p, which is not read yet. */
static void
begin_item(JsonFrames *frames, Item item, const char *p)
{
	frames->item = item;
	frames->item_from = p;
	frames->item_offset = body_offset(frames, p);
	frames->item_has_wide_integers = false;
	frames->carry_length = 0;
	frames->depth = 0;
	frames->after_value = ITEM_COMPLETE;
	frames->state = VALUE;
}

/*
 * Moves what was read of the item out of the piece. The item is known to be
 * within max_row_bytes, and so is the buffer.
 */
static bool
carry_item(JsonFrames *frames)
{
	size_t length = (size_t) (frames->at - frames->item_from);
	size_t needed = frames->carry_length + length;

	if (needed > frames->carry_capacity)
	{
		size_t limit = frames->options.max_row_bytes;
		size_t capacity = frames->carry_capacity;
		char *carry;

		capacity = capacity > limit / 2 ? limit : capacity * 2;
		if (capacity < CARRY_FIRST_BYTES)
			capacity = CARRY_FIRST_BYTES;
		if (capacity < needed)
			capacity = needed;
		carry = realloc(frames->carry, capacity);
		if (carry == NULL)
		{
			fail_at(frames, JSON_FRAMES_OUT_OF_MEMORY, body_offset(frames, frames->at),
					"memory to hold the text", "none");
			return false;
		}
		frames->carry = carry;
		frames->carry_capacity = capacity;
	}
	memcpy(frames->carry + frames->carry_length, frames->item_from, length);
	frames->carry_length = needed;
	frames->item_from = frames->at;
	return true;
}

/* The text of the item up to frames->at, in one stretch; NULL after a failure. */
static const char *
item_text(JsonFrames *frames, size_t *length)
{
	if (frames->carry_length == 0)
	{
		*length = (size_t) (frames->at - frames->item_from);
		return frames->item_from;
	}
	if (!carry_item(frames))
		return NULL;
	*length = frames->carry_length;
	return frames->carry;
}

static void
give_item(JsonFrames *frames, JsonFrame *frame)
{
	frame->text = item_text(frames, &frame->length);
	if (frame->text == NULL)
		return;
	frame->offset = frames->item_offset;
	frame->has_wide_integers = frames->item_has_wide_integers;
	switch (frames->item)
	{
		case ITEM_KEY:
			frame->kind = JSON_FRAME_COLUMN;
			frames->rows = 0;
			frames->state = COLUMNS_COLON;
			break;
		case ITEM_VALUE:
			frame->kind = JSON_FRAME_VALUE;
			frames->rows++;
			frames->state = frames->column_is_scalar ? COLUMNS_NEXT : COLUMN_NEXT;
			break;
		default:
			frame->kind = JSON_FRAME_ROW;
			frames->rows++;
			if (frames->shape == JSON_SHAPE_UNKNOWN) /* {}: no value came to tell it by */
				frames->shape = JSON_SHAPE_LINES;
			frames->state = frames->shape == JSON_SHAPE_ARRAY ? ROWS_NEXT : LINES_BREAK;
			break;
	}
	frames->item = ITEM_NONE;
}

/*
 * At the first byte of the value of the body's first key: is this a row, or
 * the object that holds the columns? In the latter case the key is a frame.
 */
static void
decide_shape(JsonFrames *frames, JsonFrame *frame)
{
	const JsonFramesOptions *options = &frames->options;
	size_t length;
	const char *text = item_text(frames, &length);
	const char *key;
	const char *key_end;

	if (text == NULL)
		return;
	key = text + (frames->first_key_offset - frames->item_offset);
	for (key_end = text + length; key_end[-1] != '"'; key_end--)
		; /* back over white space and the colon */
	if (*frames->at != '[' ||
		(options->key_takes_array != NULL &&
		 options->key_takes_array(options->context, key + 1, (size_t) (key_end - key) - 2)))
	{
		frames->shape = JSON_SHAPE_LINES;
		frames->state = VALUE;
		return;
	}
	frame->kind = JSON_FRAME_COLUMN;
	frame->text = key;
	frame->length = (size_t) (key_end - key);
	frame->offset = frames->first_key_offset;
	frames->shape = JSON_SHAPE_COLUMNS;
	frames->state = COLUMNS_VALUE;
	frames->item = ITEM_NONE;
}

/* What ends an item that the piece, or max_row_bytes, leaves open. */
static void
stop_in_item(JsonFrames *frames, JsonFrame *frame)
{
	bool at_limit = frames->at < frames->piece_end;
	bool may_end = frames->depth == 0 && number_may_end(frames);

	if (at_limit && may_end && !continues_number(*frames->at))
		end_number(frames);
	else if (at_limit)
		fail_too_long(frames);
	else if (!frames->finished)
	{
		if (carry_item(frames))
			give_more(frames, frame);
	}
	else if (may_end && frames->shape == JSON_SHAPE_LINES)
		end_number(frames);
	else
		fail_truncated(frames);
}

/* Reads on in the item; fills in `frame` when that leads to one, or to the end of the piece. */
static void
read_item(JsonFrames *frames, JsonFrame *frame)
{
	size_t room = frames->options.max_row_bytes - frames->carry_length;
	const char *end = frames->piece_end;

	if ((size_t) (end - frames->item_from) > room)
		end = frames->item_from + room;
	frames->at = scan_item(frames, frames->at, end);
	if (frames->state == FIRST_KEY_VALUE)
		decide_shape(frames, frame);
	else if (frames->state != ITEM_COMPLETE && frames->state != FAILED)
		stop_in_item(frames, frame);
	if (frames->state == ITEM_COMPLETE)
		give_item(frames, frame);
}

/* --- between items --------------------------------------------------------------- */

static bool
begins_value(char c)
{
	return c == '{' || c == '[' || c == '"' || c == '-' || is_digit(c) || c == 't' || c == 'f' ||
		   c == 'n';
}

/* An item begins at p if a value can. */
static void
expect_item(JsonFrames *frames, Item item, const char *p)
{
	if (!begins_value(*p))
		fail_syntax(frames, p);
	else
		begin_item(frames, item, p);
}

/* A delimiter was read. */
static void
step_to(JsonFrames *frames, State state)
{
	frames->state = state;
	frames->at++;
}

/* At the first byte that is no white space: which shape has the body? */
static void
step_start(JsonFrames *frames, const char *p)
{
	JsonShape wanted = frames->wanted_shape;

	if (body_offset(frames, p) == 0 && *p == '\xef')
		step_to(frames, START_BOM_2);
	else if (*p == '[' && (wanted == JSON_SHAPE_UNKNOWN || wanted == JSON_SHAPE_ARRAY))
	{
		frames->shape = JSON_SHAPE_ARRAY;
		step_to(frames, ROWS_FIRST);
	}
	else if (*p == '{' && wanted == JSON_SHAPE_COLUMNS)
	{
		frames->shape = JSON_SHAPE_COLUMNS;
		step_to(frames, COLUMNS_FIRST);
	}
	else if (wanted == JSON_SHAPE_ARRAY)
		fail_byte(frames, JSON_FRAMES_SYNTAX, p, "\"[\"");
	else if (wanted == JSON_SHAPE_COLUMNS)
		fail_byte(frames, JSON_FRAMES_SYNTAX, p, "\"{\"");
	else
	{
		expect_item(frames, ITEM_ROW, p);
		if (*p != '{' && frames->state != FAILED)
			frames->shape = JSON_SHAPE_LINES;
	}
}

static void
step_bom(JsonFrames *frames, const char *p)
{
	if (*p != (frames->state == START_BOM_2 ? '\xbb' : '\xbf'))
		fail_syntax(frames, p);
	else
		step_to(frames, frames->state == START_BOM_2 ? START_BOM_3 : START);
}

static void
step_rows(JsonFrames *frames, const char *p)
{
	if (*p == ']' && frames->state != ROWS_VALUE)
		step_to(frames, AFTER_BODY);
	else if (frames->state != ROWS_NEXT)
		expect_item(frames, ITEM_ROW, p);
	else if (*p == ',')
		step_to(frames, ROWS_VALUE);
	else
		fail_syntax(frames, p);
}

/* Between two columns. */
static void
step_columns(JsonFrames *frames, const char *p)
{
	bool key_is_due = frames->state == COLUMNS_FIRST || frames->state == COLUMNS_KEY;

	if (*p == '}' && (frames->state == COLUMNS_FIRST || frames->state == COLUMNS_NEXT))
		step_to(frames, AFTER_BODY);
	else if (*p == ',' && frames->state == COLUMNS_NEXT)
		step_to(frames, COLUMNS_KEY);
	else if (*p == ':' && frames->state == COLUMNS_COLON)
		step_to(frames, COLUMNS_VALUE);
	else if (*p == '"' && key_is_due)
		begin_item(frames, ITEM_KEY, p);
	else
		fail_syntax(frames, p);
}

/* At and within the value of a column. */
static void
step_column(JsonFrames *frames, const char *p)
{
	if (*p == '[' && frames->state == COLUMNS_VALUE)
		step_to(frames, COLUMN_FIRST);
	else if (*p == ']' && (frames->state == COLUMN_FIRST || frames->state == COLUMN_NEXT))
		step_to(frames, COLUMNS_NEXT);
	else if (*p == ',' && frames->state == COLUMN_NEXT)
		step_to(frames, COLUMN_VALUE);
	else if (frames->state == COLUMN_NEXT)
		fail_syntax(frames, p);
	else
	{
		frames->column_is_scalar = frames->state == COLUMNS_VALUE;
		expect_item(frames, ITEM_VALUE, p);
	}
}

/* One significant byte between items. */
static void
step_between(JsonFrames *frames, const char *p)
{
	switch (frames->state)
	{
		case START:
			step_start(frames, p);
			break;
		case START_BOM_2:
		case START_BOM_3:
			step_bom(frames, p);
			break;
		case ROWS_FIRST:
		case ROWS_VALUE:
		case ROWS_NEXT:
			step_rows(frames, p);
			break;
		case LINES_VALUE:
			expect_item(frames, ITEM_ROW, p);
			break;
		case COLUMNS_FIRST:
		case COLUMNS_KEY:
		case COLUMNS_COLON:
		case COLUMNS_NEXT:
			step_columns(frames, p);
			break;
		case COLUMNS_VALUE:
		case COLUMN_FIRST:
		case COLUMN_VALUE:
		case COLUMN_NEXT:
			step_column(frames, p);
			break;
		default: /* LINES_BREAK without one, AFTER_BODY */
			fail_syntax(frames, p);
			break;
	}
}

/* White space means something in two places: in a byte order mark, and as a line break. */
static const char *
skip_space_between(JsonFrames *frames, const char *p)
{
	const char *from = p;

	if (frames->state == START_BOM_2 || frames->state == START_BOM_3)
		return p;
	p = skip_space(p, frames->piece_end);
	if (frames->state == LINES_BREAK && p > from && memchr(from, '\n', (size_t) (p - from)) != NULL)
		frames->state = LINES_VALUE;
	return p;
}

/* Reads up to the next item, or to the end of the piece. */
static void
read_between(JsonFrames *frames, JsonFrame *frame)
{
	while (frames->item == ITEM_NONE && frames->state != FAILED)
	{
		frames->at = skip_space_between(frames, frames->at);
		if (frames->at < frames->piece_end)
			step_between(frames, frames->at);
		else
			break;
	}
	if (frames->item != ITEM_NONE || frames->state == FAILED)
		return;
	if (!frames->finished)
	{
		give_more(frames, frame);
		return;
	}
	if (frames->state == START && frames->wanted_shape == JSON_SHAPE_UNKNOWN)
		frames->shape = JSON_SHAPE_LINES;
	if (frames->state == AFTER_BODY || frames->state == LINES_VALUE ||
		frames->state == LINES_BREAK ||
		(frames->state == START && frames->shape == JSON_SHAPE_LINES))
		frame->kind = JSON_FRAME_END;
	else
		fail_truncated(frames);
}

/* --- the caller's side ------------------------------------------------------------- */

JsonFrames *
json_frames_create(const JsonFramesOptions *options)
{
	JsonFrames *frames = calloc(1, sizeof(*frames));

	if (frames == NULL)
		return NULL;
	frames->options = *options;
	json_frames_reset(frames, options->shape);
	return frames;
}

void
json_frames_free(JsonFrames *frames)
{
	if (frames == NULL)
		return;
	free(frames->carry);
	free(frames);
}

void
json_frames_reset(JsonFrames *frames, JsonShape shape)
{
	JsonFramesOptions options = frames->options;
	char *carry = frames->carry;
	size_t carry_capacity = frames->carry_capacity;

	*frames = (JsonFrames){
		.options = options,
		.wanted_shape = shape,
		.shape = shape == JSON_SHAPE_LINES ? shape : JSON_SHAPE_UNKNOWN,
		.state = START,
		.piece = no_bytes,
		.piece_end = no_bytes,
		.at = no_bytes,
		.item_from = no_bytes,
		.carry = carry,
		.carry_capacity = carry_capacity,
	};
}

void
json_frames_feed(JsonFrames *frames, const char *bytes, size_t length)
{
	if (length > 0) /* else `bytes` may be NULL */
		set_piece(frames, bytes, length);
}

JsonFrameKind
json_frames_next(JsonFrames *frames, JsonFrame *frame)
{
	/* no frame of this kind is made otherwise, so it stands for none yet */
	*frame = (JsonFrame){.kind = JSON_FRAME_ERROR};
	while (frame->kind == JSON_FRAME_ERROR && frames->state != FAILED)
	{
		if (frames->item == ITEM_NONE)
			read_between(frames, frame);
		else
			read_item(frames, frame);
	}
	return frame->kind;
}

void
json_frames_finish(JsonFrames *frames)
{
	frames->finished = true;
}

JsonShape
json_frames_shape(const JsonFrames *frames)
{
	return frames->shape;
}

const JsonFramesError *
json_frames_error(const JsonFrames *frames)
{
	return &frames->error;
}
