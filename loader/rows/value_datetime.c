#include "rows/value_datetime.h"
#include "rows/digits.h"

#include <math.h>

#define SECOND_US INT64_C(1000000)
#define MINUTE_US (60 * SECOND_US)
#define HOUR_US   (60 * MINUTE_US)
#define DAY_US    (24 * HOUR_US)

/* src/include/datatype/timestamp.h; the ends are beyond the last value */
#define FIRST_DAY           (-2451545)
#define END_DAY             2145031949
#define FIRST_TIMESTAMP_US  INT64_C(-211813488000000000)
#define END_TIMESTAMP_US    INT64_C(9223371331200000000)
#define END_TIMESTAMP_DAY   106751983 /* END_TIMESTAMP_US / DAY_US */
#define LARGEST_YEAR        5874897
#define LARGEST_OFFSET_HOUR 15

/*
 * Days are counted from a year that begins in March, so that the leap day is its
 * last, and in eras of 400 years, which are all of one length.
 */
#define ERA_YEARS     400
#define ERA_DAYS      146097
#define CENTURY_DAYS  36524
#define FOUR_DAYS     1461 /* of four years with a leap day */
#define YEAR_DAYS     365
#define DAYS_TO_EPOCH 730425 /* from 0000-03-01 to 2000-01-01 */

typedef struct CivilDate
{
	int64_t year; /* 0 is 1 BC */
	int month;
	int day;
} CivilDate;

static bool
is_leap_year(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int
days_of_month(int64_t year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return month == 2 && is_leap_year(year) ? 29 : days[month - 1];
}

static int64_t
floor_divide(int64_t value, int64_t by)
{
	return value / by - (value % by < 0);
}

/* Days of the year before a month, of a year that begins in March (month 0). */
static int
days_before_month(int month)
{
	return (153 * month + 2) / 5;
}

static int64_t
days_of_date(CivilDate date)
{
	int month = (date.month + 9) % 12;
	int64_t year = date.year - (month >= 10); /* January and February end the year before */
	int64_t era = floor_divide(year, ERA_YEARS);
	int64_t year_of_era = year - era * ERA_YEARS;

	return era * ERA_DAYS + year_of_era * YEAR_DAYS + year_of_era / 4 - year_of_era / 100 +
		   days_before_month(month) + date.day - 1 - DAYS_TO_EPOCH;
}

static CivilDate
date_of_days(int64_t days)
{
	int64_t since = days + DAYS_TO_EPOCH;
	int64_t era = floor_divide(since, ERA_DAYS);
	int day_of_era = (int) (since - era * ERA_DAYS);
	int leap_days =
		day_of_era / (FOUR_DAYS - 1) - day_of_era / CENTURY_DAYS + day_of_era / (ERA_DAYS - 1);
	int year_of_era = (day_of_era - leap_days) / YEAR_DAYS;
	int day_of_year = day_of_era - (year_of_era * YEAR_DAYS + year_of_era / 4 - year_of_era / 100);
	int month = (5 * day_of_year + 2) / 153;
	CivilDate date = {.year = year_of_era + era * ERA_YEARS + (month >= 10),
					  .month = (month + 2) % 12 + 1,
					  .day = day_of_year - days_before_month(month) + 1};

	return date;
}

/* --- ranges ---------------------------------------------------------------------- */

bool
value_date_in_range(int64_t days)
{
	return (days >= FIRST_DAY && days < END_DAY) || days == INT32_MIN || days == INT32_MAX;
}

bool
value_time_in_range(int64_t time_us)
{
	return time_us >= 0 && time_us <= DAY_US;
}

bool
value_timestamp_in_range(int64_t timestamp_us)
{
	return (timestamp_us >= FIRST_TIMESTAMP_US && timestamp_us < END_TIMESTAMP_US) ||
		   timestamp_us == INT64_MIN || timestamp_us == INT64_MAX;
}

/* --- reading ----------------------------------------------------------------------- */

/* Takes " BC" off the end of the text. */
static bool
take_era(const char *text, const char **end)
{
	if (*end - text < 3 || memcmp(*end - 3, " BC", 3) != 0)
		return false;
	*end -= 3;
	return true;
}

static bool
take_year(const char **text, const char *end, bool is_bc, int64_t *year)
{
	const char *digits_end = skip_digits(*text, end);
	int value;

	if (digits_end - *text < 4 || digits_end - *text > 7 ||
		!take_digits(text, end, (int) (digits_end - *text), &value))
		return false;
	*year = is_bc ? 1 - value : value;
	return value > 0 && value <= LARGEST_YEAR;
}

static bool
take_date(const char **text, const char *end, bool is_bc, int64_t *days)
{
	CivilDate date;

	if (!take_year(text, end, is_bc, &date.year) || !take_byte(text, end, '-') ||
		!take_digits(text, end, 2, &date.month) || !take_byte(text, end, '-') ||
		!take_digits(text, end, 2, &date.day) || date.month < 1 || date.month > 12 ||
		date.day < 1 || date.day > days_of_month(date.year, date.month))
		return false;
	*days = days_of_date(date);
	return true;
}

/* The digits after the point as microseconds, rounded as the server rounds them, by a
 * double; digits beyond those that a double tells apart are passed over. */
static bool
take_fraction(const char **text, const char *end, int64_t *fraction_us)
{
	const char *digits_end = skip_digits(*text, end);
	int count = (int) (digits_end - *text > 15 ? 15 : digits_end - *text);
	int64_t value = 0, unit = 1;

	for (int i = 0; i < count; i++, unit *= 10)
		value = value * 10 + ((*text)[i] - '0');
	*text = digits_end;
	if (count <= 6)
		*fraction_us = value * (SECOND_US / unit);
	else
		*fraction_us = (int64_t) rint((double) value / (double) unit * (double) SECOND_US);
	return count > 0;
}

static bool
take_time(const char **text, const char *end, int64_t *time_us)
{
	int hour, minute, second = 0;
	int64_t fraction_us = 0;

	if (!take_digits(text, end, 2, &hour) || !take_byte(text, end, ':') ||
		!take_digits(text, end, 2, &minute))
		return false;
	if (take_byte(text, end, ':') &&
		(!take_digits(text, end, 2, &second) ||
		 (take_byte(text, end, '.') && !take_fraction(text, end, &fraction_us))))
		return false;
	*time_us = hour * HOUR_US + minute * MINUTE_US + second * SECOND_US + fraction_us;
	return hour <= 24 && minute < 60 && second <= 60 && *time_us <= DAY_US;
}

/* Z, or what is east of UTC: +hh, +hh:mm, +hhmm, +hh:mm:ss. */
static bool
take_offset(const char **text, const char *end, int64_t *offset_us)
{
	bool is_west;
	int hours, minutes = 0, seconds = 0;

	*offset_us = 0;
	if (take_byte(text, end, 'Z') || take_byte(text, end, 'z'))
		return true;
	is_west = *text < end && **text == '-';
	if (!is_west && !(*text < end && **text == '+'))
		return false;
	++*text;
	if (!take_digits(text, end, 2, &hours))
		return false;
	if (take_byte(text, end, ':'))
	{
		if (!take_digits(text, end, 2, &minutes) ||
			(take_byte(text, end, ':') && !take_digits(text, end, 2, &seconds)))
			return false;
	}
	else if (*text < end && is_digit(**text) && !take_digits(text, end, 2, &minutes))
		return false;
	*offset_us = hours * HOUR_US + minutes * MINUTE_US + seconds * SECOND_US;
	if (is_west)
		*offset_us = -*offset_us;
	return hours <= LARGEST_OFFSET_HOUR && minutes < 60 && seconds < 60;
}

bool
value_date_parse(const char *text, size_t length, int64_t *days)
{
	const char *end = text + length;
	bool is_bc;

	if (is_word(text, length, "infinity"))
		*days = INT32_MAX;
	else if (is_word(text, length, "-infinity"))
		*days = INT32_MIN;
	else
	{
		is_bc = take_era(text, &end);
		return take_date(&text, end, is_bc, days) && text == end && *days >= FIRST_DAY &&
			   *days < END_DAY;
	}
	return true;
}

bool
value_time_parse(const char *text, size_t length, int64_t *time_us)
{
	const char *end = text + length;

	return take_time(&text, end, time_us) && text == end;
}

static bool
parse_finite_timestamp(const char *text, const char *end, bool with_zone, int64_t *timestamp_us)
{
	bool is_bc = take_era(text, &end);
	int64_t days, time_us, offset_us = 0;

	if (!take_date(&text, end, is_bc, &days) ||
		!(take_byte(&text, end, ' ') || take_byte(&text, end, 'T') || take_byte(&text, end, 't')) ||
		!take_time(&text, end, &time_us) || (text < end && !take_offset(&text, end, &offset_us)) ||
		text != end)
		return false;
	/* a day more on either side, which the offset may take back, is still far from overflow */
	if (days < FIRST_DAY - 1 || days > END_TIMESTAMP_DAY)
		return false;
	*timestamp_us = days * DAY_US + time_us - (with_zone ? offset_us : 0);
	return *timestamp_us >= FIRST_TIMESTAMP_US && *timestamp_us < END_TIMESTAMP_US;
}

bool
value_timestamp_parse(const char *text, size_t length, bool with_zone, int64_t *timestamp_us)
{
	if (is_word(text, length, "infinity"))
		*timestamp_us = INT64_MAX;
	else if (is_word(text, length, "-infinity"))
		*timestamp_us = INT64_MIN;
	else
		return parse_finite_timestamp(text, text + length, with_zone, timestamp_us);
	return true;
}

/* --- writing ------------------------------------------------------------------------ */

/* Returns the end; a year BC without its era. */
static char *
put_date(char *to, CivilDate date)
{
	unsigned year = (unsigned) (date.year > 0 ? date.year : 1 - date.year);

	if (year < 10000)
		to = put_two_digits(put_two_digits(to, year / 100), year);
	else
		to = put_digits(to, year, 4);
	*to++ = '-';
	to = put_two_digits(to, (unsigned) date.month);
	*to++ = '-';
	return put_two_digits(to, (unsigned) date.day);
}

static char *
put_era(char *to, CivilDate date)
{
	if (date.year > 0)
		return to;
	memcpy(to, " BC", 3);
	return to + 3;
}

static char *
put_time(char *to, int64_t time_us)
{
	unsigned fraction_us = (unsigned) (time_us % SECOND_US);
	unsigned seconds = (unsigned) (time_us / SECOND_US);

	to = put_two_digits(to, seconds / 3600);
	*to++ = ':';
	to = put_two_digits(to, seconds / 60 % 60);
	*to++ = ':';
	to = put_two_digits(to, seconds % 60);
	if (fraction_us == 0)
		return to;
	*to++ = '.';
	to = put_two_digits(to, fraction_us / 10000);
	to = put_two_digits(to, fraction_us / 100);
	to = put_two_digits(to, fraction_us);
	while (to[-1] == '0')
		to--;
	return to;
}

static size_t
put_infinity(char *buffer, bool is_negative)
{
	const char *text = is_negative ? "-infinity" : "infinity";
	size_t length = strlen(text);

	memcpy(buffer, text, length);
	return length;
}

size_t
value_date_print(int64_t days, char *buffer)
{
	CivilDate date;

	if (days == INT32_MIN || days == INT32_MAX)
		return put_infinity(buffer, days < 0);
	date = date_of_days(days);
	return (size_t) (put_era(put_date(buffer, date), date) - buffer);
}

size_t
value_time_print(int64_t time_us, char *buffer)
{
	return (size_t) (put_time(buffer, time_us) - buffer);
}

size_t
value_timestamp_print(int64_t timestamp_us, char separator, const char *zone, char *buffer)
{
	int64_t days = floor_divide(timestamp_us, DAY_US);
	CivilDate date;
	char *to;

	if (timestamp_us == INT64_MIN || timestamp_us == INT64_MAX)
		return put_infinity(buffer, timestamp_us < 0);
	date = date_of_days(days);
	to = put_date(buffer, date);
	*to++ = separator;
	to = put_time(to, timestamp_us - days * DAY_US);
	memcpy(to, zone, strlen(zone));
	return (size_t) (put_era(to + strlen(zone), date) - buffer);
}
