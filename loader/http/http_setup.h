/*
 * http_setup.h - a session's options as libcurl takes them, for all of its requests.
 */
#ifndef TRANSFERBENCH_HTTP_SETUP_H
#define TRANSFERBENCH_HTTP_SETUP_H

#include "http/http_session.h"

#include <curl/curl.h>

/* Not OK: *refused is the option that libcurl refused. */
extern CURLcode http_setup(CURL *easy, const HttpOptions *options, const char **refused);

#endif
