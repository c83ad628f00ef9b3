#include "serve/serve_http.h"
#include "serve/accept_encoding.h"
#include "message.h"
#include "serve/refiller.h"
#include "serve/serve_request.h"

#include <fcntl.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of one connection: bounds a request's head, and is the size of a chunk. Untouched pages of it
 * cost nothing. */
#define CONNECTION_MEMORY (64 * 1024)
#define RETRY_AFTER_S     "1"
#define ALLOWED_METHODS   "GET, HEAD"

/* A request for rows under way. */
typedef struct Active
{
	ServeHttp *http;
	Exchange *exchange;
	struct MHD_Response *response; /* while its body is being read, for the trailer */
	bool has_chunks;               /* HTTP/1.1: an end that is none can be told from one */
	struct Active *previous, *next;
} Active;

/* One request of any kind. */
typedef struct Request
{
	bool has_chunks; /* see Active */
	Active *active;  /* NULL unless it is for rows and was admitted */
} Request;

struct ServeHttp
{
	struct MHD_Daemon *daemon;
	ServePool *pool;
	Refiller *refiller;
	const ServeLimits *limits;
	const char *info;
	int listen_fd;

	pthread_mutex_t lock; /* over all that follows */
	Active *first;
	int64_t active;
	bool closing;
};

/* --- answers in one piece --- */

static enum MHD_Result
queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
	enum MHD_Result result = MHD_queue_response(connection, status, response);

	MHD_destroy_response(response);
	return result;
}

static bool
add_header(struct MHD_Response *response, const char *name, const char *value)
{
	return MHD_add_response_header(response, name, value) == MHD_YES;
}

static void
add_status_headers(struct MHD_Response *response, int status)
{
	if (status == SERVE_STATUS_METHOD)
		add_header(response, MHD_HTTP_HEADER_ALLOW, ALLOWED_METHODS);
	if (status == SERVE_STATUS_BUSY || status == SERVE_STATUS_TOO_MANY)
		add_header(response, MHD_HTTP_HEADER_RETRY_AFTER, RETRY_AFTER_S);
}

/* `json` is copied; NULL (out of memory) ends the connection. */
static enum MHD_Result
answer_json(struct MHD_Connection *connection, int status, const char *json)
{
	struct MHD_Response *response;

	if (json == NULL)
		return MHD_NO;
	response = MHD_create_response_from_buffer(strlen(json), (void *) json, MHD_RESPMEM_MUST_COPY);
	if (response == NULL)
		return MHD_NO;
	add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
	add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	add_status_headers(response, status);
	return queue(connection, (unsigned) status, response);
}

static enum MHD_Result
answer_error(struct MHD_Connection *connection, int status, const char *detail)
{
	char *body = exchange_error_body(status, detail);
	enum MHD_Result result = answer_json(connection, status, body);

	free(body);
	return result;
}

static enum MHD_Result
answer_info(ServeHttp *http, struct MHD_Connection *connection)
{
	return answer_json(connection, MHD_HTTP_OK, http->info);
}

static enum MHD_Result
answer_health(ServeHttp *http, struct MHD_Connection *connection)
{
	ServePoolState state = serve_pool_state(http->pool);
	char *body = serve_health_document(&state);
	enum MHD_Result result = answer_json(connection, MHD_HTTP_OK, body);

	free(body);
	return result;
}

/* --- rows --- */

static void
suspend(void *connection)
{
	MHD_suspend_connection(connection);
}

static void
resume(void *connection)
{
	MHD_resume_connection(connection);
}

typedef enum Admission
{
	ADMITTED,
	ADMISSION_FULL,
	ADMISSION_CLOSING,
} Admission;

/* Under one lock: whoever closes the doors sees either this request, or none that follows. */
static Admission
admit(ServeHttp *http, Active *active)
{
	Admission admission = ADMITTED;

	pthread_mutex_lock(&http->lock);
	if (http->closing)
		admission = ADMISSION_CLOSING;
	else if (http->active >= http->limits->requests)
		admission = ADMISSION_FULL;
	else
	{
		http->active++;
		active->next = http->first;
		if (active->next != NULL)
			active->next->previous = active;
		http->first = active;
	}
	pthread_mutex_unlock(&http->lock);
	return admission;
}

static void
forget(Active *active)
{
	ServeHttp *http = active->http;

	pthread_mutex_lock(&http->lock);
	http->active--;
	if (active->previous != NULL)
		active->previous->next = active->next;
	else
		http->first = active->next;
	if (active->next != NULL)
		active->next->previous = active->previous;
	pthread_mutex_unlock(&http->lock);
	exchange_release(active->exchange);
	free(active);
}

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

/* A second descriptor: the first may be closed, and its number used again, while a worker looks. */
static int
duplicate_socket(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info == NULL ? -1 : fcntl(info->connect_fd, F_DUPFD_CLOEXEC, 0);
}

static Active *
create_active(ServeHttp *http, struct MHD_Connection *connection, const ServeRequest *request)
{
	Active *active = calloc(1, sizeof(Active));
	int client_fd = duplicate_socket(connection);

	if (active != NULL && client_fd >= 0)
	{
		ExchangeOptions options = {
			.request = *request,
			.client_fd = client_fd,
			.sleep = suspend,
			.wake = resume,
			.http_side = connection,
			.refill = refiller_add,
			.refiller = http->refiller,
			.max_overflow_bytes = http->limits->spool_bytes,
		};

		active->http = http;
		active->exchange = exchange_create(&options);
		if (active->exchange != NULL)
			return active;
	}
	if (client_fd >= 0)
		close(client_fd);
	free(active);
	return NULL;
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

/* Sends the error, or begins the body; until the status is decided the connection sleeps, and this
 * is called again after it. */
static enum MHD_Result
answer_rows(struct MHD_Connection *connection, Active *active)
{
	const ServeRequest *request = exchange_request(active->exchange);
	struct MHD_Response *response;
	ExchangeAnswer answer;

	if (!exchange_answer(active->exchange, &answer))
		return MHD_YES;
	if (answer.status != SERVE_STATUS_RESULT && answer.status != SERVE_STATUS_NO_RESULT)
		return answer_json(connection, answer.status, answer.error_body);
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, CONNECTION_MEMORY, read_body,
												 active, NULL);
	if (response == NULL)
		return MHD_NO;
	active->response = response;
	add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, request->format->media_type);
	add_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	if (active->has_chunks)
		add_header(response, MHD_HTTP_HEADER_TRAILER, "Server-Timing");
	if (request->gzip && !add_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip"))
	{
		/* a gzip body that is not labelled as one is garbage */
		MHD_destroy_response(response);
		return MHD_NO;
	}
	return queue(connection, (unsigned) answer.status, response);
}

/* Starts a request for rows, or refuses it. */
static enum MHD_Result
start_rows(ServeHttp *http, struct MHD_Connection *connection, Request *request, bool head_only)
{
	ServeRequest wanted;
	ParameterWalk walk = {.request = &wanted};
	Admission admission;
	Active *active;

	serve_request_init(&wanted);
	MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take_parameter, &walk);
	if (walk.refused)
		return answer_error(connection, walk.error.status, walk.error.detail);
	wanted.gzip = wants_gzip(connection);
	wanted.head_only = head_only;
	active = create_active(http, connection, &wanted);
	if (active == NULL)
		return answer_error(connection, SERVE_STATUS_UNSPECIFIED,
							"out of memory or file descriptors");
	admission = admit(http, active);
	if (admission != ADMITTED)
	{
		exchange_release(active->exchange);
		free(active);
		return admission == ADMISSION_CLOSING
				   ? answer_error(connection, SERVE_STATUS_BUSY, "the server is stopping")
				   : answer_error(connection, SERVE_STATUS_TOO_MANY,
								  "as many requests as --max-requests allows are under way");
	}
	active->has_chunks = request->has_chunks;
	request->active = active;
	serve_pool_submit(http->pool, active->exchange);
	return answer_rows(connection, active);
}

/* --- dispatch --- */

static enum MHD_Result
route(ServeHttp *http, struct MHD_Connection *connection, Request *request, const char *path,
	  const char *method)
{
	bool is_head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
	bool is_rows = strcmp(path, "/load_from_db") == 0;
	bool is_info = strcmp(path, "/info") == 0;
	bool is_health = strcmp(path, "/health") == 0;

	if (!is_rows && !is_info && !is_health)
		return answer_error(connection, SERVE_STATUS_NOT_FOUND,
							"there are /load_from_db, /info and /health");
	if (!is_head && strcmp(method, MHD_HTTP_METHOD_GET) != 0)
		return answer_error(connection, SERVE_STATUS_METHOD, "only GET and HEAD");
	if (is_info)
		return answer_info(http, connection);
	if (is_health)
		return answer_health(http, connection);
	return start_rows(http, connection, request, is_head);
}

static bool
announces_body(struct MHD_Connection *connection)
{
	const char *length =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
									   MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL ||
		   (length != NULL && strspn(length, "0") != strlen(length));
}

/* The head of a request has come. Bodies are of no use to any of these paths: the answer is given
 * at once, and the connection ends after it. */
static enum MHD_Result
begin(ServeHttp *http, struct MHD_Connection *connection, Request *request, const char *path,
	  const char *method)
{
	if (!announces_body(connection))
		return MHD_YES;
	if (strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0)
		return answer_error(connection, SERVE_STATUS_INVALID_CLASS, "a GET brings no body");
	return route(http, connection, request, path, method);
}

static enum MHD_Result
handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
	   const char *version, const char *upload, size_t *upload_size, void **request_slot)
{
	ServeHttp *http = context;
	Request *request = *request_slot;

	(void) upload;
	if (request == NULL)
	{
		request = *request_slot = calloc(1, sizeof(Request));
		if (request == NULL)
			return MHD_NO;
		request->has_chunks = strcmp(version, MHD_HTTP_VERSION_1_0) != 0;
		return begin(http, connection, request, path, method);
	}
	if (*upload_size > 0)
	{
		*upload_size = 0;
		return MHD_YES;
	}
	if (request->active != NULL)
		return answer_rows(connection, request->active);
	return route(http, connection, request, path, method);
}

static void
forget_request(void *context, struct MHD_Connection *connection, void **request_slot,
			   enum MHD_RequestTerminationCode why)
{
	Request *request = *request_slot;

	(void) context;
	(void) connection;
	(void) why;
	if (request == NULL)
		return;
	if (request->active != NULL)
	{
		exchange_abandon(request->active->exchange);
		forget(request->active);
	}
	free(request);
	*request_slot = NULL;
}

/* --- from outside --- */

/* The library's own complaints are about clients that vanish. */
static void
ignore_log(void *context, const char *format, va_list arguments)
{
	(void) context;
	(void) format;
	(void) arguments;
}

static struct MHD_Daemon *
start_daemon(ServeHttp *http)
{
	return MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
		handle, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL, MHD_OPTION_LISTEN_SOCKET,
		http->listen_fd, MHD_OPTION_NOTIFY_COMPLETED, forget_request, NULL,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned) http->limits->http_connections,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned) http->limits->idle_timeout_s,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) CONNECTION_MEMORY, MHD_OPTION_END);
}

ServeHttp *
serve_http_start(int listen_fd, ServePool *pool, const ServeLimits *limits, const char *info)
{
	ServeHttp *http = calloc(1, sizeof(ServeHttp));

	if (http == NULL)
	{
		message_error("out of memory");
		return NULL;
	}
	http->pool = pool;
	http->limits = limits;
	http->info = info;
	http->listen_fd = listen_fd;
	pthread_mutex_init(&http->lock, NULL);
	http->refiller = refiller_start();
	if (http->refiller != NULL)
		http->daemon = start_daemon(http);
	if (http->daemon != NULL)
		return http;
	message_error("the HTTP server cannot be started: %m");
	refiller_stop(http->refiller);
	pthread_mutex_destroy(&http->lock);
	free(http);
	return NULL;
}

void
serve_http_close_doors(ServeHttp *http)
{
	pthread_mutex_lock(&http->lock);
	http->closing = true;
	pthread_mutex_unlock(&http->lock);
	MHD_quiesce_daemon(http->daemon);
	close(http->listen_fd);
}

int
serve_http_active(ServeHttp *http)
{
	int active;

	pthread_mutex_lock(&http->lock);
	active = (int) http->active;
	pthread_mutex_unlock(&http->lock);
	return active;
}

void
serve_http_cut_all(ServeHttp *http)
{
	pthread_mutex_lock(&http->lock);
	for (Active *active = http->first; active != NULL; active = active->next)
		exchange_cut(active->exchange, SERVE_STATUS_BUSY, "the server is stopping");
	pthread_mutex_unlock(&http->lock);
}

void
serve_http_stop(ServeHttp *http)
{
	MHD_stop_daemon(http->daemon);
	refiller_stop(http->refiller);
	pthread_mutex_destroy(&http->lock);
	free(http);
}
