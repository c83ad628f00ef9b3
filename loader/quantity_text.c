#include "quantity_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define UNKNOWN_TEXT ((QuantityText){"-"})

/* Beyond it a double no longer holds every integer, and nothing that is measured gets there. */
#define MAX_WHOLE 9e15

QuantityText
quantity_count(int64_t count)
{
	QuantityText result;
	char digits[24];
	int length;
	int written = 0;

	if (count < 0)
		return UNKNOWN_TEXT;
	length = snprintf(digits, sizeof(digits), "%" PRId64, count);
	for (int i = 0; i < length; i++)
	{
		if (i > 0 && (length - i) % 3 == 0)
			result.text[written++] = ',';
		result.text[written++] = digits[i];
	}
	result.text[written] = '\0';
	return result;
}

static bool
is_known(double value)
{
	return value >= 0 && value <= MAX_WHOLE;
}

/* The nearest number with three figures, so that 999.6 becomes 1000 and takes the next unit. */
static double
round_to_figures(double value)
{
	char text[32];
	double rounded = 0;

	snprintf(text, sizeof(text), "%.2e", value);
	sscanf(text, "%lf", &rounded);
	return rounded;
}

QuantityText
quantity_rounded(double count)
{
	return is_known(count) ? quantity_count((int64_t) llround(round_to_figures(count)))
						   : UNKNOWN_TEXT;
}

QuantityText
quantity_figures(double value)
{
	QuantityText result;
	double rounded;

	if (!is_known(value))
		return UNKNOWN_TEXT;
	rounded = round_to_figures(value);
	if (rounded >= 1000)
		return quantity_count((int64_t) llround(value));
	if (rounded == 0)
		return (QuantityText){"0"};
	snprintf(result.text, sizeof(result.text), "%.*f",
			 rounded >= 100  ? 0
			 : rounded >= 10 ? 1
			 : rounded >= 1  ? 2
							 : 3,
			 value);
	return result;
}

static QuantityText
with_sign(double value, QuantityText magnitude)
{
	QuantityText result;

	if (value == 0 || strcmp(magnitude.text, "-") == 0)
		return magnitude;
	snprintf(result.text, sizeof(result.text), "%c%.30s", value < 0 ? '-' : '+', magnitude.text);
	return result;
}

QuantityText
quantity_signed_figures(double value)
{
	return with_sign(value, quantity_figures(fabs(value)));
}

static QuantityText
with_unit(double value, const char *unit)
{
	QuantityText result;

	snprintf(result.text, sizeof(result.text), "%.26s %s", quantity_figures(value).text, unit);
	return result;
}

QuantityText
quantity_ms(double ms)
{
	if (!is_known(ms))
		return UNKNOWN_TEXT;
	return round_to_figures(ms) >= 1000 ? with_unit(ms / 1000, "s") : with_unit(ms, "ms");
}

QuantityText
quantity_signed_ms(double ms)
{
	return with_sign(ms, quantity_ms(fabs(ms)));
}

QuantityText
quantity_bytes(double bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	size_t unit = 0;

	if (!is_known(bytes))
		return UNKNOWN_TEXT;
	if (bytes < 1000)
	{
		QuantityText result;

		snprintf(result.text, sizeof(result.text), "%.0f B", bytes);
		return result;
	}
	while (round_to_figures(bytes) >= 1000 && unit < sizeof(units) / sizeof(units[0]) - 1)
	{
		bytes /= 1000;
		unit++;
	}
	return with_unit(bytes, units[unit]);
}

QuantityText
quantity_time_left(double seconds)
{
	QuantityText result;
	int64_t left;

	if (!is_known(seconds))
		return UNKNOWN_TEXT;
	left = (int64_t) ceil(seconds);
	if (left >= 3600)
		snprintf(result.text, sizeof(result.text), "%" PRId64 ":%02d:%02d", left / 3600,
				 (int) (left / 60 % 60), (int) (left % 60));
	else
		snprintf(result.text, sizeof(result.text), "%d:%02d", (int) (left / 60), (int) (left % 60));
	return result;
}
