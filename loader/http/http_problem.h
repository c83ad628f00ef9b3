/*
 * http_problem.h - what libcurl's error of a request means for it, and in which words.
 */
#ifndef TRANSFERBENCH_HTTP_PROBLEM_H
#define TRANSFERBENCH_HTTP_PROBLEM_H

#include "http/http_session.h"

#include <curl/curl.h>

typedef struct HttpProblem
{
	CURLcode code;
	const char *reason; /* libcurl's, may be "" */
	const HttpOptions *options;
	bool begun; /* the request itself was, so bytes of it may have left */
	bool head_begun, head_complete;
	bool head_too_long;
	const char *head_problem; /* NULL unless it was refused for what it says */
} HttpProblem;

/* Fills `text`; `where` is the URL as shown. */
extern HttpResult http_problem_tell(const HttpProblem *problem, const char *where, char *text,
									size_t size);

#endif
