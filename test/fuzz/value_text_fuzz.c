/*
 * value_text_fuzz.c - one value in PostgreSQL's text form: the first byte of the input is a type's
 * letter (fuzz_rows.c), the rest the text. What is read and printed is read again as the same value,
 * and printed again as the same text. Floats are those of strtod and have no digit too many,
 * integers those of strtoll, dates those of timegm.
 */
#include "fuzz.h"
#include "fuzz_rows.h"
#include "rows/value_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EPOCH_2000_S 946684800
#define DAY_S        86400

static bool
same_value(ColumnType type, const Value *a, const Value *b)
{
	if (type == COLUMN_BOOL)
		return a->boolean == b->boolean;
	if (type == COLUMN_FLOAT4 || type == COLUMN_FLOAT8)
		return (isnan(a->real) && isnan(b->real)) ||
			   memcmp(&a->real, &b->real, sizeof(a->real)) == 0;
	if (type == COLUMN_UUID)
		return memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0;
	return a->integer == b->integer;
}

/* --- oracles --------------------------------------------------------------------------------- */

/* Not what strtod takes besides: hexadecimal digits, words, white space. */
static bool
is_plain_number(const char *text)
{
	size_t length = strspn(text, "0123456789+-.eE");

	return length > 0 && text[length] == '\0';
}

static void
check_float(ColumnType type, const char *text, bool is_taken, double got)
{
	double wanted;
	char *end;

	if (!is_plain_number(text))
		return;
	errno = 0;
	wanted = type == COLUMN_FLOAT4 ? strtof(text, &end) : strtod(text, &end);
	if (*end != '\0' || end == text)
		fuzz_require(!is_taken, "%s is no number", text);
	else if (errno == ERANGE && (wanted == 0 || isinf(wanted)))
		fuzz_require(!is_taken, "%s is out of range", text);
	else
		fuzz_require(is_taken && memcmp(&got, &wanted, sizeof(got)) == 0, "%s: %.17g, not %.17g",
					 text, got, wanted);
}

/* Halfway between the value and a neighbour: PostgreSQL leaves it out, wherever it would be rounded
 * to (value_float.c). */
static bool
is_midpoint(ColumnType type, double value, const char *text)
{
	long double wanted = strtold(text, NULL);
	bool is_short = type == COLUMN_FLOAT4;
	long double above = is_short ? nextafterf((float) value, INFINITY) : nextafter(value, INFINITY);
	long double below =
		is_short ? nextafterf((float) value, -INFINITY) : nextafter(value, -INFINITY);

	return wanted == (value + above) / 2 || wanted == (value + below) / 2;
}

/* With one digit less it is another number. */
static void
check_shortest(ColumnType type, double value, const char *printed)
{
	char shorter[40];
	int digits = 0;
	bool seen = false;
	size_t zeros = 0;

	for (const char *p = printed; *p != '\0' && *p != 'e'; p++)
	{
		seen |= *p >= '1' && *p <= '9';
		digits += seen && *p >= '0' && *p <= '9';
		zeros = *p == '0' ? zeros + 1 : *p == '.' ? zeros : 0;
	}
	digits -= (int) zeros;
	if (digits < 2)
		return;
	snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, value);
	fuzz_require((type == COLUMN_FLOAT4 ? strtof(shorter, NULL) : strtod(shorter, NULL)) != value ||
					 is_midpoint(type, value, shorter),
				 "%s would do for %s", shorter, printed);
}

static void
check_integer(ColumnType type, const char *text, bool is_taken, int64_t got)
{
	int64_t limit = type == COLUMN_INT2 ? INT16_MAX : type == COLUMN_INT4 ? INT32_MAX : INT64_MAX;
	size_t digits = strspn(text + (*text == '-' || *text == '+'), "0123456789");
	bool is_number = digits > 0 && text[digits + (*text == '-' || *text == '+')] == '\0';
	long long wanted;

	errno = 0;
	wanted = strtoll(text, NULL, 10);
	is_number = is_number && errno == 0 && wanted <= limit && wanted >= -limit - 1;
	fuzz_require(is_taken == is_number, "%s is %staken", text, is_taken ? "" : "not ");
	fuzz_require(!is_taken || got == wanted, "%s: %lld", text, (long long) got);
}

/* Days from 2000-01-01 of a printed date, and what follows it. */
static int64_t
days_of_printed(const char *text, int *used)
{
	struct tm tm = {0};
	int year = 0, month = 0, day = 0;

	fuzz_require(sscanf(text, "%d-%2d-%2d%n", &year, &month, &day, used) == 3, "no date: %s", text);
	if (strstr(text, " BC") != NULL)
		year = 1 - year;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	tm.tm_mday = day;
	return (timegm(&tm) - EPOCH_2000_S) / DAY_S;
}

static void
check_date(ColumnType type, const char *printed, int64_t value)
{
	int used = 0;
	int64_t days;
	int hour = 0, minute = 0;
	double second = 0;

	if (strstr(printed, "infinity") != NULL)
		return;
	days = days_of_printed(printed, &used);
	if (type == COLUMN_DATE)
	{
		fuzz_require(days == value, "%s: day %lld", printed, (long long) value);
		return;
	}
	fuzz_require(sscanf(printed + used, " %2d:%2d:%lf", &hour, &minute, &second) == 3,
				 "no time: %s", printed);
	fuzz_require(days * DAY_S * 1000000 + (hour * 3600 + minute * 60) * INT64_C(1000000) +
						 llrint(second * 1e6) ==
					 value,
				 "%s: %lld us", printed, (long long) value);
}

/* Of the plain form yyyy-mm-dd: a day that timegm leaves as it is. */
static void
check_plain_date(const char *text, bool is_taken)
{
	struct tm tm = {0}, normal;
	int year, month, day, used = 0;

	if (strspn(text, "0123456789-") != 10 || strlen(text) != 10 || text[4] != '-' ||
		text[7] != '-' || sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 ||
		used != 10 || strpbrk(text + 5, "-") != text + 7 || text[0] == '-' || text[8] == '-')
		return;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	tm.tm_mday = day;
	normal = tm;
	(void) timegm(&normal);
	fuzz_require(is_taken == (year > 0 && normal.tm_year == tm.tm_year &&
							  normal.tm_mon == tm.tm_mon && normal.tm_mday == tm.tm_mday),
				 "%s is %staken", text, is_taken ? "" : "not ");
}

static void
check_by_oracle(ColumnType type, const char *text, bool is_taken, const Value *value)
{
	if (type == COLUMN_FLOAT4 || type == COLUMN_FLOAT8)
		check_float(type, text, is_taken, value->real);
	if (type == COLUMN_INT2 || type == COLUMN_INT4 || type == COLUMN_INT8)
		check_integer(type, text, is_taken, value->integer);
	if (type == COLUMN_DATE)
		check_plain_date(text, is_taken);
}

/* --- there and back -------------------------------------------------------------------------- */

/* Prints and terminates. */
static void
print(ColumnType type, const Value *value, char printed[VALUE_TEXT_MAX + 1])
{
	char *exact = fuzz_allocate(VALUE_TEXT_MAX);
	size_t length = value_print(type, value, exact);

	fuzz_require(length > 0 && length <= VALUE_TEXT_MAX, "%zu bytes are printed", length);
	memcpy(printed, exact, length);
	printed[length] = '\0';
	free(exact);
}

static void
check_round_trip(ColumnType type, const Value *value)
{
	char printed[VALUE_TEXT_MAX + 1], again[VALUE_TEXT_MAX + 1];
	char *copy;
	Value back;

	print(type, value, printed);
	copy = fuzz_copy(printed, strlen(printed));
	fuzz_require(value_from_text(type, copy, strlen(printed), &back), "%s is not read", printed);
	free(copy);
	fuzz_require(same_value(type, value, &back), "%s is another value", printed);
	print(type, &back, again);
	fuzz_require(strcmp(printed, again) == 0, "%s, then %s", printed, again);
	if ((type == COLUMN_FLOAT4 || type == COLUMN_FLOAT8) && isfinite(value->real))
	{
		check_float(type, printed, true, value->real);
		check_shortest(type, value->real, printed);
	}
	if (type == COLUMN_DATE || type == COLUMN_TIMESTAMP || type == COLUMN_TIMESTAMPTZ)
		check_date(type, printed, value->integer);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ColumnType type;
	Value value = {0};
	char *copy, *text;
	bool is_taken;

	if (size < 1)
		return 0;
	type = fuzz_rows_column_type((char) data[0]);
	copy = fuzz_copy(data + 1, size - 1); /* bytea is decoded over it */
	text = fuzz_text(data + 1, size - 1);
	is_taken = value_from_text(type, copy, size - 1, &value);
	if (strlen(text) == size - 1)
		check_by_oracle(type, text, is_taken, &value);
	if (is_taken && !column_type_is_text(type))
		check_round_trip(type, &value);
	free(text);
	free(copy);
	return 0;
}
