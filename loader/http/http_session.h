/*
 * http_session.h - HTTP by libcurl, for one thread: one request at a time over a
 * kept-alive connection, every wait ending when the interrupt descriptor is readable.
 *
 * Nothing of the environment counts unless asked for: no proxy, no .netrc, no
 * redirects followed (a redirect is an answer like another). `Expect: 100-continue` is not sent.
 * No message holds a token, a header's value, or a URL's user, query or fragment.
 *
 * libcurl's own blind repeat of a request whose kept-alive connection died is let happen for GET
 * and HEAD alone: see http_transfer.c.
 */
#ifndef TRANSFERBENCH_HTTP_SESSION_H
#define TRANSFERBENCH_HTTP_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct HttpOptions
{
	const char *const *headers; /* "Name: value", checked by http_header_check; [header_count] */
	int header_count;           /* one of them replaces a request's of the same name */
	char *token;                /* sent as Authorization: Bearer; NULL for none */
	const char *ca_file;        /* NULL: the system's */
	const char *client_cert, *client_key; /* PEM files */
	const char *proxy;                    /* NULL: none, whatever the environment says */
	bool insecure;                        /* certificates are not checked */
	bool http1_only;                      /* else HTTP/2 where a TLS server offers it */
	bool accept_gzip;                     /* of answers: decoded by the session */
	int connect_timeout_ms;
	int stall_timeout_ms;       /* without a byte in either direction; 0: none */
	int request_timeout_ms;     /* of a whole request; 0: none */
	int64_t max_response_bytes; /* of an answer's body, as it is sent and decoded; 0: no limit */
} HttpOptions;

/* curl_global_init; once, before any thread. False, with a message, on failure. */
extern bool http_global_init(void);

/* False, with a message naming `option`, for what is no header (no colon, a name that is no token,
 * a control character) and for those that the session sets itself (Content-Length, Expect, ...). */
extern bool http_header_check(const char *option, const char *header);
/* False, with a message naming `option`, unless http: or https: with a host and no userinfo (a hint
 * to --token-file); the message repeats no secret. */
extern bool http_url_check(const char *option, const char *url);
/* Likewise of a proxy, which may speak SOCKS, too. */
extern bool http_proxy_check(const char *option, const char *url);
/* The URL without user, query and fragment, for messages; the caller frees. */
extern char *http_url_shown(const char *url);
/* A token from the first line of a file (mode 0600 or stricter, or refused) or an environment
 * variable: printable ASCII, not empty. The caller frees; NULL after a message. */
extern char *http_token_from_file(const char *option, const char *path);
extern char *http_token_from_environment(const char *option, const char *variable);

typedef struct HttpSession HttpSession;

typedef enum HttpResult
{
	HTTP_OK,       /* an answer, whatever its status */
	HTTP_NOT_SENT, /* surely not processed: no connection, name, TLS; nothing of the request left */
	HTTP_LOST,     /* sent at least in part, and no whole answer came: nobody knows */
	HTTP_INTERRUPTED, /* likewise, by the interrupt descriptor */
	HTTP_OUT_OF_MEMORY,
} HttpResult;

/* `options` is lent. `interrupt_fd`: -1 for none. NULL when out of memory. */
extern HttpSession *http_session_create(const HttpOptions *options, int interrupt_fd);
extern void http_session_free(HttpSession *session); /* NULL is fine */

/* Bytes of a body to be sent: up to `size` from `offset`; 0 at its end; -1 on failure. */
typedef ssize_t (*HttpBodyRead)(void *context, int64_t offset, char *bytes, size_t size);

typedef struct HttpRequest
{
	const char *method; /* "GET", "POST", ... */
	const char *url;
	const char *const *headers; /* further ones, [header_count] */
	int header_count;
	int64_t body_bytes; /* -1: no body */
	HttpBodyRead body;
	void *body_context;
	/* An interrupt that comes when the body was sent whole is heeded so much later: what the endpoint
	 * began it will end, and its answer tells how. 0: at once. */
	int finish_ms;
} HttpRequest;

typedef struct HttpAnswer
{
	int status;              /* 0: none came */
	char media_type[128];    /* without parameters, lower case; "" when there was none */
	bool says_columns;       /* its parameter shape=columns */
	char content_range[128]; /* "" */
	char retry_after[128];
	char www_authenticate[256];
	char server_timing[256]; /* trailer or header */
	bool http2;
	bool closed_while_sending; /* LOST: the peer closed before the body was sent whole, or reset the
	                            * connection, as one does that leaves a part of it unread */
	int64_t sent_body_bytes;
	bool is_hopeless; /* NOT_SENT, and it would be the next time: a certificate, a file */
} HttpAnswer;

/*
 * Sends the request and waits for the answer's header. OK: the body is to be read by
 * http_session_read, to its end or until the next request: what is left unread then costs the
 * connection. `answer` is filled as far as known. An answer may come before the body was sent
 * whole: `request->body` may be called until the answer has ended.
 */
extern HttpResult http_session_send(HttpSession *session, const HttpRequest *request,
									HttpAnswer *answer);
/* The next piece of the answer's body, decoded, lent until the next call; *length 0 at the end,
 * whose framing was checked. */
extern HttpResult http_session_read(HttpSession *session, const char **bytes, size_t *length);
/* After the end: trailers included. */
extern const HttpAnswer *http_session_answer(const HttpSession *session);
/* Reads the rest of a short body into `text` (terminated, cut to size, control characters blanked)
 * for a message, within bounds of bytes and time. */
extern void http_session_read_short(HttpSession *session, char *text, size_t size);
/* The same for a body that counts: no bound of time but those of a request, and not OK when the body
 * broke off. One that is too long is OK, and cut. */
extern HttpResult http_session_read_text(HttpSession *session, char *text, size_t size);
/* Blots out of a text for a message what an endpoint may have repeated of this session's secrets
 * (http_conceal.h). */
extern void http_session_conceal(const HttpSession *session, char *text);
/* Why the last call was not OK: one line, no secret. */
extern const char *http_session_problem(const HttpSession *session);

/* Sums since the session was made. */
typedef struct HttpTotals
{
	int64_t requests;
	int64_t connect_ns;    /* name look-up, TCP and TLS: of the requests that opened a connection */
	int64_t first_byte_ns; /* from the request sent to the first byte of the answer */
	int64_t wire_bytes_sent, wire_bytes_received; /* heads and bodies, as on the wire */
	int64_t inflate_ns;
} HttpTotals;
extern HttpTotals http_session_totals(const HttpSession *session);

#endif
