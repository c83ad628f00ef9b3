#include "serve/serve_load.h"
#include "message.h"
#include "serve/accept_encoding.h"
#include "serve/serve_reply.h"

#include <string.h>
#include <sys/socket.h>

typedef struct ParameterWalk
{
	ServeRequest *request;
	ServeRequestError error;
	bool refused;
} ParameterWalk;

static enum MHD_Result
take_parameter(void *context, enum MHD_ValueKind kind, const char *key, size_t key_size,
			   const char *value, size_t value_size)
{
	ParameterWalk *walk = context;

	(void) kind;
	walk->refused =
		!serve_request_take(walk->request, key, key_size, value, value_size, &walk->error);
	return walk->refused ? MHD_NO : MHD_YES;
}

static enum MHD_Result
take_accept_encoding(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
	(void) kind;
	if (value != NULL && strcasecmp(key, MHD_HTTP_HEADER_ACCEPT_ENCODING) == 0)
		accept_encoding_take(context, value);
	return MHD_YES;
}

static bool
wants_gzip(struct MHD_Connection *connection)
{
	AcceptEncoding accept;

	accept_encoding_init(&accept);
	MHD_get_connection_values(connection, MHD_HEADER_KIND, take_accept_encoding, &accept);
	return accept_encoding_wants_gzip(&accept);
}

/* For HTTP/1.0 a body ends with its connection; only a reset says that this is no end. */
static void
reset_connection(int fd)
{
	const struct sockaddr nowhere = {.sa_family = AF_UNSPEC};

	/* Linux dissolves the connection by an RST; otherwise it is closed as usual, a moment later */
	if (connect(fd, &nowhere, sizeof(nowhere)) != 0)
		message_warning("a broken body could not be marked as such: %m");
}

static ssize_t
read_body(void *context, uint64_t position, char *bytes, size_t size)
{
	Active *active = context;
	ssize_t count = exchange_read(active->exchange, bytes, size);

	(void) position;
	if (count == EXCHANGE_BROKEN)
	{
		if (!active->has_chunks)
			reset_connection(exchange_client_fd(active->exchange));
		return MHD_CONTENT_READER_END_WITH_ERROR;
	}
	if (count == EXCHANGE_END)
	{
		MHD_add_response_footer(active->response, "Server-Timing",
								exchange_server_timing(active->exchange));
		return MHD_CONTENT_READER_END_OF_STREAM;
	}
	return count;
}

enum MHD_Result
serve_load_answer(struct MHD_Connection *connection, Active *active)
{
	const ServeRequest *request = exchange_request(active->exchange);
	struct MHD_Response *response;
	ExchangeAnswer answer;
	enum MHD_Result result;

	if (!exchange_answer(active->exchange, &answer))
		return MHD_YES;
	if (answer.status != SERVE_STATUS_RESULT && answer.status != SERVE_STATUS_NO_RESULT)
		return serve_reply_json(connection, answer.status, answer.document);
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, SERVE_CONNECTION_MEMORY,
												 read_body, active, NULL);
	if (response == NULL)
		return MHD_NO;
	active->response = response;
	serve_reply_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, request->format->media_type);
	serve_reply_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	serve_reply_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	if (active->has_chunks)
		serve_reply_header(response, MHD_HTTP_HEADER_TRAILER, "Server-Timing");
	/* a gzip body that is not labelled as one is garbage */
	if (request->gzip && !serve_reply_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip"))
		result = MHD_NO;
	else
		result = MHD_queue_response(connection, (unsigned) answer.status, response);
	MHD_destroy_response(response);
	return result;
}

enum MHD_Result
serve_load_begin(const ServeLoad *load, struct MHD_Connection *connection, bool has_chunks,
				 bool head_only, Active **active)
{
	ExchangeOptions options = {
		.refill = refiller_add,
		.refiller = load->refiller,
		.max_overflow_bytes = load->max_spool_bytes,
	};
	ParameterWalk walk = {.request = &options.request};
	Admission admission;

	if (load->pool == NULL)
		return serve_reply_error(
			connection, SERVE_STATUS_NOT_FOUND,
			"nothing is read here: serve was given neither --table nor --query");
	serve_request_init(&options.request);
	MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take_parameter, &walk);
	if (walk.refused)
		return serve_reply_error(connection, walk.error.status, walk.error.detail);
	options.request.gzip = wants_gzip(connection);
	options.request.head_only = head_only;
	admission = active_admit(load->list, connection, &options, has_chunks, active);
	if (admission != ADMITTED)
		return active_refuse(connection, admission);
	serve_pool_submit(load->pool, (*active)->exchange);
	return serve_load_answer(connection, *active);
}
