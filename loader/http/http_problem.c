/*
 * http_problem.c - see http_problem.h.
 */
#include "http/http_problem.h"
#include "http/http_answer.h"

#include <stdio.h>

static const char *
hint(CURLcode code)
{
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return " (--cacert names the authority to trust)";
	if (code == CURLE_SSL_CACERT_BADFILE)
		return " (the file is --cacert's)";
	if (code == CURLE_SSL_CONNECT_ERROR)
		return " (is it http:// instead?)";
	return "";
}

/* Before any byte of the request: nothing was processed. */
static void
tell_not_sent(const HttpProblem *problem, const char *where, const char *reason, char *text,
			  size_t size)
{
	if (problem->code == CURLE_OPERATION_TIMEDOUT)
		snprintf(text, size, "could not connect to %s within %g s", where,
				 problem->options->connect_timeout_ms / 1000.0);
	else
		snprintf(text, size, "could not connect to %s: %s%s", where, reason, hint(problem->code));
}

static void
tell_lost(const HttpProblem *problem, const char *where, const char *reason, char *text,
		  size_t size)
{
	/* out of memory is libcurl's word for a header line beyond its own limit, too */
	bool is_too_long = problem->head_too_long || (problem->head_begun && !problem->head_complete &&
												  problem->code == CURLE_OUT_OF_MEMORY);

	if (problem->head_problem != NULL)
		snprintf(text, size, "%s did not answer in HTTP: %s", where, problem->head_problem);
	else if (is_too_long)
		snprintf(text, size,
				 "the header of the answer of %s is too long: at most %d bytes are read, less of "
				 "one line",
				 where, HTTP_HEAD_MAX_BYTES);
	else if (problem->head_complete)
		snprintf(text, size, "the answer of %s broke off: %s", where, reason);
	else if (problem->head_begun)
		snprintf(text, size, "the answer of %s broke off within its header: %s", where, reason);
	else
		snprintf(text, size, "%s gave no answer: %s", where, reason);
}

HttpResult
http_problem_tell(const HttpProblem *problem, const char *where, char *text, size_t size)
{
	const char *reason =
		problem->reason[0] != '\0' ? problem->reason : curl_easy_strerror(problem->code);

	if (problem->code == CURLE_OUT_OF_MEMORY && !problem->head_begun)
	{
		snprintf(text, size, "out of memory");
		return HTTP_OUT_OF_MEMORY;
	}
	if (!problem->begun)
	{
		tell_not_sent(problem, where, reason, text, size);
		return HTTP_NOT_SENT;
	}
	tell_lost(problem, where, reason, text, size);
	return HTTP_LOST;
}
