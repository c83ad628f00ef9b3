/*
 * http_client.h - getting a body by GET: redirects, retries, content coding.
 *
 * SQLSTATEs raised: those of http_transfer.h, and 38000 an HTTP status that is
 * not success or a coding that is not supported, 42501 host not allowed, 54000
 * pg_transferbench.max_response_bytes, 22023 the URL. Messages name the URL
 * without its query string.
 */
#ifndef TRANSFERBENCH_HTTP_CLIENT_H
#define TRANSFERBENCH_HTTP_CLIENT_H

#include "nodes/pg_list.h"

#include "credentials.h"

#define HTTP_CLIENT_MAX_REDIRECTS     5
#define HTTP_CLIENT_MAX_RETRIES       5           /* of one request, after 429 or 503 */
#define HTTP_CLIENT_MAX_RETRY_WAIT_MS (60 * 1000) /* cap of one Retry-After */

typedef struct HttpClient HttpClient;

/* Sums over all requests of a client. */
typedef struct HttpTotals
{
	int requests; /* sent: pages, retries and redirects are each one */
	int retries;
	int64 retry_wait_ns;
	int64 connect_ns;    /* name look-up, TCP and TLS; 0 on a kept-alive connection */
	int64 first_byte_ns; /* from the request sent to the first byte of the answer */
	int64 inflate_ns;    /* taking the content coding off */
	int64 body_bytes;    /* decoded */
	int64 wire_bytes;    /* header and body as received */
} HttpTotals;

/*
 * Lives in the current context. `headers` (List of char *, "Name: value",
 * checked) go with every request until a redirect leads to another origin; so
 * do those of the credentials (NULL: none) for the URL that was asked for. Both
 * must outlive the client.
 */
extern HttpClient *http_client_create(List *headers, const Credentials *credentials);

/*
 * Sends a GET and waits for its header. Follows redirects where that is on, and
 * honours Retry-After of 429 and 503. Returns when a success (200, 201, 204) is
 * there; a body that was not read to its end before is given up.
 */
extern void http_client_get(HttpClient *client, const char *url);

/*
 * The next piece of the decoded body, lent until the next call; 0 at its end,
 * which was then checked to be whole.
 */
extern size_t http_client_read(HttpClient *client, const char **bytes);

extern HttpTotals http_client_totals(const HttpClient *client);
extern int http_client_status(const HttpClient *client);
/* Media type without parameters, lower case; "" when there was none. Lent, as it was sent. */
extern const char *http_client_media_type(const HttpClient *client);
/* Whether the media type has the parameter shape=columns, as our endpoint says it. */
extern bool http_client_says_columns(const HttpClient *client);
extern const char *http_client_shown_url(const HttpClient *client);
/* The first bytes of the body so far read, printable, for a DETAIL; in the current context. */
extern char *http_client_body_start(const HttpClient *client);

#endif
