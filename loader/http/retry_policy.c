/*
 * retry_policy.c - see retry_policy.h.
 */
#include "http/retry_policy.h"
#include "options.h"

#include <curl/curl.h>
#include <string.h>

#define MS_PER_S      1000
#define RANDOM_BITS   32 /* of the 64: a wait in ms has less than 31 */
#define SECONDS_LIMIT INT32_MAX

bool
retry_policy_status(int status)
{
	return status == 429 || status == 503;
}

int64_t
retry_after_seconds(const char *retry_after, time_t now)
{
	size_t length = strlen(retry_after);
	int64_t seconds;
	time_t date;

	if (length == 0)
		return -1;
	if (strspn(retry_after, "0123456789") == length)
		return parse_digits(retry_after, length, &seconds) && seconds < SECONDS_LIMIT
				   ? seconds
				   : SECONDS_LIMIT;
	/* every form of a date that RFC 9110, section 5.6.7, has begins with the day's name; libcurl
	 * would take much else for one */
	if (strspn(retry_after, "MTWFS") == 0)
		return -1;
	date = curl_getdate(retry_after, NULL);
	if (date == (time_t) -1)
		return -1;
	return date > now ? (int64_t) (date - now) : 0;
}

/* base * 2^(attempt - 1), capped */
static int64_t
wait_bound_ms(const RetryPolicy *policy, int attempt)
{
	int64_t bound_ms = policy->base_ms;

	for (; attempt > 1 && bound_ms > 0 && bound_ms < policy->max_wait_ms; attempt--)
		bound_ms *= 2;
	return bound_ms < policy->max_wait_ms ? bound_ms : policy->max_wait_ms;
}

/*
 * The drawn wait comes on top of what Retry-After asks for: all clients that were turned away at
 * once are told the same time, and would come back at once.
 */
int
retry_policy_wait_ms(const RetryPolicy *policy, int attempt, const char *retry_after, time_t now,
					 uint64_t random)
{
	uint64_t choices = (uint64_t) wait_bound_ms(policy, attempt) + 1;
	int64_t wait_ms = (int64_t) ((random >> (64 - RANDOM_BITS)) * choices >> RANDOM_BITS);
	int64_t asked_s = retry_after_seconds(retry_after, now);

	if (asked_s > 0)
		wait_ms += asked_s * MS_PER_S;
	return (int) (wait_ms < policy->max_wait_ms ? wait_ms : policy->max_wait_ms);
}
