/* json_oracle.c - see json_oracle.h. */
#include "json_oracle.h"

#include <string.h>

typedef struct Reader
{
	const char *end;
	JsonOracleFacts *facts;
	int depth;
} Reader;

static const char *read_value(Reader *reader, const char *p);

static bool
is_space(char c)
{
	return c == 0x20 || c == 0x09 || c == 0x0a || c == 0x0d;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *
json_oracle_skip_space(const char *p, const char *end)
{
	while (p < end && is_space(*p))
		p++;
	return p;
}

/* --- characters ------------------------------------------------------------------------------ */

typedef struct Utf8Row
{
	uint8_t low[4], high[4];
	int length;
} Utf8Row;

/* RFC 3629, section 4 */
static const Utf8Row utf8_rows[] = {
	{{0x00}, {0x7f}, 1},
	{{0xc2, 0x80}, {0xdf, 0xbf}, 2},
	{{0xe0, 0xa0, 0x80}, {0xe0, 0xbf, 0xbf}, 3},
	{{0xe1, 0x80, 0x80}, {0xec, 0xbf, 0xbf}, 3},
	{{0xed, 0x80, 0x80}, {0xed, 0x9f, 0xbf}, 3},
	{{0xee, 0x80, 0x80}, {0xef, 0xbf, 0xbf}, 3},
	{{0xf0, 0x90, 0x80, 0x80}, {0xf0, 0xbf, 0xbf, 0xbf}, 4},
	{{0xf1, 0x80, 0x80, 0x80}, {0xf3, 0xbf, 0xbf, 0xbf}, 4},
	{{0xf4, 0x80, 0x80, 0x80}, {0xf4, 0x8f, 0xbf, 0xbf}, 4},
};

/* Bytes of the character at p; 0 when it is none. */
static int
character_length(const char *p, const char *end)
{
	for (size_t i = 0; i < sizeof(utf8_rows) / sizeof(utf8_rows[0]); i++)
	{
		const Utf8Row *row = &utf8_rows[i];
		int at = 0;

		while (at < row->length && at < end - p && (uint8_t) p[at] >= row->low[at] &&
			   (uint8_t) p[at] <= row->high[at])
			at++;
		if (at == row->length)
			return at;
	}
	return 0;
}

bool
json_oracle_is_utf8(const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end)
	{
		int bytes = character_length(text, end);

		if (bytes == 0)
			return false;
		text += bytes;
	}
	return true;
}

/* --- strings --------------------------------------------------------------------------------- */

/* The code unit of the escape at p, its backslash; -1 when there is no \u with four digits. */
static int
code_unit(const char *p, const char *end)
{
	int unit = 0;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++)
	{
		static const char digits[] = "0123456789abcdefABCDEF";
		const char *digit = p[i] == '\0' ? NULL : strchr(digits, p[i]);

		if (digit == NULL)
			return -1;
		unit = unit * 16 + (int) (digit - digits >= 16 ? digit - digits - 6 : digit - digits);
	}
	return unit;
}

static bool
is_high(int unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool
is_low(int unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

static const char *
read_escape(Reader *reader, const char *p, bool *has_nul)
{
	int unit;

	if (reader->end - p >= 2 && p[1] != '\0' && strchr("\"\\/bfnrt", p[1]) != NULL)
		return p + 2;
	unit = code_unit(p, reader->end);
	if (unit < 0)
		return NULL;
	*has_nul |= unit == 0;
	if (is_high(unit) && is_low(code_unit(p + 6, reader->end)))
		return p + 12;
	if (is_high(unit) || is_low(unit))
		reader->facts->has_lone_surrogate = true;
	return p + 6;
}

static const char *
read_string(Reader *reader, const char *p, bool *has_nul)
{
	if (p == reader->end || *p != '"')
		return NULL;
	for (p++; p != NULL && p < reader->end && *p != '"';)
	{
		int length = character_length(p, reader->end);

		if (*p == '\\')
			p = read_escape(reader, p, has_nul);
		else if (length == 0 || (uint8_t) *p < 0x20)
			return NULL;
		else
			p += length;
	}
	return p == NULL || p == reader->end ? NULL : p + 1;
}

static void
put_code_point(FuzzLog *to, uint32_t c)
{
	uint8_t bytes[4];

	if (c < 0x80)
	{
		bytes[0] = (uint8_t) c;
		fuzz_log_bytes(to, bytes, 1);
		return;
	}
	if (c < 0x800)
	{
		bytes[0] = (uint8_t) (0xc0 + c / 64);
		bytes[1] = (uint8_t) (0x80 + c % 64);
		fuzz_log_bytes(to, bytes, 2);
		return;
	}
	if (c < 0x10000)
	{
		bytes[0] = (uint8_t) (0xe0 + c / 4096);
		bytes[1] = (uint8_t) (0x80 + c / 64 % 64);
		bytes[2] = (uint8_t) (0x80 + c % 64);
		fuzz_log_bytes(to, bytes, 3);
		return;
	}
	bytes[0] = (uint8_t) (0xf0 + c / 262144);
	bytes[1] = (uint8_t) (0x80 + c / 4096 % 64);
	bytes[2] = (uint8_t) (0x80 + c / 64 % 64);
	bytes[3] = (uint8_t) (0x80 + c % 64);
	fuzz_log_bytes(to, bytes, 4);
}

void
json_oracle_unescape(FuzzLog *to, const char *p, const char *end)
{
	for (p++, end--; p < end;)
	{
		int unit;

		if (*p != '\\')
		{
			fuzz_log_bytes(to, p++, 1);
			continue;
		}
		unit = code_unit(p, end);
		if (unit < 0)
		{
			static const char from[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";

			fuzz_log_bytes(to, &meaning[strchr(from, p[1]) - from], 1);
			p += 2;
		}
		else if (is_high(unit))
		{
			put_code_point(to, 0x10000 + ((uint32_t) unit - 0xd800) * 0x400 +
								   ((uint32_t) code_unit(p + 6, end) - 0xdc00));
			p += 12;
		}
		else
		{
			put_code_point(to, (uint32_t) unit);
			p += 6;
		}
	}
}

void
json_oracle_compact(FuzzLog *to, const char *p, const char *end)
{
	bool in_string = false;

	for (; p < end; p++)
	{
		if (in_string && *p == '\\')
			fuzz_log_bytes(to, p++, 1);
		else if (*p == '"')
			in_string = !in_string;
		if (in_string || !is_space(*p))
			fuzz_log_bytes(to, p, 1);
	}
}

/* --- values ---------------------------------------------------------------------------------- */

static const char *
read_digits(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && is_digit(*p))
		p++;
	return p == from ? NULL : p;
}

static const char *
read_number(Reader *reader, const char *p)
{
	const char *end = reader->end;
	bool is_negative = *p == '-', is_integer = true;
	const char *digits = p += is_negative;
	const char *digits_end = p = read_digits(p, end);

	if (p == NULL || (*digits == '0' && p - digits > 1))
		return NULL;
	if (p < end && *p == '.')
	{
		is_integer = false;
		p = read_digits(p + 1, end);
		if (p == NULL)
			return NULL;
	}
	if (p < end && (*p == 'e' || *p == 'E'))
	{
		is_integer = false;
		p++;
		p += p < end && (*p == '+' || *p == '-');
		p = read_digits(p, end);
		if (p == NULL)
			return NULL;
	}
	if (is_integer && (digits_end - digits > 18 || (is_negative && *digits == '0')))
		reader->facts->has_wide_integers = true;
	return p;
}

static const char *
read_member(Reader *reader, const char *p)
{
	bool has_nul = false;

	p = read_string(reader, p, &has_nul);
	if (p == NULL)
		return NULL;
	if (has_nul && reader->depth < 32)
		reader->facts->nul_key_levels |= UINT32_C(1) << reader->depth;
	reader->facts->has_nul |= has_nul;
	p = json_oracle_skip_space(p, reader->end);
	if (p == reader->end || *p != ':')
		return NULL;
	return read_value(reader, json_oracle_skip_space(p + 1, reader->end));
}

/* At the opening bracket. */
static const char *
read_container(Reader *reader, const char *p)
{
	bool is_object = *p == '{';
	char closing = is_object ? '}' : ']';

	p = json_oracle_skip_space(p + 1, reader->end);
	if (p < reader->end && *p == closing)
		return p + 1;
	for (;;)
	{
		p = is_object ? read_member(reader, p) : read_value(reader, p);
		if (p == NULL)
			return NULL;
		p = json_oracle_skip_space(p, reader->end);
		if (p < reader->end && *p == closing)
			return p + 1;
		if (p == reader->end || *p != ',')
			return NULL;
		p = json_oracle_skip_space(p + 1, reader->end);
	}
}

static const char *
read_word(const Reader *reader, const char *p, const char *word)
{
	size_t length = strlen(word);

	return (size_t) (reader->end - p) >= length && memcmp(p, word, length) == 0 ? p + length : NULL;
}

static const char *
read_value(Reader *reader, const char *p)
{
	if (p == reader->end)
		return NULL;
	switch (*p)
	{
		case '"':
			return read_string(reader, p, &reader->facts->has_nul);
		case '[':
		case '{':
			reader->depth++;
			if (reader->depth > reader->facts->deepest)
				reader->facts->deepest = reader->depth;
			p = read_container(reader, p);
			reader->depth--;
			return p;
		case 't':
			return read_word(reader, p, "true");
		case 'f':
			return read_word(reader, p, "false");
		case 'n':
			return read_word(reader, p, "null");
		default:
			return read_number(reader, p);
	}
}

const char *
json_oracle_value(const char *p, const char *end, JsonOracleFacts *facts)
{
	Reader reader = {.end = end, .facts = facts};

	return read_value(&reader, p);
}

bool
json_oracle_is_document(const char *text, size_t length, JsonOracleFacts *facts)
{
	const char *end = text + length;
	const char *p = json_oracle_value(json_oracle_skip_space(text, end), end, facts);

	return p != NULL && json_oracle_skip_space(p, end) == end;
}

/* --- members and elements -------------------------------------------------------------------- */

bool
json_oracle_next_element(const char **p, const char *end, const char **value,
						 const char **value_end)
{
	JsonOracleFacts facts = {0};

	*value = json_oracle_skip_space(*p, end);
	if (**value == ']')
		return false;
	*value_end = json_oracle_value(*value, end, &facts);
	*p = json_oracle_skip_space(*value_end, end);
	*p += **p == ',';
	return true;
}

bool
json_oracle_next_member(const char **p, const char *end, JsonOracleMember *member)
{
	JsonOracleFacts facts = {0};
	const char *key = json_oracle_skip_space(*p, end);
	const char *key_end;

	if (*key == '}')
		return false;
	key_end = json_oracle_value(key, end, &facts);
	member->key.length = 0;
	json_oracle_unescape(&member->key, key, key_end);
	*p = json_oracle_skip_space(key_end, end) + 1; /* the colon */
	return json_oracle_next_element(p, end, &member->value, &member->value_end);
}
