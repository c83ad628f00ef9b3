/*
 * option_table_test.c - what is typed, what comes of it, and what is said when it is refused.
 */
#include "option_table.h"

#include "unit.h"
#include "unit_output.h"

#define MAX_ARGUMENTS 16

typedef struct Typed
{
	bool quiet, verify;
	bool quiet_given, rows_given;
	const char *table, *host;
	int64_t rows, bytes, timeout_ms, ttl_ms;
	int format;
	OptionList headers;
	OptionCounts sizes;
	char custom[64];
} Typed;

static Typed typed;
static Output output;

static const char *const formats[] = {"table", "json", "csv", NULL};

static bool
take_custom(void *target, const char *option, const char *value)
{
	if (value != NULL && strcmp(value, "bad") == 0)
	{
		fprintf(stderr, "%s does not take \"bad\"\n", option);
		return false;
	}
	snprintf(target, sizeof(typed.custom), "%s=%s", option, value == NULL ? "(null)" : value);
	return true;
}

static const OptionSpec own_options[] = {
	{.kind = OPTION_KIND_HEADING, .help = "Rows:"},
	{.kind = OPTION_KIND_COUNT,
	 .name = "rows",
	 .target = &typed.rows,
	 .minimum = 0,
	 .maximum = 1000000000,
	 .argument = "N",
	 .help = "rows to move",
	 .given = &typed.rows_given},
	{.kind = OPTION_KIND_COUNTS,
	 .name = "sizes",
	 .target = &typed.sizes,
	 .minimum = 1,
	 .maximum = 1000000,
	 .argument = "LIST",
	 .help = "sizes in rows,\nparted by commas"},
	{.kind = OPTION_KIND_BYTES,
	 .name = "max-body-bytes",
	 .target = &typed.bytes,
	 .minimum = 1,
	 .maximum = 1 << 30,
	 .argument = "SIZE",
	 .help = "largest body"},
	{.kind = OPTION_KIND_TEXT,
	 .name = "table",
	 .target = &typed.table,
	 .argument = "NAME",
	 .help = "table to write to"},
	{.kind = OPTION_KIND_HEADING, .help = "Other:"},
	{.kind = OPTION_KIND_SECONDS,
	 .name = "request-timeout-of-each-attempt",
	 .target = &typed.timeout_ms,
	 .minimum = 100,
	 .maximum = 3600000,
	 .argument = "TIME",
	 .help = "how long to wait"},
	{.kind = OPTION_KIND_SECONDS,
	 .name = "ttl",
	 .target = &typed.ttl_ms,
	 .maximum = INT64_MAX,
	 .argument = "TIME",
	 .help = "how long to keep"},
	{.kind = OPTION_KIND_CHOICE,
	 .name = "format",
	 .target = &typed.format,
	 .choices = formats,
	 .argument = "FORMAT",
	 .help = "table, json or csv"},
	{.kind = OPTION_KIND_LIST,
	 .name = "header",
	 .target = &typed.headers,
	 .argument = "LINE",
	 .help = "one more header"},
	{.kind = OPTION_KIND_FLAG,
	 .name = "quiet",
	 .letter = 'q',
	 .target = &typed.quiet,
	 .help = "say less",
	 .given = &typed.quiet_given},
	{.kind = OPTION_KIND_CLEAR, .name = "no-verify", .target = &typed.verify, .help = "as it says"},
	{.kind = OPTION_KIND_CUSTOM,
	 .name = "custom",
	 .target = typed.custom,
	 .take = take_custom,
	 .argument = "THING",
	 .help = "something"},
	{.kind = OPTION_KIND_CUSTOM,
	 .name = "bare",
	 .target = typed.custom,
	 .take = take_custom,
	 .help = "something else"},
	{0},
};

static const OptionSpec connection_options[] = {
	{.kind = OPTION_KIND_HEADING, .help = "Connection:"},
	{.kind = OPTION_KIND_TEXT,
	 .name = "host",
	 .letter = 'h',
	 .target = &typed.host,
	 .argument = "HOST",
	 .help = "database server"},
	{.kind = OPTION_KIND_TEXT,
	 .letter = 'p',
	 .target = &typed.host,
	 .argument = "PORT",
	 .help = "its port"},
	{0},
};

static const OptionSpec *const groups[] = {own_options, connection_options, NULL};

static const OptionTable table = {
	.usage = "Usage: transferbench copy [OPTIONS]\n\nCopies.",
	.after = "More in the README.\n",
	.groups = groups,
};

/* Reads `arguments`, parted by blanks; what is said is in `output`. */
static OptionsResult
read_line(const char *arguments)
{
	static char line[1024];
	char *argv[MAX_ARGUMENTS] = {"copy"};
	int argc = 1;
	char *rest = line;
	OptionsResult result;

	option_list_free(&typed.headers);
	option_counts_free(&typed.sizes);
	typed = (Typed){.verify = true, .rows = 7, .format = -1};
	snprintf(line, sizeof(line), "%s", arguments);
	for (char *word = strsep(&rest, " "); word != NULL && *arguments != '\0';
		 word = strsep(&rest, " "))
		argv[argc++] = word;
	output_begin(&output, stderr);
	result = option_table_read(&table, argc, argv);
	output_end(&output);
	return result;
}

static void
check_read(const char *arguments)
{
	unit_equal_int(read_line(arguments), OPTIONS_OK,
				   *arguments == '\0' ? "no arguments" : arguments);
	unit_equal_bytes(output.text, strlen(output.text), "", "  nothing is said");
}

static void
check_refused(const char *arguments, const char *message)
{
	char wanted[512];

	snprintf(wanted, sizeof(wanted), "transferbench: error: %s\n", message);
	unit_equal_int(read_line(arguments), OPTIONS_REFUSED, arguments);
	unit_equal_bytes(output.text, strlen(output.text), wanted, "  the message");
}

static void
check_text(const char *got, const char *wanted, const char *name)
{
	unit_equal_bytes(got == NULL ? "(null)" : got, got == NULL ? 6 : strlen(got), wanted, name);
}

static void
check_flags(void)
{
	check_read("");
	unit_ok(!typed.quiet && !typed.quiet_given, "nothing given: as it was");
	unit_equal_int(typed.rows, 7, "nothing given: the default stays");
	check_read("--quiet --no-verify");
	unit_ok(typed.quiet, "a flag is set");
	unit_ok(typed.quiet_given && !typed.rows_given, "what was given is told");
	unit_ok(!typed.verify, "a flag is cleared");
	check_read("-q");
	unit_ok(typed.quiet, "a flag by its letter");
	check_refused("--quiet=yes", "option \"--quiet\" takes no value, but \"yes\" is given");
	check_refused("-qq", "option \"-q\" takes no value, but \"q\" is given");
}

static void
check_numbers(void)
{
	check_read("--rows 1e6");
	unit_equal_int(typed.rows, 1000000, "an exponent");
	check_read("--rows=1k --rows 2M");
	unit_equal_int(typed.rows, 2000000, "the last one holds");
	unit_ok(typed.rows_given, "a count is told as given");
	check_read("--max-body-bytes 8MiB");
	unit_equal_int(typed.bytes, 8 << 20, "bytes");
	check_refused("--rows 10x",
				  "--rows: invalid value \"10x\": expected a number such as 1000, 1e6 or 1M");
	check_refused("--rows -5",
				  "--rows: invalid value \"-5\": expected a number such as 1000, 1e6 or 1M");
	check_refused("--rows=",
				  "--rows: invalid value \"\": expected a number such as 1000, 1e6 or 1M");
	check_refused("--rows 1e10", "--rows: value \"1e10\" is outside 0..1000000000");
	check_refused("--rows 99999999999999999999",
				  "--rows: invalid value \"99999999999999999999\": expected a number such as 1000, "
				  "1e6 or 1M");
	check_refused("--rows", "option \"--rows\" wants a value");
}

static void
check_lists(void)
{
	check_read("--sizes 1e4,1e5,1M");
	unit_equal_int((int64_t) typed.sizes.count, 3, "three sizes");
	unit_equal_int(typed.sizes.value[0], 10000, "the first size");
	unit_equal_int(typed.sizes.value[2], 1000000, "the last size");
	check_read("--sizes 1,2,3 --sizes 5");
	unit_equal_int((int64_t) typed.sizes.count, 1, "sizes given twice: the last list holds");
	unit_equal_int(typed.sizes.value[0], 5, "sizes given twice: its value");
	check_refused("--sizes 1,,2",
				  "--sizes: invalid value \"\": expected a number such as 1000, 1e6 or 1M");
	check_refused("--sizes 1,0", "--sizes: value \"0\" is outside 1..1000000");
	check_refused("--sizes 5,",
				  "--sizes: invalid value \"\": expected a number such as 1000, 1e6 or 1M");
	check_read("--header A:1 --header=B:2");
	unit_equal_int((int64_t) typed.headers.count, 2, "two headers");
	check_text(typed.headers.text[0], "A:1", "the first header");
	check_text(typed.headers.text[1], "B:2", "the second header");
}

static void
check_time(const char *value, int64_t wanted_ms)
{
	char arguments[64];

	snprintf(arguments, sizeof(arguments), "--ttl %s", value);
	check_read(arguments);
	unit_equal_int(typed.ttl_ms, wanted_ms, "  in ms");
}

static void
check_times(void)
{
	static const char *const refused[] = {"",    "5x",     "-1",   "1.",  ".5",
										  "1,5", "0.0005", "0.5m", "nan", "9223372036854775807s"};
	static const char expected[] = "a time such as 5, 0.5, 250ms or 2min (seconds without a unit)";

	check_time("5", 5000);
	check_time("0.5", 500);
	check_time("250ms", 250);
	check_time("2min", 120000);
	check_time("1.5h", 5400000);
	check_time("24h", 86400000);
	check_time("7d", 604800000);
	check_time("0", 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
	{
		char arguments[64];
		char message[256];

		snprintf(arguments, sizeof(arguments), "--ttl=%s", refused[i]);
		snprintf(message, sizeof(message), "--ttl: invalid value \"%s\": expected %s", refused[i],
				 expected);
		check_refused(arguments, message);
	}
	check_refused("--request-timeout-of-each-attempt 2h",
				  "--request-timeout-of-each-attempt: value \"2h\" is outside 100ms..1h");
}

static void
check_texts(void)
{
	check_read("--table public.t");
	check_text(typed.table, "public.t", "a text");
	check_read("--table=a=b");
	check_text(typed.table, "a=b", "a text with an equals sign");
	check_read("-h /tmp");
	check_text(typed.host, "/tmp", "a letter and its value");
	check_read("-hlocalhost");
	check_text(typed.host, "localhost", "a letter with its value attached");
	check_read("-p 5432");
	check_text(typed.host, "5432", "an option that has only a letter");
	check_refused("--table=", "--table: the value is empty");
	check_refused("-h", "option \"-h\" wants a value");
	check_read("--format csv");
	unit_equal_int(typed.format, 2, "a choice by its place");
	check_refused("--format xml", "--format: invalid value \"xml\": expected table, json or csv");
	check_refused("--format js", "--format: invalid value \"js\": expected table, json or csv");
}

static void
check_custom(void)
{
	check_read("--custom x");
	check_text(typed.custom, "--custom=x", "a custom option gets its name and value");
	check_read("--bare");
	check_text(typed.custom, "--bare=(null)", "a custom option without a value");
	unit_equal_int(read_line("--custom bad"), OPTIONS_REFUSED, "a custom option may refuse");
	check_text(output.text, "--custom does not take \"bad\"\n", "in its own words");
}

static void
check_unknown(void)
{
	check_refused("--row 5", "option \"--row\" does not exist; is \"--rows\" meant?");
	check_refused("--tabel=t", "option \"--tabel\" does not exist; is \"--table\" meant?");
	check_refused("--max-body 5",
				  "option \"--max-body\" does not exist; is \"--max-body-bytes\" meant?");
	check_refused("--password=secret",
				  "option \"--password\" does not exist: try \"transferbench copy --help\"");
	check_refused("-x", "option \"-x\" does not exist: try \"transferbench copy --help\"");
	check_refused("--=5", "option \"--\" does not exist: try \"transferbench copy --help\"");
	check_refused("mydb", "unexpected argument \"mydb\": try \"transferbench copy --help\"");
	check_refused("-", "unexpected argument \"-\": try \"transferbench copy --help\"");
	check_refused("-- --quiet",
				  "unexpected argument \"--quiet\": try \"transferbench copy --help\"");
	check_read("--");
	check_refused("--quiet --rows=a --format",
				  "--rows: invalid value \"a\": expected a number such as 1000, 1e6 or 1M");
}

static void
check_help(void)
{
	static Output help;
	static const char wanted[] = "Usage: transferbench copy [OPTIONS]\n"
								 "\n"
								 "Copies.\n"
								 "\n"
								 "Rows:\n"
								 "  --rows N              rows to move\n"
								 "  --sizes LIST          sizes in rows,\n"
								 "                        parted by commas\n"
								 "  --max-body-bytes SIZE largest body\n"
								 "  --table NAME          table to write to\n"
								 "\n"
								 "Other:\n"
								 "  --request-timeout-of-each-attempt TIME\n"
								 "                        how long to wait\n"
								 "  --ttl TIME            how long to keep\n"
								 "  --format FORMAT       table, json or csv\n"
								 "  --header LINE         one more header\n"
								 "  -q, --quiet           say less\n"
								 "  --no-verify           as it says\n"
								 "  --custom THING        something\n"
								 "  --bare                something else\n"
								 "\n"
								 "Connection:\n"
								 "  -h, --host HOST       database server\n"
								 "  -p PORT               its port\n"
								 "\n"
								 "  -?, --help            this text\n"
								 "\n"
								 "More in the README.\n";

	output_begin(&help, stdout);
	unit_failures += read_line("--help --nonsense") != OPTIONS_HELP;
	output_end(&help);
	check_text(help.text, wanted, "the help text");
	output_begin(&help, stdout);
	unit_failures += read_line("--quiet -?") != OPTIONS_HELP;
	output_end(&help);
	check_text(help.text, wanted, "the help text by its letter");
}

int
main(void)
{
	check_flags();
	check_numbers();
	check_lists();
	check_times();
	check_texts();
	check_custom();
	check_unknown();
	check_help();
	option_list_free(&typed.headers);
	option_counts_free(&typed.sizes);
	return unit_done();
}
