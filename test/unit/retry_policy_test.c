/*
 * retry_policy_test.c - how long a client waits before it asks again.
 */
#include "http/retry_policy.h"

#include "unit.h"

#define LARGEST UINT64_MAX /* draws the longest wait */
#define NOW     784111777  /* Sun, 06 Nov 1994 08:49:37 GMT, RFC 9110's own example */

static const RetryPolicy policy = {.max_retries = 5, .base_ms = 100, .max_wait_ms = 10000};

static void
test_back_off(void)
{
	unit_equal_int(retry_policy_wait_ms(&policy, 1, "", NOW, 0), 0, "the shortest wait is none");
	unit_equal_int(retry_policy_wait_ms(&policy, 1, "", NOW, LARGEST), 100,
				   "the first wait is at most the base");
	unit_equal_int(retry_policy_wait_ms(&policy, 1, "", NOW, LARGEST / 2), 50,
				   "a wait is drawn evenly");
	unit_equal_int(retry_policy_wait_ms(&policy, 2, "", NOW, LARGEST), 200, "the second doubles");
	unit_equal_int(retry_policy_wait_ms(&policy, 7, "", NOW, LARGEST), 6400, "the seventh");
	unit_equal_int(retry_policy_wait_ms(&policy, 8, "", NOW, LARGEST), 10000, "capped");
	unit_equal_int(retry_policy_wait_ms(&policy, INT32_MAX, "", NOW, LARGEST), 10000,
				   "capped, however many");
}

static void
test_extremes(void)
{
	static const RetryPolicy longest = {.base_ms = INT32_MAX, .max_wait_ms = INT32_MAX};
	static const RetryPolicy none = {.base_ms = 0, .max_wait_ms = 1000};
	static const RetryPolicy tight = {.base_ms = 500, .max_wait_ms = 200};

	unit_equal_int(retry_policy_wait_ms(&longest, 40, "", NOW, LARGEST), INT32_MAX,
				   "the longest wait there is");
	unit_equal_int(retry_policy_wait_ms(&longest, 40, "4000000000", NOW, LARGEST), INT32_MAX,
				   "and with a Retry-After beyond it");
	unit_equal_int(retry_policy_wait_ms(&none, INT32_MAX, "", NOW, LARGEST), 0, "a base of 0");
	unit_equal_int(retry_policy_wait_ms(&tight, 1, "", NOW, LARGEST), 200, "a cap below the base");
}

static void
test_retry_after(void)
{
	unit_equal_int(retry_policy_wait_ms(&policy, 1, "2", NOW, 0), 2000,
				   "Retry-After is a lower bound");
	unit_equal_int(retry_policy_wait_ms(&policy, 1, "2", NOW, LARGEST), 2100,
				   "and the drawn wait comes on top");
	unit_equal_int(retry_policy_wait_ms(&policy, 1, "60", NOW, 0), 10000, "Retry-After is capped");
	unit_equal_int(retry_policy_wait_ms(&policy, 1, "soon", NOW, LARGEST), 100,
				   "one that cannot be read counts for nothing");
	unit_equal_int(retry_policy_wait_ms(&policy, 1, "Sun, 06 Nov 1994 08:49:40 GMT", NOW, LARGEST),
				   3100, "a date");
}

typedef struct Case
{
	const char *text;
	int64_t seconds;
} Case;

static void
test_seconds(void)
{
	static const Case cases[] = {
		{"", -1},
		{"0", 0},
		{"120", 120},
		{"000000000000000000000000120", 120},
		{"2147483647", INT32_MAX},
		{"99999999999999999999999", INT32_MAX},
		{"-5", -1},
		{"1.5", -1},
		{"5 s", -1},
		{"5, 6", -1},
		{"soon", -1},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 0},
		{"Sun, 06 Nov 1994 08:50:37 GMT", 60},
		{"Sunday, 06-Nov-94 08:49:47 GMT", 10},
		{"Sun Nov  6 08:49:57 1994", 20},
		{"Sun, 06 Nov 1994 08:00:00 GMT", 0},
		{"Sun, 99 Nov 1994 08:49:37 GMT", -1},
		{"Sun, soon", -1},
		{"06 Nov 1994", -1},
		{"20041106", 20041106},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char name[80];

		snprintf(name, sizeof(name), "seconds of '%s'", cases[i].text);
		unit_equal_int(retry_after_seconds(cases[i].text, NOW), cases[i].seconds, name);
	}
}

static void
test_statuses(void)
{
	unit_ok(retry_policy_status(429), "429 is worth another time");
	unit_ok(retry_policy_status(503), "503 is worth another time");
	unit_ok(!retry_policy_status(200), "200 is not");
	unit_ok(!retry_policy_status(500), "500 is not: something may have been done");
	unit_ok(!retry_policy_status(502), "502 is not");
	unit_ok(!retry_policy_status(504), "504 is not");
	unit_ok(!retry_policy_status(0), "no answer is not");
}

int
main(void)
{
	test_back_off();
	test_extremes();
	test_retry_after();
	test_seconds();
	test_statuses();
	return unit_done();
}
