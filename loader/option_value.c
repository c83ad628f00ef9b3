#include "option_value.h"
#include "message.h"
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRACTION_DIGITS 9

typedef struct TimeUnit
{
	const char *name;
	int64_t ms;
} TimeUnit;

/* from large to small, for time_text */
static const TimeUnit time_units[] = {
	{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}, {NULL, 0},
};

bool
option_value_is_wanted(const OptionSpec *spec)
{
	switch (spec->kind)
	{
		case OPTION_KIND_FLAG:
		case OPTION_KIND_CLEAR:
			return false;
		case OPTION_KIND_CUSTOM:
			return spec->argument != NULL;
		default:
			return true;
	}
}

static bool
refuse(const char *option, const char *text, const char *expected)
{
	message_error("%s: invalid value \"%s\": expected %s", option, text, expected);
	return false;
}

static bool
refuse_for_memory(const char *option)
{
	message_error("%s: out of memory", option);
	return false;
}

/* "5" is in seconds. */
static bool
find_time_unit(const char *name, int64_t *ms)
{
	if (*name == '\0')
		name = "s";
	for (const TimeUnit *unit = time_units; unit->name != NULL; unit++)
	{
		if (strcmp(name, unit->name) == 0)
		{
			*ms = unit->ms;
			return true;
		}
	}
	return false;
}

/* `digits` after the decimal point, in ms; false when that is no whole number of them. */
static bool
read_fraction(const char *digits, size_t length, int64_t unit_ms, int64_t *ms)
{
	int64_t scale = 1;
	int64_t fraction;

	if (length > MAX_FRACTION_DIGITS || !parse_digits(digits, length, &fraction))
		return false;
	for (size_t i = 0; i < length; i++)
		scale *= 10;
	/* below 10^9 * 10^8: no overflow */
	if (fraction * unit_ms % scale != 0)
		return false;
	*ms = fraction * unit_ms / scale;
	return true;
}

static bool
read_time(const char *text, int64_t *ms)
{
	static const char decimal[] = "0123456789";
	size_t whole_length = strspn(text, decimal);
	const char *fraction = text + whole_length;
	size_t fraction_length = 0;
	int64_t fraction_ms = 0;
	int64_t unit_ms;

	if (*fraction == '.')
		fraction_length = strspn(++fraction, decimal);
	if (!parse_digits(text, whole_length, ms) ||
		!find_time_unit(fraction + fraction_length, &unit_ms))
		return false;
	if (fraction != text + whole_length &&
		!read_fraction(fraction, fraction_length, unit_ms, &fraction_ms))
		return false;
	return !__builtin_mul_overflow(*ms, unit_ms, ms) &&
		   !__builtin_add_overflow(*ms, fraction_ms, ms);
}

/* "24h", "1500ms": in the largest unit that needs no fraction. */
static void
time_text(int64_t ms, char *text, size_t size)
{
	const TimeUnit *unit = time_units;

	while (ms % unit->ms != 0 || ms / unit->ms == 0)
	{
		if (unit->ms == 1)
			break;
		unit++;
	}
	snprintf(text, size, "%" PRId64 "%s", ms / unit->ms, unit->name);
}

static bool
take_time(const OptionSpec *spec, const char *option, const char *text)
{
	int64_t *ms = spec->target;
	char minimum[32];
	char maximum[32];

	if (!read_time(text, ms))
		return refuse(option, text,
					  "a time such as 5, 0.5, 250ms or 2min (seconds without a unit)");
	if (*ms >= spec->minimum && *ms <= spec->maximum)
		return true;
	time_text(spec->minimum, minimum, sizeof(minimum));
	time_text(spec->maximum, maximum, sizeof(maximum));
	message_error("%s: value \"%s\" is outside %s..%s", option, text, minimum, maximum);
	return false;
}

static bool
take_text(const OptionSpec *spec, const char *option, const char *text)
{
	if (*text == '\0')
	{
		message_error("%s: the value is empty", option);
		return false;
	}
	*(const char **) spec->target = text;
	return true;
}

/* "table, json, csv or markdown"; what does not fit is cut. */
static void
join_choices(const char *const *choices, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; choices[i] != NULL && length < size; i++)
	{
		const char *before = i == 0 ? "" : choices[i + 1] == NULL ? " or " : ", ";

		length += (size_t) snprintf(text + length, size - length, "%s%s", before, choices[i]);
	}
}

static bool
take_choice(const OptionSpec *spec, const char *option, const char *text)
{
	char expected[256];

	for (int i = 0; spec->choices[i] != NULL; i++)
	{
		if (strcmp(text, spec->choices[i]) == 0)
		{
			*(int *) spec->target = i;
			return true;
		}
	}
	join_choices(spec->choices, expected, sizeof(expected));
	return refuse(option, text, expected);
}

static bool
take_into_list(OptionList *list, const char *option, const char *text)
{
	const char **grown = realloc(list->text, (list->count + 1) * sizeof(*grown));

	if (grown == NULL)
		return refuse_for_memory(option);
	list->text = grown;
	list->text[list->count++] = text;
	return true;
}

/* The parts of `items`, which is cut up by this. */
static bool
read_counts(const OptionSpec *spec, const char *option, char *items, OptionCounts *counts)
{
	char *item;

	while ((item = strsep(&items, ",")) != NULL)
	{
		if (!option_count(option, item, spec->minimum, spec->maximum,
						  &counts->value[counts->count]))
			return false;
		counts->count++;
	}
	return true;
}

static size_t
count_items(const char *text)
{
	size_t items = 1;

	for (; *text != '\0'; text++)
		items += *text == ',';
	return items;
}

/* Given twice, the last one holds, as for other options. */
static bool
take_counts(const OptionSpec *spec, const char *option, const char *text)
{
	OptionCounts counts = {.value = malloc(count_items(text) * sizeof(*counts.value))};
	char *items = strdup(text);
	bool is_read;

	if (items == NULL || counts.value == NULL)
	{
		free(items);
		option_counts_free(&counts);
		return refuse_for_memory(option);
	}
	is_read = read_counts(spec, option, items, &counts);
	free(items);
	if (!is_read)
	{
		option_counts_free(&counts);
		return false;
	}
	option_counts_free(spec->target);
	*(OptionCounts *) spec->target = counts;
	return true;
}

bool
option_value_take(const OptionSpec *spec, const char *option, const char *text)
{
	switch (spec->kind)
	{
		case OPTION_KIND_FLAG:
		case OPTION_KIND_CLEAR:
			*(bool *) spec->target = spec->kind == OPTION_KIND_FLAG;
			return true;
		case OPTION_KIND_TEXT:
			return take_text(spec, option, text);
		case OPTION_KIND_COUNT:
			return option_count(option, text, spec->minimum, spec->maximum, spec->target);
		case OPTION_KIND_BYTES:
			return option_bytes(option, text, spec->minimum, spec->maximum, spec->target);
		case OPTION_KIND_SECONDS:
			return take_time(spec, option, text);
		case OPTION_KIND_CHOICE:
			return take_choice(spec, option, text);
		case OPTION_KIND_LIST:
			return take_into_list(spec->target, option, text);
		case OPTION_KIND_COUNTS:
			return take_counts(spec, option, text);
		case OPTION_KIND_CUSTOM:
			return spec->take(spec->target, option, text);
		case OPTION_KIND_HEADING:
			break;
	}
	return false;
}

void
option_list_free(OptionList *list)
{
	free(list->text);
	*list = (OptionList){0};
}

void
option_counts_free(OptionCounts *counts)
{
	free(counts->value);
	*counts = (OptionCounts){0};
}
