/*
 * bench_limits.h - ranges of the arguments that all entry points share.
 */
#ifndef TRANSFERBENCH_BENCH_LIMITS_H
#define TRANSFERBENCH_BENCH_LIMITS_H

#define BENCH_MAX_ROWS   INT64CONST(1000000000000) /* 10^12, years of any path */
#define BENCH_MAX_TRIALS 10000
#define BENCH_MAX_SIZES  100

#endif
