/* path_http_get.c - rows as JSON from an API, in one request or page by page. */
#include "clock.h"
#include "interrupt.h"
#include "measure/read_path.h"
#include "printable_text.h"
#include "rows/row_reader.h"
#include "splitmix64.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BODY_START_MAX 200  /* bytes of an error's body that are shown */
#define SURPLUS_MAX    1000 /* rows that are read, to be counted, beyond those that were asked for */

typedef struct HttpGet
{
	ReadJob *job;
	RowReader *reader;
	Value *values;
	uint64_t random;
	int64_t rows_before;            /* in the sink, when the current answer began */
	int64_t limit;                  /* rows that it was asked for */
	int status;                     /* of that answer */
	char start[BODY_START_MAX + 1]; /* how its body begins, terminated */
	size_t started;
} HttpGet;

static ReadOutcome
fail_by_session(HttpGet *get, HttpResult result)
{
	if (result == HTTP_INTERRUPTED)
		return READ_INTERRUPTED;
	return read_job_fail(get->job, "%s", http_session_problem(get->job->http));
}

/* An answer that has no rows: its status, and how its body begins. */
static ReadOutcome
fail_by_answer(HttpGet *get, const char *problem)
{
	char body[BODY_START_MAX];

	http_session_read_short(get->job->http, body, sizeof(body));
	http_session_conceal(get->job->http, body);
	return read_job_fail(get->job, "%s%s%s", problem, *body == '\0' ? "" : ": ", body);
}

/* A body without a row is perhaps a message, whatever the status says. */
static ReadOutcome
fail_by_body(HttpGet *get, const char *problem)
{
	if (get->job->sink->rows > get->rows_before || get->started == 0)
		return read_job_fail(get->job, "%s", problem);
	printable_text_make(get->start);
	http_session_conceal(get->job->http, get->start);
	return read_job_fail(get->job, "%s (HTTP status %d; the body begins: %s)", problem, get->status,
						 get->start);
}

static ReadOutcome
fail_by_refusal(HttpGet *get, const HttpAnswer *answer, int retries)
{
	char problem[64];

	snprintf(problem, sizeof(problem), "HTTP status %d, after %d %s", answer->status, retries,
			 retries == 1 ? "retry" : "retries");
	return fail_by_answer(get, problem);
}

/* Waits before another attempt; false when interrupted. */
static bool
wait_for_retry(HttpGet *get, int attempt, const char *retry_after)
{
	ReadJob *job = get->job;
	int64_t start_ns = clock_now_ns();
	bool interrupted;

	get->random = splitmix64_mix(get->random + SPLITMIX64_GAMMA);
	interrupted = interrupt_sleep_ms(
		retry_policy_wait_ms(&job->plan->retry, attempt, retry_after, time(NULL), get->random));
	job->retries++;
	job->retry_wait_ns += clock_now_ns() - start_ns;
	return !interrupted;
}

/* Sends the request until there is an answer that is none of "come again later". */
static ReadOutcome
send_until_answered(HttpGet *get, const HttpRequest *request, HttpAnswer *answer)
{
	ReadJob *job = get->job;

	for (int attempt = 1;; attempt++)
	{
		HttpResult result = http_session_send(job->http, request, answer);
		bool is_last = attempt > job->plan->retry.max_retries;

		if (result != HTTP_OK && (result != HTTP_NOT_SENT || is_last))
			return fail_by_session(get, result);
		if (result == HTTP_OK && !retry_policy_status(answer->status))
			return READ_DONE;
		if (is_last)
			return fail_by_refusal(get, answer, attempt - 1);
		if (!wait_for_retry(get, attempt, answer->retry_after))
			return READ_INTERRUPTED;
	}
}

/* An answer may go on for ever. */
static ReadOutcome
fail_by_surplus(HttpGet *get)
{
	return read_job_fail(get->job,
						 "the endpoint sent more than %lld rows where %lld were asked for",
						 (long long) (get->limit + SURPLUS_MAX), (long long) get->limit);
}

/* Takes the rows that are whole; false when the body is over. */
static bool
take_rows(HttpGet *get, ReadOutcome *outcome)
{
	ReadJob *job = get->job;

	for (;;)
	{
		switch (row_reader_next(get->reader, get->values))
		{
			case ROW_READ_ROW:
				if (!row_sink_take(job->sink, get->values))
					*outcome = read_job_fail_by_sink(job);
				else if (job->sink->rows - get->rows_before - get->limit > SURPLUS_MAX)
					*outcome = fail_by_surplus(get);
				else
					continue;
				return false;
			case ROW_READ_MORE:
				return true;
			case ROW_READ_END:
				*outcome = READ_DONE;
				return false;
			case ROW_READ_FAILED:
				*outcome = fail_by_body(get, row_reader_problem(get->reader));
				return false;
		}
	}
}

static void
keep_start(HttpGet *get, const char *bytes, size_t length)
{
	size_t room = BODY_START_MAX - get->started;

	if (length > room)
		length = room;
	memcpy(get->start + get->started, bytes, length);
	get->started += length;
	get->start[get->started] = '\0';
}

static ReadOutcome
read_body(HttpGet *get)
{
	ReadJob *job = get->job;
	ReadOutcome outcome;

	for (;;)
	{
		const char *bytes;
		size_t length;
		int64_t start_ns = clock_now_ns();
		HttpResult result = http_session_read(job->http, &bytes, &length);

		job->receive_ns += clock_now_ns() - start_ns;
		if (result != HTTP_OK)
			return fail_by_session(get, result);
		if (length == 0)
			break;
		job->bytes += (int64_t) length;
		keep_start(get, bytes, length);
		row_reader_feed(get->reader, bytes, length);
		if (!take_rows(get, &outcome))
			return outcome;
	}
	row_reader_finish(get->reader);
	if (take_rows(get, &outcome))
		return fail_by_body(get, "the body ended within a row");
	return outcome;
}

/* What the media type says of the body's shape. */
static JsonShape
demanded_shape(const HttpAnswer *answer)
{
	if (strcmp(answer->media_type, "application/x-ndjson") == 0)
		return JSON_SHAPE_LINES;
	return answer->says_columns ? JSON_SHAPE_COLUMNS : JSON_SHAPE_UNKNOWN;
}

static ReadOutcome
read_page(HttpGet *get, int64_t limit, int64_t offset)
{
	const ReadPlan *plan = get->job->plan;
	ApiRequest page;
	HttpRequest request = {.method = "GET", .body_bytes = -1};
	HttpAnswer answer;
	char problem[256];
	ReadOutcome outcome;

	if (!plan->dialect->get(&plan->target, limit, offset, &page))
		return read_job_fail(get->job, "out of memory");
	request.url = page.url;
	request.headers = (const char *const *) page.header;
	request.header_count = page.headers;
	outcome = send_until_answered(get, &request, &answer);
	get->status = answer.status;
	get->rows_before = get->job->sink->rows;
	get->limit = limit;
	get->started = 0;
	row_reader_json_reset(get->reader, demanded_shape(&answer));
	if (outcome == READ_DONE)
		outcome = plan->dialect->check_get(&answer, limit, offset, problem, sizeof(problem))
					  ? read_body(get)
					  : fail_by_answer(get, problem);
	api_request_free(&page);
	return outcome;
}

/* Pages until n rows are there, or one is not full. */
static ReadOutcome
read_pages(HttpGet *get, int64_t n)
{
	int64_t page_rows = get->job->plan->page_rows > 0 ? get->job->plan->page_rows : n;
	RowSink *sink = get->job->sink;
	int64_t offset = 0;
	ReadOutcome outcome;

	do
	{
		int64_t limit = n - offset < page_rows ? n - offset : page_rows;

		outcome = read_page(get, limit, offset);
		if (outcome == READ_DONE && sink->rows > offset + limit)
			return read_job_fail(get->job, "the endpoint sent %lld rows where %lld were asked for",
								 (long long) (sink->rows - offset), (long long) limit);
		if (outcome != READ_DONE || sink->rows < offset + limit)
			return outcome;
		offset += limit;
	} while (offset < n);
	return READ_DONE;
}

static ReadOutcome
run(ReadJob *job, int64_t n)
{
	HttpGet get = {
		.job = job,
		.reader = row_reader_json(job->sink->type, JSON_SHAPE_UNKNOWN, ROW_READER_MAX_ROW_BYTES),
		.values = calloc((size_t) job->sink->type->columns, sizeof(Value)),
		.random = (uint64_t) clock_now_ns(),
	};
	ReadOutcome outcome = READ_FAILED;
	HttpTotals totals;

	job->retries = job->retry_wait_ns = job->requests = 0;
	if (get.reader == NULL || get.values == NULL)
		read_job_fail(job, "out of memory");
	else
		outcome = read_pages(&get, n);
	if (get.reader != NULL)
	{
		job->sink->missing_values = row_reader_missing_values(get.reader);
		job->sink->na_values = row_reader_na_values(get.reader);
	}
	totals = http_session_totals(job->http);
	job->requests = totals.requests;
	job->wire_bytes = totals.wire_bytes_received;
	job->connect_ns = totals.connect_ns;
	job->first_byte_ns = totals.first_byte_ns;
	job->receive_ns -= totals.inflate_ns;
	row_reader_free(get.reader);
	free(get.values);
	return outcome;
}

static bool
open_session(ReadJob *job)
{
	job->http = http_session_create(job->plan->http, interrupt_fd());
	if (job->http == NULL)
		read_job_fail(job, "out of memory");
	return job->http != NULL;
}

static void
close_session(ReadJob *job)
{
	http_session_free(job->http);
	job->http = NULL;
}

const ReadPath read_path_http_json = {
	.name = "http-json",
	.open = open_session,
	.run = run,
	.close = close_session,
};
