#include "command_serve.h"
#include "clock.h"
#include "database/connection_options.h"
#include "serve/listen_socket.h"
#include "message.h"
#include "options.h"
#include "serve/serve_answer.h"
#include "serve/serve_http.h"
#include "serve/serve_pool.h"
#include "database/query_source.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define DEFAULT_PORT  8000
#define DEFAULT_TABLE "bench_reference"

/* Once a stop was asked for: for requests to end by themselves, for those that are cut to hear of
 * it, for threads to come back. */
#define STOP_GRACE_MS 5000
#define STOP_CUT_MS   500
#define STOP_POOL_MS  3000
#define STOP_LOOK_MS  20

/* Descriptors that are not connections of clients: standard streams, libraries. */
#define SPARE_DESCRIPTORS 32

typedef struct ServeConfiguration
{
	int64_t port;
	const char *address;
	QuerySourceOptions source;
	ConnectionOptions connection;
	ServeLimits limits;
	bool quiet;
} ServeConfiguration;

/* What runs; each may be missing while starting. */
typedef struct Serving
{
	QuerySource source;
	ServeAnswerOptions answer;
	char *info;
	ServePool *pool;
	ServeHttp *http;
} Serving;

static void
print_help(void)
{
	fputs(
		"Usage: transferbench serve [OPTIONS]\n"
		"\n"
		"Serves the rows of a table or a query over HTTP as JSON or CSV: the reference endpoint.\n"
		"Prints one line \"listening on URL\" when it is ready, and ends on SIGINT or SIGTERM.\n"
		"\n"
		"  --port PORT              HTTP port, 0 for any free one (default 8000)\n"
		"  --bind ADDRESS           address to listen on (default 127.0.0.1)\n"
		"  --table NAME             table or view to serve (default bench_reference)\n"
		"  --query SELECT           query to serve instead of a table\n"
		"  --order-by LIST          columns to order by (default: the table's primary key)\n"
		"  --connections N          database connections (default 4)\n"
		"  --max-requests N         requests at once, waiting ones too, else 429 (default 64)\n"
		"  --max-http-connections N HTTP connections at once (default 2000)\n"
		"  --queue-timeout SECONDS  wait for a database connection, else 503 (default 5)\n"
		"  --idle-timeout SECONDS   HTTP connections without progress are closed (default 60)\n"
		"  --max-spool-bytes SIZE   temporary file of a columns request (default 16GiB, 0: any)\n"
		"  --quiet                  only warnings and errors on stderr\n"
		"  --help                   this text\n"
		"\n" CONNECTION_OPTIONS_HELP "\n"
		"GET /load_from_db?row_limit=N&offset=K&format=rows|columns|ndjson|csv\n"
		"  row_limit and offset are digits only (defaults 10000 and 0); gzip on request;\n"
		"  the Server-Timing trailer tells query, serialise and cpu milliseconds\n"
		"  200 rows   201 no rows   401 a body came with the GET   402 no such format\n"
		"  403 bad, doubled or unknown parameter   404   405   429 and 503 with Retry-After\n"
		"  500 unspecified, such as a full disk   502 database reading failed\n"
		"GET /info    versions, columns, limits\n"
		"GET /health  liveness\n",
		stdout);
}

enum
{
	OPTION_PORT = 256,
	OPTION_BIND,
	OPTION_TABLE,
	OPTION_QUERY,
	OPTION_ORDER_BY,
	OPTION_CONNECTIONS,
	OPTION_MAX_REQUESTS,
	OPTION_MAX_HTTP_CONNECTIONS,
	OPTION_QUEUE_TIMEOUT,
	OPTION_IDLE_TIMEOUT,
	OPTION_MAX_SPOOL_BYTES,
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
	{"connections", required_argument, NULL, OPTION_CONNECTIONS},
	{"max-requests", required_argument, NULL, OPTION_MAX_REQUESTS},
	{"max-http-connections", required_argument, NULL, OPTION_MAX_HTTP_CONNECTIONS},
	{"queue-timeout", required_argument, NULL, OPTION_QUEUE_TIMEOUT},
	{"idle-timeout", required_argument, NULL, OPTION_IDLE_TIMEOUT},
	{"max-spool-bytes", required_argument, NULL, OPTION_MAX_SPOOL_BYTES},
	{"quiet", no_argument, NULL, OPTION_QUIET},
	{"help", no_argument, NULL, OPTION_HELP},
	{NULL, 0, NULL, 0},
};

static bool
take_option(ServeConfiguration *configuration, int letter, const char *value)
{
	ServeLimits *limits = &configuration->limits;

	switch (letter)
	{
		case OPTION_PORT:
			return option_count("--port", value, 0, 65535, &configuration->port);
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
		case OPTION_CONNECTIONS:
			return option_count("--connections", value, 1, 1000, &limits->connections);
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
		case OPTION_QUIET:
			configuration->quiet = true;
			return true;
		default:
			return connection_option_take(&configuration->connection, letter, value);
	}
}

static bool
check_configuration(ServeConfiguration *configuration)
{
	if (configuration->source.table != NULL && configuration->source.query != NULL)
	{
		message_error("--table and --query exclude each other");
		return false;
	}
	if (configuration->source.table == NULL && configuration->source.query == NULL)
		configuration->source.table = DEFAULT_TABLE;
	return connection_options_check(&configuration->connection);
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

/* False when the program is to end with *status. */
static bool
read_options(ServeConfiguration *configuration, int argc, char **argv, int *status)
{
	int letter;

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

/* Makes sure that every HTTP connection that is let in has its descriptor. */
static void
fit_descriptors(ServeLimits *limits)
{
	struct rlimit files;
	/* a request holds a second descriptor of its client and maybe a file; a database connection
	 * its socket and an eventfd, and one more for a moment to cancel */
	int64_t others = SPARE_DESCRIPTORS + 2 * limits->requests + 3 * limits->connections;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY ||
		(int64_t) files.rlim_cur >= limits->http_connections + others)
		return;
	limits->http_connections = (int64_t) files.rlim_cur - others;
	if (limits->http_connections < 1)
		limits->http_connections = 1;
	message_warning("only %lld HTTP connections at once: the limit of open files is %lld",
					(long long) limits->http_connections, (long long) files.rlim_cur);
}

static bool
examine_source(Serving *serving, const ServeConfiguration *configuration)
{
	Database database;
	bool is_fit = false;

	database_init(&database, -1);
	if (database_open(&database, &configuration->connection, SERVE_CONNECT_TIMEOUT_MS) ==
		DATABASE_OK)
		is_fit = query_source_examine(&serving->source, &configuration->source, &database);
	else
		message_error("%s", database.message);
	database_close(&database);
	return is_fit;
}

/* All that may have to wait for the database. Signals still end the program: there is nothing yet
 * to be cleaned up. */
static bool
prepare(Serving *serving, const ServeConfiguration *configuration)
{
	if (!examine_source(serving, configuration))
		return false;
	serving->info = serve_info_document(&serving->source, &configuration->limits);
	if (serving->info == NULL)
	{
		message_error("out of memory");
		return false;
	}
	return true;
}

/* Says where it listens; somebody waits for that line. */
static bool
announce(const ListenSocket *listener)
{
	if (printf("listening on %s\n", listener->url) >= 0 && fflush(stdout) == 0)
		return true;
	message_error("cannot write to standard output: %m");
	return false;
}

static bool
start(Serving *serving, const ServeConfiguration *configuration, const sigset_t *signals)
{
	ListenSocket listener;

	/* before any thread starts: they inherit it, and only this one takes them */
	pthread_sigmask(SIG_BLOCK, signals, NULL);
	if (!listen_socket_open(&listener, configuration->address, (int) configuration->port))
		return false;
	serving->answer = (ServeAnswerOptions){
		.source = &serving->source,
		.connection = &configuration->connection,
		.max_spool_bytes = configuration->limits.spool_bytes,
	};
	serving->pool = serve_pool_start(&(ServePoolOptions){
		.connections = (int) configuration->limits.connections,
		.connections_option = "--connections",
		.connects_at_once = true,
		.queue_timeout_ms = configuration->limits.queue_timeout_s * 1000,
		.connection = &configuration->connection,
		.work = serve_answer,
		.work_context = &serving->answer,
	});
	if (serving->pool != NULL)
		serving->http =
			serve_http_start(listener.fd, serving->pool, &configuration->limits, serving->info);
	if (serving->http == NULL)
	{
		close(listener.fd);
		return false;
	}
	if (!listener.is_loopback)
		message_warning("%s can be reached from other machines, by anybody: there is no "
						"authentication and no encryption",
						listener.url);
	message_note("serving %s", serving->source.table != NULL ? serving->source.table : "a query");
	return announce(&listener);
}

/* Waits for a signal of the set; false when none came within the time. */
static bool
wait_for_signal(const sigset_t *signals, int timeout_ms)
{
	struct timespec timeout = {.tv_sec = timeout_ms / 1000,
							   .tv_nsec = timeout_ms % 1000 * CLOCK_NS_PER_MS};

	for (;;)
	{
		if (sigtimedwait(signals, NULL, &timeout) >= 0)
			return true;
		if (errno != EINTR)
			return false;
	}
}

/* Waits until no request is under way; a second signal ends the program here. */
static void
wait_for_requests(Serving *serving, const sigset_t *signals, int64_t timeout_ms)
{
	int64_t deadline_ns = clock_now_ns() + timeout_ms * CLOCK_NS_PER_MS;

	while (serve_http_active(serving->http) > 0 && clock_now_ns() < deadline_ns)
	{
		if (wait_for_signal(signals, STOP_LOOK_MS))
		{
			message_warning("stopped at once; %d requests were cut",
							serve_http_active(serving->http));
			_exit(EXIT_FAILURE);
		}
	}
}

static void
stop(Serving *serving, const sigset_t *signals)
{
	bool pool_is_back;

	if (serving->http != NULL)
	{
		serve_http_close_doors(serving->http);
		wait_for_requests(serving, signals, STOP_GRACE_MS);
		serve_http_cut_all(serving->http);
		wait_for_requests(serving, signals, STOP_CUT_MS);
		serve_http_stop(serving->http);
	}
	pool_is_back = serving->pool == NULL || serve_pool_stop(serving->pool, STOP_POOL_MS);
	/* a thread that hangs in a system call may still look at these */
	if (!pool_is_back)
		return;
	free(serving->info);
	query_source_free(&serving->source);
}

int
command_serve(int argc, char **argv)
{
	ServeConfiguration configuration = {
		.port = DEFAULT_PORT,
		.address = "127.0.0.1",
		.connection = {.application_name = "transferbench serve"},
		.limits = {.connections = 4,
				   .requests = 64,
				   .http_connections = 2000,
				   .queue_timeout_s = 5,
				   .idle_timeout_s = 60,
				   .spool_bytes = INT64_C(16) << 30},
	};
	Serving serving = {0};
	sigset_t signals;
	bool started;
	int status;

	if (!read_options(&configuration, argc, argv, &status))
		return status;
	message_set_quiet(configuration.quiet);
	signal(SIGPIPE, SIG_IGN);
	fit_descriptors(&configuration.limits);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	started = prepare(&serving, &configuration) && start(&serving, &configuration, &signals);
	if (started)
	{
		int signal_number;

		sigwait(&signals, &signal_number);
		message_note("stopping");
	}
	stop(&serving, &signals);
	return started ? EXIT_SUCCESS : EXIT_FAILURE;
}
