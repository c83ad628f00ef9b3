/*
 * process_stat.h - what /proc/PID/stat tells of a process (proc_pid_stat(5)).
 *
 * Times are in clock ticks (sysconf(_SC_CLK_TCK), 1/100 s on Linux) and rounded down to them.
 */
#ifndef TRANSFERBENCH_PROCESS_STAT_H
#define TRANSFERBENCH_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ProcessStat
{
	int pid;
	int parent_pid;
	bool has_ended;             /* a zombie: its parent has not asked for its status yet */
	int64_t cpu_ticks;          /* user and system, of all threads */
	int64_t children_cpu_ticks; /* of children that ended and were waited for, and of theirs */
	int64_t children_faults;    /* their minor page faults: changes with any child that ended */
	int64_t start_ticks;        /* after the system booted; tells apart processes of one pid */
} ProcessStat;

/* False when the text is not such a line, whole up to the start time. The name in it may hold
 * blanks, parentheses and line breaks. */
extern bool process_stat_parse(const char *text, ProcessStat *stat);
/* Of this machine; false when there is no such process, or it is hidden. */
extern bool process_stat_read(int pid, ProcessStat *stat);

extern int64_t process_stat_ticks_to_us(int64_t ticks);

#endif
