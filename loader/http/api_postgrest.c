/*
 * api_postgrest.c - the dialect of PostgREST (version 11 and later, which know missing=default).
 *
 * https://postgrest.org: 'Tables and Views' (columns, bulk insert, on_conflict), 'Pagination and
 * Count', 'Preferences', 'Schemas' (the Profile headers), 'URL Grammar' (reserved characters).
 */
#include "http/api_request.h"
#include "http/content_range.h"

#include <string.h>

/* unreserved in a list of names, and easier to read as they are */
#define LIST_CHARACTERS ","

static void
table_url(ApiRequestWriter *writer, const ApiTarget *target)
{
	api_url_text(writer, target->base_url);
	api_url_text(writer, "/");
	api_url_escaped(writer, target->table, "");
}

/* Between quotation marks a name may have any character, with a backslash before \ and ". */
static void
column_name(ApiRequestWriter *writer, const char *name)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

	if (name[strspn(name, plain)] == '\0')
	{
		api_url_text(writer, name);
		return;
	}
	api_url_escaped(writer, "\"", "");
	for (; *name != '\0'; name++)
	{
		const char byte[2] = {*name, '\0'};

		if (*name == '"' || *name == '\\')
			api_url_escaped(writer, "\\", "");
		api_url_escaped(writer, byte, "");
	}
	api_url_escaped(writer, "\"", "");
}

static bool
get(const ApiTarget *target, int64_t limit, int64_t offset, ApiRequest *request)
{
	ApiRequestWriter writer;

	api_request_open(&writer, request);
	if (target->get_url != NULL)
		api_url_template(&writer, target->get_url, limit, offset);
	else
	{
		table_url(&writer, target);
		api_url_text(&writer, "?limit=");
		api_url_integer(&writer, limit);
		api_url_text(&writer, "&offset=");
		api_url_integer(&writer, offset);
		if (target->order != NULL)
		{
			api_url_text(&writer, "&order=");
			api_url_escaped(&writer, target->order, LIST_CHARACTERS);
		}
	}
	/* no Prefer: count: PostgREST counts nothing unless asked to */
	api_header(&writer, "Accept", "application/json");
	if (target->schema != NULL)
		api_header(&writer, "Accept-Profile", target->schema);
	return api_request_close(&writer);
}

/* columns= spares PostgREST a look at every row for the keys it has. */
static void
insert_url(ApiRequestWriter *writer, const ApiTarget *target, const RowType *type)
{
	table_url(writer, target);
	api_url_text(writer, "?columns=");
	for (int i = 0; i < type->columns; i++)
	{
		if (i > 0)
			api_url_text(writer, ",");
		column_name(writer, type->column[i].name);
	}
	if (target->on_conflict != NULL)
	{
		api_url_text(writer, "&on_conflict=");
		api_url_escaped(writer, target->on_conflict, LIST_CHARACTERS);
	}
}

static bool
post(const ApiTarget *target, const RowType *type, bool ndjson, const char *key,
	 ApiRequest *request)
{
	ApiRequestWriter writer;

	(void) ndjson; /* not taken, and so never asked for */
	(void) key;    /* it would be ignored, and promise what is not kept */
	api_request_open(&writer, request);
	if (target->post_url != NULL)
		api_url_text(&writer, target->post_url);
	else
		insert_url(&writer, target, type);
	api_header(&writer, "Content-Type", "application/json");
	api_header(&writer, "Prefer",
			   target->on_conflict != NULL
				   ? "return=minimal,missing=default,resolution=ignore-duplicates"
				   : "return=minimal,missing=default");
	if (target->schema != NULL)
		api_header(&writer, "Content-Profile", target->schema);
	return api_request_close(&writer);
}

static bool
check_get(const HttpAnswer *answer, int64_t limit, int64_t offset, char *problem,
		  size_t problem_size)
{
	if (answer->status != 200 && answer->status != 206)
		return api_refuse_status(answer, problem, problem_size);
	return content_range_check(answer->content_range, limit, offset, problem, problem_size);
}

/* 200: a status that a function of the database set, or that of a merge without new rows */
static bool
post_committed(int status)
{
	return status == 200 || status == 201;
}

/*
 * PostgREST answers 503, with Retry-After, for a connection that broke after the statement was sent,
 * too, when nobody knows whether it was committed: PGRST001 and the SQLSTATEs of a session's end.
 * https://postgrest.org, 'Errors'.
 */
static bool
post_turned_away(const HttpAnswer *answer, const char *body)
{
	static const char *const doubtful[] = {"PGRST001", "08", "57P"};
	static const char member[] = "\"code\":\"";
	const char *code = strstr(body, member);

	if (!api_turned_away(answer, body))
		return false;
	for (size_t i = 0; code != NULL && i < sizeof(doubtful) / sizeof(doubtful[0]); i++)
		if (strncmp(code + strlen(member), doubtful[i], strlen(doubtful[i])) == 0)
			return false;
	return true;
}

const ApiDialect api_dialect_postgrest = {
	.name = "postgrest",
	.may_be_repeated = true,
	.get = get,
	.post = post,
	.check_get = check_get,
	.post_committed = post_committed,
	.post_turned_away = post_turned_away,
};
