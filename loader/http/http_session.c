/*
 * http_session.c - see http_session.h. What happens on the wire is http_transfer.c's; here are the
 * content coding and what a caller gets to see.
 */
#include "http/http_session.h"
#include "http/http_conceal.h"
#include "http/http_header_list.h"
#include "http/http_transfer.h"
#include "clock.h"
#include "content_inflate.h"
#include "json_encode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INFLATED_BYTES (256 * 1024) /* one piece of a decompressed body */
#define SHORT_BYTES    (64 * 1024)  /* read at most of a body that is only for a message */
#define SHORT_MS       1000         /* and not for longer than this */

typedef enum BodyCoding
{
	CODING_NONE,
	CODING_GZIP, /* or zlib: told apart by their headers */
	CODING_UNKNOWN,
} BodyCoding;

struct HttpSession
{
	HttpTransfer *transfer;
	const HttpOptions *options;
	HttpAnswer answer;
	BodyCoding coding;
	ContentInflate *inflate; /* made when one first comes */
	char *inflated;          /* [INFLATED_BYTES], likewise */
	bool inflate_has_input;
	int64_t inflate_ns;
	int64_t body_bytes;  /* of the answer, decoded, handed on */
	int64_t coded_bytes; /* of it, when it is compressed */
};

HttpSession *
http_session_create(const HttpOptions *options, int interrupt_fd)
{
	HttpSession *session = calloc(1, sizeof(*session));

	if (session == NULL)
		return NULL;
	session->options = options;
	session->transfer = http_transfer_create(options, interrupt_fd);
	if (session->transfer != NULL)
		return session;
	http_session_free(session);
	return NULL;
}

void
http_session_free(HttpSession *session)
{
	if (session == NULL)
		return;
	http_transfer_free(session->transfer);
	content_inflate_free(session->inflate);
	free(session->inflated);
	free(session);
}

/* --- content coding ------------------------------------------------------------------- */

static BodyCoding
coding_of(const char *names)
{
	if (*names == '\0' || strcasecmp(names, "identity") == 0)
		return CODING_NONE;
	if (strcasecmp(names, "gzip") == 0 || strcasecmp(names, "x-gzip") == 0 ||
		strcasecmp(names, "deflate") == 0)
		return CODING_GZIP;
	return CODING_UNKNOWN;
}

static HttpResult
make_inflate(HttpSession *session)
{
	if (session->inflate == NULL)
		session->inflate = content_inflate_create();
	if (session->inflated == NULL)
		session->inflated = malloc(INFLATED_BYTES);
	if (session->inflate == NULL || session->inflated == NULL)
		return http_transfer_fail(session->transfer, HTTP_OUT_OF_MEMORY,
								  "sent a compressed body: out of memory");
	content_inflate_reset(session->inflate);
	session->inflate_has_input = false;
	return HTTP_OK;
}

/* One piece out of the input so far; *length 0 when more must be received first. */
static HttpResult
inflate_piece(HttpSession *session, size_t *length)
{
	int64_t start_ns = clock_now_ns();
	ContentInflateResult result =
		content_inflate_next(session->inflate, session->inflated, INFLATED_BYTES, length);

	session->inflate_ns += clock_now_ns() - start_ns;
	switch (result)
	{
		case CONTENT_INFLATE_OUTPUT:
			break;
		case CONTENT_INFLATE_MORE:
			session->inflate_has_input = false;
			break;
		case CONTENT_INFLATE_CORRUPT:
			return http_transfer_fail(session->transfer, HTTP_LOST,
									  "sent a compressed body that is corrupt");
		case CONTENT_INFLATE_OUT_OF_MEMORY:
			return http_transfer_fail(session->transfer, HTTP_OUT_OF_MEMORY,
									  "sent a compressed body: out of memory");
	}
	return HTTP_OK;
}

/* What is spooled for want of memory takes a disk. */
static HttpResult
check_length(HttpSession *session, int64_t bytes)
{
	int64_t limit = session->options->max_response_bytes;

	if (limit == 0 || bytes <= limit)
		return HTTP_OK;
	return http_transfer_fail(
		session->transfer, HTTP_LOST,
		"sent a body of more than %" PRId64 " bytes (see --max-response-bytes)", limit);
}

static HttpResult
read_inflated(HttpSession *session, const char **bytes, size_t *length)
{
	HttpResult result = HTTP_OK;

	*bytes = session->inflated;
	*length = 0;
	while (result == HTTP_OK && *length == 0)
	{
		const char *input;
		size_t input_length;

		if (session->inflate_has_input)
		{
			result = inflate_piece(session, length);
			continue;
		}
		result = http_transfer_read(session->transfer, &input, &input_length);
		/* there is gzip that expands to nothing, without end */
		session->coded_bytes += (int64_t) input_length;
		if (result == HTTP_OK)
			result = check_length(session, session->coded_bytes);
		if (result != HTTP_OK)
			return result;
		if (input_length == 0)
			break;
		content_inflate_feed(session->inflate, input, input_length);
		session->inflate_has_input = true;
	}
	if (result == HTTP_OK && *length == 0 && !content_inflate_complete(session->inflate))
		return http_transfer_fail(session->transfer, HTTP_LOST,
								  "sent a compressed body that ends too early");
	return result;
}

/* --- a request and its answer --------------------------------------------------------- */

static void
note_answer(HttpSession *session)
{
	const HttpHead *head = http_transfer_head(session->transfer);

	session->answer = head->complete ? head->answer : (HttpAnswer){0};
	http_conceal(session->options, session->answer.www_authenticate);
	http_conceal(session->options, session->answer.content_range);
	session->answer.sent_body_bytes = http_transfer_sent_body_bytes(session->transfer);
	session->answer.is_hopeless = http_transfer_is_hopeless(session->transfer);
	session->answer.closed_while_sending = http_transfer_closed_while_sending(session->transfer);
}

HttpResult
http_session_send(HttpSession *session, const HttpRequest *request, HttpAnswer *answer)
{
	HttpResult result = http_transfer_begin(session->transfer, request,
											http_header_list(session->options, request));

	session->coding = CODING_NONE;
	session->body_bytes = session->coded_bytes = 0;
	if (result == HTTP_OK)
		result = http_transfer_await_head(session->transfer);
	if (result == HTTP_OK)
		session->coding = coding_of(http_transfer_head(session->transfer)->content_encoding);
	if (session->coding == CODING_GZIP)
		result = make_inflate(session);
	note_answer(session);
	*answer = session->answer;
	return result;
}

HttpResult
http_session_read(HttpSession *session, const char **bytes, size_t *length)
{
	HttpResult result;

	if (session->coding == CODING_GZIP)
		result = read_inflated(session, bytes, length);
	else
		result = http_transfer_read(session->transfer, bytes, length);
	if (result == HTTP_OK && *length > 0 && session->coding == CODING_UNKNOWN)
		result = http_transfer_fail(session->transfer, HTTP_LOST,
									"answered with the content coding \"%s\": supported are gzip "
									"and deflate",
									http_transfer_head(session->transfer)->content_encoding);
	session->body_bytes += (int64_t) *length;
	if (result == HTTP_OK)
		result = check_length(session, session->body_bytes);
	if (result != HTTP_OK || *length == 0)
	{
		*length = 0;
		note_answer(session);
	}
	return result;
}

const HttpAnswer *
http_session_answer(const HttpSession *session)
{
	return &session->answer;
}

void
http_session_conceal(const HttpSession *session, char *text)
{
	http_conceal(session->options, text);
}

const char *
http_session_problem(const HttpSession *session)
{
	return http_transfer_problem(session->transfer);
}

HttpTotals
http_session_totals(const HttpSession *session)
{
	HttpTotals totals = http_transfer_totals(session->transfer);

	totals.inflate_ns = session->inflate_ns;
	return totals;
}

/* --- a body for a message -------------------------------------------------------------- */

/* A line of text, whatever the bytes were: a terminal must not obey them. Terminates it, without the
 * blanks that a line end became. */
static void
make_printable(char *text, size_t length, bool is_cut)
{
	size_t whole = length;
	bool is_utf8 = json_encode_is_utf8(text, length);

	/* a character of at most 4 bytes that the cut went through */
	while (is_cut && !is_utf8 && whole > 0 && length - whole < 3)
		is_utf8 = json_encode_is_utf8(text, --whole);
	text[is_utf8 ? whole : length] = '\0';
	for (unsigned char *byte = (unsigned char *) text; *byte != '\0'; byte++)
	{
		/* U+0080 to U+009F are control characters as well */
		if (is_utf8 && byte[0] == 0xc2 && byte[1] < 0xa0)
			byte[0] = byte[1] = ' ';
		else if (*byte < ' ' || *byte == 0x7f)
			*byte = ' ';
		else if (*byte >= 0x80 && !is_utf8)
			*byte = '?';
	}
	for (size_t end = strlen(text); end > 0 && text[end - 1] == ' '; end--)
		text[end - 1] = '\0';
}

HttpResult
http_session_read_text(HttpSession *session, char *text, size_t size)
{
	size_t kept = 0, seen = 0, length = 0;
	HttpResult result = HTTP_OK;
	const char *bytes;

	while (seen < SHORT_BYTES &&
		   (result = http_session_read(session, &bytes, &length)) == HTTP_OK && length > 0)
	{
		size_t taken = length < size - 1 - kept ? length : size - 1 - kept;

		memcpy(text + kept, bytes, taken);
		kept += taken;
		seen += length;
	}
	for (size_t i = 0; i < kept; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	make_printable(text, kept, seen > kept);
	return result;
}

void
http_session_read_short(HttpSession *session, char *text, size_t size)
{
	http_transfer_set_deadline(session->transfer, clock_now_ns() + SHORT_MS * CLOCK_NS_PER_MS);
	(void) http_session_read_text(session, text, size);
}
