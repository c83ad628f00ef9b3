/*
 * http_header_list.h - the header lines of one request, as libcurl takes them.
 */
#ifndef TRANSFERBENCH_HTTP_HEADER_LIST_H
#define TRANSFERBENCH_HTTP_HEADER_LIST_H

#include "http/http_session.h"

#include <curl/curl.h>

/* Of two headers with one name, that of the options counts before that of the request, and both
 * before what the session itself would send. Never empty; NULL when out of memory. */
extern struct curl_slist *http_header_list(const HttpOptions *options, const HttpRequest *request);

#endif
