/*
 * http_url.h - URLs as users give them: checked, completed with the number of
 * rows, and shown without secrets.
 */
#ifndef TRANSFERBENCH_HTTP_URL_H
#define TRANSFERBENCH_HTTP_URL_H

typedef struct HttpUrl
{
	char *text;  /* what is requested */
	char *shown; /* for messages: no query string, no fragment, where tokens are kept */
	char *host;  /* name or address, without brackets; as it was given, not for messages */
	int port;
	bool is_tls;
} HttpUrl;

/* Whose URL it is decides how its faults are told: an argument (22023) or an answer (38000). */
typedef enum HttpUrlSource
{
	HTTP_URL_ARGUMENT,
	HTTP_URL_REDIRECT,
} HttpUrlSource;

/*
 * Parses a URL in the current context. Raises 22023 or 38000 for anything but
 * http and https, for userinfo and for malformed text, and never repeats the
 * URL then.
 */
extern HttpUrl *http_url_parse(const char *text, HttpUrlSource source);

/*
 * Parses what a Location header says (RFC 9110, 10.2.2): a URL, or a reference
 * relative to the URL that was asked for. Raises 38000 as above.
 */
extern HttpUrl *http_url_parse_location(const HttpUrl *base, const char *location);

/* Raises 42501 unless pg_transferbench.allowed_hosts permits the URL's host and port. */
extern void http_url_check_allowed(const HttpUrl *url);

/*
 * The URL of n rows from an offset: {n} and {offset} are replaced; without
 * {n}, row_limit=n is appended; when paged and without {offset}, offset=k too.
 */
extern char *http_url_for_rows(const char *template_url, int64 n, int64 offset, bool paged);

#endif
