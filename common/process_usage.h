/*
 * process_usage.h - CPU time and memory of a process of this machine (Linux).
 *
 * CPU: the CPU-time clock of the process (clock_getcpuclockid(3)), in nanoseconds, of all its
 * threads, open to every user. Memory: /proc/PID/status; its high-water mark begins anew through
 * /proc/PID/clear_refs (proc(5), since Linux 4.0), which is for the owner of the process and root.
 * A pid of PROCESS_SELF is the calling process. What cannot be read is unknown (negative), never 0.
 * Nothing here allocates.
 *
 * The kernel batches its counts of resident pages per thread or per CPU, so a figure may be off by
 * some hundred kB (proc(5), 'VmRSS').
 */
#ifndef TRANSFERBENCH_PROCESS_USAGE_H
#define TRANSFERBENCH_PROCESS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCESS_SELF          0
#define PROCESS_USAGE_UNKNOWN (-1)

/* bytes, each known or not */
typedef struct ProcessMemory
{
	int64_t resident_bytes;   /* VmRSS, shared memory included */
	int64_t shared_bytes;     /* RssShmem: of the resident, what is shared by mapping */
	int64_t high_water_bytes; /* VmHWM: most that was ever resident, since start or reset */
} ProcessMemory;

/* User and system time since the process started; unknown when there is no such process. */
extern int64_t process_cpu_ns(int pid);

extern void process_memory_read(int pid, ProcessMemory *memory);
/* The same from the text of a status file; lines that are cut or malformed are not known. */
extern void process_memory_parse(const char *status, size_t length, ProcessMemory *memory);
/* The high-water mark becomes what is resident now; false where that is not allowed. */
extern bool process_memory_reset_high_water(int pid);

/* The part that is no shared memory, 0 or more; unknown when either is. */
extern int64_t process_memory_private(int64_t bytes, int64_t shared_bytes);

#endif
