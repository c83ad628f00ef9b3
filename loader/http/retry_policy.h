/*
 * retry_policy.h - whether and when a request is repeated. Pure: it waits for nothing and reads no
 * clock.
 *
 * Exponential back-off with full jitter: the wait is drawn evenly from 0 to base * 2^(attempt - 1),
 * capped. A Retry-After, seconds or an HTTP date (RFC 9110, section 10.2.3), is a lower bound, up
 * to the same cap.
 */
#ifndef TRANSFERBENCH_RETRY_POLICY_H
#define TRANSFERBENCH_RETRY_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct RetryPolicy
{
	int max_retries; /* of one request */
	int base_ms;     /* of the first wait, at most */
	int max_wait_ms; /* cap of one wait, Retry-After included */
} RetryPolicy;

/* The wait before retry number `attempt` (1-based), ms. `retry_after` is the field's value or "";
 * `now` the wall clock; `random` any 64 bits. */
extern int retry_policy_wait_ms(const RetryPolicy *policy, int attempt, const char *retry_after,
								time_t now, uint64_t random);
/* Statuses that say that nothing was done and that another time may be better: 429 and 503. */
extern bool retry_policy_status(int status);
/* Seconds of a Retry-After from now, 0 or more; -1: neither digits nor a date. */
extern int64_t retry_after_seconds(const char *retry_after, time_t now);

#endif
