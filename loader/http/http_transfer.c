/*
 * http_transfer.c - see http_transfer.h.
 *
 * What libcurl would repeat by itself
 * -----------------------------------
 * When a kept-alive connection ends before a byte of the answer has come, libcurl sends the
 * request again over a new one, up to five times (lib/transfer.c, Curl_retry_request: nothing was
 * received and the connection was reused; or the server refused the HTTP/2 stream). It cannot know
 * whether the first one was processed: an endpoint that commits the rows and dies before it
 * answers looks the same. RFC 9110, section 9.2.2, leaves that to idempotent methods. So a second
 * start of a request is let pass for GET and HEAD; any other request ends as LOST, and the caller
 * decides. The prerequest callback, which libcurl calls before each start, refuses it. When bytes
 * of a body have left, libcurl must rewind the body first, and finds no way to; that ends the
 * request as well.
 *
 * A connection that the server closed while it was idle is no such case: libcurl looks before it
 * reuses one, and opens another.
 *
 * What libcurl would not read
 * ---------------------------
 * A server that answers in the middle of a body, 413 or 401, and closes at once makes the next
 * send fail. libcurl then gives up without a look at what had arrived before. The status is the
 * one thing that tells a body that is too large from a server that is gone, so it is read from the
 * socket when libcurl closes it. Under TLS, and so in HTTP/2, there is no way to: such an answer
 * is LOST, unless the server goes on reading for a while, as servers should (RFC 9112, section
 * 9.6).
 */
#include "http/http_transfer.h"
#include "http/http_problem.h"
#include "http/http_setup.h"
#include "clock.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECEIVED_BYTES  (512 * 1024) /* libcurl hands on up to its own 256 KiB at once */
#define PROBLEM_BYTES   600
#define LONGEST_WAIT_MS 1000

/* what a callback found; looked at after libcurl has returned */
typedef enum CallbackFault
{
	FAULT_NONE,
	FAULT_HEAD_REFUSED,
	FAULT_BODY_UNREADABLE,
	FAULT_REPEAT_REFUSED,
} CallbackFault;

struct HttpTransfer
{
	const HttpOptions *options;
	int interrupt_fd;
	CURLM *multi;
	CURL *easy;
	const char *refused; /* an option that libcurl did not take, by setup_code */
	CURLcode setup_code;
	char curl_message[CURL_ERROR_SIZE];
	char problem[PROBLEM_BYTES];

	/* the request under way */
	HttpRequest request;
	struct curl_slist *headers;
	bool is_attached; /* to the multi handle: not yet counted in the totals */
	bool is_done;
	CURLcode code; /* once done */
	HttpResult result;
	bool is_begun;  /* bytes of the request may have left */
	bool was_reset; /* the peer ended the connection by a reset, or is gone */
	bool is_hopeless;
	CallbackFault fault;
	HttpHead head;
	int64_t body_offset; /* handed to libcurl */
	int64_t sent_body_bytes;
	int64_t start_ns, begun_ns, sent_ns, first_byte_ns, last_activity_ns; /* 0: not yet */
	int64_t deadline_ns;                                                  /* 0: none */
	int64_t interrupted_ns; /* when; 0: not, or it ended the request */

	/* bytes from libcurl, not yet handed on */
	char *received; /* [RECEIVED_BYTES] */
	size_t received_length;
	size_t lent_length; /* of them, to the caller: free at the next read */
	bool is_paused;     /* the write callback had no room */

	curl_socket_t kept; /* of the last request, if it is open still */

	HttpTotals totals;
};

/* --- libcurl's callbacks: copy, count, flag ------------------------------------------ */

static size_t
on_body(char *bytes, size_t size, size_t count, void *context)
{
	HttpTransfer *transfer = context;
	size_t length = size * count;

	transfer->last_activity_ns = clock_now_ns();
	if (transfer->received_length + length > RECEIVED_BYTES)
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

	transfer->last_activity_ns = clock_now_ns();
	if (transfer->first_byte_ns == 0)
		transfer->first_byte_ns = transfer->last_activity_ns;
	if (http_head_take(&transfer->head, line, size * count))
		return size * count;
	transfer->fault = FAULT_HEAD_REFUSED;
	return 0;
}

static size_t
on_send(char *bytes, size_t size, size_t count, void *context)
{
	HttpTransfer *transfer = context;
	int64_t left = transfer->request.body_bytes - transfer->body_offset;
	size_t room = size * count;
	ssize_t got;

	if (left <= 0)
		return 0;
	if ((int64_t) room > left)
		room = (size_t) left;
	got =
		transfer->request.body(transfer->request.body_context, transfer->body_offset, bytes, room);
	if (got <= 0)
	{
		transfer->fault = FAULT_BODY_UNREADABLE;
		return CURL_READFUNC_ABORT;
	}
	transfer->last_activity_ns = clock_now_ns();
	transfer->body_offset += got;
	return (size_t) got;
}

/* libcurl forgets the count when it starts anew. */
static void
note_progress(HttpTransfer *transfer)
{
	curl_off_t sent = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	if (sent <= transfer->sent_body_bytes)
		return;
	transfer->sent_body_bytes = sent;
	transfer->last_activity_ns = clock_now_ns();
	if (sent == transfer->request.body_bytes)
		transfer->sent_ns = transfer->last_activity_ns;
}

static bool
may_start_again(const HttpTransfer *transfer)
{
	return strcmp(transfer->request.method, "GET") == 0 ||
		   strcmp(transfer->request.method, "HEAD") == 0;
}

/* The connection is there; the request is next. See the top. */
static int
on_start(void *context, char *peer_address, char *local_address, int peer_port, int local_port)
{
	HttpTransfer *transfer = context;

	(void) peer_address;
	(void) local_address;
	(void) peer_port;
	(void) local_port;
	if (transfer->is_begun && !may_start_again(transfer))
	{
		transfer->fault = FAULT_REPEAT_REFUSED;
		return CURL_PREREQFUNC_ABORT;
	}
	transfer->is_begun = true;
	transfer->was_reset = false;
	transfer->begun_ns = transfer->last_activity_ns = clock_now_ns();
	if (transfer->request.body_bytes <= 0)
		transfer->sent_ns = transfer->begun_ns;
	return CURL_PREREQFUNC_OK;
}

static bool
is_plain_http1(const HttpTransfer *transfer)
{
	char *scheme = NULL;

	curl_easy_getinfo(transfer->easy, CURLINFO_SCHEME, &scheme);
	return scheme != NULL && strcasecmp(scheme, "http") == 0;
}

/* The head of an answer that libcurl did not come to read, and what there is of its body. See the
 * top. */
static void
read_unread_answer(HttpTransfer *transfer, curl_socket_t socket)
{
	HttpHead head = {0};
	ssize_t got = recv(socket, transfer->received, RECEIVED_BYTES, MSG_DONTWAIT);
	size_t head_length = got <= 0 ? 0 : http_head_take_all(&head, transfer->received, (size_t) got);

	if (head_length == 0)
		return;
	transfer->head = head;
	transfer->first_byte_ns = clock_now_ns();
	/* for a message; chunks would want decoding */
	if (head.transfer_encoding[0] != '\0')
		return;
	transfer->received_length = (size_t) got - head_length;
	memmove(transfer->received, transfer->received + head_length, transfer->received_length);
}

/* A peer that closes with bytes unread resets the connection; one that read all of them does not.
 * By libcurl's error the two cannot be told apart under TLS. */
static int
on_close_socket(void *context, curl_socket_t socket)
{
	HttpTransfer *transfer = context;
	struct tcp_info info;
	socklen_t size = sizeof(info);

	if (transfer->is_attached)
	{
		note_progress(transfer);
		if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
			info.tcpi_state == TCP_CLOSE)
			transfer->was_reset = true;
		if (transfer->is_begun && !transfer->is_done && transfer->head.bytes == 0 &&
			transfer->request.body_bytes > 0 && is_plain_http1(transfer))
			read_unread_answer(transfer, socket);
	}
	if (socket == transfer->kept)
		transfer->kept = CURL_SOCKET_BAD;
	return close(socket);
}

/* --- making and unmaking ------------------------------------------------------------- */

static CURLcode
set_callbacks(HttpTransfer *transfer)
{
	CURL *easy = transfer->easy;
	CURLcode codes[] = {
		curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->curl_message),
		curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body),
		curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer),
		curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header),
		curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer),
		curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_send),
		curl_easy_setopt(easy, CURLOPT_READDATA, transfer),
		curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_start),
		curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer),
		curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket),
		curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer),
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i] != CURLE_OK)
			return codes[i];
	return CURLE_OK;
}

HttpTransfer *
http_transfer_create(const HttpOptions *options, int interrupt_fd)
{
	HttpTransfer *transfer = calloc(1, sizeof(*transfer));

	if (transfer == NULL)
		return NULL;
	transfer->options = options;
	transfer->interrupt_fd = interrupt_fd;
	transfer->kept = CURL_SOCKET_BAD;
	transfer->received = malloc(RECEIVED_BYTES);
	transfer->multi = curl_multi_init();
	transfer->easy = curl_easy_init();
	if (transfer->received != NULL && transfer->multi != NULL && transfer->easy != NULL)
	{
		transfer->setup_code = http_setup(transfer->easy, options, &transfer->refused);
		if (transfer->setup_code == CURLE_OK)
		{
			transfer->refused = "a callback";
			transfer->setup_code = set_callbacks(transfer);
		}
		if (transfer->setup_code != CURLE_OUT_OF_MEMORY)
			return transfer;
	}
	http_transfer_free(transfer);
	return NULL;
}

static void end_request(HttpTransfer *transfer);

void
http_transfer_free(HttpTransfer *transfer)
{
	if (transfer == NULL)
		return;
	end_request(transfer);
	curl_easy_cleanup(transfer->easy);
	/* closes what was kept alive, by our callback */
	curl_multi_cleanup(transfer->multi);
	curl_slist_free_all(transfer->headers);
	free(transfer->received);
	free(transfer);
}

/* --- the end of a request ------------------------------------------------------------- */

static int64_t
info_bytes(const HttpTransfer *transfer, CURLINFO info)
{
	curl_off_t bytes = 0;

	curl_easy_getinfo(transfer->easy, info, &bytes);
	return bytes;
}

static int64_t
info_long(const HttpTransfer *transfer, CURLINFO info)
{
	long value = 0;

	curl_easy_getinfo(transfer->easy, info, &value);
	return value;
}

static void
count_request(HttpTransfer *transfer)
{
	HttpTotals *totals = &transfer->totals;

	totals->wire_bytes_sent +=
		info_long(transfer, CURLINFO_REQUEST_SIZE) + transfer->sent_body_bytes;
	totals->wire_bytes_received +=
		info_long(transfer, CURLINFO_HEADER_SIZE) + info_bytes(transfer, CURLINFO_SIZE_DOWNLOAD_T);
	if (transfer->is_begun && info_long(transfer, CURLINFO_NUM_CONNECTS) > 0)
		totals->connect_ns += transfer->begun_ns - transfer->start_ns;
	/* an early answer comes before all was sent */
	if (transfer->sent_ns > 0 && transfer->first_byte_ns > transfer->sent_ns)
		totals->first_byte_ns += transfer->first_byte_ns - transfer->sent_ns;
}

/* Takes the request off libcurl, which closes its connection unless it was done. */
static void
end_request(HttpTransfer *transfer)
{
	if (!transfer->is_attached)
		return;
	count_request(transfer);
	transfer->is_attached = false;
	transfer->kept = CURL_SOCKET_BAD;
	if (is_plain_http1(transfer))
		(void) curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &transfer->kept);
	/* both handles are ours and sound: it cannot fail */
	(void) curl_multi_remove_handle(transfer->multi, transfer->easy);
}

static HttpResult
end_with(HttpTransfer *transfer, HttpResult result)
{
	transfer->result = result;
	end_request(transfer);
	for (char *byte = transfer->problem; *byte != '\0'; byte++)
		if (*byte < ' ' || *byte > '~')
			*byte = '?';
	return result;
}

/* Before the request is ended, since libcurl then still knows its URL. */
static char *
shown_url(const HttpTransfer *transfer)
{
	char *url = NULL;

	curl_easy_getinfo(transfer->easy, CURLINFO_EFFECTIVE_URL, &url);
	return http_url_shown(url == NULL ? "" : url);
}

/* What is decided on this side, or by who the peer is. */
static bool
is_hopeless(CURLcode code)
{
	return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
		   code == CURLE_SSL_CERTPROBLEM || code == CURLE_UNSUPPORTED_PROTOCOL ||
		   code == CURLE_URL_MALFORMAT;
}

static HttpResult
fail_by_code(HttpTransfer *transfer, CURLcode code)
{
	HttpProblem problem = {
		.code = code,
		.reason = transfer->curl_message,
		.options = transfer->options,
		.begun = transfer->is_begun,
		.head_begun = transfer->head.bytes > 0,
		.head_complete = transfer->head.complete,
		.head_too_long = transfer->fault == FAULT_HEAD_REFUSED && transfer->head.problem == NULL,
		.head_problem = transfer->head.problem,
	};
	char *where = shown_url(transfer);
	HttpResult result;

	if (code == CURLE_SEND_FAIL_REWIND)
		transfer->fault = FAULT_REPEAT_REFUSED;
	if (transfer->fault == FAULT_BODY_UNREADABLE)
		problem.reason = "the body to be sent could not be read";
	else if (transfer->fault == FAULT_REPEAT_REFUSED)
		problem.reason = "it ended the kept-alive connection";
	result = http_problem_tell(&problem, where == NULL ? "the endpoint" : where, transfer->problem,
							   sizeof(transfer->problem));
	free(where);
	transfer->is_hopeless = result == HTTP_NOT_SENT && is_hopeless(code);
	return end_with(transfer, result);
}

HttpResult
http_transfer_fail(HttpTransfer *transfer, HttpResult result, const char *format, ...)
{
	char *where = shown_url(transfer);
	int length = snprintf(transfer->problem, sizeof(transfer->problem), "%s ",
						  where == NULL ? "the endpoint" : where);
	va_list arguments;

	free(where);
	va_start(arguments, format);
	vsnprintf(transfer->problem + length, sizeof(transfer->problem) - (size_t) length, format,
			  arguments);
	va_end(arguments);
	return end_with(transfer, result);
}

/* --- waiting -------------------------------------------------------------------------- */

static HttpResult
fail_by_multi(HttpTransfer *transfer, CURLMcode code)
{
	if (code == CURLM_OUT_OF_MEMORY)
		return fail_by_code(transfer, CURLE_OUT_OF_MEMORY);
	return http_transfer_fail(transfer, transfer->is_begun ? HTTP_LOST : HTTP_NOT_SENT,
							  "could not be asked: libcurl: %s", curl_multi_strerror(code));
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
		transfer->code = message->data.result;
	}
}

/* Does what can be done now, without waiting. */
static CURLMcode
step(HttpTransfer *transfer)
{
	int running;
	CURLMcode code;

	if (transfer->is_paused && transfer->received_length == 0)
	{
		transfer->is_paused = false;
		/* what it finds wrong comes back as the transfer's result */
		(void) curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
	}
	code = curl_multi_perform(transfer->multi, &running);
	take_completion(transfer);
	note_progress(transfer);
	return code;
}

/* Milliseconds, rounded up, until `limit_ms` has passed since then; at most `wait_ms`. */
static int64_t
shorter_wait_ms(int64_t wait_ms, int64_t since_ns, int limit_ms, int64_t now_ns)
{
	int64_t left_ms;

	if (limit_ms <= 0)
		return wait_ms;
	left_ms = limit_ms - (now_ns - since_ns) / CLOCK_NS_PER_MS;
	return left_ms < wait_ms ? left_ms : wait_ms;
}

/* OK when there is time left, then *wait_ms is how much at most. */
static HttpResult
check_limits(HttpTransfer *transfer, int64_t *wait_ms)
{
	const HttpOptions *options = transfer->options;
	int64_t now_ns = clock_now_ns();
	HttpResult late = transfer->is_begun ? HTTP_LOST : HTTP_NOT_SENT;

	*wait_ms =
		shorter_wait_ms(LONGEST_WAIT_MS, transfer->start_ns, options->request_timeout_ms, now_ns);
	if (*wait_ms <= 0)
		return http_transfer_fail(transfer, late, "did not answer in full within %g s",
								  options->request_timeout_ms / 1000.0);
	/* while connecting, the connect timeout is the limit, which libcurl keeps */
	if (transfer->is_begun)
		*wait_ms = shorter_wait_ms(*wait_ms, transfer->last_activity_ns, options->stall_timeout_ms,
								   now_ns);
	if (*wait_ms <= 0)
		return http_transfer_fail(transfer, late, "neither sent nor took a byte for %g s",
								  options->stall_timeout_ms / 1000.0);
	if (transfer->deadline_ns > 0 && now_ns >= transfer->deadline_ns)
		return http_transfer_fail(transfer, late, "did not end its answer in time");
	if (transfer->deadline_ns > 0)
		*wait_ms =
			shorter_wait_ms(*wait_ms, now_ns,
							(int) ((transfer->deadline_ns - now_ns) / CLOCK_NS_PER_MS) + 1, now_ns);
	if (transfer->interrupted_ns > 0)
		*wait_ms = shorter_wait_ms(*wait_ms, transfer->interrupted_ns, transfer->request.finish_ms,
								   now_ns);
	if (*wait_ms <= 0)
		return http_transfer_fail(transfer, HTTP_INTERRUPTED,
								  "did not answer within %g s of the interrupt",
								  transfer->request.finish_ms / 1000.0);
	return HTTP_OK;
}

static bool
may_finish(const HttpTransfer *transfer)
{
	return transfer->request.finish_ms > 0 && transfer->is_begun &&
		   transfer->sent_body_bytes >= transfer->request.body_bytes;
}

/* The interrupt descriptor is readable. */
static HttpResult
heed_interrupt(HttpTransfer *transfer)
{
	if (!may_finish(transfer))
		return http_transfer_fail(transfer, HTTP_INTERRUPTED,
								  "was not waited for: the run was interrupted");
	transfer->interrupted_ns = clock_now_ns();
	return HTTP_OK;
}

static bool
is_interruptible(const HttpTransfer *transfer)
{
	return transfer->interrupt_fd >= 0 && transfer->interrupted_ns == 0;
}

/* An endpoint that always has something to send is never waited for: what would end a wait ends its
 * answer, too. */
static HttpResult
check_without_waiting(HttpTransfer *transfer)
{
	struct pollfd interrupt = {.fd = transfer->interrupt_fd, .events = POLLIN};
	int64_t wait_ms;

	if (is_interruptible(transfer) && poll(&interrupt, 1, 0) > 0)
	{
		HttpResult result = heed_interrupt(transfer);

		if (result != HTTP_OK)
			return result;
	}
	return check_limits(transfer, &wait_ms);
}

static HttpResult
sleep_for_socket(HttpTransfer *transfer, int64_t wait_ms)
{
	struct curl_waitfd interrupt = {.fd = transfer->interrupt_fd, .events = CURL_WAIT_POLLIN};
	CURLMcode code = curl_multi_poll(transfer->multi, &interrupt, is_interruptible(transfer),
									 (int) wait_ms, NULL);

	if (code != CURLM_OK)
		return fail_by_multi(transfer, code);
	return interrupt.revents != 0 ? heed_interrupt(transfer) : HTTP_OK;
}

/* Goes on until bytes of the body are there, or all is over, or (when until_head) the head is. */
static HttpResult
advance(HttpTransfer *transfer, bool until_head)
{
	for (;;)
	{
		int64_t wait_ms;
		CURLMcode code = step(transfer);
		HttpResult result;

		if (code != CURLM_OK)
			return fail_by_multi(transfer, code);
		if (transfer->is_done || transfer->received_length > 0 ||
			(until_head && transfer->head.complete))
			return HTTP_OK;
		result = check_limits(transfer, &wait_ms);
		if (result == HTTP_OK)
			result = sleep_for_socket(transfer, wait_ms);
		if (result != HTTP_OK)
			return result;
	}
}

/* --- one request ---------------------------------------------------------------------- */

static void
reset_request(HttpTransfer *transfer, const HttpRequest *request, struct curl_slist *headers)
{
	curl_slist_free_all(transfer->headers);
	transfer->headers = headers;
	transfer->request = *request;
	transfer->is_done = false;
	transfer->code = CURLE_OK;
	transfer->result = HTTP_OK;
	transfer->is_begun = false;
	transfer->was_reset = false;
	transfer->is_hopeless = false;
	transfer->interrupted_ns = 0;
	transfer->fault = FAULT_NONE;
	transfer->head = (HttpHead){0};
	transfer->body_offset = 0;
	transfer->sent_body_bytes = 0;
	transfer->begun_ns = transfer->sent_ns = transfer->first_byte_ns = 0;
	transfer->start_ns = transfer->last_activity_ns = clock_now_ns();
	transfer->deadline_ns = 0;
	transfer->received_length = 0;
	transfer->lent_length = 0;
	transfer->is_paused = false;
	transfer->curl_message[0] = '\0';
	transfer->problem[0] = '\0';
}

/*
 * Bytes that came unasked on the kept connection (a 408 before it is closed, a second answer) would be
 * taken for the answer to the next request; libcurl 7 does not look. Without them, and without the
 * connection, it opens another one.
 */
static void
forsake_unasked_bytes(HttpTransfer *transfer)
{
	ssize_t got;

	if (transfer->kept == CURL_SOCKET_BAD)
		return;
	got = recv(transfer->kept, transfer->received, RECEIVED_BYTES, MSG_DONTWAIT);
	if (got > 0)
		shutdown(transfer->kept, SHUT_RDWR);
	while (got > 0)
		got = recv(transfer->kept, transfer->received, RECEIVED_BYTES, MSG_DONTWAIT);
}

HttpResult
http_transfer_begin(HttpTransfer *transfer, const HttpRequest *request, struct curl_slist *headers)
{
	CURLcode code;
	CURLMcode multi_code;

	end_request(transfer);
	reset_request(transfer, request, headers);
	forsake_unasked_bytes(transfer);
	transfer->totals.requests++;
	code = headers == NULL ? CURLE_OUT_OF_MEMORY
						   : curl_easy_setopt(transfer->easy, CURLOPT_URL, request->url);
	if (code == CURLE_OK && transfer->setup_code != CURLE_OK)
		return http_transfer_fail(transfer, HTTP_NOT_SENT, "was not asked: libcurl refused %s: %s",
								  transfer->refused, curl_easy_strerror(transfer->setup_code));
	if (code == CURLE_OK)
		code = curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, headers);
	if (code == CURLE_OK)
		code = http_setup_method(transfer->easy, request);
	if (code != CURLE_OK)
		return fail_by_code(transfer, code);
	multi_code = curl_multi_add_handle(transfer->multi, transfer->easy);
	if (multi_code != CURLM_OK)
		return fail_by_multi(transfer, multi_code);
	transfer->is_attached = true;
	return HTTP_OK;
}

HttpResult
http_transfer_await_head(HttpTransfer *transfer)
{
	while (!transfer->head.complete && !transfer->is_done && transfer->received_length == 0)
	{
		HttpResult result = advance(transfer, true);

		if (result != HTTP_OK)
			return result;
	}
	/* what went wrong after the head is told by the reading of the body: the status came */
	if (transfer->head.complete)
		return HTTP_OK;
	return fail_by_code(transfer, transfer->code == CURLE_OK ? CURLE_GOT_NOTHING : transfer->code);
}

HttpResult
http_transfer_read(HttpTransfer *transfer, const char **bytes, size_t *length)
{
	*bytes = transfer->received;
	*length = 0;
	if (transfer->result != HTTP_OK)
		return transfer->result;
	/* what happened while the caller was busy is not the endpoint's silence */
	transfer->last_activity_ns = clock_now_ns();
	transfer->received_length -= transfer->lent_length;
	transfer->lent_length = 0;
	if (transfer->received_length == 0 && transfer->is_attached && !transfer->is_done)
	{
		HttpResult result = check_without_waiting(transfer);

		if (result == HTTP_OK)
			result = advance(transfer, false);
		if (result != HTTP_OK)
			return result;
	}
	*length = transfer->lent_length = transfer->received_length;
	if (*length > 0)
		return HTTP_OK;
	if (transfer->code != CURLE_OK)
		return fail_by_code(transfer, transfer->code);
	return end_with(transfer, HTTP_OK);
}

void
http_transfer_set_deadline(HttpTransfer *transfer, int64_t deadline_ns)
{
	transfer->deadline_ns = deadline_ns;
}

/* --- what is known -------------------------------------------------------------------- */

const HttpHead *
http_transfer_head(const HttpTransfer *transfer)
{
	return &transfer->head;
}

int64_t
http_transfer_sent_body_bytes(const HttpTransfer *transfer)
{
	return transfer->sent_body_bytes;
}

bool
http_transfer_is_hopeless(const HttpTransfer *transfer)
{
	return transfer->is_hopeless;
}

bool
http_transfer_closed_while_sending(const HttpTransfer *transfer)
{
	return transfer->result == HTTP_LOST && transfer->is_done && !transfer->head.complete &&
		   transfer->request.body_bytes > 0 && transfer->fault != FAULT_BODY_UNREADABLE &&
		   (transfer->sent_body_bytes < transfer->request.body_bytes || transfer->was_reset);
}

const char *
http_transfer_problem(const HttpTransfer *transfer)
{
	return transfer->problem;
}

HttpTotals
http_transfer_totals(const HttpTransfer *transfer)
{
	return transfer->totals;
}
