/*
 * http_header_list.c - see http_header_list.h.
 */
#include "http/http_header_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Takes the list over, and gives it back longer; NULL, with the list freed, when out of memory. */
static struct curl_slist *
append(struct curl_slist *list, const char *line)
{
	struct curl_slist *longer = curl_slist_append(list, line);

	if (longer == NULL)
		curl_slist_free_all(list);
	return longer;
}

/* By the name of `header`, which ends with a colon. */
static bool
has_header(const char *const *headers, int count, const char *header)
{
	size_t length = strcspn(header, ":") + 1;

	for (int i = 0; i < count; i++)
		if (strncasecmp(headers[i], header, length) == 0)
			return true;
	return false;
}

/* libcurl takes "Name:" for a header that is not to be sent, "Name;" for one with an empty value */
static struct curl_slist *
append_header(struct curl_slist *list, const char *header)
{
	size_t name_length = strcspn(header, ":");
	const char *value = header + name_length + 1;
	struct curl_slist *longer;
	char *empty;

	if (value[strspn(value, " \t")] != '\0')
		return append(list, header);
	empty = strndup(header, name_length + 1);
	if (empty == NULL)
	{
		curl_slist_free_all(list);
		return NULL;
	}
	empty[name_length] = ';';
	longer = append(list, empty);
	free(empty);
	return longer;
}

static struct curl_slist *
append_token(struct curl_slist *list, const char *token)
{
	static const char prefix[] = "Authorization: Bearer ";
	struct curl_slist *longer = NULL;
	char *line = malloc(strlen(prefix) + strlen(token) + 1);

	if (line == NULL)
	{
		curl_slist_free_all(list);
		return NULL;
	}
	strcpy(stpcpy(line, prefix), token);
	longer = append(list, line);
	explicit_bzero(line, strlen(line));
	free(line);
	return longer;
}

struct curl_slist *
http_header_list(const HttpOptions *options, const HttpRequest *request)
{
	/* libcurl would send it for a large body, and wait for an answer that few servers give */
	struct curl_slist *list = append(NULL, "Expect:");

	for (int i = 0; list != NULL && i < options->header_count; i++)
		list = append_header(list, options->headers[i]);
	for (int i = 0; list != NULL && i < request->header_count; i++)
		if (!has_header(options->headers, options->header_count, request->headers[i]))
			list = append_header(list, request->headers[i]);
	if (list != NULL && options->accept_gzip)
		list = append(list, "Accept-Encoding: gzip");
	if (list != NULL && options->token != NULL &&
		!has_header(options->headers, options->header_count, "Authorization:"))
		list = append_token(list, options->token);
	/* libcurl's default is that of an HTML form */
	if (list != NULL && !has_header(options->headers, options->header_count, "Content-Type:") &&
		!has_header(request->headers, request->header_count, "Content-Type:"))
		list = append(list, "Content-Type:");
	return list;
}
