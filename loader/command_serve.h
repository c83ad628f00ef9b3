/*
 * command_serve.h - `transferbench serve`: the reference HTTP endpoint.
 *
 * Where libmicrohttpd was missing at build time, command_serve_missing.c takes the
 * place of command_serve.c.
 */
#ifndef TRANSFERBENCH_COMMAND_SERVE_H
#define TRANSFERBENCH_COMMAND_SERVE_H

/* The exit status. argv[0] is the command's name. */
extern int command_serve(int argc, char **argv);

#endif
