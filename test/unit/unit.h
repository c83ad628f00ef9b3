/*
 * unit.h - a unit test speaks TAP, so that prove runs it beside the others.
 *
 * Every check has a name; a failed one prints what it got and what it wanted.
 */
#ifndef TRANSFERBENCH_UNIT_H
#define TRANSFERBENCH_UNIT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int unit_checks;
static int unit_failures;

static inline bool
unit_ok(bool passed, const char *name)
{
	printf("%sok %d - %s\n", passed ? "" : "not ", ++unit_checks, name);
	unit_failures += !passed;
	return passed;
}

static inline void
unit_equal_int(int64_t got, int64_t wanted, const char *name)
{
	if (!unit_ok(got == wanted, name))
		printf("# got %" PRId64 ", wanted %" PRId64 "\n", got, wanted);
}

static inline void
unit_equal_hash(uint64_t got, uint64_t wanted, const char *name)
{
	if (!unit_ok(got == wanted, name))
		printf("# got 0x%016" PRIx64 ", wanted 0x%016" PRIx64 "\n", got, wanted);
}

/* exact: no tolerance */
static inline void
unit_equal_double(double got, double wanted, const char *name)
{
	if (!unit_ok(got == wanted || (got != got && wanted != wanted), name))
		printf("# got %.17g, wanted %.17g\n", got, wanted);
}

static inline void
unit_equal_bytes(const char *got, size_t got_length, const char *wanted, const char *name)
{
	if (!unit_ok(got_length == strlen(wanted) && memcmp(got, wanted, got_length) == 0, name))
		printf("# got '%.*s', wanted '%s'\n", (int) got_length, got, wanted);
}

/* Prints the plan; the exit status of main. */
static inline int
unit_done(void)
{
	printf("1..%d\n", unit_checks);
	return unit_failures != 0;
}

#endif
