/*
 * serve_usage.h - the document of /usage: what this process has cost since it began.
 *
 *   {"pid": 4711, "cpu_us": 1234567, "resident_bytes": 8388608, "peak_bytes": 9437184,
 *    "backend_pids": [4715, 4716]}
 *
 * CPU: getrusage(2), user and system, all threads. Memory: VmRSS and VmHWM of /proc/self/status, less
 * RssShmem; null where that cannot be read. backend_pids: server processes of the
 * connections that are open.
 */
#ifndef TRANSFERBENCH_SERVE_USAGE_H
#define TRANSFERBENCH_SERVE_USAGE_H

/* JSON, terminated; the caller frees. NULL when out of memory. */
extern char *serve_usage_document(const int *backend_pids, int backends);
/* The peak counts from here on, where the kernel allows that. */
extern void serve_usage_reset_peak(void);

#endif
