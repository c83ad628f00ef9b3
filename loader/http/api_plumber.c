/*
 * api_plumber.c - the dialect of a Plumber API with the endpoints that `transferbench serve` has
 * too.
 */
#include "http/api_request.h"

static bool
post(const ApiTarget *target, const RowType *type, bool ndjson, const char *key,
	 ApiRequest *request)
{
	ApiRequestWriter writer;

	(void) type;
	(void) ndjson; /* not taken, and so never asked for */
	(void) key;    /* it would be ignored, and promise what is not kept */
	api_request_open(&writer, request);
	api_save_url(&writer, target);
	api_header(&writer, "Content-Type", "application/json");
	return api_request_close(&writer);
}

static bool
post_committed(int status)
{
	return status == 200 || status == 201;
}

const ApiDialect api_dialect_plumber = {
	.name = "plumber",
	.get = api_row_limit_get,
	.post = post,
	.check_get = api_row_limit_check_get,
	.post_committed = post_committed,
	.post_turned_away = api_turned_away,
};
