#include "command_cleanup.h"
#include "database/connection_options.h"
#include "database/run_table.h"
#include "exit_status.h"
#include "message.h"
#include "option_table.h"
#include "quantity_text.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CONNECT_TIMEOUT_MS 10000

typedef struct CleanupOptions
{
	ConnectionOptions connection;
	bool dry_run;
	bool kept;
} CleanupOptions;

typedef struct Widths
{
	int table, run;
} Widths;

static const char usage[] =
	"Usage: transferbench cleanup [OPTIONS]\n"
	"\n"
	"Drops the tables that earlier runs left behind in a database, because they were killed or\n"
	"lost it: those that carry the comment \"" RUN_TABLE_COMMENT "...\", belong to this role\n"
	"(or one it is a member of), and whose run has no session any more. Lists these and the\n"
	"others, which stay; among them those whose run was told to --keep them.\n";

static const char after[] =
	"Exit status: 0 nothing is left to be dropped; 1 options, or no connection; 2 a table that\n"
	"should have been dropped could not be.\n";

static OptionsResult
read_options(CleanupOptions *options, int argc, char **argv)
{
	ConnectionOptions *connection = &options->connection;
	const OptionSpec own[] = {
		{.kind = OPTION_KIND_FLAG,
		 .name = "dry-run",
		 .target = &options->dry_run,
		 .help = "only list them, and what would be done"},
		{.kind = OPTION_KIND_FLAG,
		 .name = "kept",
		 .target = &options->kept,
		 .help = "drop those, too, whose run was told to --keep them"},
		{0},
	};
	const OptionSpec connecting[] = {
		{.kind = OPTION_KIND_HEADING,
		 .help = "Connection options (as in psql; the environment and .pgpass too):"},
		{.kind = OPTION_KIND_TEXT,
		 .name = "host",
		 .letter = 'h',
		 .target = &connection->host,
		 .argument = "HOST",
		 .help = "database server host or socket directory"},
		{.kind = OPTION_KIND_TEXT,
		 .name = "port",
		 .letter = 'p',
		 .target = &connection->port,
		 .argument = "PORT",
		 .help = "database server port"},
		{.kind = OPTION_KIND_TEXT,
		 .name = "username",
		 .letter = 'U',
		 .target = &connection->user,
		 .argument = "NAME",
		 .help = "database user"},
		{.kind = OPTION_KIND_TEXT,
		 .name = "dbname",
		 .letter = 'd',
		 .target = &connection->dbname,
		 .argument = "DBNAME",
		 .help = "database, connection string or URI"},
		{0},
	};
	const OptionSpec *const groups[] = {own, connecting, NULL};
	const OptionTable table = {.usage = usage, .after = after, .groups = groups};
	OptionsResult result = option_table_read(&table, argc, argv);

	if (result == OPTIONS_OK && !connection_options_check(connection, "-d"))
		return OPTIONS_REFUSED;
	return result;
}

/* C0 and DEL are one byte, C1 is two in UTF-8; 0 for all else. */
static int
control_length(const char *text)
{
	unsigned char byte = (unsigned char) text[0], next = (unsigned char) text[1];

	if (byte == 0xc2 && next >= 0x80 && next < 0xa0)
		return 2;
	return byte < ' ' || byte == 0x7f;
}

/* What a terminal would obey does not belong into a list. */
static void
print_name(const char *name, int width)
{
	int printed = 0;

	for (; *name != '\0'; printed++)
	{
		int control = control_length(name);

		putchar(control > 0 ? '?' : *name);
		name += control > 0 ? control : 1;
	}
	printf("%*s  ", printed < width ? width - printed : 0, "");
}

static void
print_line(const RunTableFound *found, const Widths *widths, const char *action)
{
	print_name(found->qualified, widths->table);
	print_name(found->run_id, widths->run);
	printf("%8s  %s\n", quantity_bytes((double) found->bytes).text, action);
}

static Widths
print_head(const RunTableFound *found, int count)
{
	Widths widths = {.table = (int) strlen("table"), .run = (int) strlen("run")};

	for (int i = 0; i < count; i++)
	{
		int table = (int) strlen(found[i].qualified), run = (int) strlen(found[i].run_id);

		if (table > widths.table)
			widths.table = table;
		if (run > widths.run)
			widths.run = run;
	}
	print_name("table", widths.table);
	print_name("run", widths.run);
	printf("%8s  action\n", "size");
	return widths;
}

/* What is done with the table; *failed when it should have been dropped and was not. */
static const char *
treat(const RunTableFound *found, const CleanupOptions *options, Database *database, bool *failed)
{
	if (!found->is_own)
		return "left: it belongs to another role";
	if (found->is_live)
		return "left: a session of its run is connected";
	if (found->is_kept && !options->kept)
		return "left: its run was told to keep it (--kept drops it)";
	if (options->dry_run)
		return "would be dropped";
	switch (run_table_drop_found(found, options->kept, database))
	{
		case RUN_TABLE_DROPPED:
			return "dropped";
		case RUN_TABLE_LEFT:
			return "left: it changed meanwhile";
		case RUN_TABLE_NOT_DROPPED:
			break;
	}
	*failed = true;
	return "could not be dropped";
}

static bool
treat_all(const RunTableFound *found, int count, const CleanupOptions *options, Database *database)
{
	Widths widths = print_head(found, count);
	bool failed = false;

	for (int i = 0; i < count; i++)
	{
		if (!database_is_open(database))
		{
			message_error("without a connection %d more could not be looked at", count - i);
			failed = true;
			break;
		}
		print_line(&found[i], &widths, treat(&found[i], options, database, &failed));
	}
	if (fflush(stdout) == 0 && !ferror(stdout))
		return !failed;
	message_error("cannot write to standard output: %m");
	return false;
}

static ExitStatus
clean_up(const CleanupOptions *options, Database *database)
{
	RunTableFound *found;
	int count;
	bool done = true;

	if (database_open(database, &options->connection, CONNECT_TIMEOUT_MS) != DATABASE_OK)
	{
		message_error("%s", database->message);
		return EXIT_USAGE;
	}
	count = run_table_find(&found, database);
	if (count < 0)
		return EXIT_USAGE;
	if (count > 0)
		done = treat_all(found, count, options, database);
	else
		message_note("there are no tables of earlier runs in database \"%s\"",
					 PQdb(database->connection));
	run_table_found_free(found, count);
	return done ? EXIT_ALL_WELL : EXIT_INCOMPLETE;
}

/* Signals end the program as ever: the server then rolls back what was under way. */
int
command_cleanup(int argc, char **argv)
{
	CleanupOptions options = {.connection = {.default_application_name = "transferbench cleanup"}};
	Database database;
	ExitStatus status;

	switch (read_options(&options, argc, argv))
	{
		case OPTIONS_HELP:
			return EXIT_ALL_WELL;
		case OPTIONS_REFUSED:
			return EXIT_USAGE;
		case OPTIONS_OK:
			break;
	}
	signal(SIGPIPE, SIG_IGN);
	database_init(&database, -1);
	status = clean_up(&options, &database);
	database_close(&database);
	return status;
}
