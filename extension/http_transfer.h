/*
 * http_transfer.h - one GET at a time over libcurl, from within a backend.
 *
 * A pull interface over the multi handle: every wait is ours, so that
 * interrupts (cancel, terminate, statement_timeout) are served within 50 ms,
 * and memory is bounded by one buffer. libcurl's callbacks only copy, count
 * and flag; errors are raised here after libcurl has returned. Bytes are
 * handed out as they were received: content codings are the caller's.
 *
 * SQLSTATEs raised: 08001 could not connect (timeout and TLS included), 08006
 * connection lost, stalled or timed out, 08P01 what came is no sound HTTP,
 * 42501 the address is not allowed, 54000 the header is too long, 53200 out of
 * memory, 38000 libcurl itself.
 */
#ifndef TRANSFERBENCH_HTTP_TRANSFER_H
#define TRANSFERBENCH_HTTP_TRANSFER_H

#include "nodes/pg_list.h"

#include "http_header.h"
#include "http_url.h"

#define HTTP_TRANSFER_BUFFER_BYTES (256 * 1024)

typedef struct HttpTransfer HttpTransfer;

/* Sums over all requests of one HttpTransfer. */
typedef struct HttpTransferTotals
{
	int requests;
	int64 connect_ns;    /* name look-up, TCP and TLS; 0 on a kept-alive connection */
	int64 first_byte_ns; /* from the request sent to the first byte of the answer */
	int64 wire_bytes;    /* header and body as received */
} HttpTransferTotals;

/* Lives in the current context, and so does all that libcurl allocates for it. */
extern HttpTransfer *http_transfer_create(void);

/*
 * Sends a GET; `headers` is a List of char *, "Name: value". The transfer
 * before is ended, wherever it was. `url` must outlive this transfer.
 */
extern void http_transfer_begin(HttpTransfer *transfer, const HttpUrl *url, List *headers);

/* Waits for the answer's header; returns its status. Of the body, even if it has come and is none,
 * http_transfer_read tells. */
extern int http_transfer_await_header(HttpTransfer *transfer);

/* The next piece of the body, lent until the next call; 0 at its end, which was then checked. */
extern size_t http_transfer_read(HttpTransfer *transfer, const char **bytes);

/*
 * Reads a body that nobody wants: for its start, and to keep the connection.
 * Within bounds of bytes and time, and without an error of its own.
 */
extern size_t http_transfer_skim(HttpTransfer *transfer, const char **bytes);

/* Ends the transfer, adding its figures to the totals; needless after the end of the body. */
extern void http_transfer_end(HttpTransfer *transfer);

extern const HttpHeader *http_transfer_header(const HttpTransfer *transfer);
extern const HttpTransferTotals *http_transfer_totals(const HttpTransfer *transfer);

#endif
