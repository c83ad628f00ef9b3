/*
 * exit_status.h - how the program ends.
 */
#ifndef TRANSFERBENCH_EXIT_STATUS_H
#define TRANSFERBENCH_EXIT_STATUS_H

typedef enum ExitStatus
{
	EXIT_ALL_WELL = 0,
	EXIT_USAGE = 1,      /* options, or the set-up: nothing was measured */
	EXIT_INCOMPLETE = 2, /* not all was done, or rows are lost, doubled or in doubt */
	EXIT_CHANGED = 3,    /* all was done and nothing lost, but values changed */
} ExitStatus;

#endif
