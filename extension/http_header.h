/*
 * http_header.h - the header of an answer, as far as anybody here wants to know it, taken line by
 * line as libcurl hands it on. Pure: nothing is allocated, and nothing is raised, for it is called
 * from within libcurl.
 */
#ifndef TRANSFERBENCH_HTTP_HEADER_H
#define TRANSFERBENCH_HTTP_HEADER_H

#include <time.h>

#define HTTP_HEADER_MAX_BYTES          (256 * 1024) /* all lines of one answer, trailers included */
#define HTTP_HEADER_MAX_VALUE_BYTES    1024         /* kept of one value */
#define HTTP_HEADER_MAX_LOCATION_BYTES 8192

typedef enum HttpHeaderFault
{
	HTTP_HEADER_SOUND,
	HTTP_HEADER_TOO_LONG,
	HTTP_HEADER_VERSION,          /* another than HTTP/1 */
	HTTP_HEADER_LENGTH_MALFORMED, /* Content-Length is no number, or an exabyte */
	HTTP_HEADER_LENGTHS_DIFFER,
	HTTP_HEADER_TRANSFER_CODING, /* another than chunked: none was asked for */
} HttpHeaderFault;

/* Values without blanks around them; "" also for what was longer. */
typedef struct HttpHeader
{
	size_t bytes;    /* with those of interim answers, and of trailers */
	bool has_length; /* Content-Length came */
	int64 length;
	bool complete; /* of the final answer, not of a 1xx; the caller sets it, who knows the status */
	char media_type[HTTP_HEADER_MAX_VALUE_BYTES];
	bool says_columns;                                  /* see http_header_reduce_media_type */
	char content_encoding[HTTP_HEADER_MAX_VALUE_BYTES]; /* of all lines, ", " between; cut */
	char retry_after[HTTP_HEADER_MAX_VALUE_BYTES];
	char location[HTTP_HEADER_MAX_LOCATION_BYTES];
} HttpHeader;

/* Takes a line with its line end, of an interim answer's header too: what came with it is of no
 * interest any more. Of a trailer only the length counts. Where a body ends must not be a matter of
 * opinion: what is not sound there is told, and not taken. */
extern HttpHeaderFault http_header_take(HttpHeader *header, const char *line, size_t length);
/* Whether a line is the empty one, which ends a header. */
extern bool http_header_ends(const char *line, size_t length);

/* Once complete: takes the parameters off media_type, which is in lower case then. The only one of
 * interest, shape=columns, tells columns from rows. */
extern void http_header_reduce_media_type(HttpHeader *header);

/* Milliseconds that a Retry-After (RFC 9110, section 10.2.3) asks for from now on, at most `most`;
 * -1 when it is neither digits nor a date, or there is none. */
extern int64 http_header_retry_after_ms(const HttpHeader *header, time_t now, int64 most);

#endif
