/*
 * api_reference.c - the dialect of `transferbench serve`.
 */
#include "http/api_request.h"

static bool
post(const ApiTarget *target, const RowType *type, bool ndjson, const char *key,
	 ApiRequest *request)
{
	ApiRequestWriter writer;

	(void) type;
	api_request_open(&writer, request);
	api_save_url(&writer, target);
	api_header(&writer, "Content-Type", ndjson ? "application/x-ndjson" : "application/json");
	if (key != NULL)
		api_header(&writer, "Idempotency-Key", key);
	return api_request_close(&writer);
}

static bool
post_committed(int status)
{
	return status == 200 || status == 201;
}

static bool
post_turned_away(const HttpAnswer *answer, const char *body)
{
	(void) body;
	return answer->status == 429 || answer->status == 503;
}

const ApiDialect api_dialect_reference = {
	.name = "reference",
	.has_info = true,
	.takes_ndjson = true,
	.errors_are_certain = true,
	.may_be_repeated = true,
	.tells_rows = true,
	.get = api_row_limit_get,
	.post = post,
	.check_get = api_row_limit_check_get,
	.post_committed = post_committed,
	.post_turned_away = post_turned_away,
};
