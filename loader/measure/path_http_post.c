/*
 * path_http_post.c - batches as JSON by POST: one request a batch, over a kept-alive
 * connection.
 *
 * What is repeated, and what is not: a request that surely was not processed (no connection, 429,
 * 503) always may be; one whose answer was lost, or whose answer does not say whether anything was
 * written (other 5xx, but for the reference endpoint, whose errors all mean that nothing was), only when the endpoint is known to write it once (Idempotency-Key, on_conflict).
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

#define ANSWER_MAX      512 /* bytes of an answer's body that are looked at or shown */
#define SQLSTATE_LENGTH 5

/* What an attempt says of its batch. */
typedef enum Attempt
{
	ATTEMPT_COMMITTED,
	ATTEMPT_LATER,   /* surely not written; another time may be better */
	ATTEMPT_REFUSED, /* surely not written, nor would it be the next time */
	ATTEMPT_UNKNOWN, /* nobody knows */
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

/* {"rows": k}: what `serve` says it wrote; -1 when the answer does not tell. */
static int64_t
rows_of_answer(const char *body)
{
	struct json_object *document = json_tokener_parse(body);
	struct json_object *rows;
	int64_t result = -1;

	if (json_object_is_type(document, json_type_object) &&
		json_object_object_get_ex(document, "rows", &rows) &&
		json_object_is_type(rows, json_type_int))
		result = json_object_get_int64(rows);
	json_object_put(document);
	return result;
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
		json_object_object_get_ex(document, "detail", &member))
	{
		const char *detail = json_object_get_string(member);

		if (strlen(detail) > SQLSTATE_LENGTH && detail[SQLSTATE_LENGTH] == ':' && !may_pass(detail))
			result = ATTEMPT_REFUSED;
	}
	json_object_put(document);
	return result;
}

static Attempt
judge_committed(WriteJob *job, const Batch *batch, const char *body)
{
	int64_t rows = rows_of_answer(body);

	if (rows < 0 || rows == batch->rows)
		return ATTEMPT_COMMITTED;
	write_job_problem(job, "batch %lld: the endpoint says that it wrote %lld rows, %lld were sent",
					  (long long) batch->number, (long long) rows, (long long) batch->rows);
	return ATTEMPT_UNKNOWN;
}

/* Sorts out an answer; the words of a refusal are kept in `why`. */
static Attempt
judge_answer(WriteJob *job, const Batch *batch, const HttpAnswer *answer, char *why, size_t size)
{
	char body[ANSWER_MAX];

	http_session_read_short(job->http, body, sizeof(body));
	if (job->plan->dialect->post_committed(answer->status))
		return judge_committed(job, batch, body);
	snprintf(why, size, "HTTP %d%s%s", answer->status, *body == '\0' ? "" : ": ", body);
	if (retry_policy_status(answer->status))
		return ATTEMPT_LATER;
	if (answer->status < 500)
		return ATTEMPT_REFUSED;
	return job->plan->dialect->errors_are_certain ? judge_certain_error(body) : ATTEMPT_UNKNOWN;
}

static Attempt
judge_loss(WriteJob *job, const Batch *batch, const HttpAnswer *answer, char *why, size_t size)
{
	if (!answer->closed_while_sending)
	{
		snprintf(why, size, "%s", http_session_problem(job->http));
		return ATTEMPT_UNKNOWN;
	}
	/* a body that did not come whole is no JSON array, and short of its Content-Length */
	snprintf(why, size,
			 "the endpoint closed the connection after %lld of %lld bytes of the body, without an "
			 "answer: probably its limit of a body's size (see --max-body-bytes, --batch-rows)",
			 (long long) answer->sent_body_bytes, (long long) batch->wire_bytes);
	return ATTEMPT_REFUSED;
}

static Attempt
attempt(WriteJob *job, const Batch *batch, const ApiRequest *api, HttpAnswer *answer, char *why,
		size_t size)
{
	const HttpRequest request = {
		.method = "POST",
		.url = api->url,
		.headers = (const char *const *) api->header,
		.header_count = api->headers,
		.body_bytes = batch->wire_bytes,
		.body = batch_cursor_read_body,
		.body_context = job->cursor,
	};
	HttpResult result = http_session_send(job->http, &request, answer);

	switch (result)
	{
		case HTTP_OK:
			return judge_answer(job, batch, answer, why, size);
		case HTTP_LOST:
			return judge_loss(job, batch, answer, why, size);
		case HTTP_NOT_SENT:
			snprintf(why, size, "%s", http_session_problem(job->http));
			return ATTEMPT_LATER;
		case HTTP_INTERRUPTED:
			job->interrupted = true;
			snprintf(why, size, "interrupted before the answer came");
			return ATTEMPT_UNKNOWN;
		case HTTP_OUT_OF_MEMORY:
			break;
	}
	snprintf(why, size, "out of memory");
	return ATTEMPT_UNKNOWN;
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

static BatchOutcome
send_batch(WriteJob *job, const Batch *batch, const ApiRequest *api)
{
	bool repeatable = api_post_is_repeatable(job->plan->dialect, &job->plan->target);
	bool in_doubt = false; /* since an attempt whose end nobody knows */
	char why[ANSWER_MAX + 256];

	for (int number = 1;; number++)
	{
		HttpAnswer answer;
		Attempt said = attempt(job, batch, api, &answer, why, sizeof(why));

		if (said == ATTEMPT_COMMITTED)
			return BATCH_COMMITTED;
		/* a refusal of a repeated request says nothing of the first one */
		in_doubt |= said == ATTEMPT_UNKNOWN;
		if (said == ATTEMPT_REFUSED || (said == ATTEMPT_UNKNOWN && !repeatable) ||
			job->interrupted || number > job->plan->retry.max_retries ||
			!wait_for_retry(job, number, answer.retry_after))
			break;
	}
	write_job_problem(job, "batch %lld (rows %lld-%lld): %s", (long long) batch->number,
					  (long long) batch->first_row,
					  (long long) (batch->first_row + batch->rows - 1), why);
	return in_doubt ? BATCH_IN_DOUBT : BATCH_NOT_WRITTEN;
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
