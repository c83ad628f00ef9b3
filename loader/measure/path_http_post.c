/*
 * path_http_post.c - batches as JSON by POST: one request a batch, over a kept-alive connection.
 *
 * What is repeated, and what is not: a request that surely wrote nothing (no connection, a body that
 * was not sent whole, 429, 503 as the dialect has it, any 5xx of the reference endpoint) always may
 * be; one whose answer was lost, or leaves it open, only where that cannot write twice
 * (Idempotency-Key, on_conflict). A body of lines counts as sent from its first byte on, where an
 * endpoint may take them one by one.
 *
 * Where rows may have been written, that is what is said. A status below 200 or above 299 is no proof
 * of the contrary: 303 is what a form's handler answers when it is done.
 */
#include "clock.h"
#include "interrupt.h"
#include "measure/write_path.h"
#include "splitmix64.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ANSWER_MAX      (64 * 1024) /* bytes of an answer's body that are looked at */
#define SHOWN_MAX       400         /* and shown */
#define WHY_SIZE        (SHOWN_MAX + 256)
#define SQLSTATE_LENGTH 5
#define FINISH_MS       10000 /* for the answers of requests under way when a stop was asked for */

/* What an attempt says of its batch. */
typedef enum Attempt
{
	ATTEMPT_COMMITTED,
	ATTEMPT_LATER,   /* surely not written; another time may be better */
	ATTEMPT_REFUSED, /* surely not written, nor would it be the next time */
	ATTEMPT_UNKNOWN, /* nobody knows */
	ATTEMPT_UNCLEAR, /* nor would the next answer tell */
} Attempt;

static bool
open_job(WriteJob *job)
{
	job->requests = job->retries = job->wire_bytes = 0;
	job->random = splitmix64_mix((uint64_t) clock_now_ns() ^ (uint64_t) (uintptr_t) job);
	job->http = http_session_create(job->plan->http, interrupt_fd());
	if (job->http == NULL)
		write_job_problem(job, "out of memory");
	return job->http != NULL;
}

static void
close_job(WriteJob *job)
{
	http_session_free(job->http);
	job->http = NULL;
}

/* Classes of SQLSTATE that another time may not bring: connection exceptions, rollbacks by conflict,
 * insufficient resources, operator intervention, system errors. */
static bool
may_pass(const char *sqlstate)
{
	static const char *const classes[] = {"08", "40", "53", "57", "58"};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strncmp(sqlstate, classes[i], 2) == 0)
			return true;
	return false;
}

/* An error of an endpoint whose errors all say that nothing was written. Its detail begins with the
 * database's SQLSTATE, unless the database could not be reached at all. */
static Attempt
judge_certain_error(const char *body)
{
	struct json_object *document = json_tokener_parse(body);
	struct json_object *member;
	Attempt result = ATTEMPT_LATER;

	if (json_object_is_type(document, json_type_object) &&
		json_object_object_get_ex(document, "detail", &member) &&
		json_object_is_type(member, json_type_string))
	{
		const char *detail = json_object_get_string(member);

		if (strlen(detail) > SQLSTATE_LENGTH && detail[SQLSTATE_LENGTH] == ':' && !may_pass(detail))
			result = ATTEMPT_REFUSED;
	}
	json_object_put(document);
	return result;
}

/* What the person can do about a status. */
static const char *
advice(int status)
{
	if (status == 401)
		return " (see --token-file, --token-env)";
	if (status == 413)
		return " (see --max-body-bytes, --batch-rows)";
	return status >= 300 && status < 400 ? " (a redirect is not followed)" : "";
}

/* What is shown of an answer's body: ends where a character does, and tells no secret. */
static void
show_body(const WriteJob *job, const char *body, char shown[SHOWN_MAX + 1])
{
	size_t length = strnlen(body, SHOWN_MAX + 1);

	if (length > SHOWN_MAX)
		for (length = SHOWN_MAX; length > 0 && ((unsigned char) body[length] & 0xc0) == 0x80;)
			length--;
	memcpy(shown, body, length);
	shown[length] = '\0';
	http_session_conceal(job->http, shown);
}

/* Half an answer may be that of an endpoint that died before it was done. */
static Attempt
judge_broken_answer(WriteJob *job, const HttpAnswer *answer, HttpResult read, char *why)
{
	job->interrupted |= read == HTTP_INTERRUPTED;
	snprintf(why, WHY_SIZE, "HTTP %d, but the answer broke off: %s", answer->status,
			 read == HTTP_OUT_OF_MEMORY ? "out of memory" : http_session_problem(job->http));
	return ATTEMPT_UNKNOWN;
}

/* Sorts out an answer whose status says that the rows are committed. */
static Attempt
judge_success(WriteJob *job, const Batch *batch, const HttpAnswer *answer, char *why)
{
	char body[ANSWER_MAX], shown[SHOWN_MAX + 1], problem[200];
	HttpResult read = http_session_read_text(job->http, body, sizeof(body));

	if (read != HTTP_OK)
		return judge_broken_answer(job, answer, read, why);
	if (api_post_is_confirmed(job->plan->dialect, answer, body, batch->rows, problem,
							  sizeof(problem)))
		return ATTEMPT_COMMITTED;
	show_body(job, body, shown);
	snprintf(why, WHY_SIZE, "HTTP %d, but %s%s%s", answer->status, problem,
			 *shown == '\0' ? "" : ": ", shown);
	return ATTEMPT_UNCLEAR;
}

/* A body that did not come whole is no JSON array, and short of its Content-Length; but lines may be
 * committed one by one, unless the endpoint is known not to do so. */
static bool
may_be_written(const WriteJob *job, const Batch *batch, const HttpAnswer *answer)
{
	if (job->plan->ndjson && !job->plan->dialect->errors_are_certain)
		return answer->sent_body_bytes > 0;
	return answer->sent_body_bytes >= batch->wire_bytes;
}

/* Accepted is not yet done; and of a redirect only these two say that nothing was done. */
static bool
leaves_it_open(int status)
{
	return status < 400 && status != 307 && status != 308;
}

/* An answer that came before the end of the body does not say how many lines went before it. */
static bool
is_cut_between_lines(const WriteJob *job, const Batch *batch, const HttpAnswer *answer)
{
	return answer->sent_body_bytes < batch->wire_bytes && may_be_written(job, batch, answer);
}

/* Sorts out any other answer. */
static Attempt
judge_answer(WriteJob *job, const Batch *batch, const HttpAnswer *answer, char *why)
{
	const ApiDialect *dialect = job->plan->dialect;
	char body[ANSWER_MAX], shown[SHOWN_MAX + 1];

	http_session_read_short(job->http, body, sizeof(body));
	show_body(job, body, shown);
	snprintf(why, WHY_SIZE, "HTTP %d%s%s%s", answer->status, *shown == '\0' ? "" : ": ", shown,
			 advice(answer->status));
	if (retry_policy_status(answer->status) && dialect->post_turned_away(answer, body))
		return ATTEMPT_LATER;
	if (leaves_it_open(answer->status) || is_cut_between_lines(job, batch, answer))
		return ATTEMPT_UNCLEAR;
	if (answer->status < 500)
		return ATTEMPT_REFUSED;
	return dialect->errors_are_certain ? judge_certain_error(body) : ATTEMPT_UNKNOWN;
}

static Attempt
judge_loss(const WriteJob *job, const Batch *batch, const HttpAnswer *answer, char *why)
{
	bool is_open = may_be_written(job, batch, answer);

	if (!answer->closed_while_sending)
	{
		snprintf(why, WHY_SIZE, "%s", http_session_problem(job->http));
		return is_open ? ATTEMPT_UNKNOWN : ATTEMPT_LATER;
	}
	snprintf(why, WHY_SIZE,
			 "the endpoint closed the connection after %lld of %lld bytes of the body, without an "
			 "answer: probably its limit of a body's size (see --max-body-bytes, --batch-rows)",
			 (long long) answer->sent_body_bytes, (long long) batch->wire_bytes);
	return is_open ? ATTEMPT_UNKNOWN : ATTEMPT_REFUSED;
}

static Attempt
judge_interrupt(WriteJob *job, const Batch *batch, const HttpAnswer *answer, char *why)
{
	job->interrupted = true;
	snprintf(why, WHY_SIZE, "%s", http_session_problem(job->http));
	return may_be_written(job, batch, answer) ? ATTEMPT_UNKNOWN : ATTEMPT_LATER;
}

static Attempt
attempt(WriteJob *job, const Batch *batch, const ApiRequest *api, HttpAnswer *answer, char *why)
{
	const HttpRequest request = {
		.method = "POST",
		.url = api->url,
		.headers = (const char *const *) api->header,
		.header_count = api->headers,
		.body_bytes = batch->wire_bytes,
		.body = batch_cursor_read_body,
		.body_context = job->cursor,
		.finish_ms = FINISH_MS,
	};

	switch (http_session_send(job->http, &request, answer))
	{
		case HTTP_OK:
			return job->plan->dialect->post_committed(answer->status)
					   ? judge_success(job, batch, answer, why)
					   : judge_answer(job, batch, answer, why);
		case HTTP_LOST:
			return judge_loss(job, batch, answer, why);
		case HTTP_INTERRUPTED:
			return judge_interrupt(job, batch, answer, why);
		case HTTP_NOT_SENT:
			snprintf(why, WHY_SIZE, "%s", http_session_problem(job->http));
			return answer->is_hopeless ? ATTEMPT_REFUSED : ATTEMPT_LATER;
		case HTTP_OUT_OF_MEMORY:
			break;
	}
	snprintf(why, WHY_SIZE, "out of memory");
	return may_be_written(job, batch, answer) ? ATTEMPT_UNKNOWN : ATTEMPT_REFUSED;
}

/* Waits before another attempt; false when interrupted. */
static bool
wait_for_retry(WriteJob *job, int number, const char *retry_after)
{
	int64_t start_ns = clock_now_ns();
	bool interrupted;

	job->random = splitmix64_mix(job->random + SPLITMIX64_GAMMA);
	interrupted = interrupt_sleep_ms(
		retry_policy_wait_ms(&job->plan->retry, number, retry_after, time(NULL), job->random));
	job->retries++;
	job->retry_wait_ns += clock_now_ns() - start_ns;
	job->interrupted |= interrupted;
	return !interrupted;
}

static bool
may_repeat(const WriteJob *job, Attempt said, int number)
{
	bool is_worth_it =
		said == ATTEMPT_LATER ||
		(said == ATTEMPT_UNKNOWN && api_post_is_repeatable(job->plan->dialect, &job->plan->target));

	return is_worth_it && !job->interrupted && number <= job->plan->retry.max_retries;
}

/* Of rows in doubt the reason is why nobody knows, whatever came of asking again. */
static void
keep_reason(WriteJob *job, const Batch *batch, const char *doubt, const char *last)
{
	bool is_same = *doubt == '\0' || strcmp(doubt, last) == 0;

	write_job_problem(job, "batch %lld (rows %lld-%lld): %s%s%s", (long long) batch->number,
					  (long long) batch->first_row,
					  (long long) (batch->first_row + batch->rows - 1), is_same ? last : doubt,
					  is_same ? "" : "; when sent again: ", is_same ? "" : last);
}

static BatchOutcome
send_batch(WriteJob *job, const Batch *batch, const ApiRequest *api)
{
	char doubt[WHY_SIZE] = ""; /* of the first attempt whose end nobody knows */
	char why[WHY_SIZE] = "";

	for (int number = 1;; number++)
	{
		HttpAnswer answer;
		Attempt said = attempt(job, batch, api, &answer, why);

		http_session_conceal(job->http, why);
		if (said == ATTEMPT_COMMITTED)
			return BATCH_COMMITTED;
		/* a refusal of a repeated request says nothing of the first one */
		if (*doubt == '\0' && (said == ATTEMPT_UNKNOWN || said == ATTEMPT_UNCLEAR))
			memcpy(doubt, why, sizeof(doubt));
		if (!may_repeat(job, said, number) || !wait_for_retry(job, number, answer.retry_after))
			break;
	}
	/* that a stop was asked for is no problem of the batch */
	if (*doubt != '\0' || !job->interrupted)
		keep_reason(job, batch, doubt, why);
	return *doubt != '\0' ? BATCH_IN_DOUBT : BATCH_NOT_WRITTEN;
}

/* One key per batch, the same for all its attempts: run, trial, number. */
static void
make_key(const WriteJob *job, const Batch *batch, char *key, size_t size)
{
	snprintf(key, size, "%s-%d-%lld", job->plan->run_id, job->trial, (long long) batch->number);
}

/* Frees what was made when it fails. */
static bool
make_request(const WriteJob *job, const Batch *batch, ApiRequest *api)
{
	const WritePlan *plan = job->plan;
	char key[64];

	make_key(job, batch, key, sizeof(key));
	if (!plan->dialect->post(&plan->target, plan->type, plan->ndjson,
							 plan->target.idempotency_key ? key : NULL, api))
		return false;
	if (!plan->gzip)
		return true;
	if (api->headers < API_MAX_HEADERS)
		api->header[api->headers] = strdup("Content-Encoding: gzip");
	if (api->headers < API_MAX_HEADERS && api->header[api->headers++] != NULL)
		return true;
	api_request_free(api);
	return false;
}

static BatchOutcome
write_batch(WriteJob *job, const Batch *batch)
{
	ApiRequest api = {0};
	BatchOutcome outcome = BATCH_NOT_WRITTEN;
	HttpTotals totals;

	if (make_request(job, batch, &api))
		outcome = send_batch(job, batch, &api);
	else
		write_job_problem(job, "out of memory");
	api_request_free(&api);
	totals = http_session_totals(job->http);
	job->requests = totals.requests;
	job->wire_bytes = totals.wire_bytes_sent;
	job->connect_ns = totals.connect_ns;
	job->first_byte_ns = totals.first_byte_ns;
	return outcome;
}

static const RowEncoder *
encoder(const WritePlan *plan)
{
	return plan->ndjson ? &row_encoder_ndjson : &row_encoder_json_array;
}

const WritePath write_path_http_json = {
	.name = "http-json",
	.holds_batches = true,
	.encoder = encoder,
	.open = open_job,
	.write = write_batch,
	.close = close_job,
};
