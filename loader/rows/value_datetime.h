/*
 * value_datetime.h - dates and times and their ISO text, proleptic Gregorian.
 *
 * Values are PostgreSQL's: days or microseconds from 2000-01-01 on
 * (src/include/datatype/timestamp.h), its infinities included; so are the ranges:
 * dates from 4714-11-24 BC to 5874897-12-31, timestamps to 294276-12-31.
 *
 * Text read: years of four digits or more, 'T' or a blank before the time, seconds and
 * their fraction may be left out, ' BC' at the end, infinity and -infinity. Digits
 * beyond microseconds are rounded. As in the server, 24:00:00 and a second of 60 are
 * the next day or minute.
 */
#ifndef TRANSFERBENCH_VALUE_DATETIME_H
#define TRANSFERBENCH_VALUE_DATETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_DATETIME_TEXT_MAX 48

extern bool value_date_in_range(int64_t days);
extern bool value_time_in_range(int64_t time_us);
extern bool value_timestamp_in_range(int64_t timestamp_us);

extern bool value_date_parse(const char *text, size_t length, int64_t *days);
extern bool value_time_parse(const char *text, size_t length, int64_t *time_us);
/*
 * An offset may follow the time: Z, +hh, +hh:mm, +hhmm or +hh:mm:ss. With a zone it is
 * heeded, and a text without one is taken for UTC; without a zone it is passed over, as
 * PostgreSQL does.
 */
extern bool value_timestamp_parse(const char *text, size_t length, bool with_zone,
								  int64_t *timestamp_us);

/* These write up to VALUE_DATETIME_TEXT_MAX bytes and return how many. `separator`: ' ' or
 * 'T'; `zone`: what stands for UTC, "" for a timestamp without zone. */
extern size_t value_date_print(int64_t days, char *buffer);
extern size_t value_time_print(int64_t time_us, char *buffer);
extern size_t value_timestamp_print(int64_t timestamp_us, char separator, const char *zone,
									char *buffer);

#endif
