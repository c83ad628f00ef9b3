/*
 * command_cleanup.h - `transferbench cleanup`: drops the tables that earlier runs left behind.
 */
#ifndef TRANSFERBENCH_COMMAND_CLEANUP_H
#define TRANSFERBENCH_COMMAND_CLEANUP_H

/* The exit status. argv[0] is the command's name. */
extern int command_cleanup(int argc, char **argv);

#endif
