#include "command_serve.h"
#include "clock.h"
#include "http/http_session.h"
#include "message.h"
#include "serve/lingering.h"
#include "serve/listen_socket.h"
#include "serve/request_ledger.h"
#include "serve/serve_answer.h"
#include "serve/serve_http.h"
#include "serve/serve_options.h"
#include "serve/serve_save.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Once a stop was asked for: for requests to end by themselves, for those that are cut to hear of
 * it, for threads to come back. */
#define STOP_GRACE_MS 5000
#define STOP_CUT_MS   500
#define STOP_POOL_MS  3000
#define STOP_LOOK_MS  20

/* Descriptors that are not connections of clients: standard streams, libraries. */
#define SPARE_DESCRIPTORS 32

/* From here on a buffer is a mapping of its own, which the system gets back with it. glibc would let
 * this grow with the buffers that are freed: what many clients at once had made it take it would then
 * keep, in pieces. */
#define MAPPED_FROM_BYTES (64 * 1024)

/* What runs; each may be missing while starting. */
typedef struct Serving
{
	QuerySource source;
	ServeTarget target;
	ServeAnswerOptions answer;
	ServeSaveOptions save;
	_Atomic int64_t next_sweep_ns;
	ServeToken token;
	char *info;
	ServePool *load_pool;
	ServePool *save_pool;
	ServeHttp *http;
} Serving;

/* Makes sure that every HTTP connection that is let in has its descriptor. */
static void
fit_descriptors(ServeLimits *limits)
{
	struct rlimit files;
	/* a request may hold a file; a database connection its socket and an eventfd, and one more for a
	 * moment to cancel */
	int64_t others = SPARE_DESCRIPTORS + LINGERING_MAX + limits->requests +
					 3 * (limits->connections + limits->write_connections);
	int64_t per_connection = 2; /* while it brings a request, a second one to watch it */

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY ||
		(int64_t) files.rlim_cur >= per_connection * limits->http_connections + others)
		return;
	limits->http_connections = ((int64_t) files.rlim_cur - others) / per_connection;
	if (limits->http_connections < 1)
		limits->http_connections = 1;
	message_warning("only %lld HTTP connections at once: the limit of open files is %lld",
					(long long) limits->http_connections, (long long) files.rlim_cur);
}

/* Who named a table to be written to and none to be read need not have the default one. */
static bool
reads_nothing(const ServeConfiguration *configuration, Database *database)
{
	PGresult *found;
	bool is_missing;

	if (!configuration->source_is_default || configuration->save_table == NULL)
		return false;
	found = database_execute(database, "SELECT pg_catalog.to_regclass($1) IS NULL", 1,
							 &configuration->source.table);
	is_missing = found != NULL && *PQgetvalue(found, 0, 0) == 't';
	PQclear(found);
	return is_missing;
}

static bool
examine_source(Serving *serving, const ServeConfiguration *configuration, Database *database)
{
	bool is_fit;

	if (reads_nothing(configuration, database))
		return query_source_none(&serving->source, database);
	is_fit = query_source_examine(&serving->source, &configuration->source, database);

	/* out of its read-only transaction */
	database_make_idle(database);
	return is_fit;
}

static bool
examine_target(Serving *serving, const ServeConfiguration *configuration, Database *database)
{
	if (!serve_target_examine(&serving->target, configuration->save_table, &serving->source,
							  database))
		return false;
	if (configuration->create_ledger && !request_ledger_create(database))
		return false;
	return configuration->read_only || request_ledger_find(database, &serving->target.has_ledger);
}

/* Looks at what will be served, and makes the ledger. */
static bool
examine(Serving *serving, const ServeConfiguration *configuration)
{
	Database database;
	bool is_fit = false;

	database_init(&database, -1);
	if (database_open(&database, &configuration->connection, SERVE_CONNECT_TIMEOUT_MS) ==
		DATABASE_OK)
		is_fit = examine_source(serving, configuration, &database) &&
				 examine_target(serving, configuration, &database);
	else
		message_error("%s", database.message);
	database_close(&database);
	return is_fit;
}

/* All that --drop-ledger does. */
static bool
drop_ledger(const ServeConfiguration *configuration)
{
	Database database;
	bool is_dropped = false;

	database_init(&database, -1);
	if (database_open(&database, &configuration->connection, SERVE_CONNECT_TIMEOUT_MS) ==
		DATABASE_OK)
		is_dropped = request_ledger_drop(&database);
	else
		message_error("%s", database.message);
	database_close(&database);
	if (is_dropped)
		message_note("the ledger is gone");
	return is_dropped;
}

static bool
read_token(Serving *serving, const char *path)
{
	char *text = http_token_from_file("--token-file", path);
	bool is_set;

	if (text == NULL)
		return false;
	is_set = serve_token_set(&serving->token, text);
	explicit_bzero(text, strlen(text));
	free(text);
	if (!is_set)
		message_error("--token-file: SHA-256 is not to be had from libcrypto");
	return is_set;
}

/* All that may have to wait for the database. Signals still end the program: there is nothing yet
 * to be cleaned up. */
static bool
prepare(Serving *serving, const ServeConfiguration *configuration)
{
	if (configuration->token_file != NULL && !read_token(serving, configuration->token_file))
		return false;
	if (!examine(serving, configuration))
		return false;
	serving->info = serve_info_document(&serving->source, &serving->target, &configuration->limits);
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

static ServePool *
start_load_pool(Serving *serving, const ServeConfiguration *configuration)
{
	const ServePoolOptions options = {
		.connections = (int) configuration->limits.connections,
		.connections_option = "--connections",
		.connects_at_once = true,
		.queue_timeout_ms = configuration->limits.queue_timeout_s * 1000,
		.connection = &configuration->connection,
		.work = serve_answer,
		.context = &serving->answer,
	};

	serving->answer = (ServeAnswerOptions){
		.source = &serving->source,
		.connection = &configuration->connection,
		.max_spool_bytes = configuration->limits.spool_bytes,
	};
	return serve_pool_start(&options);
}

/* Its connections come with the first requests: who only reads is not to pay for them. */
static ServePool *
start_save_pool(Serving *serving, const ServeConfiguration *configuration)
{
	const ServePoolOptions options = {
		.connections = (int) configuration->limits.write_connections,
		.connections_option = "--write-connections",
		.queue_timeout_ms = configuration->limits.queue_timeout_s * 1000,
		.connection = &configuration->connection,
		.work = serve_save,
		.chore = serve_save_sweep,
		.context = &serving->save,
	};

	serving->save = (ServeSaveOptions){
		.connection = &configuration->connection,
		.table = serving->target.table,
		.max_body_bytes = configuration->limits.body_bytes,
		.lock_timeout_ms = configuration->limits.queue_timeout_s * 1000,
		.has_ledger = serving->target.has_ledger,
		.ledger_ttl_s = configuration->ledger_ttl_s,
		.next_sweep_ns = &serving->next_sweep_ns,
	};
	return serve_pool_start(&options);
}

static bool
start_threads(Serving *serving, const ServeConfiguration *configuration,
			  const ListenSocket *listener)
{
	ServeHttpOptions options = {
		.limits = &configuration->limits,
		.info = serving->info,
		.token = configuration->token_file != NULL ? &serving->token : NULL,
		/* a listener for other machines has names that nobody here knows */
		.local_only = listener->is_loopback && configuration->token_file == NULL,
	};

	if (serving->source.columns > 0)
	{
		options.load_pool = serving->load_pool = start_load_pool(serving, configuration);
		if (serving->load_pool == NULL)
			return false;
	}
	if (!configuration->read_only)
	{
		options.save_pool = serving->save_pool = start_save_pool(serving, configuration);
		if (serving->save_pool == NULL)
			return false;
	}
	serving->http = serve_http_start(listener->fd, &options);
	return serving->http != NULL;
}

static void
warn_of_strangers(const ServeConfiguration *configuration, const ListenSocket *listener)
{
	if (listener->is_loopback)
		return;
	if (configuration->token_file == NULL)
		message_warning("%s can be reached from other machines, by anybody, to read%s: there is no "
						"authentication (see --token-file) and no encryption",
						listener->url, configuration->read_only ? "" : " and to write");
	else
		message_warning("%s can be reached from other machines: token and rows travel without "
						"encryption",
						listener->url);
}

static bool
start(Serving *serving, const ServeConfiguration *configuration, const sigset_t *signals)
{
	ListenSocket listener;

	/* before any thread starts: they inherit it, and only this one takes them */
	pthread_sigmask(SIG_BLOCK, signals, NULL);
	if (!listen_socket_open(&listener, configuration->address, (int) configuration->port))
		return false;
	if (!start_threads(serving, configuration, &listener))
	{
		close(listener.fd);
		return false;
	}
	warn_of_strangers(configuration, &listener);
	if (serving->source.columns > 0)
		message_note("serving %s",
					 serving->source.table != NULL ? serving->source.table : "a query");
	if (!configuration->read_only && serving->target.table != NULL)
		message_note("writing to %s%s", serving->target.table,
					 serving->target.has_ledger ? ", with a ledger of requests" : "");
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
	bool are_back;

	if (serving->http != NULL)
	{
		serve_http_close_doors(serving->http);
		wait_for_requests(serving, signals, STOP_GRACE_MS);
		serve_http_cut_all(serving->http);
		wait_for_requests(serving, signals, STOP_CUT_MS);
		serve_http_stop(serving->http);
	}
	are_back = serving->load_pool == NULL || serve_pool_stop(serving->load_pool, STOP_POOL_MS);
	if (serving->save_pool != NULL)
		are_back &= serve_pool_stop(serving->save_pool, STOP_POOL_MS);
	/* a thread that hangs in a system call may still look at these */
	if (!are_back)
		return;
	free(serving->info);
	query_source_free(&serving->source);
	serve_target_free(&serving->target);
	free(serving);
}

static bool
serve(const ServeConfiguration *configuration)
{
	Serving *serving = calloc(1, sizeof(Serving));
	sigset_t signals;
	bool started;

	if (serving == NULL)
	{
		message_error("out of memory");
		return false;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	started = prepare(serving, configuration) && start(serving, configuration, &signals);
	if (started)
	{
		int signal_number;

		sigwait(&signals, &signal_number);
		message_note("stopping");
	}
	stop(serving, &signals);
	return started;
}

int
command_serve(int argc, char **argv)
{
	ServeConfiguration configuration;
	int status;
	bool is_well;

	if (!serve_options_read(&configuration, argc, argv, &status))
		return status;
	message_set_quiet(configuration.quiet);
	signal(SIGPIPE, SIG_IGN);
	mallopt(M_MMAP_THRESHOLD, MAPPED_FROM_BYTES);
	fit_descriptors(&configuration.limits);
	is_well = configuration.drop_ledger ? drop_ledger(&configuration) : serve(&configuration);
	return is_well ? EXIT_SUCCESS : EXIT_FAILURE;
}
