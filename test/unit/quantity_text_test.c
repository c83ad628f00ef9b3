/*
 * quantity_text_test.c - units, figures and separators, by exact texts.
 */
#include "quantity_text.h"

#include <math.h>

#include "unit.h"

static void
check(QuantityText got, const char *wanted, const char *name)
{
	unit_equal_bytes(got.text, strlen(got.text), wanted, name);
}

static void
check_counts(void)
{
	check(quantity_count(0), "0", "count: none");
	check(quantity_count(999), "999", "count: three digits");
	check(quantity_count(1000), "1,000", "count: four digits");
	check(quantity_count(1234567), "1,234,567", "count: seven digits");
	check(quantity_count(INT64_MAX), "9,223,372,036,854,775,807", "count: the largest");
	check(quantity_count(-1), "-", "count: unknown");
	check(quantity_rounded(12345), "12,300", "rounded: three figures");
	check(quantity_rounded(999.6), "1,000", "rounded: up to the next power");
	check(quantity_rounded(NAN), "-", "rounded: unknown");
	check(quantity_rounded(INFINITY), "-", "rounded: no number");
}

static void
check_times(void)
{
	check(quantity_ms(0), "0 ms", "ms: none");
	check(quantity_ms(0.4123), "0.412 ms", "ms: below one");
	check(quantity_ms(2.1), "2.10 ms", "ms: one digit");
	check(quantity_ms(61.16), "61.2 ms", "ms: two digits");
	check(quantity_ms(999.4), "999 ms", "ms: three digits");
	check(quantity_ms(999.6), "1.00 s", "ms: rounding leads to the next unit");
	check(quantity_ms(6891.7), "6.89 s", "ms: seconds");
	check(quantity_ms(1234567), "1,235 s", "ms: many seconds");
	check(quantity_ms(NAN), "-", "ms: unknown");
	check(quantity_ms(-1), "-", "ms: no time is negative");
	check(quantity_signed_ms(57.14), "+57.1 ms", "difference: more");
	check(quantity_signed_ms(-2100), "-2.10 s", "difference: less");
	check(quantity_signed_ms(0), "0 ms", "difference: none");
	check(quantity_signed_ms(NAN), "-", "difference: unknown");
	check(quantity_signed_figures(6.4), "+6.40", "difference in figures");
	check(quantity_signed_figures(-0.4119), "-0.412", "difference in figures: less");
	check(quantity_time_left(6.2), "0:07", "time left: seconds, rounded up");
	check(quantity_time_left(750), "12:30", "time left: minutes");
	check(quantity_time_left(3723), "1:02:03", "time left: hours");
	check(quantity_time_left(NAN), "-", "time left: unknown");
}

static void
check_bytes(void)
{
	check(quantity_bytes(0), "0 B", "bytes: none");
	check(quantity_bytes(312), "312 B", "bytes: below 1 kB");
	check(quantity_bytes(1000), "1.00 kB", "bytes: 1 kB");
	check(quantity_bytes(999600), "1.00 MB", "bytes: rounding leads to the next unit");
	check(quantity_bytes(1093632), "1.09 MB", "bytes: MB");
	check(quantity_bytes(211645332), "212 MB", "bytes: hundreds of MB");
	check(quantity_bytes(5e15), "5,000 TB", "bytes: beyond the last unit");
	check(quantity_bytes(-1), "-", "bytes: unknown");
	check(quantity_bytes(NAN), "-", "bytes: not a number");
}

static void
check_figures(void)
{
	check(quantity_figures(0.0004), "0.000", "figures: very small");
	check(quantity_figures(6.4), "6.40", "figures: below 10");
	check(quantity_figures(15.27), "15.3", "figures: below 100");
	check(quantity_figures(153.4), "153", "figures: below 1000");
	check(quantity_figures(1534.4), "1,534", "figures: thousands are whole");
	check(quantity_figures(9.996), "10.0", "figures: rounding keeps three");
	check(quantity_figures(99.96), "100", "figures: rounding keeps three once more");
}

int
main(void)
{
	check_counts();
	check_times();
	check_bytes();
	check_figures();
	return unit_done();
}
