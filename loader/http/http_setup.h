/*
 * http_setup.h - a session's options as libcurl takes them, for all of its requests, and a
 * request's method.
 */
#ifndef TRANSFERBENCH_HTTP_SETUP_H
#define TRANSFERBENCH_HTTP_SETUP_H

#include "http/http_session.h"

#include <curl/curl.h>

/* Not OK: *refused is the option that libcurl refused. */
extern CURLcode http_setup(CURL *easy, const HttpOptions *options, const char **refused);
/* For one request: its method, and the size of its body. */
extern CURLcode http_setup_method(CURL *easy, const HttpRequest *request);

#endif
