#include "serve/serve_http.h"
#include "message.h"
#include "serve/exchange.h"
#include "serve/lingering.h"
#include "serve/request_head.h"
#include "serve/serve_load.h"
#include "serve/serve_receive.h"
#include "serve/serve_reply.h"
#include "serve/serve_usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef enum Path
{
	PATH_NONE,
	PATH_LOAD,
	PATH_SAVE,
	PATH_INFO,
	PATH_HEALTH,
	PATH_USAGE,
} Path;

typedef enum Method
{
	METHOD_OTHER = 0,
	METHOD_GET = 1, /* HEAD too */
	METHOD_POST = 2,
} Method;

/* One request of any kind. */
typedef struct Request
{
	Path path;
	Method method;
	bool head_only;
	bool has_chunks; /* see Active */
	Active *active;  /* NULL unless it is for rows, or brings them, and was admitted */
} Request;

struct ServeHttp
{
	struct MHD_Daemon *daemon;
	ServeHttpOptions options;
	Refiller *refiller;
	Lingering *lingering;
	ActiveList list;
	ServeLoad load;
	ServeReceive receive;
	int listen_fd;
};

/* --- what is asked for --- */

static Path
find_path(const char *path)
{
	static const struct
	{
		const char *text;
		Path path;
	} paths[] = {
		{"/load_from_db", PATH_LOAD}, {"/save_to_db", PATH_SAVE}, {"/info", PATH_INFO},
		{"/health", PATH_HEALTH},     {"/usage", PATH_USAGE},
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (strcmp(path, paths[i].text) == 0)
			return paths[i].path;
	return PATH_NONE;
}

static Request *
create_request(const char *path, const char *method, const char *version)
{
	Request *request = calloc(1, sizeof(Request));

	if (request == NULL)
		return NULL;
	request->path = find_path(request_path(path));
	request->head_only = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
	if (request->head_only || strcmp(method, MHD_HTTP_METHOD_GET) == 0)
		request->method = METHOD_GET;
	else if (strcmp(method, MHD_HTTP_METHOD_POST) == 0)
		request->method = METHOD_POST;
	request->has_chunks = strcmp(version, MHD_HTTP_VERSION_1_0) != 0;
	return request;
}

static unsigned
methods_of(const ServeHttp *http, Path path)
{
	unsigned post = http->options.save_pool != NULL ? METHOD_POST : 0;

	if (path == PATH_SAVE)
		return post;
	return path == PATH_USAGE ? METHOD_GET | post : METHOD_GET;
}

static const char *
names_of(unsigned methods)
{
	static const char *const names[] = {"", "GET, HEAD", "POST", "GET, HEAD, POST"};

	return names[methods];
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

/* --- documents --- */

static enum MHD_Result
answer_document(struct MHD_Connection *connection, char *document)
{
	enum MHD_Result result = serve_reply_json(connection, SERVE_STATUS_RESULT, document);

	free(document);
	return result;
}

static enum MHD_Result
answer_health(ServeHttp *http, struct MHD_Connection *connection)
{
	ServePoolState load = serve_pool_state(http->options.load_pool);
	ServePoolState save = serve_pool_state(http->options.save_pool);

	return answer_document(connection, serve_health_document(&load, &save));
}

static enum MHD_Result
answer_usage(ServeHttp *http, struct MHD_Connection *connection, bool reset_peak)
{
	const ServeLimits *limits = http->options.limits;
	int capacity = (int) (limits->connections + limits->write_connections);
	int *pids = calloc((size_t) capacity, sizeof(int));
	int count;
	enum MHD_Result result;

	if (pids == NULL)
		return MHD_NO;
	if (reset_peak)
		serve_usage_reset_peak();
	count = serve_pool_backend_pids(http->options.load_pool, pids, capacity);
	count += serve_pool_backend_pids(http->options.save_pool, pids + count, capacity - count);
	result = answer_document(connection, serve_usage_document(pids, count));
	free(pids);
	return result;
}

/* --- dispatch --- */

/* Whether the request may go on; else it has been refused. */
static bool
is_allowed(ServeHttp *http, struct MHD_Connection *connection, const Request *request,
		   enum MHD_Result *result)
{
	const ServeToken *token = http->options.token;
	const char *authorization =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
	const char *host =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	unsigned methods = methods_of(http, request->path);

	if (token != NULL && request->path != PATH_HEALTH && !serve_token_fits(token, authorization))
		*result = serve_reply_unauthorized(connection, authorization != NULL);
	else if (http->options.local_only && !request_host_is_local(host))
		*result = serve_reply_error(connection, SERVE_STATUS_MISDIRECTED,
									"without --token-file only requests for localhost or an "
									"address are answered, whatever else leads here");
	else if (request->path == PATH_NONE)
		*result = serve_reply_error(connection, SERVE_STATUS_NOT_FOUND,
									"there are /load_from_db, /save_to_db, /info, /health, /usage");
	else if ((methods & request->method) == 0)
		*result = serve_reply_method(connection, names_of(methods));
	else
		return true;
	return false;
}

/* Answers a request that brings no rows. */
static enum MHD_Result
answer(ServeHttp *http, struct MHD_Connection *connection, Request *request)
{
	switch (request->path)
	{
		case PATH_INFO:
			return serve_reply_json(connection, SERVE_STATUS_RESULT, http->options.info);
		case PATH_HEALTH:
			return answer_health(http, connection);
		case PATH_USAGE:
			return answer_usage(http, connection, request->method == METHOD_POST);
		default:
			return serve_load_begin(&http->load, connection, request->has_chunks,
									request->head_only, &request->active);
	}
}

/* The head of a request with a body has come. Only /save_to_db takes one; the others are
 * answered at once, and so is whoever is refused, and the connection ends after it. */
static enum MHD_Result
begin_with_body(ServeHttp *http, struct MHD_Connection *connection, Request *request)
{
	enum MHD_Result result;
	int fd;

	if (is_allowed(http, connection, request, &result))
	{
		if (request->path == PATH_SAVE)
			result = serve_receive_begin(&http->receive, connection, request->has_chunks,
										 &request->active);
		else if (request->method == METHOD_GET)
			result =
				serve_reply_error(connection, SERVE_STATUS_INVALID_CLASS, "a GET brings no body");
		else
			result = answer(http, connection, request);
		if (request->active != NULL)
			return active_has_left(connection) ? MHD_NO : result;
	}
	fd = active_duplicate_socket(connection);
	if (fd >= 0)
		lingering_add(http->lingering, fd);
	return result;
}

/* The head of any other has come. It could bring a body still where it says nothing about it, but
 * none that matters. */
static enum MHD_Result
begin(ServeHttp *http, struct MHD_Connection *connection, Request *request)
{
	enum MHD_Result result;

	if (!is_allowed(http, connection, request, &result))
		return result;
	if (request->path == PATH_SAVE)
		return serve_receive_begin(&http->receive, connection, request->has_chunks,
								   &request->active);
	return answer(http, connection, request);
}

/* Answers at once, and the connection ends after it. */
static enum MHD_Result
refuse_head(ServeHttp *http, struct MHD_Connection *connection, const RequestHeadProblem *problem)
{
	int fd = active_duplicate_socket(connection);
	enum MHD_Result result = serve_reply_error(connection, problem->status, problem->detail);

	if (fd >= 0)
		lingering_add(http->lingering, fd);
	return result;
}

/* The head has come. */
static enum MHD_Result
take_head(ServeHttp *http, struct MHD_Connection *connection, Request *request, const char *version)
{
	RequestHeadProblem problem;

	if (!request_head_check(connection, version, &problem))
		return refuse_head(http, connection, &problem);
	/* whoever brings no body is answered when the library has found that out too */
	return announces_body(connection) ? begin_with_body(http, connection, request) : MHD_YES;
}

/* Whose target was refused: it has its answer. */
static Request refused_request;

/* An answer that does not pass through the library. */
static void
refuse_target(ServeHttp *http, struct MHD_Connection *connection, const RequestHeadProblem *problem)
{
	int fd = active_duplicate_socket(connection);
	char *body;

	/* whether or not the library gets to call for the request, it is not to keep the connection */
	MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 1u);
	if (fd < 0)
		return;
	body = exchange_error_body(serve_status_text(problem->status), problem->detail);
	serve_reply_early(fd, problem->status, body);
	free(body);
	shutdown(fd, SHUT_WR);
	lingering_add(http->lingering, fd);
}

/* Called before the library takes the target apart; what it returns becomes the request's slot. */
static void *
take_target(void *context, const char *target, struct MHD_Connection *connection)
{
	RequestHeadProblem problem;

	if (target == NULL || request_target_check(target, &problem))
		return NULL;
	refuse_target(context, connection, &problem);
	return &refused_request;
}

static enum MHD_Result
handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
	   const char *version, const char *upload, size_t *upload_size, void **request_slot)
{
	ServeHttp *http = context;
	Request *request = *request_slot;

	if (request == &refused_request)
		return MHD_NO;
	if (request == NULL)
	{
		request = *request_slot = create_request(path, method, version);
		return request == NULL ? MHD_NO : take_head(http, connection, request, version);
	}
	if (request->active == NULL)
		return begin(http, connection, request);
	if (request->path == PATH_LOAD)
		return serve_load_answer(connection, request->active);
	if (*upload_size > 0)
		return serve_receive_take(&http->receive, connection, request->active, upload, upload_size);
	return serve_receive_answer(&http->receive, connection, request->active);
}

static void
forget_request(void *context, struct MHD_Connection *connection, void **request_slot,
			   enum MHD_RequestTerminationCode why)
{
	Request *request = *request_slot;

	(void) context;
	(void) connection;
	(void) why;
	if (request == NULL || request == &refused_request)
		return;
	if (request->active != NULL)
		active_forget(request->active);
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
	const ServeLimits *limits = http->options.limits;

	return MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
		handle, http, MHD_OPTION_EXTERNAL_LOGGER, ignore_log, NULL, MHD_OPTION_LISTEN_SOCKET,
		http->listen_fd, MHD_OPTION_NOTIFY_COMPLETED, forget_request, NULL,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned) limits->http_connections,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned) limits->idle_timeout_s,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) SERVE_CONNECTION_MEMORY,
		MHD_OPTION_URI_LOG_CALLBACK, take_target, http, MHD_OPTION_UNESCAPE_CALLBACK,
		request_unescape, NULL, MHD_OPTION_END);
}

static void
free_http(ServeHttp *http)
{
	refiller_stop(http->refiller);
	lingering_stop(http->lingering);
	active_list_destroy(&http->list);
	free(http);
}

/* False, and errno, when a part of it cannot be started. */
static bool
start_parts(ServeHttp *http)
{
	const ServeHttpOptions *options = &http->options;

	http->refiller = refiller_start();
	http->lingering = http->refiller == NULL ? NULL : lingering_start();
	if (http->lingering == NULL)
		return false;
	http->load = (ServeLoad){
		.pool = options->load_pool,
		.list = &http->list,
		.refiller = http->refiller,
		.max_spool_bytes = options->limits->spool_bytes,
	};
	http->receive = (ServeReceive){
		.pool = options->save_pool,
		.list = &http->list,
		.lingering = http->lingering,
		.max_body_bytes = options->limits->body_bytes,
	};
	http->daemon = start_daemon(http);
	return http->daemon != NULL;
}

ServeHttp *
serve_http_start(int listen_fd, const ServeHttpOptions *options)
{
	ServeHttp *http = calloc(1, sizeof(ServeHttp));
	int problem;

	if (http == NULL)
	{
		message_error("out of memory");
		return NULL;
	}
	http->options = *options;
	http->listen_fd = listen_fd;
	active_list_init(&http->list, options->limits->requests);
	if (start_parts(http))
		return http;
	problem = errno;
	free_http(http);
	errno = problem;
	message_error("the HTTP server cannot be started: %m");
	return NULL;
}

void
serve_http_close_doors(ServeHttp *http)
{
	active_list_close(&http->list);
	MHD_quiesce_daemon(http->daemon);
	close(http->listen_fd);
}

int
serve_http_active(ServeHttp *http)
{
	return active_list_count(&http->list);
}

void
serve_http_cut_all(ServeHttp *http)
{
	active_list_cut(&http->list);
}

void
serve_http_stop(ServeHttp *http)
{
	MHD_stop_daemon(http->daemon);
	free_http(http);
}
