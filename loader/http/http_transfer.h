/*
 * http_transfer.h - one request at a time over libcurl's multi handle: what http_session.h is made
 * of.
 *
 * A pull interface: every wait is ours, so that the interrupt descriptor and the time limits are
 * seen, and memory is bounded by one buffer. libcurl's callbacks only copy, count and flag; what
 * they found becomes a result after libcurl has returned. Bytes are handed out as they were
 * received: content codings are the caller's.
 */
#ifndef TRANSFERBENCH_HTTP_TRANSFER_H
#define TRANSFERBENCH_HTTP_TRANSFER_H

#include "http/http_answer.h"

#include <curl/curl.h>

typedef struct HttpTransfer HttpTransfer;

/* `options` is lent; see http_session_create. */
extern HttpTransfer *http_transfer_create(const HttpOptions *options, int interrupt_fd);
extern void http_transfer_free(HttpTransfer *transfer); /* NULL is fine */

/* Begins a request, with the headers of `headers` alone, which is taken over. The one before is
 * ended, wherever it was. request->body may be called until the answer has ended. */
extern HttpResult http_transfer_begin(HttpTransfer *transfer, const HttpRequest *request,
									  struct curl_slist *headers);
extern HttpResult http_transfer_await_head(HttpTransfer *transfer);
/* The next piece of the body, lent until the next call; *length 0 at the end. A result that is not
 * OK is given again by further calls. */
extern HttpResult http_transfer_read(HttpTransfer *transfer, const char **bytes, size_t *length);
/* From here on no wait lasts beyond this moment (clock_now_ns), until the next request. */
extern void http_transfer_set_deadline(HttpTransfer *transfer, int64_t deadline_ns);

/* Also of an answer that was lost, as far as it came. */
extern const HttpHead *http_transfer_head(const HttpTransfer *transfer);
extern int64_t http_transfer_sent_body_bytes(const HttpTransfer *transfer);
extern bool http_transfer_is_hopeless(const HttpTransfer *transfer);
extern bool http_transfer_closed_while_sending(const HttpTransfer *transfer);
extern const char *http_transfer_problem(const HttpTransfer *transfer);
/* Ends the request with a result and a problem of the caller's own finding. */
extern HttpResult http_transfer_fail(HttpTransfer *transfer, HttpResult result, const char *format,
									 ...) __attribute__((format(printf, 3, 4)));
/* Without the request under way; inflate_ns is 0. */
extern HttpTotals http_transfer_totals(const HttpTransfer *transfer);

#endif
