/*
 * http_url.c - see http_url.h. URLs are taken apart by libcurl's own parser, so
 * that what is checked is what is dialled.
 */
#include "postgres.h"

#include <curl/curl.h>

#include "lib/stringinfo.h"

#include "foreign_memory.h"
#include "host_rules.h"
#include "http_url.h"
#include "printable.h"
#include "settings.h"

/* RFC 3986, 3.1 */
#define SCHEME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

#define SHOWN_PATH_BYTES 200 /* of a URL's path, in messages */

static void
release_url(void *url)
{
	curl_url_cleanup(url);
}

/* A part in the current context; NULL when the URL has none. */
static char *
url_part(CURLU *url, CURLUPart part, unsigned int flags)
{
	ForeignMemory *holder = foreign_memory_reserve(CurrentMemoryContext, curl_free);
	char *text = NULL;
	char *copy = NULL;
	CURLUcode code = curl_url_get(url, part, &text, flags);

	holder->object = text;
	if (code == CURLUE_OUT_OF_MEMORY)
		ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
	if (code == CURLUE_OK)
		copy = pstrdup(text);
	foreign_memory_release(holder);
	return copy;
}

static int
fault_sqlstate(HttpUrlSource source)
{
	return source == HTTP_URL_ARGUMENT ? ERRCODE_INVALID_PARAMETER_VALUE
									   : ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
}

/* the subject of every message here */
static const char *
subject(HttpUrlSource source)
{
	return source == HTTP_URL_ARGUMENT ? "url" : "the url of a redirect";
}

static void
refuse_userinfo(CURLU *url, HttpUrlSource source)
{
	if (url_part(url, CURLUPART_USER, 0) == NULL && url_part(url, CURLUPART_PASSWORD, 0) == NULL)
		return;
	ereport(ERROR, errcode(fault_sqlstate(source)),
			errmsg("%s must not contain a user name or password", subject(source)),
			source == HTTP_URL_ARGUMENT
				? errhint("Pass credentials in \"headers\", or let a superuser keep them in "
						  "pg_transferbench.credentials_file.")
				: 0);
}

static void
check_scheme(const char *scheme, HttpUrlSource source)
{
	if (scheme != NULL &&
		(pg_strcasecmp(scheme, "http") == 0 || pg_strcasecmp(scheme, "https") == 0))
		return;
	ereport(ERROR, errcode(fault_sqlstate(source)),
			scheme == NULL ? errmsg("%s has no scheme", subject(source))
						   : errmsg("%s has the scheme \"%s\"", subject(source), scheme),
			errhint("Only http:// and https:// are supported."));
}

/*
 * What stands before "://" when it has the form of a scheme (RFC 3986, 3.1).
 * Without the slashes it may be anything, a user's name and password among it.
 */
static char *
scheme_of(const char *text)
{
	size_t length = strspn(text, SCHEME_CHARACTERS);

	if (length == 0 || strncmp(text + length, "://", 3) != 0)
		return NULL;
	return pnstrdup(text, length);
}

static void
check_url(CURLUcode code, HttpUrlSource source)
{
	if (code == CURLUE_OUT_OF_MEMORY)
		ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
	if (code != CURLUE_OK)
		ereport(ERROR, errcode(fault_sqlstate(source)),
				errmsg("%s is malformed: %s", subject(source), curl_url_strerror(code)));
}

HttpUrl *
http_url_parse(const char *text, HttpUrlSource source)
{
	HttpUrl *url = palloc0(sizeof(HttpUrl));
	ForeignMemory *holder = foreign_memory_reserve(CurrentMemoryContext, release_url);
	char *path;
	bool is_cut;
	size_t host_length;
	CURLU *parsed;
	CURLUcode code;

	check_scheme(scheme_of(text), source);
	holder->object = parsed = curl_url();
	if (parsed == NULL)
		ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
	code = curl_url_set(parsed, CURLUPART_URL, text, 0);
	check_url(code, source);
	refuse_userinfo(parsed, source);

	url->text = url_part(parsed, CURLUPART_URL, 0);
	url->host = url_part(parsed, CURLUPART_HOST, 0);
	url->port = atoi(url_part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT)); /* libcurl checked it */
	url->is_tls = pg_strcasecmp(url_part(parsed, CURLUPART_SCHEME, 0), "https") == 0;
	path = url_part(parsed, CURLUPART_PATH, 0);
	is_cut = strlen(path) > SHOWN_PATH_BYTES || url_part(parsed, CURLUPART_QUERY, 0) != NULL;
	url->shown =
		printable_text(psprintf("%s://%s:%d%.*s%s", url->is_tls ? "https" : "http", url->host,
								url->port, SHOWN_PATH_BYTES, path, is_cut ? "?..." : ""));
	host_length = strlen(url->host);
	if (url->host[0] == '[' && url->host[host_length - 1] == ']')
		url->host = pnstrdup(url->host + 1, host_length - 2);
	foreign_memory_release(holder);
	return url;
}

/* A reference that begins with a scheme is no relative one (RFC 3986, 4.2). */
static bool
has_scheme(const char *reference)
{
	size_t length = strspn(reference, SCHEME_CHARACTERS);

	return length > 0 && reference[length] == ':';
}

HttpUrl *
http_url_parse_location(const HttpUrl *base, const char *location)
{
	ForeignMemory *holder;
	CURLU *resolved;
	CURLUcode code;
	char *text;

	if (has_scheme(location))
		return http_url_parse(location, HTTP_URL_REDIRECT);
	holder = foreign_memory_reserve(CurrentMemoryContext, release_url);
	holder->object = resolved = curl_url();
	if (resolved == NULL)
		ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"));
	code = curl_url_set(resolved, CURLUPART_URL, base->text, 0);
	if (code == CURLUE_OK)
		code = curl_url_set(resolved, CURLUPART_URL, location, 0);
	check_url(code, HTTP_URL_REDIRECT);
	text = url_part(resolved, CURLUPART_URL, 0);
	foreign_memory_release(holder);
	return http_url_parse(text, HTTP_URL_REDIRECT);
}

void
http_url_check_allowed(const HttpUrl *url)
{
	if (host_rules_permit_host(settings_allowed_hosts, url->host, url->port))
		return;
	ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			errmsg("host \"%s\" port %d is not allowed", printable_text(url->host), url->port),
			errdetail("The server may be sent to: %s.",
					  settings_allowed_hosts[0] ? settings_allowed_hosts : "no host"),
			errhint("A superuser can add it to pg_transferbench.allowed_hosts."));
}

/* Copies `text` with every `placeholder` replaced; *found tells whether there was one. */
static char *
replace_all(const char *text, const char *placeholder, const char *replacement, bool *found)
{
	StringInfoData result;
	const char *hit;

	*found = false;
	initStringInfo(&result);
	while ((hit = strstr(text, placeholder)) != NULL)
	{
		*found = true;
		appendBinaryStringInfo(&result, text, hit - text);
		appendStringInfoString(&result, replacement);
		text = hit + strlen(placeholder);
	}
	appendStringInfoString(&result, text);
	return result.data;
}

/* Appends name=value to the query string, before a fragment. */
static char *
append_parameter(const char *url, const char *name, const char *value)
{
	size_t length = strcspn(url, "#");
	const char *question = memchr(url, '?', length);
	const char *separator = "?";

	if (question != NULL)
		separator = question + 1 == url + length || url[length - 1] == '&' ? "" : "&";
	return psprintf("%.*s%s%s=%s%s", (int) length, url, separator, name, value, url + length);
}

char *
http_url_for_rows(const char *template_url, int64 n, int64 offset, bool paged)
{
	char *n_text = psprintf(INT64_FORMAT, n);
	char *offset_text = psprintf(INT64_FORMAT, offset);
	bool has_n, has_offset;
	char *url;

	url = replace_all(template_url, "{n}", n_text, &has_n);
	url = replace_all(url, "{offset}", offset_text, &has_offset);
	if (!has_n)
		url = append_parameter(url, "row_limit", n_text);
	if (paged && !has_offset)
		url = append_parameter(url, "offset", offset_text);
	return url;
}
