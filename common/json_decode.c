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
#include "json_scan.h"

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

/* --- values from the row's text ------------------------------------------------------- */

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
	length = (size_t) (json_scan_unescape(decoder->key, key, key_end) - decoder->key);
	*column = find_column(decoder, decoder->key, length, 0);
	return true;
}

/*
 * Goes through the members of the row and fills in the fields that want their
 * text. Of a key that comes twice json-c kept the last value, and so does this,
 * by coming to it last; an earlier value may be of any kind.
 */
static bool
take_texts(JsonDecoder *decoder, const char *text, size_t length, JsonField *fields)
{
	JsonScan scan;
	JsonItem member;
	char *to;

	/* room for all values of the row and their terminators: each has a delimiter after it there */
	if (!reserve(&decoder->text, &decoder->text_capacity, length))
		return false;
	to = decoder->text;
	json_scan_begin(&scan, text, length);
	while (json_scan_next(&scan, &member))
	{
		int column;

		if (!find_column_of_key(decoder, member.key, member.key_end, &column))
			return false;
		if (column != NO_COLUMN && decoder->columns[column].wants_text)
			to = json_scan_field(&fields[column], to, member.value, member.value_end);
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
	JsonScan scan;
	JsonItem member;
	char *to;

	if (!reserve(&decoder->reduced, &decoder->reduced_capacity, *length))
		return false;
	to = decoder->reduced;
	*to++ = '{';
	json_scan_begin(&scan, *text, *length);
	while (json_scan_next(&scan, &member))
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
	JsonScan scan;
	JsonItem member;
	int column;

	for (int i = 0; i < decoder->column_count; i++)
	{
		fields[i].kind = JSON_FIELD_MISSING;
		decoder->columns[i].wants_text = true;
	}
	*unknown_keys = 0;
	json_scan_begin(&scan, text, length);
	while (json_scan_next(&scan, &member))
	{
		if (!find_column_of_key(decoder, member.key, member.key_end, &column))
			return JSON_DECODE_OUT_OF_MEMORY;
		*unknown_keys += column == NO_COLUMN;
	}
	return take_texts(decoder, text, length, fields) ? JSON_DECODE_OK : JSON_DECODE_OUT_OF_MEMORY;
}

/* --- rows ------------------------------------------------------------------------------ */

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
