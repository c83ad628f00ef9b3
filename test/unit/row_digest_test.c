/*
 * row_digest_test.c - test vectors of the digest, and what must be equal or not.
 *
 * The vectors were computed by a second implementation, written from the
 * definition at the top of common/row_digest.c; column is always "x".
 */
#include "row_digest.h"

#include <math.h>
#include <stdlib.h>

#include "reference_row.h"
#include "unit.h"

static uint64_t column;

static uint64_t
decimal(const char *text)
{
	return row_digest_decimal(column, text, strlen(text));
}

static uint64_t
text_hash(const char *text)
{
	return row_digest_text(column, text, strlen(text));
}

static void
check_different(uint64_t left, uint64_t right, const char *name)
{
	if (!unit_ok(left != right, name))
		printf("# both are 0x%016" PRIx64 "\n", left);
}

static double
double_from_bits(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* --- vectors ----------------------------------------------------------------- */

static void
check_hash_vectors(void)
{
	const uint64_t seed = UINT64_C(0x0123456789abcdef);
	uint8_t bytes[257];

	for (int i = 0; i < 256; i++)
		bytes[i + 1] = (uint8_t) i;
	unit_equal_hash(row_digest_hash_bytes(seed, NULL, 0), 0x157a3807a48faa9d, "no byte");
	unit_equal_hash(row_digest_hash_bytes(seed, "a", 1), 0xe8c34a4885334c53, "1 byte");
	unit_equal_hash(row_digest_hash_bytes(seed, "abcdefg", 7), 0xbca46d4d1a59fcee, "7 bytes");
	unit_equal_hash(row_digest_hash_bytes(seed, "abcdefgh", 8), 0x2141c24159dbba67, "8 bytes");
	unit_equal_hash(row_digest_hash_bytes(seed, "abcdefghi", 9), 0xed09794504485365, "9 bytes");
	unit_equal_hash(row_digest_hash_bytes(seed, bytes + 1, 256), 0x788d35011ccfd573,
					"256 bytes at an odd address");
	unit_equal_hash(row_digest_column_seed("x", 1), 0xb8b9eb9d02f07a6a, "column x");
	unit_equal_hash(row_digest_column_seed("", 0), 0xe220a8397b1dcdaf, "column without a name");
}

static void
check_number_vectors(void)
{
	unit_equal_hash(row_digest_null(column), 0x9c768eae07546020, "null");
	unit_equal_hash(row_digest_bool(column, false), 0x9a8207e51b425fea, "false");
	unit_equal_hash(row_digest_bool(column, true), 0x08ceae992cbc08fc, "true");
	unit_equal_hash(row_digest_int64(column, 0), 0x9cfc273e58c2548d, "integer 0");
	unit_equal_hash(row_digest_int64(column, 1), 0xdb05b031bfd13cf8, "integer 1");
	unit_equal_hash(row_digest_int64(column, INT64_MIN), 0x79bcb56046345572, "lowest integer");
	unit_equal_hash(row_digest_float64(column, 0.0), 0x1c96f1988f69e729, "float 0");
	unit_equal_hash(row_digest_float64(column, -0.0), 0x138b20786ee88fa8, "float -0");
	unit_equal_hash(row_digest_float64(column, 0.1), 0xba3cef17c47a0fed, "float 0.1");
	unit_equal_hash(row_digest_float64(column, NAN), 0x93b47a36974643ac, "float NaN");
	unit_equal_hash(decimal("0"), 0xe3042709062c6b86, "decimal 0");
	unit_equal_hash(decimal("1.5"), 0x512808e18aef6c35, "decimal 1.5");
	unit_equal_hash(decimal("-123.4500"), 0xb41a0a0232698a7a, "decimal -123.4500");
	unit_equal_hash(decimal("1e100"), 0x2095a858c2bb8a8e, "decimal 1e100");
	unit_equal_hash(decimal("NaN"), 0x4e390015fd94e316, "decimal NaN");
	unit_equal_hash(decimal("-Infinity"), 0x46beb2ece7370b31, "decimal -Infinity");
	unit_equal_hash(decimal("abc"), 0x93579b0f377ed1d3, "not a decimal");
}

static void
check_other_vectors(void)
{
	static const uint8_t uuid[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	const int64_t year_2018 = INT64_C(568080000000000);

	unit_equal_hash(text_hash(""), 0x13c4377c305fb8fd, "empty text");
	unit_equal_hash(text_hash("na\xc3\xafve"), 0xb09ebe7d5707327b, "text beyond ASCII");
	unit_equal_hash(row_digest_bpchar(column, "ab  ", 4), 0x0ad7c3a3218e78a2, "bpchar");
	unit_equal_hash(row_digest_bytea(column, "\0\xff", 2), 0x23f548c4023368a9, "bytea");
	unit_equal_hash(row_digest_date(column, -1), 0x6daf96fef02f81fd, "date");
	unit_equal_hash(row_digest_time(column, INT64_C(86400000000)), 0x48780a634b94e459,
					"time 24:00");
	unit_equal_hash(row_digest_timestamp(column, year_2018), 0x6818d01d48e92d8c, "timestamp");
	unit_equal_hash(row_digest_timestamp(column, INT64_MAX), 0xd9b1b8c22e252b40,
					"timestamp infinity");
	unit_equal_hash(row_digest_timestamptz(column, year_2018), 0x60a000b894dbc93b, "timestamptz");
	unit_equal_hash(row_digest_uuid(column, uuid), 0xf2857d6927d6e72b, "uuid");
	unit_equal_hash(row_digest_other(column, "{1,2}", 5), 0x77ce9c6b27b5ffbd, "other");
}

/* Members: the integer 1 as attribute a, text "x" or null as b. */
static uint64_t
composite(bool b_is_null)
{
	uint64_t a = row_digest_attribute_seed(column, "a", 1);
	uint64_t b = row_digest_attribute_seed(column, "b", 1);
	uint64_t hash = row_digest_composite_begin(column, 2);

	hash = row_digest_member(hash, row_digest_int64(a, 1));
	return row_digest_member(hash, b_is_null ? row_digest_null(b) : row_digest_text(b, "x", 1));
}

static void
check_vectors_of_nested_values(void)
{
	static const int32_t two[] = {2}, one[] = {1}, two_by_one[] = {2, 1}, lower[] = {-1, 3};
	uint64_t hash;

	unit_equal_hash(row_digest_array_begin(column, 0, NULL, NULL, 0), 0x865dfadb6fa264ff,
					"empty array");
	hash = row_digest_array_begin(column, 1, two, one, 2);
	hash = row_digest_member(hash, row_digest_int64(column, 1));
	unit_equal_hash(row_digest_member(hash, row_digest_null(column)), 0xbcc6ea52e26a963e,
					"array {1,null}");
	hash = row_digest_array_begin(column, 2, two_by_one, lower, 2);
	hash = row_digest_member(hash, row_digest_int64(column, 1));
	unit_equal_hash(row_digest_member(hash, row_digest_int64(column, 2)), 0x7c3e41b82c43a58e,
					"array [-1:0][3:3]={{1},{2}}");
	unit_equal_hash(row_digest_attribute_seed(column, "a", 1), 0x28cc749ce1f45e8d, "attribute a");
	unit_equal_hash(row_digest_composite_begin(column, 0), 0xbc6ced864e7e1c6a,
					"composite without attributes");
	unit_equal_hash(composite(false), 0x6f969b26314ec490, "composite (1,x)");
	unit_equal_hash(composite(true), 0x8969b052bb67116e, "composite (1,)");
	hash = row_digest_member(row_digest_composite_begin(column, 1),
							 row_digest_int64(row_digest_attribute_seed(column, "a", 1), 1));
	unit_equal_hash(row_digest_member(row_digest_array_begin(column, 1, one, one, 1), hash),
					0xa90ada4e546ca840, "array of a composite");
	unit_equal_hash(row_digest_verbatim_json(column, "\"\\u0000\"", 8), 0x96b71a947147e471,
					"json without a canonical form");
}

/* --- families ---------------------------------------------------------------- */

static int
compare_hashes(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *) left;
	uint64_t r = *(const uint64_t *) right;

	return (l > r) - (l < r);
}

/* Values whose canonical bytes are equal or nearly so, one of each family. */
static void
check_families_apart(void)
{
	uint8_t zeros[16] = {0};
	uint64_t hashes[] = {
		row_digest_null(column),
		row_digest_bool(column, false),
		row_digest_int64(column, 0),
		row_digest_float64(column, 0),
		decimal("0"),
		decimal(""),
		text_hash(""),
		row_digest_bpchar(column, "", 0),
		row_digest_bytea(column, zeros, 0),
		row_digest_bytea(column, zeros, 1),
		row_digest_bytea(column, zeros, 8),
		row_digest_bytea(column, zeros, 16),
		row_digest_date(column, 0),
		row_digest_time(column, 0),
		row_digest_timestamp(column, 0),
		row_digest_timestamptz(column, 0),
		row_digest_uuid(column, zeros),
		row_digest_other(column, "", 0),
		row_digest_array_begin(column, 0, NULL, NULL, 0),
		row_digest_composite_begin(column, 0),
		row_digest_verbatim_json(column, "", 0),
	};
	const size_t count = sizeof(hashes) / sizeof(hashes[0]);

	qsort(hashes, count, sizeof(hashes[0]), compare_hashes);
	for (size_t i = 1; i < count; i++)
		check_different(hashes[i - 1], hashes[i], "families are apart");
	check_different(text_hash("1"), row_digest_int64(column, 1), "text 1 is not the integer 1");
	check_different(row_digest_null(column), text_hash(""), "null is not the empty text");
	check_different(row_digest_null(column), row_digest_null(row_digest_column_seed("y", 1)),
					"a null belongs to its column");
}

static void
check_floats(void)
{
	uint64_t nan = row_digest_float64(column, NAN);

	check_different(row_digest_float64(column, 0.0), row_digest_float64(column, -0.0),
					"float -0 is not 0");
	unit_equal_hash(row_digest_float64(column, double_from_bits(0xfff8000000000000)), nan,
					"negative NaN is NaN");
	unit_equal_hash(row_digest_float64(column, double_from_bits(0x7ff8dead0000beef)), nan,
					"NaN with a payload is NaN");
	unit_equal_hash(row_digest_float64(column, double_from_bits(0x7ff0000000000001)), nan,
					"signalling NaN is NaN");
	check_different(row_digest_float64(column, INFINITY), row_digest_float64(column, -INFINITY),
					"the infinities differ");
	check_different(row_digest_float64(column, 0.1), row_digest_float64(column, 0.1f),
					"a float4 is widened, not rounded anew");
}

static void
check_texts(void)
{
	unit_equal_hash(row_digest_bpchar(column, "ab", 2), row_digest_bpchar(column, "ab     ", 7),
					"bpchar: padding does not count");
	check_different(row_digest_bpchar(column, " ab", 3), row_digest_bpchar(column, "ab", 2),
					"bpchar: leading blanks count");
	check_different(row_digest_bpchar(column, "ab\t", 3), row_digest_bpchar(column, "ab", 2),
					"bpchar: a tab is no padding");
	unit_equal_hash(row_digest_bpchar(column, "   ", 3), row_digest_bpchar(column, "", 0),
					"bpchar: nothing but blanks");
	check_different(text_hash("ab "), text_hash("ab"), "text: trailing blanks count");
	check_different(row_digest_text(column, "ab\0", 3), text_hash("ab"),
					"a NUL byte at the end counts, though words are filled up with them");
	check_different(row_digest_date(column, INT32_MIN), row_digest_date(column, INT32_MAX),
					"dates of minus and plus infinity");
}

/* --- decimals ---------------------------------------------------------------- */

static void
check_equal_decimals(const char *wanted, const char *const *spellings)
{
	for (; *spellings != NULL; spellings++)
	{
		char name[120];

		snprintf(name, sizeof(name), "decimal %s is %s", *spellings, wanted);
		unit_equal_hash(decimal(*spellings), decimal(wanted), name);
	}
}

static void
check_decimal_spellings(void)
{
	check_equal_decimals("1.5", (const char *const[]){"1.50", "15e-1", "+1.5", "0001.5000", "15E-1",
													  "0.15e+1", "0.00000015e7", "150e-002",
													  "1.5e0", "1.5e-0", NULL});
	check_equal_decimals("0", (const char *const[]){"-0", "+0", "0.000", "-0.000", "000", "0e5",
													"-0.0e-5", "0e99999999999999999999999", NULL});
	check_equal_decimals("-1200", (const char *const[]){"-1200.00", "-12e2", "-1.2e3", "-01200",
														"-120000e-2", NULL});
	check_equal_decimals("100000000000000000000000000000000000001",
						 (const char *const[]){"1.00000000000000000000000000000000000001e38",
											   "100000000000000000000000000000000000001.0", NULL});
	check_equal_decimals("1e100000000000000000",
						 (const char *const[]){"10e99999999999999999", "0.1e100000000000000001",
											   "1e0000000000000000000000000100000000000000000",
											   NULL});
}

static void
check_decimal_differences(void)
{
	check_different(decimal("1.5"), decimal("-1.5"), "the sign of a decimal counts");
	check_different(decimal("1.5"), decimal("15"), "the place of the point counts");
	check_different(decimal("10"), decimal("1"), "zeros before the point count");
	check_different(decimal("0.01"), decimal("0.1"), "zeros behind the point count");
	check_different(decimal("101"), decimal("11"), "zeros within count");
	check_different(decimal("12345678"), decimal("1234567"), "the eighth digit counts");
	check_different(decimal("NaN"), decimal("Infinity"), "NaN is not Infinity");
	check_different(decimal("Infinity"), decimal("-Infinity"), "Infinity has a sign");
	check_different(decimal("1e100000000000000001"), decimal("1e100000000000000002"),
					"exponents beyond the limit are not clamped to one value");
	check_different(decimal("1e999999999999999999999998"), decimal("1e999999999999999999999999"),
					"exponents beyond int64 are not clamped to one value");
	check_different(decimal("1e-999999999999999999999999"), decimal("1e999999999999999999999999"),
					"signs of exponents beyond int64");
	check_different(decimal("1e-999999999999999999999999"), decimal("0"), "tiny is not zero");
}

/* The same bytes under the tag of text that is no decimal. */
static void
check_not_decimals(void)
{
	static const char *const texts[] = {"",
										"+",
										"-",
										".",
										".5",
										"5.",
										"1.e5",
										"1e",
										"1e+",
										"1e5x",
										"--1",
										" 1",
										"1 ",
										"1..2",
										"1.2.3",
										"0x10",
										"nan",
										"inf",
										"1e5.0",
										"1,5",
										"1_000",
										"+NaN",
										"1e100000000000000001"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
	{
		uint64_t seed = column ^ (UINT64_C(6) << 56);
		char name[60];

		snprintf(name, sizeof(name), "'%s' hashes as its bytes", texts[i]);
		unit_equal_hash(decimal(texts[i]), row_digest_hash_bytes(seed, texts[i], strlen(texts[i])),
						name);
	}
}

#define LONG_DIGITS 150000

/* More digits than a numeric can hold, the point at every kind of place. */
static void
check_long_decimals(void)
{
	static char digits[LONG_DIGITS + 1];
	static char with_point[LONG_DIGITS + 20];
	uint64_t wanted;

	for (int i = 0; i < LONG_DIGITS; i++)
		digits[i] = (char) ('0' + 1 + i % 9);
	wanted = decimal(digits);
	for (int before = 1; before < LONG_DIGITS; before += 29989)
	{
		snprintf(with_point, sizeof(with_point), "%.*s.%se%d", before, digits, digits + before,
				 LONG_DIGITS - before);
		unit_equal_hash(decimal(with_point), wanted, "150000 digits and a point among them");
	}
	digits[LONG_DIGITS / 2] = '0';
	check_different(decimal(digits), wanted, "one digit of 150000 counts");
	memset(digits, '0', LONG_DIGITS);
	unit_equal_hash(decimal(digits), decimal("0"), "150000 zeros are zero");
	digits[0] = '1';
	unit_equal_hash(decimal(digits), decimal("1e149999"), "1 and 149999 zeros");
}

/* --- rows -------------------------------------------------------------------- */

static void
check_rows(void)
{
	uint64_t x = row_digest_column_seed("x", 1);
	uint64_t y = row_digest_column_seed("y", 1);
	uint64_t x1_y2[] = {row_digest_int64(x, 1), row_digest_int64(y, 2)};
	uint64_t y2_x1[] = {x1_y2[1], x1_y2[0]};
	uint64_t x2_y1[] = {row_digest_int64(x, 2), row_digest_int64(y, 1)};

	unit_equal_hash(row_digest_row(x1_y2, 2), row_digest_row(y2_x1, 2),
					"the order of columns does not count");
	check_different(row_digest_row(x1_y2, 2), row_digest_row(x2_y1, 2),
					"values swapped between columns count");
	check_different(row_digest_row(x1_y2, 2), x1_y2[0] + x1_y2[1], "a row hash is mixed");
	unit_equal_hash(row_digest_row(NULL, 0), UINT64_C(0xe220a8397b1dcdaf), "a row of no column");
}

static uint64_t
digest_of(const uint64_t (*rows)[2], const int *order, int count, uint64_t *column_sums)
{
	RowDigest digest;

	row_digest_init(&digest, column_sums, 2);
	for (int i = 0; i < count; i++)
		row_digest_add(&digest, rows[order[i]]);
	unit_equal_int(digest.rows, count, "rows are counted");
	return digest.digest;
}

static void
check_row_sets(void)
{
	uint64_t y = row_digest_column_seed("y", 1);
	const uint64_t rows[3][2] = {
		{row_digest_int64(column, 1), row_digest_int64(y, 10)},
		{row_digest_int64(column, 2), row_digest_int64(y, 20)},
		/* the values of the first two, paired the other way */
		{row_digest_int64(column, 1), row_digest_int64(y, 20)},
	};
	const uint64_t crossed[2][2] = {{rows[0][0], rows[1][1]}, {rows[1][0], rows[0][1]}};
	uint64_t sums[2] = {1, 1};
	uint64_t crossed_sums[2];
	uint64_t unused[2];
	uint64_t digest = digest_of(rows, (const int[]){0, 1}, 2, sums);

	unit_equal_hash(digest_of(rows, (const int[]){1, 0}, 2, unused), digest,
					"the order of rows does not count");
	check_different(digest_of(rows, (const int[]){0, 1, 1}, 3, unused), digest,
					"a doubled row counts");
	check_different(digest_of(rows, (const int[]){0, 0}, 2, unused),
					digest_of(rows, (const int[]){1, 1}, 2, unused), "two pairs do not cancel out");
	check_different(digest_of(rows, (const int[]){0, 2}, 2, unused), digest,
					"one changed value counts");
	unit_equal_hash(sums[0], rows[0][0] + rows[1][0], "sum of the first column");
	unit_equal_hash(sums[1], rows[0][1] + rows[1][1], "sum of the second column");
	check_different(digest_of(crossed, (const int[]){0, 1}, 2, crossed_sums), digest,
					"values exchanged between rows count in the digest");
	unit_ok(memcmp(sums, crossed_sums, sizeof(sums)) == 0, "but not in the columns' sums");
	unit_equal_hash(digest_of(rows, NULL, 0, unused), 0, "the digest of no row");
}

/* --- the reference rows ------------------------------------------------------ */

static uint64_t
hash_amount(uint64_t seed, int64_t cents)
{
	char text[32];
	int64_t magnitude = cents < 0 ? -cents : cents;
	int length = snprintf(text, sizeof(text), "%s%" PRId64 ".%02" PRId64, cents < 0 ? "-" : "",
						  magnitude / 100, magnitude % 100);

	return row_digest_decimal(seed, text, (size_t) length);
}

static void
hash_reference_row(const ReferenceRow *row, const uint64_t *seeds, uint64_t *hashes)
{
	hashes[0] = row_digest_int64(seeds[0], row->id);
	hashes[1] = row_digest_int64(seeds[1], row->code);
	hashes[2] = row_digest_timestamptz(seeds[2], row->created_at_us);
	hashes[3] = hash_amount(seeds[3], row->amount_cents);
	hashes[4] = row_digest_float64(seeds[4], row->ratio);
	hashes[5] = row_digest_bool(seeds[5], row->active);
	hashes[6] = row_digest_text(seeds[6], row->label, row->label_length);
	hashes[7] = row->note_is_null ? row_digest_null(seeds[7])
								  : row_digest_text(seeds[7], row->note, row->note_length);
}

static void
digest_reference_rows(int64_t rows, RowDigest *digest, uint64_t *column_sums)
{
	uint64_t seeds[REFERENCE_ROW_COLUMNS];
	uint64_t hashes[REFERENCE_ROW_COLUMNS];
	ReferenceRow row;

	for (int i = 0; i < REFERENCE_ROW_COLUMNS; i++)
		seeds[i] = row_digest_column_seed(reference_row_column_names[i],
										  strlen(reference_row_column_names[i]));
	row_digest_init(digest, column_sums, REFERENCE_ROW_COLUMNS);
	for (int64_t i = 1; i <= rows; i++)
	{
		reference_row_make(&row, i, 0);
		hash_reference_row(&row, seeds, hashes);
		row_digest_add(digest, hashes);
	}
}

static void
check_reference_digest(void)
{
	static const uint64_t wanted_sums[REFERENCE_ROW_COLUMNS] = {
		0x8704ff5d551f1308, 0x5e7f86bd5ab99d44, 0x633124f44bc7be3b, 0xa4e7fc3c143f428d,
		0xf7a30417a5aa9c1c, 0x16a20e97c481a420, 0xd30cea26074e3c3d, 0xc8260f64a01d37e5,
	};
	uint64_t sums[REFERENCE_ROW_COLUMNS];
	RowDigest digest;

	digest_reference_rows(1000, &digest, sums);
	unit_equal_hash(digest.digest, 0xf88ad15a512f63d9, "digest of the first 1000 reference rows");
	digest_reference_rows(1000000, &digest, sums);
	unit_equal_hash(digest.digest, 0xbaa09155d662c91b, "digest of 1000000 reference rows");
	for (int i = 0; i < REFERENCE_ROW_COLUMNS; i++)
		unit_equal_hash(sums[i], wanted_sums[i], reference_row_column_names[i]);
}

int
main(void)
{
	column = row_digest_column_seed("x", 1);
	check_hash_vectors();
	check_number_vectors();
	check_other_vectors();
	check_vectors_of_nested_values();
	check_families_apart();
	check_floats();
	check_texts();
	check_decimal_spellings();
	check_decimal_differences();
	check_not_decimals();
	check_long_decimals();
	check_rows();
	check_row_sets();
	check_reference_digest();
	return unit_done();
}
