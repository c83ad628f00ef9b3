/*
 * http_credentials_fuzz.c - the credentials file of the extension (credentials.c): the first line of the
 * input is a URL, the rest the file. A header that goes to the URL stands in a line that begins with
 * its host and port; it is one line; nothing of the file is in a message.
 */
#include "postgres.h"

#include <arpa/inet.h>

#include "credentials.h"
#include "fuzz.h"

typedef struct Request
{
	const char *text;
	HttpUrl *url;
	List *headers; /* the result */
} Request;

static void
parse_url(void *request_)
{
	Request *request = request_;

	request->url = http_url_parse(request->text, HTTP_URL_ARGUMENT);
}

static void
read_credentials(void *request_)
{
	Request *request = request_;

	request->headers = credentials_add_headers(credentials_read(), request->url, NIL);
}

/* --- oracle ---------------------------------------------------------------------------------- */

static bool
same_host(char *a, const char *b)
{
	struct in6_addr a_address, b_address;
	size_t length = strlen(a), b_length = strlen(b);

	if (*a == '[' && a[length - 1] == ']')
	{
		/* a dot at the end does not count, not even where none can be */
		a[length - (length > 3 && a[length - 2] == '.' ? 2 : 1)] = '\0';
		return inet_pton(AF_INET6, a + 1, &a_address) == 1 &&
			   inet_pton(AF_INET6, b, &b_address) == 1 &&
			   memcmp(&a_address, &b_address, sizeof(a_address)) == 0;
	}
	length -= length > 1 && a[length - 1] == '.';
	b_length -= b_length > 1 && b[b_length - 1] == '.';
	return length == b_length && strncasecmp(a, b, length) == 0;
}

/* Whether a line, trimmed, is [https://]host:port: and the header. */
static bool
line_gives(char *line, const char *header, const HttpUrl *url)
{
	size_t length, header_length = strlen(header);
	char *port;

	line += strspn(line, " \t\r");
	for (length = strlen(line); length > 0 && strchr(" \t\r", line[length - 1]) != NULL;)
		line[--length] = '\0';
	if (length <= header_length || strcmp(line + length - header_length, header) != 0)
		return false;
	line[length - header_length] = '\0';
	if (strncasecmp(line, "https://", 8) == 0)
	{
		if (!url->is_tls)
			return false;
		line += 8;
	}
	length = strlen(line);
	if (length == 0 || line[length - 1] != ':')
		return false;
	line[length - 1] = '\0';
	port = strrchr(line, ':');
	if (port == NULL || port[1] == '\0' || port[1 + strspn(port + 1, "0123456789")] != '\0' ||
		atol(port + 1) != url->port)
		return false;
	*port = '\0';
	return same_host(line, url->host);
}

static bool
file_gives(const char *file, const char *header, const HttpUrl *url)
{
	char *copy = strdup(file), *rest = copy, *line;
	bool found = false;

	while (!found && (line = strsep(&rest, "\n")) != NULL)
		found = line_gives(line, header, url);
	free(copy);
	return found;
}

static void
check_header(const char *header, const char *file, const HttpUrl *url)
{
	fuzz_require(strcspn(header, ":") > 0 && strchr(header, ':') != NULL, "no header: %s", header);
	for (const char *byte = header; *byte != '\0'; byte++)
		fuzz_require(((unsigned char) *byte >= ' ' && *byte != 0x7f) || *byte == '\t',
					 "a control character");
	fuzz_require(file_gives(file, header, url), "\"%s\" is sent to %s port %d", header, url->host,
				 url->port);
}

/* Of what is longer than any word of a message. */
static void
check_message(const char *message, const char *file)
{
	char *copy = strdup(file), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")) != NULL)
		fuzz_require(strlen(line) < 12 || strstr(message, line) == NULL, "a message repeats: %s",
					 line);
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *url = fuzz_take_line(&data, &size);
	char *file = fuzz_text(data, size);
	Request request = {.text = url};
	ServerStubError error;

	server_stub_set_file(data, size);
	if (server_stub_try(parse_url, &request, &error))
	{
		if (server_stub_try(read_credentials, &request, &error))
			for (List *cell = request.headers; cell != NIL; cell = cell->next)
				check_header(cell->cell, file, request.url);
		else
			check_message(error.message, file);
	}
	server_stub_reset();
	free(file);
	free(url);
	return 0;
}
