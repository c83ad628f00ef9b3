/*
 * command_copy.h - `transferbench copy`: rows into a table by COPY FROM STDIN, or by INSERT.
 */
#ifndef TRANSFERBENCH_COMMAND_COPY_H
#define TRANSFERBENCH_COMMAND_COPY_H

/* The exit status. argv[0] is the command's name. */
extern int command_copy(int argc, char **argv);

#endif
