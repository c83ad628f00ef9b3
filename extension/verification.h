/*
 * verification.h - proves that two paths deliver the same rows, or says how
 * they differ. Untimed; runs before any trial is timed.
 */
#ifndef TRANSFERBENCH_VERIFICATION_H
#define TRANSFERBENCH_VERIFICATION_H

#include "bench_path.h"

#define VERIFICATION_SAMPLES 3

/* One value that changed, as text. */
typedef struct VerificationSample
{
	const char *column_name;
	const char *place; /* of the difference within the value: '[3].b', or "" for all of it */
	const char *native, *http;
} VerificationSample;

typedef struct Verification
{
	bool rows_equal;
	int64 native_rows, http_rows;
	int64 rows_missing, rows_extra; /* on one side only, and not a row whose values changed */
	int64 native_only, http_only;   /* EXCEPT ALL, both ways */
	int64 values_changed;
	int columns;
	const char **column_names; /* [columns], lent from the row type */
	int64 *changed;            /* [columns], values changed */
	bool *scale_changed;       /* [columns], equal values, but 1.50 came for 1.5 */
	int sample_count;
	VerificationSample samples[VERIFICATION_SAMPLES];
} Verification;

/*
 * Compares n rows of both paths by their digests and, when these differ, once
 * more row by row (row_difference.h), and once more to show some of the values.
 * Both row types must have the same column names, in any order: 42804 otherwise.
 * Lives in the current context.
 */
extern Verification *verification_run(BenchPath *native, BenchPath *http, int64 n);

/* 'x: 1.5 -> 2.5; a[3].b: ...', the first values that changed; "" for none; in the current context. */
extern char *verification_samples(const Verification *verification);

/* One line: '3 values changed (code: 2, ratio: 1), 1 row missing'; in the current context. */
extern char *verification_summary(const Verification *verification);

#endif
