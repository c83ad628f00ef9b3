/*
 * http_check.c - headers and URLs as a person gives them: http_header_check, http_url_check,
 * http_url_shown (http_session.h).
 *
 * URLs are taken apart by libcurl's own parser, so that what is checked is what is dialled.
 */
#include "http/http_session.h"
#include "message.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* RFC 9110, section 5.6.2: the characters of a token, beside letters and digits */
#define TOKEN_CHARACTERS "!#$%&'*+-.^_`|~"
/* RFC 3986, section 3.1 */
#define SCHEME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

#define SHOWN_SCHEME_BYTES 20
#define SHOWN_PATH_BYTES   200

/* --- headers ------------------------------------------------------------------------- */

static size_t
token_length(const char *text)
{
	size_t length = 0;

	while (text[length] != '\0' && ((unsigned char) text[length] & 0x80) == 0 &&
		   (isalnum((unsigned char) text[length]) || strchr(TOKEN_CHARACTERS, text[length])))
		length++;
	return length;
}

/* What says how a message is framed or coded must be what the session does with it. */
static bool
is_the_sessions_own(const char *name, size_t length)
{
	static const char *const names[] = {
		"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length",    "Expect",
		"Idempotency-Key", "TE",         "Trailer",          "Transfer-Encoding", "Upgrade"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && strncasecmp(name, names[i], length) == 0)
			return true;
	return false;
}

bool
http_header_check(const char *option, const char *header)
{
	size_t length = token_length(header);

	/* not even a part of it is repeated: a value without its name may be a secret */
	if (length == 0 || header[length] != ':')
	{
		message_error("%s: expected \"Name: value\", the name of letters, digits and %s", option,
					  TOKEN_CHARACTERS);
		return false;
	}
	if (is_the_sessions_own(header, length))
	{
		message_error("%s: %.*s is set by the program itself", option, (int) length, header);
		return false;
	}
	for (const char *byte = header + length + 1; *byte != '\0'; byte++)
	{
		if ((unsigned char) *byte >= ' ' ? *byte != 0x7f : *byte == '\t')
			continue;
		message_error("%s: the value of %.*s contains a control character", option, (int) length,
					  header);
		return false;
	}
	return true;
}

/* --- URLs ---------------------------------------------------------------------------- */

/* Length of what stands before "://" when it has the form of a scheme, else 0. Without the slashes
 * it may be anything, a user's name and password among it. */
static size_t
scheme_length(const char *url)
{
	size_t length = strspn(url, SCHEME_CHARACTERS);

	return strncmp(url + length, "://", 3) == 0 ? length : 0;
}

static const char *const url_schemes[] = {"http", "https", NULL};
static const char *const proxy_schemes[] = {"http",   "https",   "socks4", "socks4a",
											"socks5", "socks5h", NULL};

static bool
is_among(const char *const *names, const char *text, size_t length)
{
	for (; *names != NULL; names++)
		if (strlen(*names) == length && strncasecmp(*names, text, length) == 0)
			return true;
	return false;
}

static bool
check_scheme(const char *option, const char *url, const char *const *schemes, const char *wanted)
{
	size_t length = scheme_length(url);

	if (is_among(schemes, url, length))
	{
		/* libcurl would take the first part of a path for the host */
		if (url[length + strlen("://")] != '/')
			return true;
		message_error("%s: the URL names no host", option);
		return false;
	}
	if (length == 0)
		message_error("%s: the URL has no scheme: expected %s", option, wanted);
	else
		message_error("%s: the URL has the scheme \"%.*s\": expected %s", option,
					  length > SHOWN_SCHEME_BYTES ? SHOWN_SCHEME_BYTES : (int) length, url, wanted);
	return false;
}

static bool
has_part(CURLU *url, CURLUPart part)
{
	char *text = NULL;
	CURLUcode code = curl_url_get(url, part, &text, 0);

	curl_free(text);
	/* anything but "there is none" is not taken for none */
	return code != CURLUE_NO_USER && code != CURLUE_NO_PASSWORD;
}

static bool
check_parts(const char *option, const char *text, const char *credentials, CURLU *url)
{
	/* a scheme that libcurl does not know as one of a URL may be one of a proxy */
	CURLUcode code = curl_url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME);

	if (code != CURLUE_OK)
	{
		message_error("%s: the URL is malformed: %s", option, curl_url_strerror(code));
		return false;
	}
	if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD))
	{
		message_error("%s: the URL must not contain a user name or password: %s", option,
					  credentials);
		return false;
	}
	return true;
}

static bool
check_url(const char *option, const char *text, const char *credentials)
{
	CURLU *url = curl_url();
	bool is_good;

	if (url == NULL)
	{
		message_error("out of memory");
		return false;
	}
	is_good = check_parts(option, text, credentials, url);
	curl_url_cleanup(url);
	return is_good;
}

bool
http_url_check(const char *option, const char *url)
{
	return check_scheme(option, url, url_schemes, "http://... or https://...") &&
		   check_url(option, url,
					 "pass a token with --token-file or --token-env, other credentials with "
					 "--header");
}

bool
http_proxy_check(const char *option, const char *url)
{
	return check_scheme(option, url, proxy_schemes,
						"http://..., https://..., socks4://..., socks4a://..., socks5://... or "
						"socks5h://...") &&
		   check_url(option, url, "a proxy that asks for them is not supported");
}

static void
drop_part(CURLU *url, CURLUPart part)
{
	/* taking a part off cannot fail */
	(void) curl_url_set(url, part, NULL, 0);
}

static char *
bare_url(CURLU *url)
{
	char *text = NULL;
	char *shown;

	drop_part(url, CURLUPART_USER);
	drop_part(url, CURLUPART_PASSWORD);
	drop_part(url, CURLUPART_OPTIONS);
	drop_part(url, CURLUPART_QUERY);
	drop_part(url, CURLUPART_FRAGMENT);
	if (curl_url_get(url, CURLUPART_URL, &text, 0) != CURLUE_OK)
		return strdup("(a malformed URL)");
	shown = strndup(text, SHOWN_PATH_BYTES);
	curl_free(text);
	for (char *byte = shown; byte != NULL && *byte != '\0'; byte++)
		if (*byte <= ' ' || *byte > '~')
			*byte = '?';
	return shown;
}

char *
http_url_shown(const char *url)
{
	CURLU *parsed = curl_url();
	char *shown;

	if (parsed == NULL)
		return NULL;
	shown = curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK ? bare_url(parsed)
																	 : strdup("(a malformed URL)");
	curl_url_cleanup(parsed);
	return shown;
}
