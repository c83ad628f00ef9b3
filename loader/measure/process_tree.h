/*
 * process_tree.h - processes of this machine with all that descend from them.
 *
 * By the parents that /proc/PID/stat names: a process whose parent ended belongs to another parent
 * from then on, and is no descendant any more. (/proc/PID/task/TID/children is not in every
 * kernel.)
 */
#ifndef TRANSFERBENCH_PROCESS_TREE_H
#define TRANSFERBENCH_PROCESS_TREE_H

#include "measure/process_stat.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Moves the roots and their descendants to the front of `process`, ordered by pid; how many. */
extern size_t process_tree_select(ProcessStat *process, size_t count, const pid_t *roots,
								  size_t root_count);

/* Reads them from /proc: *process, which the caller frees, has *count. False when one of the roots
 * is not there, or memory ran out. */
extern bool process_tree_read(const pid_t *roots, size_t root_count, ProcessStat **process,
							  size_t *count);

#endif
