/*
 * http_client.c - see http_client.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "clock.h"
#include "content_inflate.h"
#include "foreign_memory.h"
#include "http_client.h"
#include "http_headers.h"
#include "http_transfer.h"
#include "printable.h"
#include "settings.h"

#define ACCEPT_HEADER    "Accept: application/json, application/x-ndjson;q=0.9"
#define BODY_START_BYTES 200          /* of a body, shown in messages */
#define INFLATED_BYTES   (256 * 1024) /* one piece of a decompressed body */

struct HttpClient
{
	MemoryContext context;
	MemoryContext request_context; /* reset when the next request begins */
	HttpTransfer *transfer;
	List *headers; /* the user's */
	const Credentials *credentials;
	List *bare_headers; /* ours alone, for another origin */

	/* the request under way */
	HttpUrl *url;
	int status;
	int64 decoded_bytes; /* of this body */
	int64 coded_bytes;   /* of this body, when it is compressed */
	char body_start[BODY_START_BYTES];
	size_t body_start_length;

	/* a compressed body */
	bool is_compressed;
	ForeignMemory *inflate_holder;
	ContentInflate *inflate; /* made when one first comes */
	bool inflate_has_input;
	char *inflated; /* [INFLATED_BYTES], likewise */

	int retries;
	int64 retry_wait_ns;
	int64 inflate_ns;
	int64 body_bytes;
};

static void
release_inflate(void *inflate)
{
	content_inflate_free(inflate);
}

HttpClient *
http_client_create(List *headers, const Credentials *credentials)
{
	HttpClient *client = palloc0(sizeof(HttpClient));

	client->context = CurrentMemoryContext;
	client->request_context =
		AllocSetContextCreate(client->context, "pg_transferbench request", ALLOCSET_SMALL_SIZES);
	client->headers = headers;
	client->credentials = credentials;
	client->bare_headers = list_make1(ACCEPT_HEADER);
	client->inflate_holder = foreign_memory_reserve(client->context, release_inflate);
	client->transfer = http_transfer_create();
	return client;
}

/* What goes to the URL that was asked for: of one name the user's, else the file's, else ours. */
static List *
headers_for(const HttpClient *client, const HttpUrl *url)
{
	List *headers = credentials_add_headers(client->credentials, url, client->headers);

	return http_headers_have(headers, "Accept", strlen("Accept"))
			   ? headers
			   : list_concat(headers, client->bare_headers);
}

/* --- redirects and retries ----------------------------------------------------------- */

static bool
is_success(const HttpClient *client)
{
	return client->status == 200 || client->status == 201 || client->status == 204;
}

/* Ends the request under way; only a success has a payload. */
static void
end_request(HttpClient *client)
{
	http_transfer_end(client->transfer);
	if (is_success(client))
		client->body_bytes += client->decoded_bytes;
	client->status = 0;
	client->decoded_bytes = 0;
	client->coded_bytes = 0;
	client->body_start_length = 0;
	client->is_compressed = false;
	client->inflate_has_input = false;
}

static void
keep_body_start(HttpClient *client, const char *bytes, size_t length)
{
	size_t kept = Min(length, BODY_START_BYTES - client->body_start_length);

	memcpy(client->body_start + client->body_start_length, bytes, kept);
	client->body_start_length += kept;
}

static void
skim_body(HttpClient *client)
{
	const char *bytes;
	size_t length = http_transfer_skim(client->transfer, &bytes);

	if (http_transfer_header(client->transfer)->content_encoding[0] == '\0')
		keep_body_start(client, bytes, length);
}

/* Interruptible. */
static void
pause_ms(int64 milliseconds)
{
	int64 end_ns = clock_now_ns() + milliseconds * CLOCK_NS_PER_MS;

	for (;;)
	{
		int64 left_ns = end_ns - clock_now_ns();

		CHECK_FOR_INTERRUPTS();
		if (left_ns <= 0)
			return;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) (left_ns / CLOCK_NS_PER_MS) + 1, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/* Milliseconds that the answer asks to wait, capped; -1 when it does not, or cannot be understood. */
static int64
asked_wait_ms(const HttpClient *client)
{
	return http_header_retry_after_ms(http_transfer_header(client->transfer), time(NULL),
									  HTTP_CLIENT_MAX_RETRY_WAIT_MS);
}

/* Whether to send the request again; has then waited as long as was asked. */
static bool
wait_for_retry(HttpClient *client, int retries)
{
	int64 wait_ms, start_ns;

	if (client->status != 429 && client->status != 503)
		return false;
	wait_ms = asked_wait_ms(client);
	if (wait_ms < 0 || retries >= HTTP_CLIENT_MAX_RETRIES)
		return false;
	skim_body(client);
	end_request(client);
	start_ns = clock_now_ns();
	pause_ms(wait_ms);
	client->retry_wait_ns += clock_now_ns() - start_ns;
	client->retries++;
	return true;
}

static bool
is_redirect(const HttpClient *client)
{
	return client->status >= 300 && client->status <= 399 && client->status != 304;
}

/* An answer must not lead what was encrypted into the open. */
static void
refuse_downgrade(const HttpUrl *from, const HttpUrl *to)
{
	if (from->is_tls && !to->is_tls)
		ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				errmsg("%s redirected from https to http", from->shown));
}

/* Whether the answer is a redirect to follow; client->url is then the new one. */
static bool
follow_redirect(HttpClient *client, int redirects)
{
	HttpUrl *from = client->url;
	const char *location = http_transfer_header(client->transfer)->location;

	if (!is_redirect(client) || !settings_follow_redirects || location[0] == '\0')
		return false;
	if (redirects >= HTTP_CLIENT_MAX_REDIRECTS)
		ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				errmsg("%s redirected more than %d times", from->shown, HTTP_CLIENT_MAX_REDIRECTS));
	client->url = http_url_parse_location(from, location);
	http_url_check_allowed(client->url);
	refuse_downgrade(from, client->url);
	end_request(client);
	return true;
}

static const char *
status_hint(const HttpClient *client)
{
	if (is_redirect(client))
		return settings_follow_redirects
				   ? "It named no location, or one that is too long."
				   : "Redirects are followed when pg_transferbench.follow_redirects is on.";
	if (client->status != 429 && client->status != 503)
		return NULL;
	if (asked_wait_ms(client) < 0)
		return "It gave no Retry-After that could be read, so the request was not repeated.";
	return "It was asked again as often as is allowed.";
}

static void
raise_status(HttpClient *client)
{
	const char *hint = status_hint(client);

	skim_body(client);
	ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			errmsg("%s answered with HTTP status %d", client->url->shown, client->status),
			errdetail("The body begins: %s", http_client_body_start(client)),
			hint != NULL ? errhint("%s", hint) : 0);
}

static bool
same_origin(const HttpUrl *a, const HttpUrl *b)
{
	return a->is_tls == b->is_tls && a->port == b->port && pg_strcasecmp(a->host, b->host) == 0;
}

/* --- content coding ------------------------------------------------------------------ */

static void
out_of_memory(void)
{
	ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
			errdetail("zlib could not allocate."));
}

/* Chooses how the body is decoded; raises for a coding that was not asked for. */
static void
choose_coding(HttpClient *client)
{
	const char *coding = http_transfer_header(client->transfer)->content_encoding;

	if (coding[0] == '\0' || pg_strcasecmp(coding, "identity") == 0)
		return;
	if (pg_strcasecmp(coding, "gzip") != 0 && pg_strcasecmp(coding, "x-gzip") != 0 &&
		pg_strcasecmp(coding, "deflate") != 0)
		ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
				errmsg("%s answered with the unsupported content coding \"%s\"", client->url->shown,
					   printable_text(coding)),
				errhint("Supported are gzip and deflate, once, and no coding."));
	client->is_compressed = true;
	if (client->inflate == NULL)
	{
		client->inflated = MemoryContextAlloc(client->context, INFLATED_BYTES);
		client->inflate_holder->object = client->inflate = content_inflate_create();
		if (client->inflate == NULL)
			out_of_memory();
	}
	content_inflate_reset(client->inflate);
}

/* One piece out of the input so far; 0 when more must be received first. */
static size_t
inflate_piece(HttpClient *client)
{
	size_t produced = 0;
	int64 start_ns = clock_now_ns();
	ContentInflateResult result =
		content_inflate_next(client->inflate, client->inflated, INFLATED_BYTES, &produced);

	client->inflate_ns += clock_now_ns() - start_ns;
	switch (result)
	{
		case CONTENT_INFLATE_OUTPUT:
			break;
		case CONTENT_INFLATE_MORE:
			client->inflate_has_input = false;
			break;
		case CONTENT_INFLATE_CORRUPT:
			ereport(ERROR, errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
					errmsg("the compressed body of %s is corrupt", client->url->shown));
			break;
		case CONTENT_INFLATE_OUT_OF_MEMORY:
			out_of_memory();
	}
	return produced;
}

static void
check_length(const HttpClient *client, int64 bytes)
{
	if (bytes > settings_max_response_bytes)
		ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				errmsg("the response of %s is longer than %.0f bytes", client->url->shown,
					   settings_max_response_bytes),
				errhint("The limit is pg_transferbench.max_response_bytes."));
}

static size_t
read_inflated(HttpClient *client, const char **bytes)
{
	*bytes = client->inflated;
	for (;;)
	{
		const char *input;
		size_t length;

		CHECK_FOR_INTERRUPTS();
		if (client->inflate_has_input && (length = inflate_piece(client)) > 0)
			return length;
		if (client->inflate_has_input)
			continue;
		length = http_transfer_read(client->transfer, &input);
		if (length == 0)
			break;
		/* there is gzip that expands to nothing, without end */
		client->coded_bytes += length;
		check_length(client, client->coded_bytes);
		content_inflate_feed(client->inflate, input, length);
		client->inflate_has_input = true;
	}
	if (!content_inflate_complete(client->inflate))
		ereport(ERROR, errcode(ERRCODE_CONNECTION_FAILURE),
				errmsg("the compressed body of %s ends too early", client->url->shown));
	return 0;
}

/* --- from outside -------------------------------------------------------------------- */

void
http_client_get(HttpClient *client, const char *url)
{
	MemoryContext caller_context = MemoryContextSwitchTo(client->request_context);
	HttpUrl *first_url;
	List *headers;
	bool is_at_home = true;
	int retries = 0, redirects = 0;

	end_request(client);
	MemoryContextReset(client->request_context);
	client->url = first_url = http_url_parse(url, HTTP_URL_ARGUMENT);
	http_url_check_allowed(client->url);
	headers = headers_for(client, first_url);
	for (;;)
	{
		/* whom an answer led elsewhere, it may lead back: the caller did not choose that path */
		is_at_home = is_at_home && same_origin(client->url, first_url);
		http_transfer_begin(client->transfer, client->url,
							is_at_home ? headers : client->bare_headers);
		client->status = http_transfer_await_header(client->transfer);
		if (is_success(client))
			break;
		if (wait_for_retry(client, retries))
			retries++;
		else if (follow_redirect(client, redirects))
			redirects++;
		else
			raise_status(client);
	}
	choose_coding(client);
	MemoryContextSwitchTo(caller_context);
}

size_t
http_client_read(HttpClient *client, const char **bytes)
{
	size_t length = client->is_compressed ? read_inflated(client, bytes)
										  : http_transfer_read(client->transfer, bytes);

	keep_body_start(client, *bytes, length);
	client->decoded_bytes += length;
	check_length(client, client->decoded_bytes);
	return length;
}

HttpTotals
http_client_totals(const HttpClient *client)
{
	const HttpTransferTotals *transfer = http_transfer_totals(client->transfer);

	return (HttpTotals){
		.requests = transfer->requests,
		.retries = client->retries,
		.retry_wait_ns = client->retry_wait_ns,
		.connect_ns = transfer->connect_ns,
		.first_byte_ns = transfer->first_byte_ns,
		.inflate_ns = client->inflate_ns,
		.body_bytes = client->body_bytes + client->decoded_bytes,
		.wire_bytes = transfer->wire_bytes,
	};
}

int
http_client_status(const HttpClient *client)
{
	return client->status;
}

const char *
http_client_media_type(const HttpClient *client)
{
	return http_transfer_header(client->transfer)->media_type;
}

bool
http_client_says_columns(const HttpClient *client)
{
	return http_transfer_header(client->transfer)->says_columns;
}

const char *
http_client_shown_url(const HttpClient *client)
{
	return client->url->shown;
}

char *
http_client_body_start(const HttpClient *client)
{
	char *shown;

	if (client->body_start_length == 0)
		return "(empty)";
	shown = printable_bytes(client->body_start, client->body_start_length);
	return client->body_start_length < BODY_START_BYTES ? shown : psprintf("%s...", shown);
}
