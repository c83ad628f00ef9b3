/*
 * options.h - values of command line options, read strictly.
 *
 * Each function names the option and the value in its message when it refuses
 * one, and then returns false.
 */
#ifndef TRANSFERBENCH_OPTIONS_H
#define TRANSFERBENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A count: digits, then an exponent (1e6) or one of k, M, G (thousands), within
 * [minimum, maximum].
 */
extern bool option_count(const char *option, const char *text, int64_t minimum, int64_t maximum,
						 int64_t *value);

/*
 * A size in bytes: digits, then nothing, or k, M, G, T (powers of 1000) or Ki, Mi, Gi, Ti
 * (powers of 1024); a B may follow: 2k, 8MiB, 20GB.
 */
extern bool option_bytes(const char *option, const char *text, int64_t minimum, int64_t maximum,
						 int64_t *value);

/*
 * Digits only, nothing before or after them, at most INT64_MAX; says nothing. Also for values
 * that do not come from a command line, hence the length.
 */
extern bool parse_digits(const char *text, size_t length, int64_t *value);

#endif
