/*
 * http_answer_fuzz.c - the head of an answer, as the loader keeps it: the same line by line and as a
 * whole, printable, and what is made of its fields (Content-Range, Retry-After) within bounds. The
 * same bytes as a client's Accept-Encoding, for `serve`.
 */
#include "fuzz.h"
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

/* Lines as libcurl hands them on, each in a block of its own; the bytes taken. */
static size_t
take_lines(HttpHead *head, const uint8_t *data, size_t size)
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
	char *bytes = fuzz_copy(data, size);
	size_t taken = take_lines(&by_line, data, size);
	size_t length = size == 0 ? 0 : http_head_take_all(&whole, bytes, size);

	check_head(&by_line);
	check_fields(&by_line.answer);
	fuzz_require(length <= size, "a head longer than the input");
	if (length > 0)
		fuzz_require(length == taken && memcmp(&by_line, &whole, sizeof(whole)) == 0,
					 "line by line it is another head");
	check_accept_encoding(data, size);
	free(bytes);
	return 0;
}
