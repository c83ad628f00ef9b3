#include "serve/serve_options.h"
#include "message.h"
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PORT  8000
#define DEFAULT_TABLE "bench_reference"

static void
print_help(void)
{
	fputs(
		"Usage: transferbench serve [OPTIONS]\n"
		"\n"
		"Serves the rows of a table or a query over HTTP as JSON or CSV, and takes rows as JSON "
		"into\n"
		"a table: the reference endpoint.\n"
		"Prints one line \"listening on URL\" when it is ready, and ends on SIGINT or SIGTERM.\n"
		"\n"
		"  --port PORT              HTTP port, 0 for any free one (default 8000)\n"
		"  --bind ADDRESS           address to listen on (default 127.0.0.1)\n"
		"  --table NAME             table or view to serve (default bench_reference; nothing\n"
		"                           where that is missing and --save-table is given)\n"
		"  --query SELECT           query to serve instead of a table\n"
		"  --order-by LIST          columns to order by (default: the table's primary key)\n"
		"  --save-table NAME        table that a POST writes to (default: the --table, unless it\n"
		"                           is a view); it need not exist yet\n"
		"  --read-only              nothing is written: no POST is allowed\n"
		"  --connections N          database connections that read (default 4)\n"
		"  --write-connections N    database connections that write (default 3)\n"
		"  --max-requests N         requests at once, waiting ones too, else 429 (default 64);\n"
		"                           one that is still sending a short body does not count\n"
		"  --max-http-connections N HTTP connections at once (default 2000); each may keep 256KiB\n"
		"                           of a body\n"
		"  --queue-timeout SECONDS  wait for a database connection, or a lock when writing, else\n"
		"                           503 (default 5)\n"
		"  --idle-timeout SECONDS   HTTP connections without progress are closed (default 60)\n"
		"  --max-spool-bytes SIZE   temporary file of a columns request (default 16GiB, 0: any)\n"
		"  --max-body-bytes SIZE    body of a POST, as it comes and decoded (default 8MiB, 0: "
		"any)\n"
		"  --token-file FILE        its first line is the bearer token that all but /health "
		"wants;\n"
		"                           for its owner alone (mode 0600)\n"
		"  --create-ledger          first make the table of answered requests, so that a repeated\n"
		"                           Idempotency-Key writes nothing: transferbench.request_ledger\n"
		"  --drop-ledger            drop that table, and end\n"
		"  --ledger-ttl TIME        age from which a key counts as new (default 24h; s, min, h, "
		"d)\n"
		"  --quiet                  only warnings and errors on stderr\n"
		"  --help                   this text\n"
		"\n" CONNECTION_OPTIONS_HELP "\n"
		"GET /load_from_db?row_limit=N&offset=K&format=rows|columns|ndjson|csv\n"
		"  row_limit and offset are digits only (defaults 10000 and 0); gzip on request;\n"
		"  the Server-Timing trailer tells query, serialise and cpu milliseconds\n"
		"  200 rows   201 no rows   401 a body came with the GET   402 no such format\n"
		"  403 bad, doubled or unknown parameter   404   405   429 and 503 with Retry-After\n"
		"  500 unspecified, such as a full disk   502 database reading failed\n"
		"POST /save_to_db\n"
		"  application/json: an array of objects; application/x-ndjson: an object a line; gzip\n"
		"  or plain. All or nothing, by one COPY in one transaction, answered after its commit.\n"
		"  Keys are columns; a key that is missing is null, whatever the column's default is; of\n"
		"  one that comes twice the last counts. Generated columns cannot be written. An\n"
		"  Idempotency-Key makes a repeated request a no-op that is answered as the first was,\n"
		"  where there is a ledger; else it is ignored\n"
		"  200 {\"rows\": k}   201 no rows   401 no JSON rows   402 another media type or coding\n"
		"  403 an unknown key or parameter, a malformed Idempotency-Key   404   405   413 too "
		"long\n"
		"  422 the key was answered for another body   429 and 503 with Retry-After\n"
		"  500 unspecified   501 database writing failed: SQLSTATE, message, row\n"
		"  no answer: nobody can tell whether the rows were committed\n"
		"GET /info    versions, columns, limits\n"
		"GET /health  liveness\n"
		"GET /usage   CPU and memory of this process, and its backends; POST resets the peak\n"
		"400 a malformed head; Content-Length twice or with a Transfer-Encoding, or one other\n"
		"    than chunked. What is no HTTP at all the library answers, in HTML: 400, 413, 431, "
		"505\n"
		"414 a target of more than 16 KiB\n"
		"421 on loopback and without --token-file: Host is neither localhost nor an address\n"
		"401 with WWW-Authenticate: the bearer token is missing or wrong\n",
		stdout);
}

enum
{
	OPTION_PORT = 256,
	OPTION_BIND,
	OPTION_TABLE,
	OPTION_QUERY,
	OPTION_ORDER_BY,
	OPTION_SAVE_TABLE,
	OPTION_READ_ONLY,
	OPTION_CONNECTIONS,
	OPTION_WRITE_CONNECTIONS,
	OPTION_MAX_REQUESTS,
	OPTION_MAX_HTTP_CONNECTIONS,
	OPTION_QUEUE_TIMEOUT,
	OPTION_IDLE_TIMEOUT,
	OPTION_MAX_SPOOL_BYTES,
	OPTION_MAX_BODY_BYTES,
	OPTION_TOKEN_FILE,
	OPTION_CREATE_LEDGER,
	OPTION_DROP_LEDGER,
	OPTION_LEDGER_TTL,
	OPTION_QUIET,
	OPTION_HELP,
};

static const struct option long_options[] = {
	CONNECTION_LONG_OPTIONS,
	{"port", required_argument, NULL, OPTION_PORT},
	{"bind", required_argument, NULL, OPTION_BIND},
	{"table", required_argument, NULL, OPTION_TABLE},
	{"query", required_argument, NULL, OPTION_QUERY},
	{"order-by", required_argument, NULL, OPTION_ORDER_BY},
	{"save-table", required_argument, NULL, OPTION_SAVE_TABLE},
	{"read-only", no_argument, NULL, OPTION_READ_ONLY},
	{"connections", required_argument, NULL, OPTION_CONNECTIONS},
	{"write-connections", required_argument, NULL, OPTION_WRITE_CONNECTIONS},
	{"max-requests", required_argument, NULL, OPTION_MAX_REQUESTS},
	{"max-http-connections", required_argument, NULL, OPTION_MAX_HTTP_CONNECTIONS},
	{"queue-timeout", required_argument, NULL, OPTION_QUEUE_TIMEOUT},
	{"idle-timeout", required_argument, NULL, OPTION_IDLE_TIMEOUT},
	{"max-spool-bytes", required_argument, NULL, OPTION_MAX_SPOOL_BYTES},
	{"max-body-bytes", required_argument, NULL, OPTION_MAX_BODY_BYTES},
	{"token-file", required_argument, NULL, OPTION_TOKEN_FILE},
	{"create-ledger", no_argument, NULL, OPTION_CREATE_LEDGER},
	{"drop-ledger", no_argument, NULL, OPTION_DROP_LEDGER},
	{"ledger-ttl", required_argument, NULL, OPTION_LEDGER_TTL},
	{"quiet", no_argument, NULL, OPTION_QUIET},
	{"help", no_argument, NULL, OPTION_HELP},
	{NULL, 0, NULL, 0},
};

/* A whole number of seconds, minutes, hours or days. */
static bool
take_time(const char *option, const char *text, int64_t *seconds)
{
	static const struct
	{
		const char *name;
		int64_t seconds;
	} units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
	const int64_t maximum = INT64_C(36500) * 86400;
	size_t digits = strspn(text, "0123456789");
	int64_t count;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		if (strcmp(text + digits, units[i].name) == 0 && parse_digits(text, digits, &count) &&
			count >= 1 && count <= maximum / units[i].seconds)
		{
			*seconds = count * units[i].seconds;
			return true;
		}
	}
	message_error("%s: invalid value \"%s\": expected a time such as 90s, 30min, 24h or 7d, at "
				  "least 1s",
				  option, text);
	return false;
}

/* Options that bound something. */
static bool
take_limit(ServeConfiguration *configuration, int letter, const char *value)
{
	ServeLimits *limits = &configuration->limits;

	switch (letter)
	{
		case OPTION_CONNECTIONS:
			return option_count("--connections", value, 1, 1000, &limits->connections);
		case OPTION_WRITE_CONNECTIONS:
			return option_count("--write-connections", value, 1, 1000, &limits->write_connections);
		case OPTION_MAX_REQUESTS:
			return option_count("--max-requests", value, 1, 10000, &limits->requests);
		case OPTION_MAX_HTTP_CONNECTIONS:
			return option_count("--max-http-connections", value, 1, 100000,
								&limits->http_connections);
		case OPTION_QUEUE_TIMEOUT:
			return option_count("--queue-timeout", value, 0, 3600, &limits->queue_timeout_s);
		case OPTION_IDLE_TIMEOUT:
			return option_count("--idle-timeout", value, 1, 3600, &limits->idle_timeout_s);
		case OPTION_MAX_SPOOL_BYTES:
			return option_bytes("--max-spool-bytes", value, 0, INT64_MAX, &limits->spool_bytes);
		case OPTION_MAX_BODY_BYTES:
			return option_bytes("--max-body-bytes", value, 0, INT64_MAX, &limits->body_bytes);
		case OPTION_LEDGER_TTL:
			return take_time("--ledger-ttl", value, &configuration->ledger_ttl_s);
		default:
			return connection_option_take(&configuration->connection, letter, value);
	}
}

/* Options whose value stands as it is; false when the letter is none of them. */
static bool
take_text(ServeConfiguration *configuration, int letter, const char *value)
{
	switch (letter)
	{
		case OPTION_BIND:
			configuration->address = value;
			return true;
		case OPTION_TABLE:
			configuration->source.table = value;
			return true;
		case OPTION_QUERY:
			configuration->source.query = value;
			return true;
		case OPTION_ORDER_BY:
			configuration->source.order_by = value;
			return true;
		case OPTION_SAVE_TABLE:
			configuration->save_table = value;
			return true;
		case OPTION_TOKEN_FILE:
			configuration->token_file = value;
			return true;
		default:
			return false;
	}
}

static bool
take_option(ServeConfiguration *configuration, int letter, const char *value)
{
	switch (letter)
	{
		case OPTION_PORT:
			return option_count("--port", value, 0, 65535, &configuration->port);
		case OPTION_READ_ONLY:
			configuration->read_only = true;
			return true;
		case OPTION_CREATE_LEDGER:
			configuration->create_ledger = true;
			return true;
		case OPTION_DROP_LEDGER:
			configuration->drop_ledger = true;
			return true;
		case OPTION_QUIET:
			configuration->quiet = true;
			return true;
		default:
			return take_text(configuration, letter, value) ||
				   take_limit(configuration, letter, value);
	}
}

static bool
exclude(bool one, const char *one_name, bool other, const char *other_name)
{
	if (one && other)
		message_error("%s and %s exclude each other", one_name, other_name);
	return one && other;
}

static bool
check_configuration(ServeConfiguration *configuration)
{
	if (exclude(configuration->source.table != NULL, "--table", configuration->source.query != NULL,
				"--query") ||
		exclude(configuration->read_only, "--read-only", configuration->save_table != NULL,
				"--save-table") ||
		exclude(configuration->read_only, "--read-only", configuration->create_ledger,
				"--create-ledger") ||
		exclude(configuration->drop_ledger, "--drop-ledger", configuration->create_ledger,
				"--create-ledger"))
		return false;
	if (configuration->read_only)
		configuration->limits.write_connections = 0;
	if (configuration->source.table == NULL && configuration->source.query == NULL)
	{
		configuration->source.table = DEFAULT_TABLE;
		configuration->source_is_default = true;
	}
	return connection_options_check(&configuration->connection, "-d");
}

/* getopt's complaint in our words. */
static void
refuse_option(int letter, char **argv)
{
	const char *option = argv[optind - 1];

	if (optopt > 0 && optopt < OPTION_PORT)
		message_error("option \"-%c\" %s", optopt,
					  letter == ':' ? "wants a value" : "does not exist");
	else
		message_error("option \"%s\" %s", option,
					  letter == ':' ? "wants a value"
									: "does not exist, is ambiguous, or takes no value");
}

static void
set_defaults(ServeConfiguration *configuration)
{
	*configuration = (ServeConfiguration){
		.port = DEFAULT_PORT,
		.address = "127.0.0.1",
		.connection = {.default_application_name = "transferbench serve"},
		.limits = {.connections = 4,
				   .write_connections = 3,
				   .requests = 64,
				   .http_connections = 2000,
				   .queue_timeout_s = 5,
				   .idle_timeout_s = 60,
				   .spool_bytes = INT64_C(16) << 30,
				   .body_bytes = INT64_C(8) << 20},
		.ledger_ttl_s = 24 * 3600,
	};
}

bool
serve_options_read(ServeConfiguration *configuration, int argc, char **argv, int *status)
{
	int letter;

	set_defaults(configuration);
	*status = EXIT_FAILURE;
	opterr = 0;
	while ((letter = getopt_long(argc, argv, ":" CONNECTION_SHORT_OPTIONS, long_options, NULL)) !=
		   -1)
	{
		if (letter == OPTION_HELP)
		{
			print_help();
			*status = EXIT_SUCCESS;
			return false;
		}
		if (letter == '?' || letter == ':')
		{
			refuse_option(letter, argv);
			return false;
		}
		if (!take_option(configuration, letter, optarg))
			return false;
	}
	if (optind < argc)
	{
		message_error("unexpected argument \"%s\"", argv[optind]);
		return false;
	}
	return check_configuration(configuration);
}
