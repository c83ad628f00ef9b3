/*
 * command_post.h - `transferbench post`: rows into a table as JSON, by HTTP POST to an API.
 */
#ifndef TRANSFERBENCH_COMMAND_POST_H
#define TRANSFERBENCH_COMMAND_POST_H

/* The exit status. argv[0] is the command's name. */
extern int command_post(int argc, char **argv);

#endif
