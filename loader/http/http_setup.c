/*
 * http_setup.c - see http_setup.h.
 */
#include "http/http_setup.h"
#include "message.h"

#include <string.h>

#define BUFFER_BYTES (256 * 1024) /* libcurl's own, one for each direction */
/* libcurl takes 0 for its own default here; without any it would never go on to a host's second
 * address */
#define NO_CONNECT_LIMIT_MS (24L * 60 * 60 * 1000)

#define SET(easy, option, value)                                                                   \
	do                                                                                             \
	{                                                                                              \
		CURLcode set_code = curl_easy_setopt(easy, option, value);                                 \
		if (set_code != CURLE_OK)                                                                  \
		{                                                                                          \
			*refused = #option;                                                                    \
			return set_code;                                                                       \
		}                                                                                          \
	} while (0)

bool
http_global_init(void)
{
	CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);

	if (code == CURLE_OK)
		return true;
	message_error("could not initialise libcurl: %s", curl_easy_strerror(code));
	return false;
}

/*
 * Whom to trust: the file that was given and nobody else, or the system. Of the system's two forms
 * the directory is taken where libcurl knows one: OpenSSL looks up in it what it needs, while it
 * parses the whole bundle at the first connection, some 100 ms that would be counted as its time.
 */
static CURLcode
set_trust(CURL *easy, const HttpOptions *options, const char **refused)
{
	char *directory = NULL;

	SET(easy, CURLOPT_SSL_VERIFYPEER, options->insecure ? 0L : 1L);
	SET(easy, CURLOPT_SSL_VERIFYHOST, options->insecure ? 0L : 2L);
	if (options->client_cert != NULL)
		SET(easy, CURLOPT_SSLCERT, options->client_cert);
	if (options->client_key != NULL)
		SET(easy, CURLOPT_SSLKEY, options->client_key);
	if (options->ca_file != NULL)
	{
		SET(easy, CURLOPT_CAINFO, options->ca_file);
		SET(easy, CURLOPT_CAPATH, NULL);
		return CURLE_OK;
	}
	*refused = "CURLINFO_CAPATH";
	if (curl_easy_getinfo(easy, CURLINFO_CAPATH, &directory) == CURLE_OK && directory != NULL)
		SET(easy, CURLOPT_CAINFO, NULL);
	return CURLE_OK;
}

/* What of the environment or of an answer could lead a request elsewhere. */
static CURLcode
set_route(CURL *easy, const HttpOptions *options, const char **refused)
{
	SET(easy, CURLOPT_PROXY, options->proxy == NULL ? "" : options->proxy);
	SET(easy, CURLOPT_NOPROXY, "");
	/* a proxy's own answer to CONNECT is not the endpoint's */
	SET(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	SET(easy, CURLOPT_HEADEROPT, (long) CURLHEADER_SEPARATE);
	SET(easy, CURLOPT_NETRC, (long) CURL_NETRC_IGNORED);
	SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	SET(easy, CURLOPT_FOLLOWLOCATION, 0L);
	return CURLE_OK;
}

static bool
speaks_http2(void)
{
	return (curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
}

CURLcode
http_setup(CURL *easy, const HttpOptions *options, const char **refused)
{
	CURLcode code;

	SET(easy, CURLOPT_NOSIGNAL, 1L);
	/* a stalled resolver's thread must not hold up the cleanup for seconds */
	SET(easy, CURLOPT_QUICK_EXIT, 1L);
	SET(easy, CURLOPT_USERAGENT, "transferbench/" TRANSFERBENCH_VERSION);
	SET(easy, CURLOPT_HTTP_VERSION,
		(long) (options->http1_only || !speaks_http2() ? CURL_HTTP_VERSION_1_1
													   : CURL_HTTP_VERSION_2TLS));
	SET(easy, CURLOPT_BUFFERSIZE, (long) BUFFER_BYTES);
	SET(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long) BUFFER_BYTES);
	SET(easy, CURLOPT_CONNECTTIMEOUT_MS,
		options->connect_timeout_ms > 0 ? (long) options->connect_timeout_ms : NO_CONNECT_LIMIT_MS);
	code = set_route(easy, options, refused);
	return code == CURLE_OK ? set_trust(easy, options, refused) : code;
}

/* A POST without a body has an empty one, as servers expect. */
CURLcode
http_setup_method(CURL *easy, const HttpRequest *request)
{
	bool is_post = strcmp(request->method, "POST") == 0;
	bool is_plain = is_post || strcmp(request->method, "GET") == 0;
	curl_off_t body_bytes = request->body_bytes > 0 ? (curl_off_t) request->body_bytes : 0;
	CURLcode code = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, NULL);

	/* NOBODY first: the others take it back */
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_NOBODY, 0L);
	if (code == CURLE_OK && (is_post || request->body_bytes >= 0))
		code = curl_easy_setopt(easy, CURLOPT_POST, 1L);
	else if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
	if (code == CURLE_OK)
		code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, body_bytes);
	if (code == CURLE_OK && strcmp(request->method, "HEAD") == 0)
		code = curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	else if (code == CURLE_OK && !is_plain)
		code = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
	return code;
}
