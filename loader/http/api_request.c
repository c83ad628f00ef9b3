/*
 * api_request.c - see api_request.h.
 */
#include "http/api_request.h"
#include "http/content_range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
api_request_open(ApiRequestWriter *writer, ApiRequest *request)
{
	*request = (ApiRequest){0};
	*writer = (ApiRequestWriter){.request = request};
	writer->url = open_memstream(&request->url, &writer->url_length);
	writer->failed = writer->url == NULL;
}

bool
api_request_close(ApiRequestWriter *writer)
{
	if (writer->url != NULL && fclose(writer->url) != 0)
		writer->failed = true;
	if (writer->failed)
		api_request_free(writer->request);
	return !writer->failed;
}

void
api_request_free(ApiRequest *request)
{
	free(request->url);
	for (int i = 0; i < request->headers; i++)
		free(request->header[i]);
	*request = (ApiRequest){0};
}

void
api_url_text(ApiRequestWriter *writer, const char *text)
{
	if (!writer->failed)
		writer->failed = fputs(text, writer->url) < 0;
}

void
api_url_integer(ApiRequestWriter *writer, int64_t value)
{
	if (!writer->failed)
		writer->failed = fprintf(writer->url, "%" PRId64, value) < 0;
}

void
api_url_escaped(ApiRequestWriter *writer, const char *text, const char *kept)
{
	static const char unreserved[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

	for (; *text != '\0' && !writer->failed; text++)
		if (strchr(unreserved, *text) != NULL || strchr(kept, *text) != NULL)
			writer->failed = fputc(*text, writer->url) == EOF;
		else
			writer->failed = fprintf(writer->url, "%%%02X", (unsigned char) *text) < 0;
}

void
api_url_template(ApiRequestWriter *writer, const char *text, int64_t limit, int64_t offset)
{
	static const char n[] = "{n}", k[] = "{offset}";

	while (*text != '\0' && !writer->failed)
		if (strncmp(text, n, strlen(n)) == 0)
		{
			api_url_integer(writer, limit);
			text += strlen(n);
		}
		else if (strncmp(text, k, strlen(k)) == 0)
		{
			api_url_integer(writer, offset);
			text += strlen(k);
		}
		else
			writer->failed = fputc(*text++, writer->url) == EOF;
}

void
api_header(ApiRequestWriter *writer, const char *name, const char *value)
{
	ApiRequest *request = writer->request;
	char *header;

	if (writer->failed)
		return;
	header = malloc(strlen(name) + strlen(": ") + strlen(value) + 1);
	if (header == NULL || request->headers == API_MAX_HEADERS)
	{
		free(header);
		writer->failed = true;
		return;
	}
	request->header[request->headers++] = header;
	header = stpcpy(stpcpy(header, name), ": ");
	/* a name of the database may hold any character: none may end the line */
	for (; *value != '\0'; value++)
		*header++ = (unsigned char) *value < ' ' || *value == 0x7f ? '?' : *value;
	*header = '\0';
}

bool
api_row_limit_get(const ApiTarget *target, int64_t limit, int64_t offset, ApiRequest *request)
{
	ApiRequestWriter writer;

	api_request_open(&writer, request);
	if (target->get_url != NULL)
		api_url_template(&writer, target->get_url, limit, offset);
	else
	{
		api_url_text(&writer, target->base_url);
		api_url_text(&writer, "/load_from_db?row_limit=");
		api_url_integer(&writer, limit);
		api_url_text(&writer, "&offset=");
		api_url_integer(&writer, offset);
	}
	api_header(&writer, "Accept", "application/json");
	return api_request_close(&writer);
}

void
api_save_url(ApiRequestWriter *writer, const ApiTarget *target)
{
	if (target->post_url != NULL)
	{
		api_url_text(writer, target->post_url);
		return;
	}
	api_url_text(writer, target->base_url);
	api_url_text(writer, "/save_to_db");
}

bool
api_turned_away(const HttpAnswer *answer, const char *body)
{
	(void) body;
	return answer->status == 429 || (answer->status == 503 && *answer->retry_after != '\0');
}

bool
api_row_limit_check_get(const HttpAnswer *answer, int64_t limit, int64_t offset, char *problem,
						size_t problem_size)
{
	/* 201: there were no rows */
	if (answer->status != 200 && answer->status != 201)
		return api_refuse_status(answer, problem, problem_size);
	return content_range_check(answer->content_range, limit, offset, problem, problem_size);
}

static const char *
hint_for(int status)
{
	if (status == 401)
		return ": see --token-file, --token-env";
	return status >= 300 && status < 400 ? " (a redirect is not followed)" : "";
}

bool
api_refuse_status(const HttpAnswer *answer, char *problem, size_t problem_size)
{
	const char *hint = hint_for(answer->status);

	if (answer->www_authenticate[0] != '\0')
		snprintf(problem, problem_size, "HTTP status %d (WWW-Authenticate: %s)%s", answer->status,
				 answer->www_authenticate, hint);
	else
		snprintf(problem, problem_size, "HTTP status %d%s", answer->status, hint);
	return false;
}
