/* main.c - finds the command and calls it. */
#include "command_cleanup.h"
#include "command_compare.h"
#include "command_copy.h"
#include "command_fetch.h"
#include "command_post.h"
#include "command_serve.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Command
{
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
	{"compare", "measure HTTP against native paths, per size, and tell the answer",
	 command_compare},
	{"copy", "write rows natively: COPY, or INSERT", command_copy},
	{"post", "write rows as JSON, by POST to an API", command_post},
	{"fetch", "read rows: COPY, SELECT, or as JSON from an API", command_fetch},
	{"serve", "be an API to start with: rows over HTTP, both ways", command_serve},
	{"cleanup", "drop the tables that earlier runs left behind", command_cleanup},
	{NULL, NULL, NULL},
};

static void
print_help(void)
{
	fputs("transferbench compares moving rows natively with moving them over an HTTP JSON API.\n"
		  "\n"
		  "Usage: transferbench COMMAND [OPTIONS]\n"
		  "\n"
		  "Commands:\n",
		  stdout);
	for (const Command *command = commands; command->name != NULL; command++)
		printf("  %-10s %s\n", command->name, command->summary);
	fputs("\n"
		  "\"transferbench COMMAND --help\" tells the options of a command.\n"
		  "--version prints the version.\n",
		  stdout);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
	{
		message_error("no command given: try \"transferbench --help\"");
		return EXIT_FAILURE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0)
	{
		print_help();
		return EXIT_SUCCESS;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
	{
		puts("transferbench " TRANSFERBENCH_VERSION);
		return EXIT_SUCCESS;
	}
	for (const Command *command = commands; command->name != NULL; command++)
		if (strcmp(argv[1], command->name) == 0)
			return command->run(argc - 1, argv + 1);
	message_error("there is no command \"%s\": try \"transferbench --help\"", argv[1]);
	return EXIT_FAILURE;
}
