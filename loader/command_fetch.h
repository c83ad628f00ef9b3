/*
 * command_fetch.h - `transferbench fetch`: rows from the database to this client, down one path or
 * several.
 */
#ifndef TRANSFERBENCH_COMMAND_FETCH_H
#define TRANSFERBENCH_COMMAND_FETCH_H

/* The exit status. argv[0] is the command's name. */
extern int command_fetch(int argc, char **argv);

#endif
