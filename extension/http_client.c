/*
 * http_client.c - see http_client.h.
 *
 * Rules that every line here keeps: libcurl's callbacks never raise and never
 * palloc; all foreign memory hangs on the client's context; whatever libcurl
 * returns is looked at where it is returned, and the message is made there.
 */
#include "postgres.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/pmsignal.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "clock.h"
#include "content_inflate.h"
#include "foreign_memory.h"
#include "host_rules.h"
#include "http_client.h"
#include "http_url.h"
#include "settings.h"

/*
 * Longest sleep between two looks at interrupts. A signal ends poll(2) at once;
 * this bounds the case that it arrives just before, or on a resolver's thread.
 */
#define TICK_MS 50

#define READ_BYTES       (128 * 1024)           /* libcurl's own receive buffer */
#define BODY_START_BYTES 200                    /* of a body, shown in messages */
#define SKIM_BYTES       (16 * 1024)            /* read at most of an error's body */
#define SKIM_MS          1000                   /* and not for longer than this */
#define NO_LIMIT_MS      (24L * 60 * 60 * 1000) /* libcurl takes 0 for its own default here */
#define MAX_HEADER_VALUE 1024

/* what a callback found; looked at after libcurl has returned */
typedef enum CallbackFault
{
	FAULT_NONE,
	FAULT_HEADERS_TOO_LONG,
	FAULT_ADDRESS_REFUSED,
} CallbackFault;

/* the header of the answer under way; filled by a callback, so of fixed size */
typedef struct ResponseHeader
{
	size_t bytes;
	bool complete; /* of the final answer, not of a 1xx */
	char media_type[MAX_HEADER_VALUE];
	char content_encoding[MAX_HEADER_VALUE];
	char retry_after[MAX_HEADER_VALUE];
} ResponseHeader;

struct HttpClient
{
	MemoryContext context;
	MemoryContext request_context; /* reset when the next request begins */
	ForeignMemory *multi_holder, *easy_holder, *headers_holder, *inflate_holder;
	CURLM *multi;
	CURL *easy;
	ContentInflate *inflate; /* made when a compressed body first comes */
	char curl_message[CURL_ERROR_SIZE];
	List *headers;

	/* the request under way */
	HttpUrl *url;
	bool is_attached; /* to the multi handle: a transfer is under way or over, not yet counted */
	bool is_done;
	CURLcode result; /* once done */
	int status;
	ResponseHeader header;
	bool is_compressed;
	bool inflate_has_input;
	int64 decoded_bytes; /* of this body */
	int64 last_activity_ns;
	CallbackFault fault;
	char body_start[BODY_START_BYTES];
	size_t body_start_length;

	/* bytes from libcurl, not yet handed on */
	char *received; /* [HTTP_CLIENT_BUFFER_BYTES] */
	size_t received_length;
	size_t lent_length; /* of them, to the caller: free at the next read */
	bool is_paused;     /* the write callback had no room */
	char *inflated;     /* [HTTP_CLIENT_BUFFER_BYTES], once a compressed body came */

	HttpTotals totals;
};

static void out_of_memory(void) pg_attribute_noreturn();
static void refuse_header(const HttpClient *client) pg_attribute_noreturn();
static void raise_timeout(const HttpClient *client) pg_attribute_noreturn();

/* --- libcurl's callbacks: copy, count, flag ------------------------------------------ */

static size_t
on_body(char *bytes, size_t size, size_t count, void *context)
{
	HttpClient *client = context;
	size_t length = size * count;

	client->last_activity_ns = clock_now_ns();
	if (client->received_length + length > HTTP_CLIENT_BUFFER_BYTES)
	{
		client->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	memcpy(client->received + client->received_length, bytes, length);
	client->received_length += length;
	return length;
}

/* Keeps a header's value when its name is the wanted one; too long a value is cut. */
static void
keep_header(const char *line, size_t length, const char *name, char value[MAX_HEADER_VALUE])
{
	size_t name_length = strlen(name);
	const char *start = line + name_length + 1;
	const char *end = line + length;

	if (length <= name_length || line[name_length] != ':' ||
		pg_strncasecmp(line, name, name_length) != 0)
		return;
	while (start < end && isspace((unsigned char) *start))
		start++;
	while (end > start && isspace((unsigned char) end[-1]))
		end--;
	length = Min(end - start, MAX_HEADER_VALUE - 1);
	memcpy(value, start, length);
	value[length] = '\0';
}

static size_t
on_header(char *line, size_t size, size_t count, void *context)
{
	HttpClient *client = context;
	ResponseHeader *header = &client->header;
	size_t length = size * count;
	size_t bytes = header->bytes + length;
	long status = 0;

	client->last_activity_ns = clock_now_ns();
	if (bytes > HTTP_CLIENT_MAX_HEADER_BYTES)
	{
		client->fault = FAULT_HEADERS_TOO_LONG;
		return 0;
	}
	if (header->complete)
		return length; /* a trailer */
	if (length >= 5 && memcmp(line, "HTTP/", 5) == 0)
		*header = (ResponseHeader){0}; /* after a 1xx */
	header->bytes = bytes;
	keep_header(line, length, "Content-Type", header->media_type);
	keep_header(line, length, "Content-Encoding", header->content_encoding);
	keep_header(line, length, "Retry-After", header->retry_after);
	if (length <= 2 && (line[0] == '\r' || line[0] == '\n'))
	{
		curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status);
		header->complete = status >= 200;
	}
	return length;
}

/* The address that is really dialled, whatever the name said. */
static curl_socket_t
on_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	HttpClient *client = context;

	if (!host_rules_permit_address(settings_allowed_hosts, client->url->host, &address->addr))
	{
		client->fault = FAULT_ADDRESS_REFUSED;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* --- making and unmaking ---------------------------------------------------------------- */

static void
release_multi(void *multi)
{
	curl_multi_cleanup(multi);
}

static void
release_easy(void *easy)
{
	curl_easy_cleanup(easy);
}

static void
release_headers(void *headers)
{
	curl_slist_free_all(headers);
}

static void
release_inflate(void *inflate)
{
	content_inflate_free(inflate);
}

static void
out_of_memory(void)
{
	ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
			errdetail("libcurl or zlib could not allocate."));
}

static void
check_easy(CURLcode code, const char *what)
{
	if (code == CURLE_OK)
		return;
	if (code == CURLE_OUT_OF_MEMORY)
		out_of_memory();
	ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			errmsg("libcurl refused %s: %s", what, curl_easy_strerror(code)));
}

static void
check_multi(CURLMcode code, const char *what)
{
	if (code == CURLM_OK)
		return;
	if (code == CURLM_OUT_OF_MEMORY)
		out_of_memory();
	ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			errmsg("libcurl failed at %s: %s", what, curl_multi_strerror(code)));
}

#define SET_OPTION(client, option, value)                                                          \
	check_easy(curl_easy_setopt((client)->easy, option, value), #option)

/*
 * Whom to trust: the file that the setting names and nobody else, or the
 * system. Of the system's two forms the directory is taken where libcurl knows
 * one: OpenSSL looks up in it what it needs, while it parses the whole bundle
 * for every handle, some 100 ms that would be in the sample and could not be
 * interrupted.
 */
static void
set_trust(HttpClient *client)
{
	char *directory = NULL;

	if (settings_ca_file[0] != '\0')
	{
		SET_OPTION(client, CURLOPT_CAINFO, settings_ca_file);
		SET_OPTION(client, CURLOPT_CAPATH, NULL);
		return;
	}
	check_easy(curl_easy_getinfo(client->easy, CURLINFO_CAPATH, &directory), "CURLINFO_CAPATH");
	if (directory != NULL)
		SET_OPTION(client, CURLOPT_CAINFO, NULL);
}

static void
set_lasting_options(HttpClient *client)
{
	SET_OPTION(client, CURLOPT_NOSIGNAL, 1L);
	/* a stalled resolver's thread must not hold up the cleanup for seconds */
	SET_OPTION(client, CURLOPT_QUICK_EXIT, 1L);
	SET_OPTION(client, CURLOPT_PROXY, ""); /* none from the environment */
	SET_OPTION(client, CURLOPT_PROTOCOLS_STR, "http,https");
	SET_OPTION(client, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
	SET_OPTION(client, CURLOPT_FOLLOWLOCATION, 0L); /* each hop is checked here */
	SET_OPTION(client, CURLOPT_USERAGENT, "pg_transferbench/" TRANSFERBENCH_VERSION);
	SET_OPTION(client, CURLOPT_BUFFERSIZE, (long) READ_BYTES);
	SET_OPTION(client, CURLOPT_ERRORBUFFER, client->curl_message);
	SET_OPTION(client, CURLOPT_WRITEFUNCTION, on_body);
	SET_OPTION(client, CURLOPT_WRITEDATA, client);
	SET_OPTION(client, CURLOPT_HEADERFUNCTION, on_header);
	SET_OPTION(client, CURLOPT_HEADERDATA, client);
	SET_OPTION(client, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	SET_OPTION(client, CURLOPT_OPENSOCKETDATA, client);
	SET_OPTION(client, CURLOPT_SSL_VERIFYPEER, settings_tls_verify ? 1L : 0L);
	SET_OPTION(client, CURLOPT_SSL_VERIFYHOST, settings_tls_verify ? 2L : 0L);
	set_trust(client);
	SET_OPTION(client, CURLOPT_CONNECTTIMEOUT_MS,
			   settings_connect_timeout_ms > 0 ? (long) settings_connect_timeout_ms : NO_LIMIT_MS);
	SET_OPTION(client, CURLOPT_TIMEOUT_MS, (long) settings_timeout_ms);
}

/* Once per backend; libcurl keeps tables of its own from then on. */
static void
initialise_libcurl(void)
{
	static bool done = false;

	if (!done && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				errmsg("could not initialise libcurl"));
	done = true;
}

HttpClient *
http_client_create(List *headers)
{
	HttpClient *client = palloc0(sizeof(HttpClient));

	initialise_libcurl();
	client->context = CurrentMemoryContext;
	client->request_context =
		AllocSetContextCreate(client->context, "pg_transferbench request", ALLOCSET_SMALL_SIZES);
	client->headers = headers;
	client->received = palloc(HTTP_CLIENT_BUFFER_BYTES);
	/* callbacks of a context run newest first: the easy handle must go before the multi handle */
	client->inflate_holder = foreign_memory_reserve(client->context, release_inflate);
	client->headers_holder = foreign_memory_reserve(client->context, release_headers);
	client->multi_holder = foreign_memory_reserve(client->context, release_multi);
	client->easy_holder = foreign_memory_reserve(client->context, release_easy);
	client->multi_holder->object = client->multi = curl_multi_init();
	client->easy_holder->object = client->easy = curl_easy_init();
	if (client->multi == NULL || client->easy == NULL)
		out_of_memory();
	set_lasting_options(client);
	return client;
}

/* --- waiting ------------------------------------------------------------------------------- */

static char *
seconds_text(int64 milliseconds)
{
	return psprintf("%g s", milliseconds / 1000.0);
}

static void
refuse_header(const HttpClient *client)
{
	ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			errmsg("the response header of %s is too long", client->url->shown),
			errdetail("At most %d bytes are read in all, less of one line.",
					  HTTP_CLIENT_MAX_HEADER_BYTES));
}

static void
check_fault(HttpClient *client)
{
	switch (client->fault)
	{
		case FAULT_NONE:
			return;
		case FAULT_HEADERS_TOO_LONG:
			refuse_header(client);
		case FAULT_ADDRESS_REFUSED:
			ereport(
				ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("host \"%s\" leads to an address that is not allowed", client->url->host),
				errhint("Loopback, link-local and metadata addresses must be named themselves "
						"in pg_transferbench.allowed_hosts."));
			break;
	}
}

static void
raise_timeout(const HttpClient *client)
{
	curl_off_t connected_us = 0;

	curl_easy_getinfo(client->easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	if (connected_us == 0)
		ereport(ERROR, errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
				errmsg("could not connect to %s within %s", client->url->shown,
					   seconds_text(settings_connect_timeout_ms)),
				errhint("The limit is pg_transferbench.connect_timeout."));
	ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
			errmsg("%s did not answer in full within %s", client->url->shown,
				   seconds_text(settings_timeout_ms)),
			errhint("The limit is pg_transferbench.timeout."));
}

/* Raises for a transfer that libcurl ended with an error. */
static void
check_result(HttpClient *client)
{
	CURLcode result = client->result;
	const char *reason =
		client->curl_message[0] != '\0' ? client->curl_message : curl_easy_strerror(result);

	check_fault(client);
	switch (result)
	{
		case CURLE_OK:
			return;
		case CURLE_OUT_OF_MEMORY:
			/* libcurl's word for a header line beyond its own limit, too */
			if (!client->header.complete && client->header.bytes > 0)
				refuse_header(client);
			out_of_memory();
		case CURLE_OPERATION_TIMEDOUT:
			raise_timeout(client);
		case CURLE_COULDNT_RESOLVE_HOST:
		case CURLE_COULDNT_CONNECT:
		case CURLE_SSL_CONNECT_ERROR:
		case CURLE_PEER_FAILED_VERIFICATION:
		case CURLE_SSL_CACERT_BADFILE:
		case CURLE_SSL_CERTPROBLEM:
		case CURLE_SSL_CIPHER:
			ereport(ERROR, errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
					errmsg("could not connect to %s: %s", client->url->shown, reason),
					result == CURLE_PEER_FAILED_VERIFICATION
						? errhint("A superuser can name a certificate authority in "
								  "pg_transferbench.ca_file.")
						: 0);
			break;
		default:
			ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
					errmsg("connection to %s was lost: %s", client->url->shown, reason));
	}
}

static void
check_stall(const HttpClient *client)
{
	int64 silent_ns = clock_now_ns() - client->last_activity_ns;
	curl_off_t connected_us = 0;

	if (settings_stall_timeout_ms == 0 ||
		silent_ns < settings_stall_timeout_ms * (int64) CLOCK_NS_PER_MS)
		return;
	/* while connecting, the connect timeout is the limit */
	curl_easy_getinfo(client->easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	if (connected_us == 0)
		return;
	ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
			errmsg("%s sent nothing for %s", client->url->shown,
				   seconds_text(settings_stall_timeout_ms)),
			errhint("The limit is pg_transferbench.stall_timeout. If the endpoint reads this "
					"database, it may be waiting for a lock that this transaction holds."));
}

/*
 * Lets libcurl do what can be done now. Signals are blocked meanwhile, so that
 * a resolver's thread that it starts inherits that: a handler of this backend
 * must not run on another thread.
 */
static void
perform(HttpClient *client)
{
	sigset_t all_signals, saved_signals;
	int running;
	CURLMcode code;

	sigfillset(&all_signals);
	pthread_sigmask(SIG_SETMASK, &all_signals, &saved_signals);
	code = curl_multi_perform(client->multi, &running);
	pthread_sigmask(SIG_SETMASK, &saved_signals, NULL);
	check_multi(code, "curl_multi_perform");
}

static void
take_completion(HttpClient *client)
{
	int remaining;
	CURLMsg *message;

	while ((message = curl_multi_info_read(client->multi, &remaining)) != NULL)
	{
		if (message->msg != CURLMSG_DONE)
			continue;
		client->is_done = true;
		client->result = message->data.result;
	}
}

/* Sleeps until a socket is ready, a signal comes, or a tick has passed. */
static void
sleep_for_socket(HttpClient *client)
{
	int ready = 0;
	CURLMcode code;

	pgstat_report_wait_start(PG_WAIT_EXTENSION);
	code = curl_multi_poll(client->multi, NULL, 0, TICK_MS, &ready);
	pgstat_report_wait_end();
	check_multi(code, "curl_multi_poll");
	if (ready == 0 && !PostmasterIsAlive())
		proc_exit(1); /* nobody is left to work for, as WL_EXIT_ON_PM_DEATH does */
}

/* Does what can be done now, without waiting. */
static void
step(HttpClient *client)
{
	CHECK_FOR_INTERRUPTS();
	if (client->is_paused && client->received_length == 0)
	{
		client->is_paused = false;
		check_easy(curl_easy_pause(client->easy, CURLPAUSE_CONT), "to go on");
	}
	perform(client);
	take_completion(client);
	check_fault(client);
}

/*
 * Goes on with the transfer until bytes of the body are there, or it is done,
 * or (when until_header) the header is.
 */
static void
advance(HttpClient *client, bool until_header)
{
	for (;;)
	{
		step(client);
		if (client->is_done || client->received_length > 0 ||
			(until_header && client->header.complete))
			return;
		check_stall(client);
		sleep_for_socket(client);
	}
}

/* Interruptible pause before a retry. */
static void
pause_ms(int64 milliseconds)
{
	int64 end_ns = clock_now_ns() + milliseconds * CLOCK_NS_PER_MS;

	for (;;)
	{
		int64 left_ns = end_ns - clock_now_ns();

		CHECK_FOR_INTERRUPTS();
		if (left_ns <= 0)
			return;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) (left_ns / CLOCK_NS_PER_MS) + 1, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/* --- one request ----------------------------------------------------------------------------- */

static bool
is_success(const HttpClient *client)
{
	return client->status == 200 || client->status == 201 || client->status == 204;
}

/* Adds the figures of the transfer under way to the totals, and ends it. */
static void
end_transfer(HttpClient *client)
{
	curl_off_t connected_us = 0, first_byte_us = 0, body_bytes = 0;
	long header_bytes = 0, new_connections = 0;

	if (!client->is_attached)
		return;
	curl_easy_getinfo(client->easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	curl_easy_getinfo(client->easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_us);
	curl_easy_getinfo(client->easy, CURLINFO_SIZE_DOWNLOAD_T, &body_bytes);
	curl_easy_getinfo(client->easy, CURLINFO_HEADER_SIZE, &header_bytes);
	curl_easy_getinfo(client->easy, CURLINFO_NUM_CONNECTS, &new_connections);
	client->totals.wire_bytes += body_bytes + header_bytes;
	if (is_success(client))
		client->totals.body_bytes += client->decoded_bytes;
	if (new_connections > 0)
		client->totals.connect_ns += connected_us * 1000;
	client->totals.first_byte_ns += Max(first_byte_us - connected_us, 0) * 1000;
	check_multi(curl_multi_remove_handle(client->multi, client->easy), "curl_multi_remove_handle");
	client->is_attached = false;
}

/* The header list of a request: the user's own only for the host that was meant. */
static void
set_headers(HttpClient *client, bool with_own_headers)
{
	struct curl_slist *list = NULL;
	ListCell *cell;

	foreign_memory_release(client->headers_holder);
	list = curl_slist_append(NULL, "Accept: application/json, application/x-ndjson;q=0.9");
	if (list == NULL)
		out_of_memory();
	client->headers_holder->object = list;
	foreach (cell, with_own_headers ? client->headers : NIL)
	{
		list = curl_slist_append(list, lfirst(cell));
		if (list == NULL)
			out_of_memory();
		client->headers_holder->object = list;
	}
	SET_OPTION(client, CURLOPT_HTTPHEADER, list);
}

static void
begin_transfer(HttpClient *client, bool with_own_headers)
{
	end_transfer(client);
	client->header = (ResponseHeader){0};
	client->is_done = false;
	client->result = CURLE_OK;
	client->status = 0;
	client->is_compressed = false;
	client->inflate_has_input = false;
	client->decoded_bytes = 0;
	client->fault = FAULT_NONE;
	client->body_start_length = 0;
	client->received_length = 0;
	client->lent_length = 0;
	client->is_paused = false;
	client->curl_message[0] = '\0';
	client->last_activity_ns = clock_now_ns();
	set_headers(client, with_own_headers);
	SET_OPTION(client, CURLOPT_URL, client->url->text);
	check_multi(curl_multi_add_handle(client->multi, client->easy), "curl_multi_add_handle");
	client->is_attached = true;
	client->totals.requests++;
}

static void
reduce_media_type(char *media_type)
{
	media_type[strcspn(media_type, "; \t")] = '\0';
	for (; *media_type != '\0'; media_type++)
		*media_type = pg_ascii_tolower((unsigned char) *media_type);
}

/* Chooses how the body is decoded; raises for a coding that was not asked for. */
static void
choose_coding(HttpClient *client)
{
	const char *coding = client->header.content_encoding;

	if (coding[0] == '\0' || pg_strcasecmp(coding, "identity") == 0)
		return;
	if (pg_strcasecmp(coding, "gzip") != 0 && pg_strcasecmp(coding, "x-gzip") != 0 &&
		pg_strcasecmp(coding, "deflate") != 0)
		ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				errmsg("%s answered with the unsupported content coding \"%s\"", client->url->shown,
					   coding),
				errhint("Supported are gzip and deflate, once, and no coding."));
	client->is_compressed = true;
	if (client->inflate == NULL)
	{
		client->inflated = MemoryContextAlloc(client->context, HTTP_CLIENT_BUFFER_BYTES);
		client->inflate_holder->object = client->inflate = content_inflate_create();
		if (client->inflate == NULL)
			out_of_memory();
	}
	content_inflate_reset(client->inflate);
}

static void
await_header(HttpClient *client)
{
	long status = 0;

	while (!client->header.complete && !client->is_done)
		advance(client, true);
	if (client->is_done)
		check_result(client);
	if (!client->header.complete)
		ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
				errmsg("connection to %s was lost: it was closed within the response header",
					   client->url->shown));
	check_easy(curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &status),
			   "CURLINFO_RESPONSE_CODE");
	client->status = (int) status;
	reduce_media_type(client->header.media_type);
}

static void
keep_body_start(HttpClient *client, const char *bytes, size_t length)
{
	size_t kept = Min(length, BODY_START_BYTES - client->body_start_length);

	memcpy(client->body_start + client->body_start_length, bytes, kept);
	client->body_start_length += kept;
}

/*
 * Reads the body of an answer that is no success: for its start, and to keep
 * the connection. Within bounds of bytes and time, and without an error of its
 * own that would hide the status.
 */
static void
skim_body(HttpClient *client)
{
	int64 end_ns = clock_now_ns() + SKIM_MS * CLOCK_NS_PER_MS;

	for (;;)
	{
		step(client);
		if (client->is_done || client->received_length >= SKIM_BYTES || clock_now_ns() >= end_ns)
			break;
		sleep_for_socket(client);
	}
	if (client->header.content_encoding[0] == '\0')
		keep_body_start(client, client->received, client->received_length);
}

/* Milliseconds that Retry-After asks for, capped; -1 when there is none or it cannot be read. */
static int64
retry_after_ms(const HttpClient *client)
{
	const char *text = client->header.retry_after;
	size_t digits = strspn(text, "0123456789");
	time_t date;
	double seconds;

	if (text[0] == '\0')
		return -1;
	if (text[digits] == '\0')
		seconds = digits <= 9 ? (double) strtol(text, NULL, 10) : HTTP_CLIENT_MAX_RETRY_WAIT_MS;
	else if ((date = curl_getdate(text, NULL)) != (time_t) -1)
		seconds = Max(difftime(date, time(NULL)), 0); /* a date: the wall clock is what it means */
	else
		return -1;
	return (int64) Min(seconds * 1000, HTTP_CLIENT_MAX_RETRY_WAIT_MS);
}

/* Whether to send the request again; has then waited as long as was asked. */
static bool
wait_for_retry(HttpClient *client, int retries)
{
	int64 wait_ms, start_ns;

	if (client->status != 429 && client->status != 503)
		return false;
	wait_ms = retry_after_ms(client);
	if (wait_ms < 0 || retries >= HTTP_CLIENT_MAX_RETRIES)
		return false;
	skim_body(client);
	end_transfer(client);
	start_ns = clock_now_ns();
	pause_ms(wait_ms);
	client->totals.retry_wait_ns += clock_now_ns() - start_ns;
	client->totals.retries++;
	return true;
}

/* Whether the answer is a redirect to follow; client->url is then the new one. */
static bool
follow_redirect(HttpClient *client, int redirects)
{
	char *location = NULL;
	char *target;

	if (client->status < 300 || client->status > 399 || client->status == 304 ||
		!settings_follow_redirects)
		return false;
	check_easy(curl_easy_getinfo(client->easy, CURLINFO_REDIRECT_URL, &location),
			   "CURLINFO_REDIRECT_URL");
	if (location == NULL)
		return false;
	target = pstrdup(location); /* ends with the transfer */
	if (redirects >= HTTP_CLIENT_MAX_REDIRECTS)
		ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				errmsg("%s redirected more than %d times", client->url->shown,
					   HTTP_CLIENT_MAX_REDIRECTS));
	end_transfer(client);
	client->url = http_url_parse(target, HTTP_URL_REDIRECT);
	http_url_check_allowed(client->url);
	return true;
}

static void
raise_status(HttpClient *client)
{
	const char *hint = "";

	skim_body(client);
	if (client->status >= 300 && client->status <= 399)
		hint = "Redirects are followed when pg_transferbench.follow_redirects is on.";
	else if (client->status == 429 || client->status == 503)
		hint = client->header.retry_after[0] == '\0'
				   ? "It gave no Retry-After, so the request was not repeated."
				   : "It was asked again as often as is allowed.";
	ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			errmsg("%s answered with HTTP status %d", client->url->shown, client->status),
			errdetail("The body begins: %s", http_client_body_start(client)),
			*hint != '\0' ? errhint("%s", hint) : 0);
}

static bool
same_origin(const HttpUrl *a, const HttpUrl *b)
{
	return pg_strcasecmp(a->host, b->host) == 0 && a->port == b->port;
}

void
http_client_get(HttpClient *client, const char *url)
{
	MemoryContext caller_context = MemoryContextSwitchTo(client->request_context);
	HttpUrl *first_url;
	int retries = 0, redirects = 0;

	end_transfer(client);
	MemoryContextReset(client->request_context);
	client->url = first_url = http_url_parse(url, HTTP_URL_ARGUMENT);
	http_url_check_allowed(client->url);
	for (;;)
	{
		begin_transfer(client, same_origin(client->url, first_url));
		await_header(client);
		if (is_success(client))
			break;
		if (wait_for_retry(client, retries))
			retries++;
		else if (follow_redirect(client, redirects))
			redirects++;
		else
			raise_status(client);
	}
	choose_coding(client);
	MemoryContextSwitchTo(caller_context);
}

/* --- the body ---------------------------------------------------------------------------------- */

static void
count_decoded(HttpClient *client, const char *bytes, size_t length)
{
	keep_body_start(client, bytes, length);
	client->decoded_bytes += length;
	if (client->decoded_bytes > settings_max_response_bytes)
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("the response of %s is longer than %.0f bytes", client->url->shown,
					   settings_max_response_bytes),
				errhint("The limit is pg_transferbench.max_response_bytes."));
}

/* One piece out of what was received so far; 0 when more must be received first. */
static size_t
inflate_piece(HttpClient *client)
{
	size_t produced = 0;

	if (!client->inflate_has_input)
	{
		if (client->received_length == 0)
			return 0;
		content_inflate_feed(client->inflate, client->received, client->received_length);
		client->inflate_has_input = true;
	}
	switch (content_inflate_next(client->inflate, client->inflated, HTTP_CLIENT_BUFFER_BYTES,
								 &produced))
	{
		case CONTENT_INFLATE_OUTPUT:
			break;
		case CONTENT_INFLATE_MORE:
			client->inflate_has_input = false;
			client->received_length = 0;
			break;
		case CONTENT_INFLATE_CORRUPT:
			ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
					errmsg("the compressed body of %s is corrupt", client->url->shown));
			break;
		case CONTENT_INFLATE_OUT_OF_MEMORY:
			out_of_memory();
	}
	return produced;
}

static void
check_body_is_whole(HttpClient *client)
{
	check_result(client);
	if (client->is_compressed && !content_inflate_complete(client->inflate))
		ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
				errmsg("the compressed body of %s ends too early", client->url->shown));
}

static size_t
read_inflated(HttpClient *client, const char **bytes)
{
	for (;;)
	{
		size_t length;

		CHECK_FOR_INTERRUPTS();
		length = inflate_piece(client);
		if (length > 0)
		{
			*bytes = client->inflated;
			return length;
		}
		if (client->received_length > 0)
			continue;
		if (client->is_done)
			return 0;
		advance(client, false);
	}
}

static size_t
read_plain(HttpClient *client, const char **bytes)
{
	client->received_length -= client->lent_length;
	client->lent_length = 0;
	if (client->received_length == 0 && !client->is_done)
		advance(client, false);
	*bytes = client->received;
	client->lent_length = client->received_length;
	return client->lent_length;
}

size_t
http_client_read(HttpClient *client, const char **bytes)
{
	size_t length;

	/* what happened while the caller was busy is not the endpoint's silence */
	client->last_activity_ns = clock_now_ns();
	length = client->is_compressed ? read_inflated(client, bytes) : read_plain(client, bytes);
	if (length > 0)
		count_decoded(client, *bytes, length);
	else
	{
		check_body_is_whole(client);
		end_transfer(client);
	}
	return length;
}

/* --- what is known about the answer --------------------------------------------------------------- */

const HttpTotals *
http_client_totals(const HttpClient *client)
{
	return &client->totals;
}

int
http_client_status(const HttpClient *client)
{
	return client->status;
}

const char *
http_client_media_type(const HttpClient *client)
{
	return client->header.media_type;
}

const char *
http_client_shown_url(const HttpClient *client)
{
	return client->url->shown;
}

char *
http_client_body_start(const HttpClient *client)
{
	StringInfoData shown;

	initStringInfo(&shown);
	for (size_t i = 0; i < client->body_start_length; i++)
	{
		unsigned char c = client->body_start[i];

		/* other bytes may not be text in this database */
		if (c >= ' ' && c < 0x7f)
			appendStringInfoChar(&shown, c);
		else
			appendStringInfo(&shown, "\\x%02x", c);
	}
	if (client->body_start_length == BODY_START_BYTES)
		appendStringInfoString(&shown, "...");
	if (client->body_start_length == 0)
		appendStringInfoString(&shown, "(empty)");
	return shown.data;
}
