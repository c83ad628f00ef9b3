/*
 * api_info.c - what `transferbench serve` tells about itself: api_info_get, api_usage_get
 * (api_dialect.h).
 */
#include "http/api_dialect.h"
#include "http/api_request.h"
#include "printable_text.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_DOCUMENT_BYTES (64 * 1024)
/* /info names the columns, up to 1600, and the type of each, by schema and name: three names of 63
 * bytes, of which JSON may make six times as many, and some 50 bytes about them. */
#define MAX_DOCUMENT_BYTES (4 * 1024 * 1024)

/* --- a JSON object over HTTP --------------------------------------------------------------- */

static bool
reserve(char **text, size_t *capacity, size_t wanted)
{
	size_t larger = *capacity > 0 ? *capacity : FIRST_DOCUMENT_BYTES;
	char *grown;

	if (wanted <= *capacity)
		return true;
	while (larger < wanted)
		larger *= 2;
	grown = realloc(*text, larger);
	if (grown == NULL)
		return false;
	*text = grown;
	*capacity = larger;
	return true;
}

/* Reads to the end, so that the connection is kept; *text is the caller's to free. False fills
 * problem. */
static bool
read_document(HttpSession *session, char **text, size_t *length, char *problem, size_t problem_size)
{
	HttpResult result;
	const char *bytes;
	size_t piece, capacity = 0;

	*length = 0;
	*text = NULL;
	while ((result = http_session_read(session, &bytes, &piece)) == HTTP_OK && piece > 0)
	{
		if (piece > MAX_DOCUMENT_BYTES - *length)
		{
			snprintf(problem, problem_size, "the answer is longer than %d bytes",
					 MAX_DOCUMENT_BYTES);
			return false;
		}
		if (!reserve(text, &capacity, *length + piece))
		{
			snprintf(problem, problem_size, "out of memory");
			return false;
		}
		memcpy(*text + *length, bytes, piece);
		*length += piece;
	}
	if (result != HTTP_OK)
		snprintf(problem, problem_size, "%s", http_session_problem(session));
	return result == HTTP_OK;
}

static struct json_object *
parse_object(const char *text, size_t length, char *problem, size_t problem_size)
{
	struct json_tokener *parser = json_tokener_new();
	struct json_object *document;
	size_t end;

	if (parser == NULL)
	{
		snprintf(problem, problem_size, "out of memory");
		return NULL;
	}
	document = json_tokener_parse_ex(parser, text, (int) length);
	end = json_tokener_get_parse_end(parser);
	json_tokener_free(parser);
	while (end < length && strchr(" \t\r\n", text[end]) != NULL)
		end++;
	if (end == length && json_object_is_type(document, json_type_object))
		return document;
	snprintf(problem, problem_size, "the answer is no JSON object");
	json_object_put(document);
	return NULL;
}

static struct json_object *
read_object(HttpSession *session, char *problem, size_t problem_size)
{
	struct json_object *document = NULL;
	size_t length;
	char *text;

	if (read_document(session, &text, &length, problem, problem_size))
		document = parse_object(text != NULL ? text : "", length, problem, problem_size);
	free(text);
	return document;
}

/* NULL fills problem. */
static struct json_object *
ask(HttpSession *session, const char *method, const char *base_url, const char *path, char *problem,
	size_t problem_size)
{
	ApiRequestWriter writer;
	ApiRequest written;
	HttpRequest request = {.method = method, .body_bytes = -1};
	HttpAnswer answer;
	HttpResult result;
	char start[1];

	api_request_open(&writer, &written);
	api_url_text(&writer, base_url);
	api_url_text(&writer, path);
	api_header(&writer, "Accept", "application/json");
	if (!api_request_close(&writer))
	{
		snprintf(problem, problem_size, "out of memory");
		return NULL;
	}
	request.url = written.url;
	request.headers = (const char *const *) written.header;
	request.header_count = written.headers;
	result = http_session_send(session, &request, &answer);
	api_request_free(&written);
	if (result == HTTP_OK && answer.status == 200)
		return read_object(session, problem, problem_size);
	if (result != HTTP_OK)
		snprintf(problem, problem_size, "%s", http_session_problem(session));
	else
	{
		http_session_read_short(session, start, sizeof(start));
		api_refuse_status(&answer, problem, problem_size);
	}
	http_session_conceal(session, problem);
	return NULL;
}

/* --- its members ----------------------------------------------------------------------------- */

/* -1 for what is missing, no integer, or negative. */
static int64_t
integer_member(struct json_object *document, const char *name)
{
	struct json_object *member;
	int64_t value;

	if (!json_object_object_get_ex(document, name, &member) ||
		!json_object_is_type(member, json_type_int))
		return -1;
	value = json_object_get_int64(member);
	return value < 0 ? -1 : value;
}

static bool
boolean_member(struct json_object *document, const char *name)
{
	struct json_object *member;

	return json_object_object_get_ex(document, name, &member) &&
		   json_object_is_type(member, json_type_boolean) && json_object_get_boolean(member);
}

/* Cut to size, fit for a message; "" for what is missing or no string. */
static void
string_member(const HttpSession *session, struct json_object *document, const char *name,
			  char *text, size_t size)
{
	struct json_object *member;

	*text = '\0';
	if (!json_object_object_get_ex(document, name, &member) ||
		!json_object_is_type(member, json_type_string))
		return;
	snprintf(text, size, "%s", json_object_get_string(member));
	http_session_conceal(session, text);
	printable_text_make(text);
}

bool
api_info_get(HttpSession *session, const char *base_url, ApiInfo *info, char *problem,
			 size_t problem_size)
{
	struct json_object *document = ask(session, "GET", base_url, "/info", problem, problem_size);
	char program[sizeof(info->server) / 2];
	char version[sizeof(info->server) / 2];

	*info = (ApiInfo){.max_body_bytes = -1, .max_writers = -1};
	if (document == NULL)
		return false;
	info->max_body_bytes = integer_member(document, "max_body_bytes");
	info->idempotency = boolean_member(document, "idempotency");
	info->ndjson = boolean_member(document, "ndjson");
	info->max_writers = integer_member(document, "max_writers");
	string_member(session, document, "program", program, sizeof(program));
	string_member(session, document, "version", version, sizeof(version));
	snprintf(info->server, sizeof(info->server), "%s%s%s", program,
			 *program != '\0' && *version != '\0' ? " " : "", version);
	string_member(session, document, "table", info->table, sizeof(info->table));
	string_member(session, document, "save_table", info->save_table, sizeof(info->save_table));
	string_member(session, document, "database_user", info->database_user,
				  sizeof(info->database_user));
	string_member(session, document, "application_name", info->application_name,
				  sizeof(info->application_name));
	json_object_put(document);
	return true;
}

bool
api_usage_get(HttpSession *session, const char *base_url, bool reset_peak, int64_t *cpu_us,
			  int64_t *resident_bytes, int64_t *peak_bytes)
{
	char problem[1];
	struct json_object *document =
		ask(session, reset_peak ? "POST" : "GET", base_url, "/usage", problem, sizeof(problem));

	*cpu_us = *resident_bytes = *peak_bytes = -1;
	if (document == NULL)
		return false;
	*cpu_us = integer_member(document, "cpu_us");
	*resident_bytes = integer_member(document, "resident_bytes");
	*peak_bytes = integer_member(document, "peak_bytes");
	json_object_put(document);
	return true;
}
