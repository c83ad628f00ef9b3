#include "serve/serve_receive.h"
#include "options.h"
#include "serve/serve_reply.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a refused body that are read and dropped, so that the connection can be used again. */
#define DISCARD_MAX (8 * 1024 * 1024)

typedef struct FieldWalk
{
	SaveRequest *request;
	ServeRequestError error;
	bool refused;
} FieldWalk;

static enum MHD_Result
take_field(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
	FieldWalk *walk = context;

	(void) kind;
	walk->refused = !save_request_take(walk->request, key, value, &walk->error);
	return walk->refused ? MHD_NO : MHD_YES;
}

static enum MHD_Result
refuse_parameter(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
	FieldWalk *walk = context;
	char shown[SERVE_SHOWN_SIZE];

	(void) kind;
	(void) value;
	walk->refused = true;
	walk->error.status = SERVE_STATUS_INVALID_VALUE;
	snprintf(walk->error.detail, sizeof(walk->error.detail),
			 "\"%s\" is no parameter: a POST takes none", serve_show(shown, key, strlen(key)));
	return MHD_NO;
}

/* Of the Content-Length, before a byte of it is read. */
static void
check_length(const ServeReceive *receive, struct MHD_Connection *connection, FieldWalk *walk)
{
	const char *text =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
	int64_t length;

	if (receive->max_body_bytes == 0 || text == NULL ||
		(parse_digits(text, strlen(text), &length) && length <= receive->max_body_bytes))
		return;
	walk->refused = true;
	walk->error.status = SERVE_STATUS_TOO_LARGE;
	snprintf(walk->error.detail, sizeof(walk->error.detail),
			 "the body is longer than --max-body-bytes, %" PRId64, receive->max_body_bytes);
}

enum MHD_Result
serve_receive_begin(const ServeReceive *receive, struct MHD_Connection *connection, bool has_chunks,
					Active **active)
{
	ExchangeOptions options = {.has_upload = true};
	FieldWalk walk = {.request = &options.save};
	Admission admission;

	save_request_init(&options.save);
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, refuse_parameter, &walk);
	if (!walk.refused)
		MHD_get_connection_values(connection, MHD_HEADER_KIND, take_field, &walk);
	if (!walk.refused)
		walk.refused = !save_request_check(&options.save, &walk.error);
	if (!walk.refused)
		check_length(receive, connection, &walk);
	if (walk.refused)
		return serve_reply_error(connection, walk.error.status, walk.error.detail);
	admission = active_admit(receive->list, connection, &options, has_chunks, active);
	return admission == ADMITTED ? MHD_YES : active_refuse(connection, admission);
}

static void
submit(const ServeReceive *receive, Active *active)
{
	if (active->is_submitted || !exchange_is_wanted(active->exchange))
		return;
	active->is_submitted = true;
	if (active_count_upload(active))
		serve_pool_submit(receive->pool, active->exchange);
	else
		exchange_fail(active->exchange, SERVE_STATUS_TOO_MANY, ACTIVE_FULL);
}

/* Too much of a refused body comes, or too slowly: what there is to say is said now, and the connection
 * closed. */
static enum MHD_Result
hang_up(const ServeReceive *receive, struct MHD_Connection *connection, Active *active)
{
	ExchangeAnswer answer;
	int fd;

	/* it has ended: nobody else makes a body unwanted while the client is there */
	if (!exchange_answer(active->exchange, &answer) || answer.status == EXCHANGE_NO_STATUS)
		return MHD_NO;
	fd = active_duplicate_socket(connection);
	if (fd >= 0)
	{
		serve_reply_early(fd, answer.status, answer.document);
		lingering_add(receive->lingering, fd);
	}
	return MHD_NO;
}

enum MHD_Result
serve_receive_take(const ServeReceive *receive, struct MHD_Connection *connection, Active *active,
				   const char *bytes, size_t *size)
{
	size_t taken;

	if (active_has_left(connection))
		return MHD_NO;
	if (receive->max_body_bytes > 0 && active->received + (int64_t) *size > receive->max_body_bytes)
		exchange_fail(active->exchange, SERVE_STATUS_TOO_LARGE,
					  "the body is longer than --max-body-bytes");
	if (!upload_put(exchange_upload(active->exchange), bytes, *size, &taken))
	{
		active->discarded += (int64_t) *size;
		*size = 0;
		if (active->discarded > DISCARD_MAX || exchange_is_too_slow(active->exchange))
			return hang_up(receive, connection, active);
		return MHD_YES;
	}
	active->received += (int64_t) taken;
	if (taken < *size)
		submit(receive, active);
	*size -= taken;
	return MHD_YES;
}

enum MHD_Result
serve_receive_answer(const ServeReceive *receive, struct MHD_Connection *connection, Active *active)
{
	ExchangeAnswer answer;

	upload_end(exchange_upload(active->exchange));
	submit(receive, active);
	if (!exchange_answer(active->exchange, &answer))
		return MHD_YES;
	if (answer.status == EXCHANGE_NO_STATUS)
		return MHD_NO;
	return answer.is_replayed ? serve_reply_replayed(connection, answer.status, answer.document)
							  : serve_reply_json(connection, answer.status, answer.document);
}
