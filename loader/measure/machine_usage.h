/*
 * machine_usage.h - what this machine as a whole has used: CPU time of all processors, memory.
 */
#ifndef TRANSFERBENCH_MACHINE_USAGE_H
#define TRANSFERBENCH_MACHINE_USAGE_H

#include <stdint.h>

#define MACHINE_USAGE_UNKNOWN (-1)

/* Time that processors spent working since boot: user, nice, system, interrupts. Idle, waiting for
 * a disk and stolen by a hypervisor are not among it. By /proc/stat, in clock ticks. */
extern int64_t machine_busy_us(void);
/* MemTotal - MemAvailable of /proc/meminfo */
extern int64_t machine_memory_bytes(void);

/* The same from the texts of these files. */
extern int64_t machine_busy_ticks_parse(const char *stat);
extern int64_t machine_memory_bytes_parse(const char *meminfo);

#endif
