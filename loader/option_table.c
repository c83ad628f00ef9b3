#include "option_table.h"
#include "message.h"
#include "option_help.h"
#include "option_value.h"

#include <stdio.h>
#include <string.h>

#define MAX_NAME_LENGTH 64

/* A name that was typed is taken for a slip of another up to this many letters. */
#define MAX_SLIPS 2

typedef struct Arguments
{
	const OptionTable *table;
	int count;
	char **text;
	int next; /* the first that was not looked at */
} Arguments;

static const OptionSpec *
find_option(const OptionTable *table, const char *name, size_t length, char letter)
{
	for (const OptionSpec *const *group = table->groups; *group != NULL; group++)
	{
		for (const OptionSpec *spec = *group; !option_spec_is_end(spec); spec++)
		{
			if (spec->kind == OPTION_KIND_HEADING)
				continue;
			if (letter != 0 ? spec->letter == letter
							: spec->name != NULL && strlen(spec->name) == length &&
								  memcmp(spec->name, name, length) == 0)
				return spec;
		}
	}
	return NULL;
}

/* Letters to be put in, taken out or exchanged (V. I. Levenshtein 1966), row by row. */
static int
count_slips(const char *typed, size_t typed_length, const char *name)
{
	int row[MAX_NAME_LENGTH + 1];
	size_t name_length = strlen(name);

	if (name_length > MAX_NAME_LENGTH)
		return MAX_NAME_LENGTH;
	for (size_t j = 0; j <= name_length; j++)
		row[j] = (int) j;
	for (size_t i = 1; i <= typed_length; i++)
	{
		int diagonal = row[0];

		row[0] = (int) i;
		for (size_t j = 1; j <= name_length; j++)
		{
			int exchanged = diagonal + (typed[i - 1] != name[j - 1]);
			int shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];

			diagonal = row[j];
			row[j] = exchanged <= shorter ? exchanged : shorter + 1;
		}
	}
	return row[name_length];
}

/* How far `typed` is from `name`; MAX_SLIPS + 1 for anything that is not near. */
static int
measure_slips(const char *typed, size_t length, const char *name)
{
	int slips;

	if (length > 0 && strncmp(typed, name, length) == 0)
		return MAX_SLIPS;
	slips = count_slips(typed, length, name);
	/* of a short name too little would be left */
	return 2 * slips < (int) length ? slips : MAX_SLIPS + 1;
}

/* What may have been meant, or NULL. */
static const char *
find_similar(const OptionTable *table, const char *typed, size_t length)
{
	const char *nearest = NULL;
	int nearest_slips = MAX_SLIPS + 1;

	for (const OptionSpec *const *group = table->groups; *group != NULL; group++)
	{
		for (const OptionSpec *spec = *group; !option_spec_is_end(spec); spec++)
		{
			int slips;

			if (spec->name == NULL || length > MAX_NAME_LENGTH)
				continue;
			slips = measure_slips(typed, length, spec->name);
			if (slips < nearest_slips)
			{
				nearest = spec->name;
				nearest_slips = slips;
			}
		}
	}
	return nearest;
}

/* Without the value that may stand behind it: who mistypes --password does not want it told. */
static bool
refuse_unknown(const Arguments *arguments, const char *name, size_t length)
{
	const char *similar = find_similar(arguments->table, name, length);

	if (similar != NULL)
		message_error("option \"--%.*s\" does not exist; is \"--%s\" meant?", (int) length, name,
					  similar);
	else
		message_error("option \"--%.*s\" does not exist: try \"transferbench %s --help\"",
					  (int) length, name, arguments->text[0]);
	return false;
}

/* `attached` is the value within the same argument, or NULL. */
static bool
take_option(Arguments *arguments, const OptionSpec *spec, const char *option, const char *attached)
{
	const char *value = attached;

	if (!option_value_is_wanted(spec))
	{
		if (attached != NULL)
		{
			message_error("option \"%s\" takes no value, but \"%s\" is given", option, attached);
			return false;
		}
	}
	else if (value == NULL)
	{
		if (arguments->next == arguments->count)
		{
			message_error("option \"%s\" wants a value", option);
			return false;
		}
		value = arguments->text[arguments->next++];
	}
	if (!option_value_take(spec, option, value))
		return false;
	if (spec->given != NULL)
		*spec->given = true;
	return true;
}

static bool
take_long(Arguments *arguments, const char *argument)
{
	const char *name = argument + 2;
	size_t length = strcspn(name, "=");
	const char *attached = name[length] == '=' ? name + length + 1 : NULL;
	const OptionSpec *spec = find_option(arguments->table, name, length, 0);
	char option[MAX_NAME_LENGTH + 3];

	if (spec == NULL)
		return refuse_unknown(arguments, name, length);
	snprintf(option, sizeof(option), "--%s", spec->name);
	return take_option(arguments, spec, option, attached);
}

static bool
take_letter(Arguments *arguments, const char *argument)
{
	const char option[] = {'-', argument[1], '\0'};
	const OptionSpec *spec = find_option(arguments->table, NULL, 0, argument[1]);

	if (spec == NULL)
	{
		message_error("option \"%s\" does not exist: try \"transferbench %s --help\"", option,
					  arguments->text[0]);
		return false;
	}
	return take_option(arguments, spec, option, argument[2] == '\0' ? NULL : argument + 2);
}

static bool
refuse_left_over(const Arguments *arguments, const char *argument)
{
	message_error("unexpected argument \"%s\": try \"transferbench %s --help\"", argument,
				  arguments->text[0]);
	return false;
}

static bool
is_help(const char *argument)
{
	return strcmp(argument, "--help") == 0 || strcmp(argument, "-?") == 0;
}

OptionsResult
option_table_read(const OptionTable *table, int argc, char **argv)
{
	Arguments arguments = {.table = table, .count = argc, .text = argv, .next = 1};
	bool options_ended = false;

	while (arguments.next < argc)
	{
		const char *argument = argv[arguments.next++];
		bool is_taken;

		if (options_ended || argument[0] != '-' || argument[1] == '\0')
			is_taken = refuse_left_over(&arguments, argument);
		else if (is_help(argument))
			return option_help_print(table) ? OPTIONS_HELP : OPTIONS_REFUSED;
		else if (strcmp(argument, "--") == 0)
			is_taken = options_ended = true;
		else if (argument[1] == '-')
			is_taken = take_long(&arguments, argument);
		else
			is_taken = take_letter(&arguments, argument);
		if (!is_taken)
			return OPTIONS_REFUSED;
	}
	return OPTIONS_OK;
}
