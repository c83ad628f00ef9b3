/*
 * http_answer_fuzz.c - the head of an answer, as the loader keeps it: the same line by line and as a
 * whole, printable, and what is made of its fields (Content-Range, Retry-After) within bounds. The
 * extension (http_header.c) reads the same out of it. The same bytes as a client's Accept-Encoding,
 * for `serve`.
 */
#include "postgres.h"

#include "fuzz.h"
#include "http_header.h"
#include "http/content_range.h"
#include "http/http_answer.h"
#include "http/retry_policy.h"
#include "serve/accept_encoding.h"

#include <stdlib.h>
#include <string.h>

#define NOW 1764547200 /* 2025-12-01 */

static void
check_printable(const char *text, size_t room)
{
	fuzz_require(strnlen(text, room) < room, "a text without an end");
	for (; *text != '\0'; text++)
		fuzz_require(*text >= ' ' && *text <= '~', "the byte 0x%02x is kept",
					 (unsigned char) *text);
}

#define CHECK_TEXT(text) check_printable((text), sizeof(text))

static void
check_head(const HttpHead *head)
{
	const HttpAnswer *answer = &head->answer;

	fuzz_require(answer->status >= 0 && answer->status <= 999, "status %d", answer->status);
	CHECK_TEXT(answer->media_type);
	CHECK_TEXT(answer->content_range);
	CHECK_TEXT(answer->retry_after);
	CHECK_TEXT(answer->www_authenticate);
	CHECK_TEXT(answer->server_timing);
	CHECK_TEXT(head->content_encoding);
	CHECK_TEXT(head->transfer_encoding);
	fuzz_require(strcspn(answer->media_type, "; \tABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
					 strlen(answer->media_type),
				 "the media type %s", answer->media_type);
}

/* Lines as libcurl hands them on, each in a block of its own, for both; the bytes taken. */
static size_t
take_lines(HttpHead *head, HttpHeader *header, const uint8_t *data, size_t size)
{
	size_t taken = 0;

	while (taken < size && !head->complete)
	{
		const uint8_t *line_break = memchr(data + taken, '\n', size - taken);
		size_t length =
			line_break == NULL ? size - taken : (size_t) (line_break + 1 - data) - taken;
		char *line = fuzz_copy(data + taken, length);

		/* what has no line end is not over */
		if (line_break != NULL && !http_head_take(head, line, length))
			head->complete = true;
		if (line_break != NULL)
			fuzz_require(http_header_take(header, line, length) != HTTP_HEADER_TOO_LONG,
						 "%zu bytes are too many", size);
		header->complete = head->complete;
		free(line);
		taken += length;
	}
	return taken;
}

static void
check_fields(const HttpAnswer *answer)
{
	static const RetryPolicy policy = {.max_retries = 3, .base_ms = 100, .max_wait_ms = 60000};
	char problem[200] = "";
	int wait_ms;

	if (content_range_check(answer->content_range, 100, 0, problem, sizeof(problem)))
		fuzz_require(strspn(answer->content_range, "0123456789-/*") ==
						 strlen(answer->content_range),
					 "the range %s", answer->content_range);
	else
		fuzz_require(problem[0] != '\0', "a range is refused without a problem");
	fuzz_require(retry_after_seconds(answer->retry_after, NOW) >= -1, "a wait below none");
	wait_ms = retry_policy_wait_ms(&policy, 3, answer->retry_after, NOW, UINT64_MAX);
	fuzz_require(wait_ms >= 0 && wait_ms <= policy.max_wait_ms, "a wait of %d ms", wait_ms);
}

/* What the loader keeps is fit for a message, and shorter. */
static bool
same_text(const char *kept, size_t room, const char *text)
{
	bool is_same = strlen(text) < room || *kept == '\0';

	for (size_t i = 0; is_same && *kept != '\0' && text[i] != '\0'; i++)
		is_same = kept[i] == text[i] || (kept[i] == '?' && (text[i] < ' ' || text[i] > '~'));
	return is_same && (*kept == '\0' || strlen(kept) == strlen(text));
}

static void
check_extension(const HttpAnswer *answer, HttpHeader *header)
{
	int64_t seconds = retry_after_seconds(answer->retry_after, NOW);
	int64_t wanted_ms = seconds < 0 ? -1 : seconds > 60 ? 60000 : seconds * 1000;
	bool is_kept = strcmp(answer->retry_after, header->retry_after) == 0;

	http_header_reduce_media_type(header);
	fuzz_require(same_text(answer->media_type, sizeof(answer->media_type), header->media_type),
				 "the media type %s, and %s", answer->media_type, header->media_type);
	fuzz_require(same_text(answer->retry_after, sizeof(answer->retry_after), header->retry_after),
				 "Retry-After %s, and %s", answer->retry_after, header->retry_after);
	if (is_kept)
		fuzz_require(http_header_retry_after_ms(header, NOW, 60000) == wanted_ms,
					 "%lld ms, the loader waits %lld",
					 (long long) http_header_retry_after_ms(header, NOW, 60000),
					 (long long) wanted_ms);
}

static void
check_accept_encoding(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	AcceptEncoding accept;

	accept_encoding_init(&accept);
	accept_encoding_take(&accept, text);
	fuzz_require(accept.gzip >= -1 && accept.gzip <= 1000 && accept.identity >= -1 &&
					 accept.identity <= 1000 && accept.any >= -1 && accept.any <= 1000,
				 "weights %d, %d, %d", accept.gzip, accept.identity, accept.any);
	if (accept_encoding_wants_gzip(&accept))
		fuzz_require(strcasestr(text, "gzip") != NULL || strchr(text, '*') != NULL,
					 "gzip, which nobody named");
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	HttpHead by_line = {.bytes = 0}, whole = {.bytes = 0};
	HttpHeader header = {.bytes = 0};
	char *bytes = fuzz_copy(data, size);
	size_t taken = take_lines(&by_line, &header, data, size);
	size_t length = size == 0 ? 0 : http_head_take_all(&whole, bytes, size);

	check_head(&by_line);
	check_fields(&by_line.answer);
	/* a NUL would end what the extension keeps; libcurl lets none through */
	if (size > 0 && memchr(data, '\0', size) == NULL)
		check_extension(&by_line.answer, &header);
	fuzz_require(length <= size, "a head longer than the input");
	if (length > 0)
		fuzz_require(length == taken && memcmp(&by_line, &whole, sizeof(whole)) == 0,
					 "line by line it is another head");
	check_accept_encoding(data, size);
	free(bytes);
	return 0;
}
