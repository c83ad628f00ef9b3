#include "rows/value_numeric.h"
#include "decimal_text.h"
#include "rows/digits.h"
#include "rows/network_order.h"

#define BASE         10000
#define BASE_DIGITS  4 /* decimal digits of one of base 10000 */
#define HEADER_BYTES 8
#define PIECE_BYTES  64 /* even; a header and the length before it fit */

/* src/backend/utils/adt/numeric.c */
#define SIGN_POSITIVE          0x0000
#define SIGN_NEGATIVE          0x4000
#define SIGN_NAN               0xC000
#define SIGN_POSITIVE_INFINITY 0xD000
#define SIGN_NEGATIVE_INFINITY 0xF000

typedef struct Special
{
	const char *text;
	size_t length;
	uint16_t sign;
	int scale; /* that the server sends; it means nothing */
} Special;

static const Special specials[] = {
	{"NaN", 3, SIGN_NAN, 0},
	{"Infinity", 8, SIGN_POSITIVE_INFINITY, 0x20},
	{"-Infinity", 9, SIGN_NEGATIVE_INFINITY, 0x20},
};

#define SPECIALS (sizeof(specials) / sizeof(specials[0]))

static const Special *
find_special(const char *text, size_t length)
{
	for (size_t i = 0; i < SPECIALS; i++)
		if (specials[i].length == length && memcmp(specials[i].text, text, length) == 0)
			return &specials[i];
	return NULL;
}

bool
value_numeric_is_special(const char *text, size_t length)
{
	return find_special(text, length) != NULL;
}

bool
value_numeric_is_valid(const char *text, size_t length)
{
	DecimalText decimal;

	return decimal_text_read(text, length, &decimal) || find_special(text, length) != NULL;
}

size_t
value_numeric_scale(const char *text, size_t length)
{
	DecimalText decimal;

	return decimal_text_read(text, length, &decimal) ? (size_t) decimal.scale : 0;
}

/* --- from binary ------------------------------------------------------------------ */

typedef struct BinaryNumeric
{
	int digits;
	int weight;
	uint16_t sign;
	int scale;
	const char *digit; /* two bytes each */
} BinaryNumeric;

static bool
read_header(const char *bytes, size_t length, BinaryNumeric *numeric)
{
	if (length < HEADER_BYTES)
		return false;
	numeric->digits = load_uint16(bytes);
	numeric->weight = (int16_t) load_uint16(bytes + 2);
	numeric->sign = load_uint16(bytes + 4);
	numeric->scale = load_uint16(bytes + 6);
	numeric->digit = bytes + HEADER_BYTES;
	return length == HEADER_BYTES + 2 * (size_t) numeric->digits;
}

/* Base 10000 digit number `place`, which may be before the first or behind the last. */
static int
digit_at(const BinaryNumeric *numeric, int place)
{
	return place < 0 || place >= numeric->digits ? 0 : load_uint16(numeric->digit + 2 * place);
}

static bool
has_good_digits(const BinaryNumeric *numeric)
{
	for (int i = 0; i < numeric->digits; i++)
		if (digit_at(numeric, i) >= BASE)
			return false;
	return numeric->scale <= DECIMAL_MAX_SCALE;
}

static char *
put_integer_part(char *to, const BinaryNumeric *numeric)
{
	int place = 0;

	while (place < numeric->weight && digit_at(numeric, place) == 0)
		place++;
	if (place > numeric->weight)
	{
		*to++ = '0';
		return to;
	}
	to = put_digits(to, (uint64_t) digit_at(numeric, place), 1);
	while (++place <= numeric->weight)
		to = put_digits(to, (uint64_t) digit_at(numeric, place), BASE_DIGITS);
	return to;
}

static char *
put_fraction(char *to, const BinaryNumeric *numeric)
{
	int place = numeric->weight + 1;

	*to++ = '.';
	for (int left = numeric->scale; left > 0; left -= BASE_DIGITS, place++)
	{
		char group[BASE_DIGITS];
		int count = left < BASE_DIGITS ? left : BASE_DIGITS;

		put_digits(group, (uint64_t) digit_at(numeric, place), BASE_DIGITS);
		memcpy(to, group, (size_t) count);
		to += count;
	}
	return to;
}

static bool
is_zero_text(const char *text, const char *end)
{
	while (text < end && (*text == '0' || *text == '.'))
		text++;
	return text == end;
}

char *
value_numeric_from_binary(const char *bytes, size_t length, char *to)
{
	BinaryNumeric numeric;
	char *digits = to + 1; /* until it is known whether there is a sign */
	char *end;

	if (!read_header(bytes, length, &numeric))
		return NULL;
	for (size_t i = 0; i < SPECIALS; i++)
	{
		if (specials[i].sign == numeric.sign)
		{
			memcpy(to, specials[i].text, specials[i].length);
			return to + specials[i].length;
		}
	}
	if ((numeric.sign != SIGN_POSITIVE && numeric.sign != SIGN_NEGATIVE) ||
		!has_good_digits(&numeric))
		return NULL;
	end = put_integer_part(digits, &numeric);
	if (numeric.scale > 0)
		end = put_fraction(end, &numeric);
	if (numeric.sign == SIGN_NEGATIVE && !is_zero_text(digits, end))
	{
		*to = '-';
		return end;
	}
	memmove(to, digits, (size_t) (end - digits));
	return end - 1;
}

/* --- to binary ------------------------------------------------------------------------ */

/* Returns the end. */
static char *
store_header(char *to, int digits, int weight, uint16_t sign, int scale)
{
	to = store_uint32(to, HEADER_BYTES + 2 * (uint32_t) digits);
	to = store_uint16(to, (uint16_t) digits);
	to = store_uint16(to, (uint16_t) weight);
	to = store_uint16(to, sign);
	return store_uint16(to, (uint16_t) scale);
}

/* The next group of so many digits; zeros stand for those behind the last. */
static uint16_t
take_group(const DecimalText *decimal, const char **at, int count)
{
	int group = 0;

	for (; count > 0; count--)
		group = group * 10 + (*at < decimal->end ? decimal_text_take(at) : 0);
	return (uint16_t) group;
}

static int
floor_divide(int value, int by)
{
	return value / by - (value % by < 0);
}

static void
put_decimal(JsonEncoder *to, const DecimalText *decimal)
{
	int weight = floor_divide((int) decimal->integer_digits - 1, BASE_DIGITS);
	int first_count = (int) decimal->integer_digits - weight * BASE_DIGITS; /* 1 to 4 */
	int behind_first = (int) decimal->digits - first_count;
	int groups = behind_first <= 0 ? 1 : 1 + (behind_first + BASE_DIGITS - 1) / BASE_DIGITS;
	const char *at = decimal->first;
	char bytes[PIECE_BYTES];
	char *next;

	if (decimal->digits == 0)
		groups = weight = 0;
	next = store_header(bytes, groups, weight, decimal->is_negative ? SIGN_NEGATIVE : SIGN_POSITIVE,
						(int) decimal->scale);
	for (int count = first_count; at < decimal->end; count = BASE_DIGITS)
	{
		if (next == bytes + sizeof(bytes))
		{
			json_encode_raw(to, bytes, sizeof(bytes));
			next = bytes;
		}
		next = store_uint16(next, take_group(decimal, &at, count));
	}
	json_encode_raw(to, bytes, (size_t) (next - bytes));
}

bool
value_numeric_put_binary(JsonEncoder *to, const char *text, size_t length)
{
	char header[4 + HEADER_BYTES];
	const Special *special;
	DecimalText decimal;

	if (decimal_text_read(text, length, &decimal))
	{
		put_decimal(to, &decimal);
		return true;
	}
	special = find_special(text, length);
	if (special == NULL)
		return false;
	store_header(header, 0, 0, special->sign, special->scale);
	json_encode_raw(to, header, sizeof(header));
	return true;
}
