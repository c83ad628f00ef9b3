/*
 * row_digest.c - the hash, and the canonical form of every type family.
 *
 * The hash of a byte string, with a 64-bit seed (mix and GAMMA: splitmix64.h;
 * arithmetic mod 2^64, ^ is exclusive or):
 *
 *   absorb(h, w) = mix((h ^ w) + GAMMA)
 *
 *   h = absorb(seed, length in bytes), then h = absorb(h, w) for every word w
 *   of 8 bytes, least significant byte first; zero bytes fill up the last word.
 *
 * The seed of a column is the hash of its name with seed 0. The hash of a
 * value is the hash of its canonical bytes with the seed
 *
 *   column seed ^ (tag of the family * 2^56)
 *
 * so the tag shares a word with the length. A row hash is
 *
 *   mix(sum of its column hashes + GAMMA)
 *
 * Why a sum within the row: column order must not matter; every term has its
 * column's seed, so values that change places change the sum.
 *
 * Canonical bytes, integers least significant byte first:
 *
 *   tag  family        bytes
 *   1    null          none
 *   2    bool          1: 0 or 1
 *   3    int64         8: two's complement
 *   4    float64       8: IEEE 754 bits; every NaN as 7ff8000000000000
 *   5    decimal       8: exponent, 1: '+' or '-', then the digits in ASCII, the first and the
 *                      last of them not '0': digits * 10^exponent; zero is exponent 0, '+', no
 *                      digit. Not a Number and the infinities: the text NaN, Infinity or
 *                      -Infinity
 *   6    not decimal   the text given as decimal, as it stands: not of the form, or an exponent
 *                      (of the canonical bytes) beyond +-10^17
 *   7    text          UTF-8
 *   8    bpchar        UTF-8 without trailing blanks (0x20)
 *   9    bytea         the bytes
 *   10   date          8: days, two's complement
 *   11   time          8: microseconds
 *   12   timestamp     8: microseconds
 *   13   timestamptz   8: microseconds
 *   14   uuid          16, in the order they are written
 *   15   other         UTF-8 of the output text
 *   16   array         8: number of dimensions; 8 + 8 for each: its length and its lower bound;
 *                      then 8 for each element in row-major order: its hash, as a value of its own
 *                      type (null for a null) with the same column seed
 *   17   composite     8: number of attributes that are not dropped; 8 for each, in their order:
 *                      its hash, as a value of its own type, whose column seed is the hash of the
 *                      attribute's name with the column's seed
 *   18   verbatim json the document as it is spelled, white space outside strings left out; of a
 *                      json that has no canonical form (json_canonical.h: what jsonb refuses)
 *
 * json and jsonb hash as `other`, their text being the canonical one; int2vector and oidvector,
 * which are arrays in the server, by their output text.
 */
#include "row_digest.h"

#include <string.h>

#include "splitmix64.h"

typedef enum Family
{
	FAMILY_NULL = 1,
	FAMILY_BOOL,
	FAMILY_INT64,
	FAMILY_FLOAT64,
	FAMILY_DECIMAL,
	FAMILY_NOT_DECIMAL,
	FAMILY_TEXT,
	FAMILY_BPCHAR,
	FAMILY_BYTEA,
	FAMILY_DATE,
	FAMILY_TIME,
	FAMILY_TIMESTAMP,
	FAMILY_TIMESTAMPTZ,
	FAMILY_UUID,
	FAMILY_OTHER,
	FAMILY_ARRAY,
	FAMILY_COMPOSITE,
	FAMILY_VERBATIM_JSON,
} Family;

#define WORD_BYTES       8
#define CANONICAL_NAN    UINT64_C(0x7ff8000000000000)
#define UUID_BYTES       16
#define DECIMAL_OVERHEAD (WORD_BYTES + 1) /* exponent and sign */

/*
 * A numeric holds 131072 digits before and 16383 after the point
 * (src/backend/utils/adt/numeric.c), so any exponent of a real value is far
 * within. Beyond the limit text counts as not decimal: a clamped exponent
 * would make different numbers equal.
 */
#define DECIMAL_EXPONENT_LIMIT INT64_C(100000000000000000)
/* so far beyond the limit that no length of text leads back, and as far from overflow */
#define DECIMAL_EXPONENT_ABSURD (INT64_MAX / 2)

/* --- the hash ---------------------------------------------------------------- */

static inline uint64_t
absorb(uint64_t hash, uint64_t word)
{
	return splitmix64_mix((hash ^ word) + SPLITMIX64_GAMMA);
}

/* At most WORD_BYTES bytes. By shifts: the same on every byte order, at any alignment. */
static inline uint64_t
load_word(const uint8_t *bytes, size_t length)
{
	uint64_t word = 0;

	for (size_t i = 0; i < length; i++)
		word |= (uint64_t) bytes[i] << (8 * i);
	return word;
}

uint64_t
row_digest_hash_bytes(uint64_t seed, const void *bytes, size_t length)
{
	const uint8_t *next = bytes;
	size_t left = length;
	uint64_t hash = absorb(seed, length);

	for (; left >= WORD_BYTES; left -= WORD_BYTES, next += WORD_BYTES)
		hash = absorb(hash, load_word(next, WORD_BYTES));
	if (left > 0)
		hash = absorb(hash, load_word(next, left));
	return hash;
}

uint64_t
row_digest_column_seed(const char *name, size_t length)
{
	return row_digest_hash_bytes(0, name, length);
}

static inline uint64_t
family_seed(uint64_t column, Family family)
{
	return column ^ ((uint64_t) family << 56);
}

static inline uint64_t
hash_bytes_of(uint64_t column, Family family, const void *bytes, size_t length)
{
	return row_digest_hash_bytes(family_seed(column, family), bytes, length);
}

/* The hash of the 8 bytes of `word`, least significant first. */
static inline uint64_t
hash_word_of(uint64_t column, Family family, uint64_t word)
{
	return absorb(absorb(family_seed(column, family), WORD_BYTES), word);
}

/* --- values ------------------------------------------------------------------ */

uint64_t
row_digest_null(uint64_t column)
{
	return hash_bytes_of(column, FAMILY_NULL, NULL, 0);
}

uint64_t
row_digest_bool(uint64_t column, bool value)
{
	uint8_t byte = value ? 1 : 0;

	return hash_bytes_of(column, FAMILY_BOOL, &byte, sizeof(byte));
}

uint64_t
row_digest_int64(uint64_t column, int64_t value)
{
	return hash_word_of(column, FAMILY_INT64, (uint64_t) value);
}

uint64_t
row_digest_float64(uint64_t column, double value)
{
	uint64_t bits = CANONICAL_NAN;

	if (value == value)
		memcpy(&bits, &value, sizeof(bits));
	return hash_word_of(column, FAMILY_FLOAT64, bits);
}

uint64_t
row_digest_text(uint64_t column, const char *utf8, size_t length)
{
	return hash_bytes_of(column, FAMILY_TEXT, utf8, length);
}

uint64_t
row_digest_bpchar(uint64_t column, const char *utf8, size_t length)
{
	while (length > 0 && utf8[length - 1] == ' ')
		length--;
	return hash_bytes_of(column, FAMILY_BPCHAR, utf8, length);
}

uint64_t
row_digest_bytea(uint64_t column, const void *bytes, size_t length)
{
	return hash_bytes_of(column, FAMILY_BYTEA, bytes, length);
}

uint64_t
row_digest_date(uint64_t column, int32_t days)
{
	return hash_word_of(column, FAMILY_DATE, (uint64_t) (int64_t) days);
}

uint64_t
row_digest_time(uint64_t column, int64_t microseconds)
{
	return hash_word_of(column, FAMILY_TIME, (uint64_t) microseconds);
}

uint64_t
row_digest_timestamp(uint64_t column, int64_t microseconds)
{
	return hash_word_of(column, FAMILY_TIMESTAMP, (uint64_t) microseconds);
}

uint64_t
row_digest_timestamptz(uint64_t column, int64_t microseconds)
{
	return hash_word_of(column, FAMILY_TIMESTAMPTZ, (uint64_t) microseconds);
}

uint64_t
row_digest_uuid(uint64_t column, const uint8_t bytes[16])
{
	return hash_bytes_of(column, FAMILY_UUID, bytes, UUID_BYTES);
}

uint64_t
row_digest_other(uint64_t column, const char *utf8, size_t length)
{
	return hash_bytes_of(column, FAMILY_OTHER, utf8, length);
}

uint64_t
row_digest_verbatim_json(uint64_t column, const char *utf8, size_t length)
{
	return hash_bytes_of(column, FAMILY_VERBATIM_JSON, utf8, length);
}

/* --- values of values --------------------------------------------------------- */

uint64_t
row_digest_array_begin(uint64_t column, int dimensions, const int32_t *lengths,
					   const int32_t *lower_bounds, size_t elements)
{
	size_t words = 1 + 2 * (size_t) dimensions + elements;
	uint64_t hash = absorb(family_seed(column, FAMILY_ARRAY), words * WORD_BYTES);

	hash = absorb(hash, (uint64_t) dimensions);
	for (int i = 0; i < dimensions; i++)
	{
		hash = absorb(hash, (uint64_t) (int64_t) lengths[i]);
		hash = absorb(hash, (uint64_t) (int64_t) lower_bounds[i]);
	}
	return hash;
}

uint64_t
row_digest_composite_begin(uint64_t column, size_t attributes)
{
	uint64_t hash = absorb(family_seed(column, FAMILY_COMPOSITE), (1 + attributes) * WORD_BYTES);

	return absorb(hash, attributes);
}

uint64_t
row_digest_member(uint64_t hash, uint64_t member_hash)
{
	return absorb(hash, member_hash);
}

uint64_t
row_digest_attribute_seed(uint64_t column, const char *name, size_t length)
{
	return row_digest_hash_bytes(column, name, length);
}

/* --- decimals ---------------------------------------------------------------- */

/* A number found in text: +-digits * 10^exponent; the digits are those in [first, end), which
 * may hold the decimal point. first == end is zero. */
typedef struct Decimal
{
	bool negative;
	const char *first, *end;
	const char *point; /* where it stands, or would stand */
	int64_t exponent;
} Decimal;

static inline const char *
skip_digits(const char *text, const char *end)
{
	while (text < end && *text >= '0' && *text <= '9')
		text++;
	return text;
}

/* True for [sign] digits up to `end`. *exponent is exact up to DECIMAL_EXPONENT_LIMIT at least,
 * or +-DECIMAL_EXPONENT_ABSURD. */
static bool
parse_exponent(const char *text, const char *end, int64_t *exponent)
{
	bool negative = false;
	int64_t value = 0;

	if (text < end && (*text == '+' || *text == '-'))
		negative = *text++ == '-';
	if (text == end || skip_digits(text, end) != end)
		return false;
	for (; text < end && value != DECIMAL_EXPONENT_ABSURD; text++)
	{
		if (value > DECIMAL_EXPONENT_LIMIT)
			value = DECIMAL_EXPONENT_ABSURD;
		else
			value = value * 10 + (*text - '0');
	}
	*exponent = negative ? -value : value;
	return true;
}

/* Moves both ends of the digits inwards, past zeros, and the exponent to the last digit left. */
static void
strip_zeros(Decimal *decimal)
{
	while (decimal->first < decimal->end && (*decimal->first == '0' || *decimal->first == '.'))
		decimal->first++;
	while (decimal->end > decimal->first && (decimal->end[-1] == '0' || decimal->end[-1] == '.'))
		decimal->end--;
	if (decimal->end <= decimal->point)
		decimal->exponent += decimal->point - decimal->end;
	else
		decimal->exponent -= decimal->end - decimal->point - 1;
}

static bool
parse_decimal(const char *text, size_t length, Decimal *decimal)
{
	const char *end = text + length;
	const char *next;

	decimal->negative = false;
	decimal->exponent = 0;
	if (text < end && (*text == '+' || *text == '-'))
		decimal->negative = *text++ == '-';
	decimal->first = text;
	decimal->point = next = skip_digits(text, end);
	if (next == text)
		return false;
	if (next < end && *next == '.')
	{
		next = skip_digits(decimal->point + 1, end);
		if (next == decimal->point + 1)
			return false;
	}
	decimal->end = next;
	if (next < end &&
		((*next != 'e' && *next != 'E') || !parse_exponent(next + 1, end, &decimal->exponent)))
		return false;
	return true;
}

/* The same as row_digest_hash_bytes over bytes that come one at a time. */
typedef struct ByteStream
{
	uint64_t hash;
	uint64_t word;
	unsigned filled; /* bits of word */
} ByteStream;

static inline void
stream_byte(ByteStream *stream, uint8_t byte)
{
	stream->word |= (uint64_t) byte << stream->filled;
	stream->filled += 8;
	if (stream->filled == 64)
	{
		stream->hash = absorb(stream->hash, stream->word);
		stream->word = 0;
		stream->filled = 0;
	}
}

static inline uint64_t
stream_end(const ByteStream *stream)
{
	return stream->filled > 0 ? absorb(stream->hash, stream->word) : stream->hash;
}

static uint64_t
hash_decimal(uint64_t column, const Decimal *decimal)
{
	bool point_within = decimal->first < decimal->point && decimal->point < decimal->end;
	size_t digits = (size_t) (decimal->end - decimal->first) - (point_within ? 1 : 0);
	ByteStream stream = {0};

	stream.hash = absorb(family_seed(column, FAMILY_DECIMAL), DECIMAL_OVERHEAD + digits);
	stream.hash = absorb(stream.hash, (uint64_t) decimal->exponent);
	stream_byte(&stream, decimal->negative ? '-' : '+');
	for (const char *digit = decimal->first; digit < decimal->end; digit++)
	{
		if (digit != decimal->point)
			stream_byte(&stream, (uint8_t) *digit);
	}
	return stream_end(&stream);
}

static bool
is_special_decimal(const char *text, size_t length)
{
	static const char *const specials[] = {"NaN", "Infinity", "-Infinity"};

	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
	{
		if (length == strlen(specials[i]) && memcmp(text, specials[i], length) == 0)
			return true;
	}
	return false;
}

/* False for text that is no number, or whose exponent is beyond the limit. */
static bool
canonical_decimal(const char *text, size_t length, Decimal *decimal)
{
	if (!parse_decimal(text, length, decimal))
		return false;
	strip_zeros(decimal);
	if (decimal->first == decimal->end)
	{
		decimal->negative = false;
		decimal->exponent = 0;
	}
	return decimal->exponent >= -DECIMAL_EXPONENT_LIMIT &&
		   decimal->exponent <= DECIMAL_EXPONENT_LIMIT;
}

uint64_t
row_digest_decimal(uint64_t column, const char *text, size_t length)
{
	Decimal decimal;

	if (is_special_decimal(text, length))
		return hash_bytes_of(column, FAMILY_DECIMAL, text, length);
	if (!canonical_decimal(text, length, &decimal))
		return hash_bytes_of(column, FAMILY_NOT_DECIMAL, text, length);
	return hash_decimal(column, &decimal);
}

/* --- rows -------------------------------------------------------------------- */

uint64_t
row_digest_row(const uint64_t *column_hashes, int columns)
{
	uint64_t sum = 0;

	for (int i = 0; i < columns; i++)
		sum += column_hashes[i];
	return splitmix64_mix(sum + SPLITMIX64_GAMMA);
}

void
row_digest_init(RowDigest *digest, uint64_t *column_sums, int columns)
{
	digest->columns = columns;
	digest->rows = 0;
	digest->digest = 0;
	digest->column_sums = column_sums;
	for (int i = 0; i < columns; i++)
		column_sums[i] = 0;
}

uint64_t
row_digest_add(RowDigest *digest, const uint64_t *column_hashes)
{
	uint64_t row_hash = row_digest_row(column_hashes, digest->columns);

	for (int i = 0; i < digest->columns; i++)
		digest->column_sums[i] += column_hashes[i];
	digest->digest += row_hash;
	digest->rows++;
	return row_hash;
}
