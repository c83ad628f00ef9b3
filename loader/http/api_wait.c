#include "http/api_wait.h"
#include "clock.h"
#include "interrupt.h"

#include <stdio.h>

#define FIRST_PAUSE_MS 50
#define LAST_PAUSE_MS  1000
#define BODY_START_MAX 200 /* bytes of an answer that are shown */

/* One question; true when it was answered well. */
static bool
ask(HttpSession *session, const ApiDialect *dialect, const ApiTarget *target, char *problem,
	size_t problem_size)
{
	ApiRequest wanted;
	HttpRequest request = {.method = "GET", .body_bytes = -1};
	HttpAnswer answer;
	HttpResult result;
	char body[BODY_START_MAX];

	if (!dialect->get(target, 0, 0, &wanted))
	{
		snprintf(problem, problem_size, "out of memory");
		return false;
	}
	request.url = wanted.url;
	request.headers = (const char *const *) wanted.header;
	request.header_count = wanted.headers;
	result = http_session_send(session, &request, &answer);
	api_request_free(&wanted);
	if (result != HTTP_OK)
	{
		snprintf(problem, problem_size, "%s", http_session_problem(session));
		return false;
	}
	http_session_read_short(session, body, sizeof(body));
	http_session_conceal(session, body);
	if (answer.status >= 200 && answer.status < 300)
		return true;
	snprintf(problem, problem_size, "HTTP %d%s%s", answer.status, *body == '\0' ? "" : ": ", body);
	return false;
}

bool
api_wait_for_table(HttpSession *session, const ApiDialect *dialect, const ApiTarget *target,
				   int timeout_ms, char *problem, size_t problem_size)
{
	int64_t deadline_ns = clock_now_ns() + timeout_ms * CLOCK_NS_PER_MS;
	int pause_ms = FIRST_PAUSE_MS;

	while (!ask(session, dialect, target, problem, problem_size))
	{
		http_session_conceal(session, problem);
		if (clock_now_ns() >= deadline_ns)
			return false;
		if (interrupt_sleep_ms(pause_ms))
		{
			snprintf(problem, problem_size, "interrupted");
			return false;
		}
		pause_ms = 2 * pause_ms < LAST_PAUSE_MS ? 2 * pause_ms : LAST_PAUSE_MS;
	}
	return true;
}
