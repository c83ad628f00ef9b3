/*
 * http_headers_fuzz.c - a header as a person gives it, its name on the first line of the input, its
 * value the rest: what the extension (http_headers.c) and the loader (http_check.c) take becomes one
 * line of a request, and no more.
 */
#include "postgres.h"

#include "fuzz.h"
#include "http_headers.h"
#include "http/http_header_list.h"

typedef struct Request
{
	Jsonb *headers;
	List *lines; /* the result */
} Request;

static void
make_lines(void *request_)
{
	Request *request = request_;

	request->lines = http_headers_from_jsonb(request->headers);
}

/* RFC 9110, section 5.6.2 */
static size_t
token_length(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
						"!#$%&'*+-.^_`|~");
}

/* One line "Name: value", or "Name;" of an empty value. */
static void
check_line(const char *line, const char *name)
{
	size_t length = token_length(line);

	fuzz_require(length == strlen(name) && strncmp(line, name, length) == 0 && length > 0,
				 "another name than %s: %s", name, line);
	fuzz_require(line[length] == ':' || strcmp(line + length, ";") == 0, "no header: %s", line);
	for (; *line != '\0'; line++)
		fuzz_require((unsigned char) *line >= ' ' || *line == '\t', "a control character");
}

static bool
extension_takes(char *name, char *value)
{
	Jsonb headers = {.root = {.key = {.type = jbvString}, .value = {.type = jbvString}}};
	Request request = {.headers = &headers};
	ServerStubError error;

	headers.root.key.val.string.val = name;
	headers.root.key.val.string.len = (int) strlen(name);
	headers.root.value.val.string.val = value;
	headers.root.value.val.string.len = (int) strlen(value);
	if (!server_stub_try(make_lines, &request, &error))
	{
		fuzz_require(strlen(value) < 20 || strstr(error.message, value) == NULL,
					 "a message repeats the value");
		return false;
	}
	fuzz_require(request.lines != NIL && request.lines->next == NULL, "not one line");
	fuzz_require(strcasecmp(name, "Host") != 0 && strcasecmp(name, "Content-Length") != 0 &&
					 strcasecmp(name, "Transfer-Encoding") != 0,
				 "a request of the caller's own making: %s", name);
	check_line(request.lines->cell, name);
	return true;
}

/* Of the session's own lines none is given twice, and none is changed. */
static void
check_list(const char *header, const char *name)
{
	const HttpOptions options = {.headers = &header, .header_count = 1};
	const HttpRequest request = {.headers = &header, .header_count = 1};
	struct curl_slist *list = http_header_list(&options, &request);
	int found = 0;

	for (struct curl_slist *line = list; line != NULL; line = line->next)
	{
		size_t length = token_length(line->data);

		if (length != strlen(name) || strncasecmp(line->data, name, length) != 0)
			continue;
		check_line(line->data, name);
		found++;
	}
	fuzz_require(found == 1, "%d lines of %s", found, name);
	curl_slist_free_all(list);
}

static bool
loader_takes(const char *name, const char *value)
{
	char *header = fuzz_allocate(strlen(name) + strlen(value) + 3);
	bool is_taken;

	strcpy(stpcpy(stpcpy(header, name), ": "), value);
	is_taken = http_header_check("--header", header);
	if (is_taken && strchr(name, ':') == NULL)
	{
		check_line(header, name);
		check_list(header, name);
	}
	free(header);
	return is_taken;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = fuzz_take_line(&data, &size);
	char *value = fuzz_text(data, size);
	bool is_taken = extension_takes(name, value);

	/* the loader refuses more: what it sets itself; but the host is its user's choice anyway */
	if (loader_takes(name, value) && strchr(name, ':') == NULL && strcasecmp(name, "Host") != 0)
		fuzz_require(is_taken, "the loader takes a header that the extension refuses");
	server_stub_reset();
	free(name);
	free(value);
	return 0;
}
