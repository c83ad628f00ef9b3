#include "option_help.h"
#include "message.h"

#include <stdio.h>
#include <string.h>

#define INDENT "  "

/* Texts stand at most this far to the right; a longer option has a line of its own. */
#define MAX_TEXT_COLUMN 28

static const OptionSpec help_option = {
	.kind = OPTION_KIND_FLAG, .name = "help", .letter = '?', .help = "this text"};

bool
option_spec_is_end(const OptionSpec *spec)
{
	return spec->name == NULL && spec->letter == 0 && spec->help == NULL;
}

/* "  -h, --host HOST"; its length. */
static int
label_text(const OptionSpec *spec, char *label, size_t size)
{
	char letter[8] = "";

	if (spec->letter != 0)
		snprintf(letter, sizeof(letter), "-%c%s", spec->letter, spec->name != NULL ? ", " : "");
	return snprintf(label, size, INDENT "%s%s%s%s%s", letter, spec->name != NULL ? "--" : "",
					spec->name != NULL ? spec->name : "", spec->argument != NULL ? " " : "",
					spec->argument != NULL ? spec->argument : "");
}

static int
find_text_column(const OptionTable *table)
{
	int column = 0;
	char label[128];

	for (const OptionSpec *const *group = table->groups; *group != NULL; group++)
	{
		for (const OptionSpec *spec = *group; !option_spec_is_end(spec); spec++)
		{
			int wanted = label_text(spec, label, sizeof(label)) + 1;

			if (spec->kind != OPTION_KIND_HEADING && wanted <= MAX_TEXT_COLUMN && wanted > column)
				column = wanted;
		}
	}
	return column;
}

/* Each line of the help text below the one before. */
static void
print_option(const OptionSpec *spec, int text_column)
{
	const char *line = spec->help != NULL ? spec->help : "";
	char label[128];

	if (label_text(spec, label, sizeof(label)) >= text_column)
	{
		puts(label);
		*label = '\0';
	}
	printf("%-*s", text_column, label);
	for (;;)
	{
		size_t length = strcspn(line, "\n");

		printf("%.*s\n", (int) length, line);
		if (line[length] == '\0')
			return;
		line += length + 1;
		printf("%*s", text_column, "");
	}
}

static void
print_block(const char *text)
{
	size_t length = strlen(text);

	fputs(text, stdout);
	if (length > 0 && text[length - 1] != '\n')
		putchar('\n');
}

static void
print_group(const OptionSpec *group, int text_column, bool is_first)
{
	if (is_first && group->kind != OPTION_KIND_HEADING)
		putchar('\n');
	for (const OptionSpec *spec = group; !option_spec_is_end(spec); spec++)
	{
		if (spec->kind != OPTION_KIND_HEADING)
		{
			print_option(spec, text_column);
			continue;
		}
		putchar('\n');
		print_block(spec->help);
	}
}

bool
option_help_print(const OptionTable *table)
{
	int text_column = find_text_column(table);

	print_block(table->usage);
	for (const OptionSpec *const *group = table->groups; *group != NULL; group++)
		print_group(*group, text_column, group == table->groups);
	putchar('\n');
	print_option(&help_option, text_column);
	if (table->after != NULL)
	{
		putchar('\n');
		print_block(table->after);
	}
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	message_error("cannot write to standard output: %m");
	return false;
}
