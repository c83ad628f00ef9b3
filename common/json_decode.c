/*
 * json_decode.c - see json_decode.h.
 *
 * json-c 0.16 reads the document. What it gives back is not taken on trust
 * where it is known to lose something:
 * - an integer that is no int64 comes out as the nearest one, and -0 as 0;
 *   so in rows that hold wide integers these values are looked up in the text;
 * - an escaped pair of surrogates whose character has D800 to DFFF for its low
 *   16 bits (U+2D800) comes out as U+FFFD; so where a string or a key has that
 *   character, the row's text is what counts;
 * - an array or object, written out again, would lose the same, and cut keys
 *   at \u0000; so their text is taken from the row too, white space left out.
 * A number with a fraction or an exponent keeps its digits in json-c, whose
 * conversion to double, and the locale it runs in, then do not matter.
 *
 * json-c's strict mode is not used: json_frames has checked more than it
 * would, and it refuses wide integers. Nor is its check of UTF-8, again for
 * having been done.
 */
#include "json_decode.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "json_frames.h"
#include "json_number.h"

#define FIRST_TEXT_BYTES 1024

/*
 * json-c makes some 40 to 70 bytes of every byte of an array of small numbers.
 * From this length on its arrays and objects, and members that are no column's,
 * are kept from it; their text is taken from the row anyway.
 */
#define LONG_ROW_BYTES (16 * 1024)

/* json-c is fed so much at a time, so that it can be interrupted in between */
#define SLICE_BYTES (64 * 1024)

#define NO_COLUMN (-1)

typedef struct Column
{
	char *name; /* NULL: never matches */
	size_t length;
	bool wants_text; /* this row's value is to be taken from the row's text */
} Column;

struct JsonDecoder
{
	struct json_tokener *tokener;
	struct json_object *document; /* of the last row: fields lend from it */
	Column *columns;
	int column_count;
	int *slots;       /* hash table of column numbers, open addressing */
	size_t slot_mask; /* slots - 1, a power of two less one */
	char *text;       /* values copied from the row: fields lend from it too */
	size_t text_capacity;
	char *key; /* an unescaped one */
	size_t key_capacity;
	char *reduced; /* a long row without what json-c need not see */
	size_t reduced_capacity;
	bool (*interrupted)(void); /* may be NULL */
	const char *message;
};

/* --- columns by name --------------------------------------------------------------- */

/* FNV-1a (Fowler, Noll, Vo), 32 bits; names are the caller's, so nobody can choose collisions. */
static size_t
hash_name(const char *name, size_t length)
{
	uint32_t hash = UINT32_C(2166136261);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char) name[i]) * UINT32_C(16777619);
	return hash;
}

static bool
column_has_name(const Column *column, const char *name, size_t length)
{
	return column->length == length && column->name != NULL &&
		   memcmp(column->name, name, length) == 0;
}

static size_t
find_slot(const JsonDecoder *decoder, const char *name, size_t length)
{
	size_t slot = hash_name(name, length) & decoder->slot_mask;

	while (decoder->slots[slot] != NO_COLUMN &&
		   !column_has_name(&decoder->columns[decoder->slots[slot]], name, length))
		slot = (slot + 1) & decoder->slot_mask;
	return slot;
}

/* `guess` is the column after the last one found: members mostly come in the columns' order. */
static int
find_column(const JsonDecoder *decoder, const char *name, size_t length, int guess)
{
	if (guess < decoder->column_count && column_has_name(&decoder->columns[guess], name, length))
		return guess;
	return decoder->slots[find_slot(decoder, name, length)];
}

static bool
add_column(JsonDecoder *decoder, int number, const char *name)
{
	Column *column = &decoder->columns[number];
	size_t length = strlen(name);
	size_t slot;

	if (length == 0)
		return true;
	column->name = malloc(length);
	if (column->name == NULL)
		return false;
	memcpy(column->name, name, length);
	column->length = length;
	slot = find_slot(decoder, name, length);
	if (decoder->slots[slot] == NO_COLUMN)
		decoder->slots[slot] = number;
	return true;
}

/* --- life ---------------------------------------------------------------------------- */

static bool
allocate(JsonDecoder *decoder, int columns)
{
	size_t slots = 8;

	while (slots < (size_t) columns * 2)
		slots *= 2;
	decoder->slot_mask = slots - 1;
	decoder->column_count = columns;
	decoder->columns = calloc((size_t) columns + 1, sizeof(Column));
	decoder->slots = malloc(slots * sizeof(int));
	/* json-c counts the levels otherwise, and one more for a scalar at the bottom */
	decoder->tokener = json_tokener_new_ex(JSON_FRAMES_MAX_DEPTH + 2);
	if (decoder->columns == NULL || decoder->slots == NULL || decoder->tokener == NULL)
		return false;
	for (size_t i = 0; i < slots; i++)
		decoder->slots[i] = NO_COLUMN;
	return true;
}

JsonDecoder *
json_decoder_create(const char *const *names, int columns)
{
	JsonDecoder *decoder = calloc(1, sizeof(*decoder));
	bool ready = decoder != NULL && allocate(decoder, columns);

	for (int i = 0; ready && i < columns; i++)
		ready = add_column(decoder, i, names[i]);
	if (!ready)
	{
		json_decoder_free(decoder);
		return NULL;
	}
	decoder->message = "";
	return decoder;
}

void
json_decoder_free(JsonDecoder *decoder)
{
	if (decoder == NULL)
		return;
	json_object_put(decoder->document);
	if (decoder->tokener != NULL)
		json_tokener_free(decoder->tokener);
	for (int i = 0; decoder->columns != NULL && i < decoder->column_count; i++)
		free(decoder->columns[i].name);
	free(decoder->columns);
	free(decoder->slots);
	free(decoder->text);
	free(decoder->key);
	free(decoder->reduced);
	free(decoder);
}

void
json_decoder_set_interrupted(JsonDecoder *decoder, bool (*interrupted)(void))
{
	decoder->interrupted = interrupted;
}

/* --- values from the row's text -------------------------------------------------------
 * The text is valid JSON; `end` is looked at only so that a caller's mistake cannot lead
 * out of it. */

static bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *
skip_space(const char *p, const char *end)
{
	while (p < end && is_space(*p))
		p++;
	return p;
}

/* From the opening quote to behind the closing one. */
static const char *
skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
	{
		if (*p == '\\' && p + 1 < end)
			p++;
	}
	return p < end ? p + 1 : end;
}

/* To behind the value at p. */
static const char *
skip_value(const char *p, const char *end)
{
	int depth = 0;

	while (p < end)
	{
		char c = *p;

		if (c == '"')
			p = skip_string(p, end);
		else if (depth == 0 && (c == ',' || c == '}' || is_space(c)))
			return p;
		else
		{
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
			p++;
		}
		if (depth == 0 && (c == '"' || c == '}' || c == ']'))
			return p;
	}
	return p;
}

static unsigned
hex_value(const char *digits)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++)
	{
		char c = digits[i];

		value = value << 4 | (unsigned) (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return value;
}

/* Writes a character as UTF-8 (RFC 3629); returns the end. */
static char *
put_character(char *to, unsigned c)
{
	if (c < 0x80)
		*to++ = (char) c;
	else if (c < 0x800)
	{
		*to++ = (char) (0xc0 | c >> 6);
		*to++ = (char) (0x80 | (c & 0x3f));
	}
	else if (c < 0x10000)
	{
		*to++ = (char) (0xe0 | c >> 12);
		*to++ = (char) (0x80 | (c >> 6 & 0x3f));
		*to++ = (char) (0x80 | (c & 0x3f));
	}
	else
	{
		*to++ = (char) (0xf0 | c >> 18);
		*to++ = (char) (0x80 | (c >> 12 & 0x3f));
		*to++ = (char) (0x80 | (c >> 6 & 0x3f));
		*to++ = (char) (0x80 | (c & 0x3f));
	}
	return to;
}

/* Takes a \u escape, or a pair of them, at p, the u; *to_end is the end of what it stands for. */
static const char *
unescape_unicode(const char *p, char *to, char **to_end)
{
	unsigned c = hex_value(p + 1);

	p += 5;
	if (c >= 0xd800 && c <= 0xdbff)
	{
		c = 0x10000 + ((c - 0xd800) << 10) + (hex_value(p + 2) - 0xdc00);
		p += 6;
	}
	*to_end = put_character(to, c);
	return p;
}

/*
 * The characters of a string that json_frames has checked, quotes included, as
 * UTF-8; returns the end. Never longer than the string without its quotes.
 */
static char *
unescape_string(char *to, const char *p, const char *end)
{
	static const char letters[] = "bfnrt";
	static const char meanings[] = "\b\f\n\r\t";

	for (p++, end--; p < end;)
	{
		const char *letter;

		if (*p != '\\')
		{
			*to++ = *p++;
			continue;
		}
		p++;
		if (*p == 'u')
		{
			p = unescape_unicode(p, to, &to);
			continue;
		}
		letter = strchr(letters, *p);
		*to++ = letter == NULL ? *p : meanings[letter - letters];
		p++;
	}
	return to;
}

/* Whether there is U+FFFD: what json-c makes of what it does not understand, or meant. */
static bool
is_doubtful(const char *text, size_t length)
{
	const char *end = text + length;

	while ((text = memchr(text, 0xef, (size_t) (end - text))) != NULL)
	{
		if (end - text >= 3 && memcmp(text, "\xef\xbf\xbd", 3) == 0)
			return true;
		text++;
	}
	return false;
}

/* Copies JSON without its white space; returns the end of the copy. */
static char *
copy_compact(char *to, const char *p, const char *end)
{
	while (p < end)
	{
		if (*p == '"')
		{
			const char *string_end = skip_string(p, end);

			memcpy(to, p, (size_t) (string_end - p));
			to += string_end - p;
			p = string_end;
		}
		else if (is_space(*p))
			p++;
		else
			*to++ = *p++;
	}
	return to;
}

/* Makes a field of the text of any value; returns the end of what it wrote. */
static char *
take_text(JsonField *field, char *to, const char *value, const char *value_end)
{
	char *to_end =
		*value == '"' ? unescape_string(to, value, value_end) : copy_compact(to, value, value_end);

	*to_end = '\0';
	field->text = to;
	field->length = (size_t) (to_end - to);
	switch (*value)
	{
		case '"':
			field->kind = JSON_FIELD_STRING;
			break;
		case '[':
			field->kind = JSON_FIELD_ARRAY;
			break;
		case '{':
			field->kind = JSON_FIELD_OBJECT;
			break;
		case 't':
		case 'f':
			field->kind = JSON_FIELD_BOOL;
			field->boolean = *value == 't';
			break;
		case 'n':
			field->kind = JSON_FIELD_NULL;
			break;
		default:
			if ((field->length == 2 && memcmp(to, "-0", 2) == 0) ||
				json_number_to_int64(to, field->length, &field->integer) != JSON_NUMBER_OK)
				field->kind = JSON_FIELD_NUMBER;
			else
				field->kind = JSON_FIELD_INTEGER;
	}
	return to_end + 1;
}

/* Makes room in one of the decoder's buffers, doubling it. */
static bool
reserve(char **buffer, size_t *capacity, size_t length)
{
	size_t wanted = *capacity > SIZE_MAX / 2 ? length : *capacity * 2;
	char *grown;

	if (length <= *capacity)
		return true;
	if (wanted < FIRST_TEXT_BYTES)
		wanted = FIRST_TEXT_BYTES;
	if (wanted < length)
		wanted = length;
	grown = realloc(*buffer, wanted);
	if (grown == NULL)
		return false;
	*buffer = grown;
	*capacity = wanted;
	return true;
}

/* The column of a key as it stands in the row, quotes included; *column NO_COLUMN for none. False
 * when out of memory. */
static bool
find_column_of_key(JsonDecoder *decoder, const char *key, const char *key_end, int *column)
{
	size_t length = (size_t) (key_end - key);

	if (memchr(key, '\\', length) == NULL)
	{
		*column = find_column(decoder, key + 1, length - 2, 0);
		return true;
	}
	if (!reserve(&decoder->key, &decoder->key_capacity, length))
		return false;
	length = (size_t) (unescape_string(decoder->key, key, key_end) - decoder->key);
	*column = find_column(decoder, decoder->key, length, 0);
	return true;
}

/* One member of a row's object, within the row's text. */
typedef struct Member
{
	const char *key, *key_end; /* quotes included */
	const char *value, *value_end;
} Member;

/* Takes the next member off *p, which begins behind the object's "{"; false at its end. */
static bool
next_member(const char **p, const char *end, Member *member)
{
	const char *at = skip_space(*p, end);

	if (at < end && *at == ',')
		at = skip_space(at + 1, end);
	if (at >= end || *at != '"')
		return false;
	member->key = at;
	member->key_end = skip_string(at, end);
	member->value = skip_space(skip_space(member->key_end, end) + 1, end);
	member->value_end = skip_value(member->value, end);
	*p = member->value_end;
	return true;
}

/*
 * Goes through the members of the row and fills in the fields that want their
 * text. Of a key that comes twice json-c kept the last value, and so does this,
 * by coming to it last; an earlier value may be of any kind.
 */
static bool
take_texts(JsonDecoder *decoder, const char *p, size_t length, JsonField *fields)
{
	const char *end = p + length;
	Member member;
	char *to;

	/* room for all values of the row and their terminators: each has a delimiter after it there */
	if (!reserve(&decoder->text, &decoder->text_capacity, length))
		return false;
	to = decoder->text;
	for (p++; next_member(&p, end, &member);)
	{
		int column;

		if (!find_column_of_key(decoder, member.key, member.key_end, &column))
			return false;
		if (column != NO_COLUMN && decoder->columns[column].wants_text)
			to = take_text(&fields[column], to, member.value, member.value_end);
	}
	return true;
}

static char *
append(char *to, const char *from, const char *end)
{
	memcpy(to, from, (size_t) (end - from));
	return to + (end - from);
}

/*
 * The row as json-c is to see it: "[]" and "{}" for arrays and objects, and
 * nothing of what is no column's, which is counted. False when out of memory.
 */
static bool
reduce_row(JsonDecoder *decoder, const char **text, size_t *length, int *unknown_keys)
{
	const char *p = *text + 1;
	const char *end = *text + *length;
	Member member;
	char *to;

	if (!reserve(&decoder->reduced, &decoder->reduced_capacity, *length))
		return false;
	to = decoder->reduced;
	*to++ = '{';
	while (next_member(&p, end, &member))
	{
		int column;

		if (!find_column_of_key(decoder, member.key, member.key_end, &column))
			return false;
		if (column == NO_COLUMN)
		{
			++*unknown_keys;
			continue;
		}
		if (to[-1] != '{')
			*to++ = ',';
		to = append(to, member.key, member.key_end);
		*to++ = ':';
		if (*member.value == '[' || *member.value == '{')
		{
			*to++ = *member.value;
			*to++ = *member.value == '[' ? ']' : '}';
		}
		else
			to = append(to, member.value, member.value_end);
	}
	*to++ = '}';
	*text = decoder->reduced;
	*length = (size_t) (to - decoder->reduced);
	return true;
}

/* All of the row by its text, for what json-c made of a key cannot be trusted. */
static JsonDecodeResult
take_whole_row(JsonDecoder *decoder, const char *text, size_t length, JsonField *fields,
			   int *unknown_keys)
{
	const char *p = text + 1;
	const char *end = text + length;
	Member member;
	int column;

	for (int i = 0; i < decoder->column_count; i++)
	{
		fields[i].kind = JSON_FIELD_MISSING;
		decoder->columns[i].wants_text = true;
	}
	*unknown_keys = 0;
	while (next_member(&p, end, &member))
	{
		if (!find_column_of_key(decoder, member.key, member.key_end, &column))
			return JSON_DECODE_OUT_OF_MEMORY;
		*unknown_keys += column == NO_COLUMN;
	}
	return take_texts(decoder, text, length, fields) ? JSON_DECODE_OK : JSON_DECODE_OUT_OF_MEMORY;
}

/* --- rows ------------------------------------------------------------------------------ */

/* Fills in a field, and returns whether it wants the row's text for that. */
static bool
make_field(JsonField *field, struct json_object *value, bool has_wide_integers)
{
	switch (json_object_get_type(value))
	{
		case json_type_null:
			field->kind = JSON_FIELD_NULL;
			return false;
		case json_type_boolean:
			field->kind = JSON_FIELD_BOOL;
			field->boolean = json_object_get_boolean(value);
			return false;
		case json_type_int:
			field->kind = JSON_FIELD_INTEGER;
			field->integer = json_object_get_int64(value);
			return has_wide_integers && (field->integer == 0 || field->integer == INT64_MIN ||
										 field->integer == INT64_MAX);
		case json_type_double:
			/* the digits, which json_object_new_double_s keeps there for the parser */
			field->kind = JSON_FIELD_NUMBER;
			field->text = json_object_get_userdata(value);
			field->length = field->text == NULL ? 0 : strlen(field->text);
			return field->text == NULL;
		case json_type_string:
			field->kind = JSON_FIELD_STRING;
			field->text = json_object_get_string(value);
			field->length = (size_t) json_object_get_string_len(value);
			return is_doubtful(field->text, field->length);
		default: /* arrays and objects */
			return true;
	}
}

/* What json-c stopped with. */
static JsonDecodeResult
refusal(JsonDecoder *decoder)
{
	enum json_tokener_error error = json_tokener_get_error(decoder->tokener);

	json_tokener_reset(decoder->tokener);
	/* json-c 0.16 has no error of its own for a failed malloc */
	if (error == json_tokener_success)
		return JSON_DECODE_OUT_OF_MEMORY;
	decoder->message = json_tokener_error_desc(error);
	return JSON_DECODE_REJECTED;
}

/* Parses text into decoder->document, a slice at a time. */
static JsonDecodeResult
parse_text(JsonDecoder *decoder, const char *text, size_t length)
{
	for (;;)
	{
		size_t slice = length < SLICE_BYTES ? length : SLICE_BYTES;

		decoder->document = json_tokener_parse_ex(decoder->tokener, text, (int) slice);
		text += slice;
		length -= slice;
		if (decoder->document != NULL)
			return JSON_DECODE_OK;
		if (length == 0 || json_tokener_get_error(decoder->tokener) != json_tokener_continue)
			return refusal(decoder);
		if (decoder->interrupted != NULL && decoder->interrupted())
		{
			json_tokener_reset(decoder->tokener);
			return JSON_DECODE_INTERRUPTED;
		}
	}
}

static JsonDecodeResult
parse_row(JsonDecoder *decoder, const char *text, size_t length, int *unknown_keys)
{
	json_object_put(decoder->document);
	decoder->document = NULL;
	if (length == 0 || *text != '{')
		return JSON_DECODE_NOT_AN_OBJECT;
	if (length >= LONG_ROW_BYTES && !reduce_row(decoder, &text, &length, unknown_keys))
		return JSON_DECODE_OUT_OF_MEMORY;
	return parse_text(decoder, text, length);
}

JsonDecodeResult
json_decode_row(JsonDecoder *decoder, const char *text, size_t length, bool has_wide_integers,
				JsonField *fields, int *unknown_keys)
{
	JsonDecodeResult result;
	struct lh_entry *member;
	bool wants_texts = false, has_doubtful_key = false;
	int guess = 0;

	*unknown_keys = 0;
	for (int i = 0; i < decoder->column_count; i++)
		fields[i].kind = JSON_FIELD_MISSING;
	result = parse_row(decoder, text, length, unknown_keys);
	if (result != JSON_DECODE_OK)
		return result;

	lh_foreach(json_object_get_object(decoder->document), member)
	{
		const char *key = lh_entry_k(member);
		int column = find_column(decoder, key, strlen(key), guess);

		if (is_doubtful(key, strlen(key)))
			has_doubtful_key = true;
		if (column == NO_COLUMN)
		{
			++*unknown_keys;
			continue;
		}
		decoder->columns[column].wants_text =
			make_field(&fields[column], lh_entry_v(member), has_wide_integers);
		wants_texts |= decoder->columns[column].wants_text;
		guess = column + 1;
	}
	if (has_doubtful_key)
		return take_whole_row(decoder, text, length, fields, unknown_keys);
	if (wants_texts && !take_texts(decoder, text, length, fields))
		return JSON_DECODE_OUT_OF_MEMORY;
	return JSON_DECODE_OK;
}

const char *
json_decoder_message(const JsonDecoder *decoder)
{
	return decoder->message;
}
