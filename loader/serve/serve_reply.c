#include "serve/serve_reply.h"
#include "serve/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define RETRY_AFTER_S "1"

bool
serve_reply_header(struct MHD_Response *response, const char *name, const char *value)
{
	return MHD_add_response_header(response, name, value) == MHD_YES;
}

static bool
is_passing(int status)
{
	return status == SERVE_STATUS_BUSY || status == SERVE_STATUS_TOO_MANY;
}

/* Sends JSON with up to one more field (`name` NULL: none). */
static enum MHD_Result
reply(struct MHD_Connection *connection, int status, const char *json, const char *name,
	  const char *value)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	if (json == NULL)
		return MHD_NO;
	response = MHD_create_response_from_buffer(strlen(json), (void *) json, MHD_RESPMEM_MUST_COPY);
	if (response == NULL)
		return MHD_NO;
	serve_reply_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
	serve_reply_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	if (is_passing(status))
		serve_reply_header(response, MHD_HTTP_HEADER_RETRY_AFTER, RETRY_AFTER_S);
	if (name != NULL)
		serve_reply_header(response, name, value);
	result = MHD_queue_response(connection, (unsigned) status, response);
	MHD_destroy_response(response);
	return result;
}

enum MHD_Result
serve_reply_json(struct MHD_Connection *connection, int status, const char *json)
{
	return reply(connection, status, json, NULL, NULL);
}

enum MHD_Result
serve_reply_replayed(struct MHD_Connection *connection, int status, const char *json)
{
	return reply(connection, status, json, "Idempotent-Replayed", "true");
}

/* An error with one more field. */
static enum MHD_Result
reply_error(struct MHD_Connection *connection, int status, const char *error, const char *detail,
			const char *name, const char *value)
{
	char *body = exchange_error_body(error, detail);
	enum MHD_Result result = reply(connection, status, body, name, value);

	free(body);
	return result;
}

enum MHD_Result
serve_reply_error(struct MHD_Connection *connection, int status, const char *detail)
{
	return reply_error(connection, status, serve_status_text(status), detail, NULL, NULL);
}

enum MHD_Result
serve_reply_method(struct MHD_Connection *connection, const char *allowed)
{
	char detail[80];

	if (*allowed == '\0')
		snprintf(detail, sizeof(detail), "this server only reads (--read-only)");
	else
		snprintf(detail, sizeof(detail), "only %s", allowed);
	return reply_error(connection, SERVE_STATUS_METHOD, serve_status_text(SERVE_STATUS_METHOD),
					   detail, MHD_HTTP_HEADER_ALLOW, allowed);
}

enum MHD_Result
serve_reply_unauthorized(struct MHD_Connection *connection, bool has_token)
{
	/* RFC 6750, section 3.1: no error code for a request that shows no token at all */
	return reply_error(connection, MHD_HTTP_UNAUTHORIZED, "unauthorized",
					   has_token ? "this is not the token" : "a bearer token is wanted",
					   MHD_HTTP_HEADER_WWW_AUTHENTICATE,
					   has_token ? "Bearer error=\"invalid_token\"" : "Bearer");
}

void
serve_reply_early(int fd, int status, const char *json)
{
	char *answer;
	int length;

	if (json == NULL)
		return;
	length = asprintf(&answer,
					  "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
					  "Connection: close\r\n%s\r\n%s",
					  status, MHD_get_reason_phrase_for((unsigned) status), strlen(json),
					  is_passing(status) ? "Retry-After: " RETRY_AFTER_S "\r\n" : "", json);
	if (length < 0)
		return;
	/* it fits into a buffer in which nothing is yet; if not, the connection is closed all the same */
	send(fd, answer, (size_t) length, MSG_DONTWAIT | MSG_NOSIGNAL);
	free(answer);
}
