/*
 * http_session_test.c - the HTTP client against a server that misbehaves: what every kind of
 * answer, and every kind of none, becomes.
 */
#include "http/http_session.h"

#include "unit.h"
#include "scripted_server.h"

#include <json-c/json.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "clock.h"

#define MIB       (1024 * 1024)
#define NO_BODY   (-1)
#define TEXT_SIZE 16384

static ScriptedServer server;

/* --- asking ------------------------------------------------------------------------------ */

typedef struct Outcome
{
	HttpResult sent, read; /* read: of the whole body */
	HttpAnswer answer;
	char body[TEXT_SIZE]; /* its start */
	int64_t body_bytes;
	char problem[1000];
} Outcome;

typedef struct Setting
{
	HttpOptions options;
	HttpSession *session;
} Setting;

static HttpOptions
usual_options(void)
{
	return (HttpOptions){.connect_timeout_ms = 5000, .stall_timeout_ms = 10000};
}

static HttpSession *
new_session(const HttpOptions *options)
{
	HttpSession *session = http_session_create(options, -1);

	if (session == NULL)
		exit(2);
	return session;
}

/* "[{...},{...}...": a JSON array of any length, as a function of the offset */
static ssize_t
read_rows(void *context, int64_t offset, char *bytes, size_t size)
{
	static const char row[] = "{\"id\":1},";
	int64_t length = *(const int64_t *) context;
	size_t i = 0;

	for (; i < size && offset < length; i++, offset++)
	{
		if (offset == 0)
			bytes[i] = '[';
		else if (offset == length - 1)
			bytes[i] = ']';
		else if (offset == length - 2)
			bytes[i] = ' '; /* for the comma */
		else
			bytes[i] = row[(size_t) (offset - 1) % strlen(row)];
	}
	return (ssize_t) i;
}

/* The length of a body of so many rows. */
static int64_t
body_length(int64_t rows)
{
	return 1 + rows * (int64_t) strlen("{\"id\":1},") + 1;
}

static ssize_t
read_fails(void *context, int64_t offset, char *bytes, size_t size)
{
	(void) context;
	if (offset > 1000)
		return -1;
	memset(bytes, '[', size < 1001 ? size : 1001);
	return size < 1001 ? (ssize_t) size : 1001;
}

static void
read_body(HttpSession *session, Outcome *outcome)
{
	const char *bytes;
	size_t length;

	while ((outcome->read = http_session_read(session, &bytes, &length)) == HTTP_OK && length > 0)
	{
		for (size_t i = 0; i < length && outcome->body_bytes < TEXT_SIZE - 1; i++)
			outcome->body[outcome->body_bytes++] = bytes[i];
		if (outcome->body_bytes == TEXT_SIZE - 1)
			break;
	}
	outcome->body[outcome->body_bytes] = '\0';
	outcome->answer = *http_session_answer(session);
}

static Outcome
ask_for(HttpSession *session, const HttpRequest *request)
{
	Outcome outcome = {.read = HTTP_LOST};

	outcome.sent = http_session_send(session, request, &outcome.answer);
	if (outcome.sent == HTTP_OK)
		read_body(session, &outcome);
	snprintf(outcome.problem, sizeof(outcome.problem), "%s", http_session_problem(session));
	return outcome;
}

static const char *
url_of(char *url, size_t size, int port, const char *path)
{
	snprintf(url, size, "http://127.0.0.1:%d%s", port, path);
	return url;
}

static Outcome
get(HttpSession *session, const char *path)
{
	char url[20000];
	HttpRequest request = {
		.method = "GET", .url = url_of(url, sizeof(url), server.port, path), .body_bytes = NO_BODY};

	return ask_for(session, &request);
}

static Outcome
post(HttpSession *session, const char *path, int64_t body_bytes, const char *key)
{
	char url[1000], key_header[100];
	const char *headers[2] = {"Content-Type: application/json", key_header};
	HttpRequest request = {.method = "POST",
						   .url = url_of(url, sizeof(url), server.port, path),
						   .headers = headers,
						   .header_count = key == NULL ? 1 : 2,
						   .body_bytes = body_bytes,
						   .body = read_rows,
						   .body_context = &body_bytes};

	snprintf(key_header, sizeof(key_header), "Idempotency-Key: %s", key == NULL ? "" : key);
	return ask_for(session, &request);
}

static Outcome
get_once(const char *path)
{
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	Outcome outcome = get(session, path);

	http_session_free(session);
	return outcome;
}

static Outcome
post_once(const char *path, int64_t body_bytes)
{
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	Outcome outcome = post(session, path, body_bytes, NULL);

	http_session_free(session);
	return outcome;
}

/* --- what the server saw ----------------------------------------------------------------- */

static int64_t
saved(const char *member)
{
	Outcome outcome = get_once("/saved");
	struct json_object *document = json_tokener_parse(outcome.body);
	int64_t value = json_object_get_int64(json_object_object_get(document, member));

	json_object_put(document);
	return value;
}

/* The header of the last request but those for the log; the caller frees. */
static char *
seen_header(const char *name)
{
	Outcome outcome = get_once("/requests");
	struct json_object *log = json_tokener_parse(outcome.body);
	size_t count = json_object_array_length(log);
	struct json_object *last = json_object_array_get_idx(log, count - 1);
	struct json_object *headers = json_object_object_get(last, "headers");
	struct json_object *value = json_object_object_get(headers, name);
	char *copy = strdup(value == NULL ? "(none)" : json_object_get_string(value));

	json_object_put(log);
	return copy;
}

static void
equal_seen(const char *header, const char *wanted, const char *name)
{
	char *seen = seen_header(header);

	unit_equal_bytes(seen, strlen(seen), wanted, name);
	free(seen);
}

static void
equal_text(const char *got, const char *wanted, const char *name)
{
	unit_equal_bytes(got, strlen(got), wanted, name);
}

static void
has_text(const char *text, const char *wanted, const char *name)
{
	if (!unit_ok(strstr(text, wanted) != NULL, name))
		printf("# '%s' has no '%s'\n", text, wanted);
}

static void
is_lost(const Outcome *outcome, const char *problem, const char *name)
{
	if (!unit_ok(outcome->sent == HTTP_LOST && outcome->answer.status == 0 &&
					 strstr(outcome->problem, problem) != NULL,
				 name))
		printf("# sent %d, status %d: %s\n", outcome->sent, outcome->answer.status,
			   outcome->problem);
}

/* A status came, but not the whole body. */
static void
is_broken_off(const Outcome *outcome, const char *problem, const char *name)
{
	if (!unit_ok(outcome->sent == HTTP_OK && outcome->answer.status == 200 &&
					 outcome->read == HTTP_LOST && strstr(outcome->problem, problem) != NULL,
				 name))
		printf("# sent %d, status %d, read %d: %s\n", outcome->sent, outcome->answer.status,
			   outcome->read, outcome->problem);
}

static void
is_whole(const Outcome *outcome, int status, const char *body, const char *name)
{
	if (!unit_ok(outcome->sent == HTTP_OK && outcome->read == HTTP_OK &&
					 outcome->answer.status == status && strcmp(outcome->body, body) == 0,
				 name))
		printf("# sent %d, status %d, read %d, body '%s': %s\n", outcome->sent,
			   outcome->answer.status, outcome->read, outcome->body, outcome->problem);
}

/* --- answers ----------------------------------------------------------------------------- */

#define GOOD_ROWS "[{\"id\":1,\"x\":1.5},{\"id\":2,\"x\":2.5},{\"id\":3,\"x\":3.5}]"

static void
test_answers(void)
{
	static const char *const paths[] = {
		"/json",
		"/chunked",
		"/chunked?chunk=1",
		"/chunked?mode=extension",
		"/chunked?mode=trailer",
		"/http10",
		"/interim",
		"/drip?delay_ms=0",
		"/gzip",
		"/gzip?members=3",
		"/chunked?encoding=gzip&chunk=1",
		"/json?encoding=deflate",
		"/json?encoding=GZIP",
		"/json?encoding=identity",
	};
	Outcome outcome;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
	{
		char name[100];

		outcome = get_once(paths[i]);
		snprintf(name, sizeof(name), "whole: %s", paths[i]);
		is_whole(&outcome, 200, GOOD_ROWS, name);
	}
	outcome = get_once("/status/404?body=gone");
	is_whole(&outcome, 404, "gone", "an error status is an answer");
	outcome = get_once("/redirect?to=/json&body=there");
	is_whole(&outcome, 302, "there", "a redirect is an answer, and not followed");
	outcome = get_once("/json?body=");
	is_whole(&outcome, 200, "", "an empty body");
}

static void
test_header_values(void)
{
	Outcome outcome =
		get_once("/json?type=Application/JSON;%20charset=utf-8;%20shape=columns&"
				 "header=Content-Range:%200-9/*%0d%0aRetry-After:%207%0d%0a"
				 "WWW-Authenticate:%20Bearer%20realm%3d%22%01%22%0d%0aServer-Timing:%20a%0d%0a"
				 "server-timing:b");

	equal_text(outcome.answer.media_type, "application/json", "media type, in lower case and bare");
	unit_ok(outcome.answer.says_columns, "shape=columns is seen");
	equal_text(outcome.answer.content_range, "0-9/*", "Content-Range");
	equal_text(outcome.answer.retry_after, "7", "Retry-After");
	equal_text(outcome.answer.www_authenticate, "Bearer realm=\"?\"",
			   "WWW-Authenticate, printable");
	equal_text(outcome.answer.server_timing, "a, b", "Server-Timing of two lines");
	unit_ok(!outcome.answer.http2, "HTTP/1.1");
	outcome = get_once("/chunked?mode=trailer");
	equal_text(outcome.answer.server_timing, "query;dur=1.5", "Server-Timing of the trailer");
	unit_ok(!outcome.answer.says_columns, "no shape");
	outcome = get_once("/interim");
	unit_equal_int(outcome.answer.status, 200, "the status is not that of an interim answer");
	outcome = get_once("/large_header?bytes=90000");
	is_whole(&outcome, 200, GOOD_ROWS, "a large header that nobody wants");
}

static void
test_broken_answers(void)
{
	Outcome outcome = get_once("/short?length=1000&send=600");

	is_broken_off(&outcome, "remaining to read", "600 of 1000 bytes");
	unit_equal_int(outcome.body_bytes, 600, "of which all are handed on");
	outcome = get_once("/chunked?mode=missing_last");
	is_broken_off(&outcome, "broke off", "no last chunk");
	outcome = get_once("/chunked?mode=cut");
	is_broken_off(&outcome, "broke off", "cut within a chunk");
	outcome = get_once("/chunked?mode=bad_size");
	is_broken_off(&outcome, "broke off", "a chunk size that is none");
	outcome = get_once("/reset?after=5");
	is_broken_off(&outcome, "broke off", "reset within the body");
	outcome = get_once("/gzip?cut=5");
	is_broken_off(&outcome, "compressed body that ends too early", "gzip cut off");
	outcome = get_once("/gzip?damage=1");
	is_broken_off(&outcome, "compressed body that is corrupt", "gzip with a wrong checksum");
	outcome = get_once("/gzip?trailing=x");
	is_broken_off(&outcome, "corrupt", "bytes after gzip");
	outcome = get_once("/json?encoding=br");
	is_broken_off(&outcome, "content coding \"br\"", "a coding that is not known");
	outcome = get_once("/close");
	is_lost(&outcome, "gave no answer", "closed without an answer");
	outcome = get_once("/reset");
	is_lost(&outcome, "gave no answer", "reset without an answer");
	outcome = get_once("/raw?bytes=HTTP/1.1%20200%20OK%0d%0aContent-Type:%20a/b%0d%0a");
	is_lost(&outcome, "", "closed within the header");
	outcome = get_once("/raw?bytes=hello");
	is_lost(&outcome, "HTTP/0.9", "no HTTP");
	outcome = get_once("/endless_headers");
	is_lost(&outcome, "the header of the answer of http://127.0.0.1", "headers without end");
	outcome = get_once("/large_header?bytes=1000000");
	is_lost(&outcome, "is too long", "a header line of a million bytes");
}

/* The same bytes would be another answer to somebody else. */
static void
test_framing(void)
{
	Outcome outcome =
		get_once("/raw?bytes=HTTP/1.1%20200%20OK%0d%0aContent-Length:%205x%0d%0a%0d%0ahello");

	is_lost(&outcome, "did not answer in HTTP: Content-Length is no number", "5x bytes");
	outcome = get_once("/raw?bytes=HTTP/1.1%20200%20OK%0d%0aContent-Length:%205%0d%0a"
					   "Content-Length:%204%0d%0a%0d%0ahello");
	is_lost(&outcome, "did not answer in HTTP: Content-Length comes twice", "5 bytes, and 4");
	outcome = get_once("/raw?bytes=HTTP/1.1%20200%20OK%0d%0aTransfer-Encoding:%20gzip,%20chunked"
					   "%0d%0a%0d%0a5%0d%0ahello%0d%0a0%0d%0a%0d%0a");
	is_lost(&outcome, "did not answer in HTTP: Transfer-Encoding is not chunked",
			"another transfer coding");
	outcome = get_once("/chunked?mode=endless_trailer");
	is_broken_off(&outcome, "is too long", "trailers without end");
}

/* A bomb comes in pieces that the caller can stop after. */
static void
test_bomb(void)
{
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	Outcome outcome = get(session, "/bomb?mb=10000");

	unit_equal_int(outcome.body_bytes, TEXT_SIZE - 1, "a bomb is read as far as wanted");
	unit_ok(http_session_totals(session).inflate_ns > 0, "inflating has its own figure");
	outcome = get(session, "/json");
	is_whole(&outcome, 200, GOOD_ROWS, "and the next request is fine");
	http_session_free(session);
}

/* Blocks of deflate that hold nothing, for ever. */
static void
test_empty_gzip(void)
{
	HttpOptions options = usual_options();
	HttpSession *session;
	Outcome outcome;

	options.max_response_bytes = MIB;
	session = new_session(&options);
	outcome = get(session, "/repeat?start=HTTP/1.1%20200%20OK%0d%0aContent-Encoding:%20gzip%0d%0a"
						   "%0d%0a%1f%8b%08%00%00%00%00%00%00%ff&unit=%00%00%00%ff%ff");
	is_broken_off(&outcome, "sent a body of more than 1048576 bytes",
				  "gzip that expands to nothing");
	http_session_free(session);
}

/* --- connections and totals -------------------------------------------------------------- */

static void
test_kept_alive(void)
{
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	HttpTotals first, second;
	Outcome outcome = get(session, "/connection_id");

	is_whole(&outcome, 200, "[{\"id\":1}]", "a connection's first request");
	first = http_session_totals(session);
	outcome = get(session, "/connection_id");
	is_whole(&outcome, 200, "[{\"id\":2}]", "the connection is kept");
	second = http_session_totals(session);
	unit_equal_int(second.requests, 2, "requests are counted");
	unit_ok(first.connect_ns > 0, "connecting took time");
	unit_equal_int(second.connect_ns, first.connect_ns, "but once");
	unit_ok(second.first_byte_ns > first.first_byte_ns, "the first byte took time, each time");
	unit_equal_int(second.wire_bytes_received - first.wire_bytes_received,
				   first.wire_bytes_received, "two equal answers, equal bytes");
	unit_equal_int(second.wire_bytes_sent - first.wire_bytes_sent, first.wire_bytes_sent,
				   "two equal requests, equal bytes");
	outcome = post(session, "/save", body_length(1000), NULL);
	unit_equal_int(http_session_totals(session).wire_bytes_sent - second.wire_bytes_sent >
					   body_length(1000),
				   1, "a body counts");
	outcome = get(session, "/status/500");
	outcome = get(session, "/connection_id");
	is_whole(&outcome, 200, "[{\"id\":5}]", "an error status keeps it");
	http_session_free(session);
}

/* What comes unasked is not the answer to the next request. */
static void
test_unasked_bytes(void)
{
	static const char *const firsts[] = {
		"/forgetful?how=extra&n=1&surplus=HTTP/"
		"1.1%20200%20OK%0d%0aContent-Length:%202%0d%0a%0d%0a[]",
		"/repeat?start=HTTP/1.1%20200%20OK%0d%0aContent-Length:%202%0d%0a%0d%0a{}"
		"HTTP/1.1%20200%20OK%0d%0aContent-Length:%202%0d%0a%0d%0a[]&times=0&then=hold",
	};
	const struct timespec pause = {.tv_nsec = 300 * 1000 * 1000};

	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
	{
		HttpOptions options = usual_options();
		HttpSession *session = new_session(&options);
		Outcome outcome = get(session, firsts[i]);

		unit_ok(outcome.sent == HTTP_OK && outcome.read == HTTP_OK, "an answer, and one more");
		nanosleep(&pause, NULL);
		outcome = get(session, "/connection_id");
		is_whole(&outcome, 200, "[{\"id\":1}]", "the next request has a connection of its own");
		outcome = get(session, "/connection_id");
		is_whole(&outcome, 200, "[{\"id\":2}]", "which is kept");
		http_session_free(session);
	}
}

static void
test_not_sent(void)
{
	HttpOptions options = usual_options();
	HttpSession *session;
	HttpRequest request = {.method = "POST", .body_bytes = NO_BODY};
	char url[100];
	Outcome outcome;

	options.connect_timeout_ms = 300;
	session = new_session(&options);
	request.url = "http://127.0.0.1:1/x?secret";
	outcome = ask_for(session, &request);
	unit_equal_int(outcome.sent, HTTP_NOT_SENT, "refused: not sent");
	has_text(outcome.problem, "could not connect to http://127.0.0.1:1/x: ", "and where");
	unit_ok(strstr(outcome.problem, "secret") == NULL, "without the query");
	request.url = url_of(url, sizeof(url), server.unanswered_port, "/");
	outcome = ask_for(session, &request);
	unit_equal_int(outcome.sent, HTTP_NOT_SENT, "no answer to the connection: not sent");
	has_text(outcome.problem, "within 0.3 s", "with the limit");
	snprintf(url, sizeof(url), "https://127.0.0.1:%d/json", server.port);
	request.url = url;
	outcome = ask_for(session, &request);
	unit_equal_int(outcome.sent, HTTP_NOT_SENT, "no TLS: not sent");
	outcome = get(session, "/json");
	is_whole(&outcome, 200, GOOD_ROWS, "the session goes on");
	http_session_free(session);
}

/* The environment leads to a proxy that is not there; a proxy that was asked for is the server. */
static void
test_proxy(void)
{
	HttpOptions options = usual_options();
	HttpSession *session;
	HttpRequest request = {
		.method = "GET", .url = "http://nowhere.invalid/json", .body_bytes = NO_BODY};
	char proxy[100];
	Outcome outcome;

	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
	setenv("no_proxy", "*", 1);
	outcome = get_once("/json");
	is_whole(&outcome, 200, GOOD_ROWS, "a proxy of the environment is not used");
	options.proxy = url_of(proxy, sizeof(proxy), server.port, "");
	session = new_session(&options);
	outcome = ask_for(session, &request);
	is_whole(&outcome, 404, "{\"error\":\"no such behaviour\"}",
			 "one that was asked for is, whatever no_proxy says");
	http_session_free(session);
	unsetenv("http_proxy");
	unsetenv("ALL_PROXY");
	unsetenv("no_proxy");
}

/* --- time limits and interrupts ---------------------------------------------------------- */

/* Reads all of a body, and keeps none of it. */
static HttpResult
drain(HttpSession *session, const char *path)
{
	char url[200];
	HttpRequest request = {
		.method = "GET", .url = url_of(url, sizeof(url), server.port, path), .body_bytes = NO_BODY};
	HttpAnswer answer;
	HttpResult result = http_session_send(session, &request, &answer);
	size_t length = 1;
	const char *bytes;

	while (result == HTTP_OK && length > 0)
		result = http_session_read(session, &bytes, &length);
	return result;
}

static void
test_time_limits(void)
{
	HttpOptions options = usual_options();
	HttpSession *session;
	Outcome outcome;

	options.stall_timeout_ms = 200;
	session = new_session(&options);
	outcome = get(session, "/stall?after=nothing");
	is_lost(&outcome, "neither sent nor took a byte for 0.2 s", "silence before the answer");
	outcome = get(session, "/stall?after=10");
	is_broken_off(&outcome, "neither sent nor took a byte for 0.2 s", "silence within the body");
	outcome = get(session, "/drip?delay_ms=20&chunk=4");
	is_whole(&outcome, 200, GOOD_ROWS, "a slow body is no silence");
	outcome = post(session, "/save?fault=silence", body_length(10), NULL);
	is_lost(&outcome, "neither sent nor took", "silence after a POST");
	unit_ok(!outcome.answer.closed_while_sending, "nobody closed");
	unit_equal_int(outcome.answer.sent_body_bytes, body_length(10), "all was sent");
	outcome = post(session, "/save?fault=unread&delay_ms=1000", 64 * MIB, NULL);
	is_lost(&outcome, "neither sent nor took", "a body that is not taken");
	unit_ok(outcome.answer.sent_body_bytes < 64 * MIB && !outcome.answer.closed_while_sending,
			"some was sent, and nobody closed");
	http_session_free(session);

	options.stall_timeout_ms = 0;
	options.request_timeout_ms = 300;
	session = new_session(&options);
	outcome = get(session, "/drip?delay_ms=50");
	is_broken_off(&outcome, "did not answer in full within 0.3 s", "a request that takes too long");
	outcome = get(session, "/accept_only");
	is_lost(&outcome, "did not answer in full within 0.3 s", "and one without an answer");
	unit_equal_int(drain(session, "/endless_body"), HTTP_LOST,
				   "a body that always comes, and never ends");
	unit_ok(strstr(http_session_problem(session), "did not answer in full within 0.3 s") != NULL,
			"its problem");
	http_session_free(session);
}

static void *
interrupt_soon(void *context)
{
	uint64_t one = 1;

	usleep(100000);
	if (write(*(int *) context, &one, sizeof(one)) != sizeof(one))
		abort();
	return NULL;
}

static void
test_interrupt(void)
{
	HttpOptions options = {0};
	int interrupt = eventfd(0, EFD_CLOEXEC);
	HttpSession *session = http_session_create(&options, interrupt);
	int64_t start_ns = clock_now_ns();
	pthread_t thread;
	Outcome outcome;

	pthread_create(&thread, NULL, interrupt_soon, &interrupt);
	outcome = get(session, "/accept_only");
	unit_equal_int(outcome.sent, HTTP_INTERRUPTED, "a wait ends with the interrupt");
	unit_ok(clock_now_ns() - start_ns < 5 * CLOCK_NS_PER_S, "long before any limit");
	has_text(outcome.problem, "interrupted", "and says so");
	pthread_join(thread, NULL);
	outcome = post(session, "/save?fault=unread&delay_ms=100", 64 * MIB, NULL);
	unit_equal_int(outcome.sent, HTTP_INTERRUPTED, "so does the sending of a body");
	http_session_free(session);
	close(interrupt);
}

/* Of what always comes nothing is waited for. */
static void
test_interrupt_of_plenty(void)
{
	HttpOptions options = {0};
	int interrupt = eventfd(0, EFD_CLOEXEC);
	HttpSession *session = http_session_create(&options, interrupt);
	pthread_t thread;

	pthread_create(&thread, NULL, interrupt_soon, &interrupt);
	unit_equal_int(drain(session, "/endless_body"), HTTP_INTERRUPTED,
				   "a body without an end ends with the interrupt");
	pthread_join(thread, NULL);
	http_session_free(session);
	close(interrupt);
}

/* A POST that is interrupted after 100 ms. */
static Outcome
post_interrupted(const char *path, int64_t body_bytes, int finish_ms)
{
	HttpOptions options = {0};
	int interrupt = eventfd(0, EFD_CLOEXEC);
	HttpSession *session = http_session_create(&options, interrupt);
	char url[1000];
	const HttpRequest request = {.method = "POST",
								 .url = url_of(url, sizeof(url), server.port, path),
								 .body_bytes = body_bytes,
								 .body = read_rows,
								 .body_context = &body_bytes,
								 .finish_ms = finish_ms};
	pthread_t thread;
	Outcome outcome;

	pthread_create(&thread, NULL, interrupt_soon, &interrupt);
	outcome = ask_for(session, &request);
	pthread_join(thread, NULL);
	http_session_free(session);
	close(interrupt);
	return outcome;
}

/* A request that was sent whole is given time to end. */
static void
test_late_interrupt(void)
{
	Outcome outcome = post_interrupted("/drip?delay_ms=10", body_length(10), 60000);

	is_whole(&outcome, 200, GOOD_ROWS, "an answer that ends after the interrupt");
	outcome = post_interrupted("/save?fault=silence", body_length(10), 200);
	unit_equal_int(outcome.sent, HTTP_INTERRUPTED, "but it is not waited for for ever");
	has_text(outcome.problem, "did not answer within 0.2 s of the interrupt", "and says how long");
	unit_equal_int(outcome.answer.sent_body_bytes, body_length(10), "all of it was sent");
	outcome = post_interrupted("/save?fault=unread&delay_ms=1000", 64 * MIB, 60000);
	unit_equal_int(outcome.sent, HTTP_INTERRUPTED, "the sending of a body ends at once");
	unit_ok(outcome.answer.sent_body_bytes < 64 * MIB, "in its middle");
}

/* --- headers ----------------------------------------------------------------------------- */

static void
test_headers(void)
{
	static const char *const given[] = {"X-Given: a", "X-Empty:", "accept: text/csv"};
	static const char *const asked[] = {"Accept: application/json", "X-Asked:b",
										"Content-Type: application/json"};
	char token[] = "t0ken";
	HttpOptions options = {.headers = given, .header_count = 3, .token = token};
	HttpSession *session = new_session(&options);
	char url[100];
	HttpRequest request = {.method = "POST",
						   .url = url_of(url, sizeof(url), server.port, "/json"),
						   .headers = asked,
						   .header_count = 3,
						   .body_bytes = NO_BODY};
	Outcome outcome;

	get_once("/reset_requests");
	outcome = ask_for(session, &request);
	is_whole(&outcome, 200, GOOD_ROWS, "a POST without a body");
	equal_seen("x-given", "a", "a header of the options");
	equal_seen("x-empty", "", "an empty one");
	equal_seen("x-asked", "b", "a header of the request");
	equal_seen("accept", "text/csv", "that of the options replaces that of the request");
	equal_seen("authorization", "Bearer t0ken", "the token");
	equal_seen("content-length", "0", "its length");
	equal_seen("content-type", "application/json", "its type");
	equal_seen("user-agent", "transferbench/" TRANSFERBENCH_VERSION, "who asks");
	equal_seen("accept-encoding", "(none)", "no compression unless asked for");
	options.accept_gzip = true;
	options.header_count = 0;
	outcome = get(session, "/json");
	equal_seen("accept-encoding", "gzip", "gzip when asked for");
	equal_seen("content-type", "(none)", "no type without a body");
	outcome = post(session, "/save", 3 * MIB, NULL);
	equal_seen("expect", "(none)", "a large body does not wait for 100");
	equal_seen("transfer-encoding", "(none)", "and is not chunked");
	equal_seen("content-length", "3145728", "but has a length");
	request.method = "DELETE";
	request.header_count = 0;
	outcome = ask_for(session, &request);
	is_whole(&outcome, 200, GOOD_ROWS, "another method");
	equal_seen("content-length", "(none)", "has no body");
	http_session_free(session);
}

/* --- sending ----------------------------------------------------------------------------- */

static void
test_posts(void)
{
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	Outcome outcome;

	get_once("/reset_saved");
	outcome = post(session, "/save", body_length(3), "a");
	is_whole(&outcome, 200, "{\"rows\":3}", "three rows");
	unit_equal_int(outcome.answer.sent_body_bytes, body_length(3), "bytes sent");
	outcome = post(session, "/save", body_length(1000000), "b");
	is_whole(&outcome, 200, "{\"rows\":1000000}", "a million, in many pieces");
	outcome = post(session, "/save", 2, "c");
	is_whole(&outcome, 200, "{\"rows\":0}", "none");
	outcome = post(session, "/save", body_length(3), "a");
	is_whole(&outcome, 200, "{\"rows\":3}", "a key again");
	unit_equal_int(saved("rows"), 1000003, "rows arrived once");
	unit_equal_int(saved("requests"), 4, "in four requests");
	outcome = post(session, "/save", body_length(4), "a");
	unit_equal_int(outcome.answer.status, 422, "a key with another body");
	outcome = post(session, "/save", 0, NULL);
	is_whole(&outcome, 400, "{\"error\":\"invalid body\"}", "an empty body");
	http_session_free(session);
}

static void
test_refusals(void)
{
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	Outcome outcome =
		post(session, "/save?fault=status&status=429&after=2&times=2&key=r1", body_length(5), NULL);

	unit_equal_int(outcome.answer.status, 429, "429");
	equal_text(outcome.answer.retry_after, "2", "with Retry-After");
	outcome =
		post(session, "/save?fault=status&status=429&after=2&times=2&key=r1", body_length(5), NULL);
	unit_equal_int(outcome.answer.status, 429, "again");
	outcome =
		post(session, "/save?fault=status&status=429&after=2&times=2&key=r1", body_length(5), NULL);
	is_whole(&outcome, 200, "{\"rows\":5}", "then not");
	outcome = post(session, "/save?fault=status&status=503&after=1", body_length(5), NULL);
	is_whole(&outcome, 503, "{\"error\":\"refused\"}", "503");
	outcome = post(session, "/save?fault=status&status=400", body_length(5), NULL);
	unit_equal_int(outcome.answer.status, 400, "400");
	http_session_free(session);
}

/* A status that comes while a body is being sent is the answer, however the server closes. */
static void
test_early_answers(void)
{
	static const char *const paths[] = {
		"/save?fault=early_status&status=413",
		"/save?fault=early_status&status=413&linger=1",
		"/save?fault=early_status&status=401&says_close=1&linger=1",
		"/save?fault=early_status&status=413&bytes=100000&linger=1",
		"/save?fault=early_status&status=413&bytes=3000000",
		"/save?fault=early_status&status=413&bytes=3000000&says_close=1",
		"/save?fault=early_status&status=413&bytes=3000000&abrupt=1",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
	{
		int delivered = 0;
		char name[200];

		for (int k = 0; k < 20; k++)
		{
			Outcome outcome = post_once(paths[i], 32 * MIB);

			if (outcome.sent == HTTP_OK && outcome.answer.status == (i == 2 ? 401 : 413))
				delivered++;
			else
				printf("# sent %d, %" PRId64 " bytes: %s\n", outcome.sent,
					   outcome.answer.sent_body_bytes, outcome.problem);
		}
		snprintf(name, sizeof(name), "delivered, 20 times: %s", paths[i]);
		unit_equal_int(delivered, 20, name);
	}
}

static void
test_lost_posts(void)
{
	Outcome outcome;

	get_once("/reset_saved");
	outcome = post_once("/save?fault=close_early", 32 * MIB);
	is_lost(&outcome, "gave no answer", "closed before the body was read");
	unit_ok(outcome.answer.closed_while_sending, "while sending");
	unit_ok(outcome.answer.sent_body_bytes < 32 * MIB, "not all of it sent");
	outcome = post_once("/save?fault=close_early&bytes=1000000", 32 * MIB);
	is_lost(&outcome, "gave no answer", "closed after a million bytes");
	unit_ok(outcome.answer.closed_while_sending, "while sending, too");
	unit_ok(outcome.answer.sent_body_bytes >= 1000000, "a million was sent");
	outcome = post_once("/save?fault=close_early&delay_ms=100", 200000);
	is_lost(&outcome, "gave no answer", "closed with a small body unread");
	unit_ok(outcome.answer.closed_while_sending, "a reset tells that it was not read");
	outcome = post_once("/save?fault=close", body_length(100));
	is_lost(&outcome, "gave no answer", "closed after the body was read");
	unit_ok(!outcome.answer.closed_while_sending, "not while sending");
	outcome = post_once("/save?fault=close", body_length(1000000));
	is_lost(&outcome, "gave no answer", "closed after a large body was read");
	unit_ok(!outcome.answer.closed_while_sending, "not while sending it");
	unit_equal_int(saved("requests"), 0, "none was taken");
	outcome = post_once("/save?fault=answer_lost", body_length(100));
	is_lost(&outcome, "gave no answer", "the answer lost");
	unit_equal_int(saved("rows"), 100, "and the rows there");
}

static void
test_unreadable_body(void)
{
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	char url[100];
	HttpRequest request = {.method = "POST",
						   .url = url_of(url, sizeof(url), server.port, "/save"),
						   .body_bytes = 5000,
						   .body = read_fails};
	Outcome outcome = ask_for(session, &request);

	is_lost(&outcome, "the body to be sent could not be read", "a body that cannot be read");
	unit_ok(!outcome.answer.closed_while_sending, "is not the peer's doing");
	outcome = get(session, "/json");
	is_whole(&outcome, 200, GOOD_ROWS, "the session goes on");
	http_session_free(session);
}

/* libcurl repeats a request whose kept-alive connection died: not so for a POST. */
static void
test_no_blind_repeat(void)
{
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	Outcome outcome;

	get_once("/reset_saved");
	outcome = get(session, "/json");
	outcome = post(session, "/save?fault=answer_lost", body_length(7), NULL);
	is_lost(&outcome, "it ended the kept-alive connection", "a kept-alive connection that dies");
	unit_equal_int(saved("requests"), 1, "the POST was sent once");
	unit_equal_int(saved("rows"), 7, "its rows are there once");
	unit_ok(!outcome.answer.closed_while_sending, "it was read whole");
	unit_equal_int(outcome.answer.sent_body_bytes, body_length(7), "and counted");
	outcome = get(session, "/json");
	outcome = post(session, "/save?fault=answer_lost", body_length(1000000), NULL);
	is_lost(&outcome, "it ended the kept-alive connection", "the same with a large body");
	unit_equal_int(saved("requests"), 2, "sent once");
	outcome = get(session, "/json");
	outcome = post(session, "/close", NO_BODY, NULL);
	is_lost(&outcome, "it ended the kept-alive connection", "the same without a body");
	outcome = get(session, "/json");
	outcome = post(session, "/save?fault=close_early&delay_ms=100", 200000, NULL);
	is_lost(&outcome, "it ended the kept-alive connection", "the same with the body unread");
	unit_ok(outcome.answer.closed_while_sending, "which a reset tells");
	outcome = get(session, "/json");
	outcome = get(session, "/flaky_close?key=g1&times=1");
	is_whole(&outcome, 200, GOOD_ROWS, "a GET is repeated");
	outcome = post(session, "/save", body_length(2), NULL);
	is_whole(&outcome, 200, "{\"rows\":2}", "the session goes on");
	http_session_free(session);
}

/* --- a body for a message ---------------------------------------------------------------- */

static void
test_short_bodies(void)
{
	static const struct
	{
		const char *path, *text;
	} cases[] = {
		{"/json?body=no%20way", "no way"},
		{"/json?body=a%0ab%00c%1b[31m%7fd", "a b c [31m d"},
		{"/json?body=caf%c3%a9", "caf\xc3\xa9"},
		{"/json?body=caf%e9%0a", "caf?"},
		{"/json?body=%c2%9bx", "  x"},
		{"/json?body=123456789012345%c3%a9", "123456789012345"},
		{"/json?body=1234567890123456789", "1234567890123456"},
		{"/status/500?body=broken&encoding=x", "broken"},
		{"/gzip?body=packed", "packed"},
		{"/json?body=", ""},
	};
	HttpOptions options = usual_options();
	HttpSession *session = new_session(&options);
	char text[17], url[200];
	HttpAnswer answer;
	HttpRequest request = {.method = "GET", .url = url, .body_bytes = NO_BODY};
	Outcome outcome;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		url_of(url, sizeof(url), server.port, cases[i].path);
		http_session_send(session, &request, &answer);
		http_session_read_short(session, text, sizeof(text));
		equal_text(text, cases[i].text, cases[i].path);
	}
	outcome = get(session, "/connection_id");
	is_whole(&outcome, 200, "[{\"id\":11}]", "the connection was kept all along");
	url_of(url, sizeof(url), server.port, "/endless_body?start=abc&unit=x");
	http_session_send(session, &request, &answer);
	http_session_read_short(session, text, sizeof(text));
	equal_text(text, "abcxxxxxxxxxxxxx", "a body without end");
	url_of(url, sizeof(url), server.port, "/stall?after=3");
	http_session_send(session, &request, &answer);
	http_session_read_short(session, text, sizeof(text));
	equal_text(text, "[{\"", "one that stalls");
	http_session_free(session);
}

/* --- TLS --------------------------------------------------------------------------------- */

static bool
make_certificate(const char *directory, char *certificate, char *key, size_t size)
{
	char command[1000];

	snprintf(certificate, size, "%s/crt", directory);
	snprintf(key, size, "%s/key", directory);
	snprintf(command, sizeof(command),
			 "openssl req -x509 -newkey rsa:2048 -nodes -sha256 -subj /CN=localhost -days 1 "
			 "-addext subjectAltName=IP:127.0.0.1 -keyout %s -out %s >/dev/null 2>&1",
			 key, certificate);
	return system(command) == 0;
}

static Outcome
ask_tls(const HttpOptions *options, int port, const char *path, const char *host)
{
	HttpSession *session = new_session(options);
	char url[100];
	HttpRequest request = {.method = "POST", .url = url, .body_bytes = NO_BODY};
	Outcome outcome;

	snprintf(url, sizeof(url), "https://%s:%d%s", host, port, path);
	outcome = ask_for(session, &request);
	http_session_free(session);
	return outcome;
}

static void
test_tls(const char *directory)
{
	HttpOptions options = usual_options();
	ScriptedServer tls_server;
	char certificate[200], key[200];
	Outcome outcome;

	if (!make_certificate(directory, certificate, key, sizeof(certificate)) ||
		!scripted_server_start(&tls_server, certificate, key))
	{
		unit_ok(true, "TLS # SKIP no openssl program");
		return;
	}
	outcome = ask_tls(&options, tls_server.port, "/json", "127.0.0.1");
	unit_equal_int(outcome.sent, HTTP_NOT_SENT, "an unknown authority: not sent");
	has_text(outcome.problem, "--cacert", "with a hint");
	options.ca_file = certificate;
	outcome = ask_tls(&options, tls_server.port, "/json", "127.0.0.1");
	is_whole(&outcome, 200, GOOD_ROWS, "an authority that was given");
	outcome = ask_tls(&options, tls_server.port, "/json", "localhost");
	unit_equal_int(outcome.sent, HTTP_NOT_SENT, "another host's certificate: not sent");
	unit_ok(outcome.answer.is_hopeless, "nor would it be the next time");
	outcome = ask_tls(&options, tls_server.port, "/close", "127.0.0.1");
	is_lost(&outcome, "gave no answer", "TLS, closed without an answer");
	options.ca_file = NULL;
	options.insecure = true;
	outcome = ask_tls(&options, tls_server.port, "/json", "localhost");
	is_whole(&outcome, 200, GOOD_ROWS, "not checked when told so");
	options.ca_file = "/nowhere/ca";
	options.insecure = false;
	outcome = ask_tls(&options, tls_server.port, "/json", "127.0.0.1");
	unit_equal_int(outcome.sent, HTTP_NOT_SENT, "a CA file that is not there");
	scripted_server_stop(&tls_server);
	unlink(certificate);
	unlink(key);
}

int
main(void)
{
	char directory[] = "/tmp/http_session_test.XXXXXX";

	signal(SIGPIPE, SIG_IGN);
	if (!scripted_server_start(&server, NULL, NULL))
	{
		puts("1..0 # SKIP no scripted server: wants python3, and to be run from the top");
		return 0;
	}
	if (!http_global_init() || mkdtemp(directory) == NULL)
		return 2;
	test_answers();
	test_header_values();
	test_broken_answers();
	test_framing();
	test_bomb();
	test_empty_gzip();
	test_kept_alive();
	test_unasked_bytes();
	test_not_sent();
	test_proxy();
	test_time_limits();
	test_interrupt();
	test_interrupt_of_plenty();
	test_late_interrupt();
	test_headers();
	test_posts();
	test_refusals();
	test_early_answers();
	test_lost_posts();
	test_unreadable_body();
	test_no_blind_repeat();
	test_short_bodies();
	test_tls(directory);
	rmdir(directory);
	scripted_server_stop(&server);
	return unit_done();
}
