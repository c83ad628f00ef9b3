/*
 * json_scan.c - see json_scan.h. `end` is looked at only so that a caller's mistake
 * cannot lead out of the text.
 */
#include "json_scan.h"

#include <string.h>

#include "json_number.h"

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

const char *
json_scan_value_end(const char *p, const char *end)
{
	int depth = 0;

	while (p < end)
	{
		char c = *p;

		if (c == '"')
			p = skip_string(p, end);
		else if (depth == 0 && (c == ',' || c == '}' || c == ']' || is_space(c)))
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

const char *
json_scan_take_escape(const char *p, char *to, size_t *length)
{
	static const char letters[] = "bfnrt";
	static const char meanings[] = "\b\f\n\r\t";
	const char *letter;
	unsigned c;

	p++;
	if (*p != 'u')
	{
		letter = strchr(letters, *p);
		*to = letter == NULL ? *p : meanings[letter - letters];
		*length = 1;
		return p + 1;
	}
	c = hex_value(p + 1);
	p += 5;
	if (c >= 0xd800 && c <= 0xdbff)
	{
		c = 0x10000 + ((c - 0xd800) << 10) + (hex_value(p + 2) - 0xdc00);
		p += 6;
	}
	*length = (size_t) (put_character(to, c) - to);
	return p;
}

char *
json_scan_unescape(char *to, const char *p, const char *end)
{
	for (p++, end--; p < end;)
	{
		size_t length = 1;

		if (*p == '\\')
			p = json_scan_take_escape(p, to, &length);
		else
			*to = *p++;
		to += length;
	}
	return to;
}

char *
json_scan_compact(char *to, const char *p, const char *end)
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

/* An int64 that its digits alone say, and the sign of -0 would be lost. */
static bool
is_integer(const char *text, size_t length, int64_t *integer)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] == '.' || text[i] == 'e' || text[i] == 'E')
			return false;
	return !(length == 2 && memcmp(text, "-0", 2) == 0) &&
		   json_number_to_int64(text, length, integer) == JSON_NUMBER_OK;
}

/* The kind of a value by its first byte, and what follows from that alone. */
static void
make_field(JsonField *field, char first)
{
	switch (first)
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
			field->boolean = first == 't';
			break;
		case 'n':
			field->kind = JSON_FIELD_NULL;
			break;
		default:
			field->kind = is_integer(field->text, field->length, &field->integer)
							  ? JSON_FIELD_INTEGER
							  : JSON_FIELD_NUMBER;
	}
}

char *
json_scan_field(JsonField *field, char *to, const char *value, const char *value_end)
{
	char *to_end = *value == '"' ? json_scan_unescape(to, value, value_end)
								 : json_scan_compact(to, value, value_end);

	*to_end = '\0';
	field->text = to;
	field->length = (size_t) (to_end - to);
	make_field(field, *value);
	return to_end + 1;
}

/* --- members and elements ---------------------------------------------------------------- */

void
json_scan_begin(JsonScan *scan, const char *text, size_t length)
{
	scan->end = text + length;
	scan->at = skip_space(text, scan->end);
	scan->is_object = scan->at < scan->end && *scan->at == '{';
	if (scan->at < scan->end)
		scan->at++;
}

static bool
take_key(JsonScan *scan, JsonItem *item)
{
	if (*scan->at != '"')
		return false;
	item->key = scan->at;
	item->key_end = skip_string(scan->at, scan->end);
	scan->at = skip_space(skip_space(item->key_end, scan->end) + 1, scan->end);
	return true;
}

bool
json_scan_next(JsonScan *scan, JsonItem *item)
{
	scan->at = skip_space(scan->at, scan->end);
	if (scan->at < scan->end && *scan->at == ',')
		scan->at = skip_space(scan->at + 1, scan->end);
	item->key = item->key_end = NULL;
	if (scan->at >= scan->end || *scan->at == ']' || (scan->is_object && !take_key(scan, item)) ||
		scan->at >= scan->end)
		return false;
	item->value = scan->at;
	item->value_end = scan->at = json_scan_value_end(scan->at, scan->end);
	return true;
}
