/*
 * http_transfer.c - see http_transfer.h.
 *
 * Rules that every line here keeps: libcurl's callbacks never raise and never
 * palloc; all foreign memory hangs on the context; whatever libcurl returns is
 * looked at where it is returned, and the message is made there.
 */
#include "postgres.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/pmsignal.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "clock.h"
#include "foreign_memory.h"
#include "host_rules.h"
#include "http_transfer.h"
#include "printable.h"
#include "settings.h"

/*
 * Longest sleep between two looks at interrupts. A signal ends poll(2) at once;
 * this bounds the case that it arrives just before, or on a resolver's thread.
 */
#define TICK_MS 50

#define READ_BYTES  (128 * 1024)           /* libcurl's own receive buffer */
#define SKIM_BYTES  (16 * 1024)            /* read at most of an unwanted body */
#define SKIM_MS     1000                   /* and not for longer than this */
#define NO_LIMIT_MS (24L * 60 * 60 * 1000) /* libcurl takes 0 for its own default here */

/* libcurl's word, since 8.6, for a line beyond its own limit; CURLE_OUT_OF_MEMORY before */
#define RESULT_TOO_LARGE ((CURLcode) 100) /* CURLE_TOO_LARGE */

struct HttpTransfer
{
	ForeignMemory *headers_holder;
	CURLM *multi;
	CURL *easy;
	char curl_message[CURL_ERROR_SIZE];

	/* the request under way */
	const HttpUrl *url;
	bool is_attached; /* to the multi handle: a transfer is under way or over, not yet counted */
	bool is_done;
	CURLcode result; /* once done */
	HttpHeader header;
	/* what callbacks found; looked at after libcurl has returned */
	HttpHeaderFault header_fault;
	bool is_address_refused;
	int64 last_activity_ns;

	/* bytes from libcurl, not yet handed on */
	char *received; /* [HTTP_TRANSFER_BUFFER_BYTES] */
	size_t received_length;
	size_t lent_length; /* of them, to the caller: free at the next read */
	bool is_paused;     /* the write callback had no room */

	HttpTransferTotals totals;
};

static void out_of_memory(void) pg_attribute_noreturn();
static void refuse_header(const HttpTransfer *transfer) pg_attribute_noreturn();
static void raise_violation(const HttpTransfer *transfer, const char *reason)
	pg_attribute_noreturn();
static void raise_timeout(const HttpTransfer *transfer) pg_attribute_noreturn();

/* --- libcurl's callbacks: copy, count, flag ------------------------------------------ */

static size_t
on_body(char *bytes, size_t size, size_t count, void *context)
{
	HttpTransfer *transfer = context;
	size_t length = size * count;

	transfer->last_activity_ns = clock_now_ns();
	if (transfer->received_length + length > HTTP_TRANSFER_BUFFER_BYTES)
	{
		transfer->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	memcpy(transfer->received + transfer->received_length, bytes, length);
	transfer->received_length += length;
	return length;
}

static size_t
on_header(char *line, size_t size, size_t count, void *context)
{
	HttpTransfer *transfer = context;
	HttpHeader *header = &transfer->header;
	size_t length = size * count;
	HttpHeaderFault fault = http_header_take(header, line, length);
	long status = 0;

	transfer->last_activity_ns = clock_now_ns();
	if (fault != HTTP_HEADER_SOUND)
	{
		transfer->header_fault = fault;
		return 0;
	}
	if (!header->complete && http_header_ends(line, length))
	{
		curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
		/* of the interim answers 101 is the last: what follows is no HTTP */
		header->complete = status >= 200 || status == 101;
	}
	return length;
}

/* The address that is really dialled, whatever the name said. */
static curl_socket_t
on_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	HttpTransfer *transfer = context;

	if (!host_rules_permit_address(settings_allowed_hosts, transfer->url->host, &address->addr))
	{
		transfer->is_address_refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* --- making and unmaking ------------------------------------------------------------- */

/*
 * The easy handle is taken off first: libcurl 7.88 forgets what a paused
 * transfer holds when the handle goes while it is attached.
 */
static void
release_handles(void *object)
{
	HttpTransfer *transfer = object;

	if (transfer->multi != NULL && transfer->easy != NULL)
		curl_multi_remove_handle(transfer->multi, transfer->easy);
	curl_easy_cleanup(transfer->easy);
	curl_multi_cleanup(transfer->multi);
}

static void
release_headers(void *headers)
{
	/* tokens are among them */
	for (struct curl_slist *entry = headers; entry != NULL; entry = entry->next)
		explicit_bzero(entry->data, strlen(entry->data));
	curl_slist_free_all(headers);
}

static void
out_of_memory(void)
{
	ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
			errdetail("libcurl could not allocate."));
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

#define SET_OPTION(transfer, option, value)                                                        \
	check_easy(curl_easy_setopt((transfer)->easy, option, value), #option)

/*
 * Whom to trust: the file that the setting names and nobody else, or the
 * system. Of the system's two forms the directory is taken where libcurl knows
 * one: OpenSSL looks up in it what it needs, while it parses the whole bundle
 * for every handle, some 100 ms that would be in the sample and could not be
 * interrupted.
 */
static void
set_trust(HttpTransfer *transfer)
{
	char *directory = NULL;

	if (settings_ca_file[0] != '\0')
	{
		SET_OPTION(transfer, CURLOPT_CAINFO, settings_ca_file);
		SET_OPTION(transfer, CURLOPT_CAPATH, NULL);
		return;
	}
	check_easy(curl_easy_getinfo(transfer->easy, CURLINFO_CAPATH, &directory), "CURLINFO_CAPATH");
	if (directory != NULL)
		SET_OPTION(transfer, CURLOPT_CAINFO, NULL);
}

static void
set_lasting_options(HttpTransfer *transfer)
{
	SET_OPTION(transfer, CURLOPT_NOSIGNAL, 1L);
	/* a stalled resolver's thread must not hold up the cleanup for seconds */
	SET_OPTION(transfer, CURLOPT_QUICK_EXIT, 1L);
	SET_OPTION(transfer, CURLOPT_PROXY, ""); /* none from the environment */
	SET_OPTION(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
	SET_OPTION(transfer, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
	SET_OPTION(transfer, CURLOPT_FOLLOWLOCATION, 0L); /* each hop is checked here */
	SET_OPTION(transfer, CURLOPT_USERAGENT, "pg_transferbench/" TRANSFERBENCH_VERSION);
	SET_OPTION(transfer, CURLOPT_BUFFERSIZE, (long) READ_BYTES);
	SET_OPTION(transfer, CURLOPT_ERRORBUFFER, transfer->curl_message);
	SET_OPTION(transfer, CURLOPT_WRITEFUNCTION, on_body);
	SET_OPTION(transfer, CURLOPT_WRITEDATA, transfer);
	SET_OPTION(transfer, CURLOPT_HEADERFUNCTION, on_header);
	SET_OPTION(transfer, CURLOPT_HEADERDATA, transfer);
	SET_OPTION(transfer, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	SET_OPTION(transfer, CURLOPT_OPENSOCKETDATA, transfer);
	SET_OPTION(transfer, CURLOPT_SSL_VERIFYPEER, settings_tls_verify ? 1L : 0L);
	SET_OPTION(transfer, CURLOPT_SSL_VERIFYHOST, settings_tls_verify ? 2L : 0L);
	set_trust(transfer);
	SET_OPTION(transfer, CURLOPT_CONNECTTIMEOUT_MS,
			   settings_connect_timeout_ms > 0 ? (long) settings_connect_timeout_ms : NO_LIMIT_MS);
	SET_OPTION(transfer, CURLOPT_TIMEOUT_MS, (long) settings_timeout_ms);
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

HttpTransfer *
http_transfer_create(void)
{
	HttpTransfer *transfer = palloc0(sizeof(HttpTransfer));
	ForeignMemory *handles_holder;

	initialise_libcurl();
	transfer->received = palloc(HTTP_TRANSFER_BUFFER_BYTES);
	/* callbacks of a context run newest first: the handles must go before what they lend */
	transfer->headers_holder = foreign_memory_reserve(CurrentMemoryContext, release_headers);
	handles_holder = foreign_memory_reserve(CurrentMemoryContext, release_handles);
	handles_holder->object = transfer;
	transfer->multi = curl_multi_init();
	transfer->easy = curl_easy_init();
	if (transfer->multi == NULL || transfer->easy == NULL)
		out_of_memory();
	set_lasting_options(transfer);
	return transfer;
}

/* --- waiting ------------------------------------------------------------------------- */

static char *
seconds_text(int64 milliseconds)
{
	return psprintf("%g s", milliseconds / 1000.0);
}

static void
refuse_header(const HttpTransfer *transfer)
{
	ereport(
		ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		errmsg("the response header of %s is too long", transfer->url->shown),
		errdetail("At most %d bytes are read in all, less of one line.", HTTP_HEADER_MAX_BYTES));
}

static void
raise_violation(const HttpTransfer *transfer, const char *reason)
{
	ereport(ERROR, errcode(ERRCODE_PROTOCOL_VIOLATION),
			errmsg("%s did not answer in HTTP: %s", transfer->url->shown, reason));
}

static void
check_fault(HttpTransfer *transfer)
{
	switch (transfer->header_fault)
	{
		case HTTP_HEADER_SOUND:
			break;
		case HTTP_HEADER_TOO_LONG:
			refuse_header(transfer);
		case HTTP_HEADER_VERSION:
			raise_violation(transfer, "Version 1 was asked for, and another came");
		case HTTP_HEADER_LENGTH_MALFORMED:
			raise_violation(transfer, "Content-Length is no number, or one that is too large");
		case HTTP_HEADER_LENGTHS_DIFFER:
			raise_violation(transfer, "Content-Length comes twice, with different values");
		case HTTP_HEADER_TRANSFER_CODING:
			raise_violation(transfer, "Transfer-Encoding is not chunked");
	}
	if (transfer->is_address_refused)
		ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("host \"%s\" leads to an address that is not allowed",
					   printable_text(transfer->url->host)),
				errhint("Loopback, link-local and metadata addresses must be named themselves "
						"in pg_transferbench.allowed_hosts."));
}

static bool
is_connected(const HttpTransfer *transfer)
{
	curl_off_t connected_us = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	return connected_us > 0;
}

/* Whether the answer had begun, and its header was not there yet. */
static bool
is_within_header(const HttpTransfer *transfer)
{
	curl_off_t first_byte_us = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_us);
	return !transfer->header.complete && first_byte_us > 0;
}

/* libcurl does not say which of its limits it was: the shorter one. */
static void
raise_timeout(const HttpTransfer *transfer)
{
	bool is_total = settings_timeout_ms > 0 && (settings_connect_timeout_ms == 0 ||
												settings_timeout_ms <= settings_connect_timeout_ms);

	if (!is_connected(transfer))
		ereport(
			ERROR, errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
			errmsg("could not connect to %s within %s", transfer->url->shown,
				   seconds_text(is_total ? settings_timeout_ms : settings_connect_timeout_ms)),
			errhint("The limit is pg_transferbench.%s.", is_total ? "timeout" : "connect_timeout"));
	ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
			errmsg("%s did not answer in full within %s", transfer->url->shown,
				   seconds_text(settings_timeout_ms)),
			errhint("The limit is pg_transferbench.timeout."));
}

/* Raises for a transfer that libcurl ended with an error. */
static void
check_result(HttpTransfer *transfer)
{
	CURLcode result = transfer->result;
	const char *reason = printable_text(
		transfer->curl_message[0] != '\0' ? transfer->curl_message : curl_easy_strerror(result));

	check_fault(transfer);
	switch (result)
	{
		case CURLE_OK:
			return;
		case CURLE_OUT_OF_MEMORY:
			/* libcurl's word for a header line beyond its own limit, too */
			if (is_within_header(transfer))
				refuse_header(transfer);
			out_of_memory();
		case RESULT_TOO_LARGE:
			refuse_header(transfer);
		case CURLE_UNSUPPORTED_PROTOCOL:
		case CURLE_WEIRD_SERVER_REPLY:
			raise_violation(transfer, reason);
		case CURLE_OPERATION_TIMEDOUT:
			raise_timeout(transfer);
		case CURLE_COULDNT_RESOLVE_HOST:
		case CURLE_COULDNT_CONNECT:
		case CURLE_SSL_CONNECT_ERROR:
		case CURLE_PEER_FAILED_VERIFICATION:
		case CURLE_SSL_CACERT_BADFILE:
		case CURLE_SSL_CERTPROBLEM:
		case CURLE_SSL_CIPHER:
			ereport(ERROR, errcode(ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION),
					errmsg("could not connect to %s: %s", transfer->url->shown, reason),
					result == CURLE_PEER_FAILED_VERIFICATION
						? errhint("A superuser can name a certificate authority in "
								  "pg_transferbench.ca_file.")
						: 0);
			break;
		case CURLE_RECV_ERROR: /* of the connection, or of what came through it */
			ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
					errmsg("could not read the answer of %s: %s", transfer->url->shown, reason));
			break;
		default:
			ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
					errmsg("connection to %s was lost: %s", transfer->url->shown, reason));
	}
}

static void
check_stall(HttpTransfer *transfer)
{
	int64 now_ns = clock_now_ns();

	/* while connecting, the connect timeout is the limit; the silence begins after it */
	if (!is_connected(transfer))
		transfer->last_activity_ns = now_ns;
	if (settings_stall_timeout_ms == 0 ||
		now_ns - transfer->last_activity_ns < settings_stall_timeout_ms * (int64) CLOCK_NS_PER_MS)
		return;
	ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
			errmsg("%s sent nothing for %s", transfer->url->shown,
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
perform(HttpTransfer *transfer)
{
	sigset_t all_signals, saved_signals;
	int running;
	CURLMcode code;

	sigfillset(&all_signals);
	pthread_sigmask(SIG_SETMASK, &all_signals, &saved_signals);
	code = curl_multi_perform(transfer->multi, &running);
	pthread_sigmask(SIG_SETMASK, &saved_signals, NULL);
	check_multi(code, "curl_multi_perform");
}

static void
take_completion(HttpTransfer *transfer)
{
	int remaining;
	CURLMsg *message;

	while ((message = curl_multi_info_read(transfer->multi, &remaining)) != NULL)
	{
		if (message->msg != CURLMSG_DONE)
			continue;
		transfer->is_done = true;
		transfer->result = message->data.result;
	}
}

/* Sleeps until a socket is ready, a signal comes, or a tick has passed. */
static void
sleep_for_socket(HttpTransfer *transfer)
{
	int ready = 0;
	CURLMcode code;

	pgstat_report_wait_start(PG_WAIT_EXTENSION);
	code = curl_multi_poll(transfer->multi, NULL, 0, TICK_MS, &ready);
	pgstat_report_wait_end();
	check_multi(code, "curl_multi_poll");
	if (ready == 0 && !PostmasterIsAlive())
		proc_exit(1); /* nobody is left to work for, as WL_EXIT_ON_PM_DEATH does */
}

/* Does what can be done now, without waiting. */
static void
step(HttpTransfer *transfer)
{
	CHECK_FOR_INTERRUPTS();
	if (transfer->is_paused && transfer->received_length == 0)
	{
		transfer->is_paused = false;
		check_easy(curl_easy_pause(transfer->easy, CURLPAUSE_CONT), "to go on");
	}
	perform(transfer);
	take_completion(transfer);
}

/*
 * Goes on with the transfer until bytes of the body are there, or it is done,
 * or (when until_header) the header is.
 */
static void
advance(HttpTransfer *transfer, bool until_header)
{
	for (;;)
	{
		step(transfer);
		if (until_header && transfer->header.complete)
			return;
		check_fault(transfer);
		if (transfer->is_done || transfer->received_length > 0)
			return;
		check_stall(transfer);
		sleep_for_socket(transfer);
	}
}

/* --- one request --------------------------------------------------------------------- */

/*
 * Bytes that came unasked on the kept connection would be taken for the answer
 * to the next request; libcurl 7 does not look. Who sends such gets a new
 * connection for every request from then on.
 */
static void
forsake_unasked_bytes(HttpTransfer *transfer)
{
	curl_socket_t kept = CURL_SOCKET_BAD;
	char byte;

	check_easy(curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &kept),
			   "CURLINFO_ACTIVESOCKET");
	if (kept != CURL_SOCKET_BAD && recv(kept, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		SET_OPTION(transfer, CURLOPT_FRESH_CONNECT, 1L);
}

void
http_transfer_end(HttpTransfer *transfer)
{
	curl_off_t connected_us = 0, first_byte_us = 0, body_bytes = 0;
	long header_bytes = 0, new_connections = 0;

	if (!transfer->is_attached)
		return;
	curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
	curl_easy_getinfo(transfer->easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_us);
	curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_DOWNLOAD_T, &body_bytes);
	curl_easy_getinfo(transfer->easy, CURLINFO_HEADER_SIZE, &header_bytes);
	curl_easy_getinfo(transfer->easy, CURLINFO_NUM_CONNECTS, &new_connections);
	transfer->totals.wire_bytes += body_bytes + header_bytes;
	if (new_connections > 0)
		transfer->totals.connect_ns += connected_us * 1000;
	transfer->totals.first_byte_ns += Max(first_byte_us - connected_us, 0) * 1000;
	forsake_unasked_bytes(transfer);
	check_multi(curl_multi_remove_handle(transfer->multi, transfer->easy),
				"curl_multi_remove_handle");
	transfer->is_attached = false;
}

static void
set_headers(HttpTransfer *transfer, List *headers)
{
	struct curl_slist *list = NULL;
	ListCell *cell;

	foreign_memory_release(transfer->headers_holder);
	foreach (cell, headers)
	{
		list = curl_slist_append(list, lfirst(cell));
		if (list == NULL)
			out_of_memory();
		transfer->headers_holder->object = list;
	}
	SET_OPTION(transfer, CURLOPT_HTTPHEADER, list);
}

void
http_transfer_begin(HttpTransfer *transfer, const HttpUrl *url, List *headers)
{
	http_transfer_end(transfer);
	transfer->url = url;
	transfer->is_done = false;
	transfer->result = CURLE_OK;
	transfer->header = (HttpHeader){0};
	transfer->header_fault = HTTP_HEADER_SOUND;
	transfer->is_address_refused = false;
	transfer->received_length = 0;
	transfer->lent_length = 0;
	transfer->is_paused = false;
	transfer->curl_message[0] = '\0';
	transfer->last_activity_ns = clock_now_ns();
	set_headers(transfer, headers);
	SET_OPTION(transfer, CURLOPT_URL, url->text);
	check_multi(curl_multi_add_handle(transfer->multi, transfer->easy), "curl_multi_add_handle");
	transfer->is_attached = true;
	transfer->totals.requests++;
}

int
http_transfer_await_header(HttpTransfer *transfer)
{
	long status = 0;

	while (!transfer->header.complete && !transfer->is_done && transfer->received_length == 0)
		advance(transfer, true);
	/* what has become of the body already is for who reads it: of an error or a redirect nobody does */
	if (!transfer->header.complete && transfer->is_done)
		check_result(transfer);
	if (!transfer->header.complete)
		ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
				errmsg("connection to %s was lost: it was closed within the response header",
					   transfer->url->shown));
	check_easy(curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status),
			   "CURLINFO_RESPONSE_CODE");
	http_header_reduce_media_type(&transfer->header);
	return (int) status;
}

size_t
http_transfer_read(HttpTransfer *transfer, const char **bytes)
{
	/* what happened while the caller was busy is not the endpoint's silence */
	transfer->last_activity_ns = clock_now_ns();
	transfer->received_length -= transfer->lent_length;
	transfer->lent_length = 0;
	if (transfer->received_length == 0 && !transfer->is_done)
		advance(transfer, false);
	*bytes = transfer->received;
	transfer->lent_length = transfer->received_length;
	if (transfer->lent_length == 0)
	{
		check_result(transfer);
		http_transfer_end(transfer);
	}
	return transfer->lent_length;
}

size_t
http_transfer_skim(HttpTransfer *transfer, const char **bytes)
{
	int64 end_ns = clock_now_ns() + SKIM_MS * CLOCK_NS_PER_MS;

	for (;;)
	{
		step(transfer);
		if (transfer->is_done || transfer->received_length >= SKIM_BYTES ||
			clock_now_ns() >= end_ns)
			break;
		sleep_for_socket(transfer);
	}
	*bytes = transfer->received;
	return transfer->received_length;
}

/* --- what is known about the answer -------------------------------------------------- */

const HttpHeader *
http_transfer_header(const HttpTransfer *transfer)
{
	return &transfer->header;
}

const HttpTransferTotals *
http_transfer_totals(const HttpTransfer *transfer)
{
	return &transfer->totals;
}
