/*
 * api_template.c - the dialect of an API that only its user knows: URLs in full.
 */
#include "http/api_request.h"

static bool
get(const ApiTarget *target, int64_t limit, int64_t offset, ApiRequest *request)
{
	ApiRequestWriter writer;

	api_request_open(&writer, request);
	api_url_template(&writer, target->get_url != NULL ? target->get_url : target->base_url, limit,
					 offset);
	api_header(&writer, "Accept", "application/json");
	return api_request_close(&writer);
}

static bool
post(const ApiTarget *target, const RowType *type, bool ndjson, const char *key,
	 ApiRequest *request)
{
	ApiRequestWriter writer;

	(void) type;
	api_request_open(&writer, request);
	api_url_text(&writer, target->post_url != NULL ? target->post_url : target->base_url);
	api_header(&writer, "Content-Type", ndjson ? "application/x-ndjson" : "application/json");
	if (key != NULL)
		api_header(&writer, "Idempotency-Key", key);
	return api_request_close(&writer);
}

/* What such an API means by a Content-Range is not known. */
static bool
check_get(const HttpAnswer *answer, int64_t limit, int64_t offset, char *problem,
		  size_t problem_size)
{
	(void) limit;
	(void) offset;
	if (answer->status == 200 || answer->status == 201 || answer->status == 204 ||
		answer->status == 206)
		return true;
	return api_refuse_status(answer, problem, problem_size);
}

/* 202 is not among them: accepted is not yet done. */
static bool
post_committed(int status)
{
	return status == 200 || status == 201 || status == 204;
}

const ApiDialect api_dialect_template = {
	.name = "template",
	.takes_ndjson = true,
	.may_be_repeated = true,
	.get = get,
	.post = post,
	.check_get = check_get,
	.post_committed = post_committed,
	.post_turned_away = api_turned_away,
};
