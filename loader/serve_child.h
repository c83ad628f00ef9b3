/*
 * serve_child.h - an endpoint of our own, `transferbench serve`, for as long as a comparison lasts
 * that was given no API.
 *
 * It is this very program in a process of its own, on a free port of the loopback address. It ends with
 * its parent, in whatever way that ends.
 */
#ifndef TRANSFERBENCH_SERVE_CHILD_H
#define TRANSFERBENCH_SERVE_CHILD_H

#include "database/connection_options.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct ServeChild
{
	pid_t pid; /* 0: none */
	char url[256];
} ServeChild;

#define SERVE_CHILD_READERS 2 /* database connections that it reads by; one client asks */

typedef struct ServeChildOptions
{
	const ConnectionOptions *connection;
	const char *table, *query; /* what is served; one of them */
	const char *order_by;
	const char *save_table; /* what is written to; NULL: nothing */
	const char *token;      /* that it asks for: other users of this machine can reach it too */
	int writers;            /* database connections that it writes by */
} ServeChildOptions;

#define SERVE_CHILD_TOKEN_BYTES 33 /* of a token, its terminator too */

/* Draws a token; false, with a message, when the system has no random bytes. */
extern bool serve_child_draw_token(char token[SERVE_CHILD_TOKEN_BYTES]);
/* Starts it and waits until it listens. False after a message, its own among them. */
extern bool serve_child_start(ServeChild *child, const ServeChildOptions *options);
/* False, after a message, when it ended without having been asked to. */
extern bool serve_child_is_alive(ServeChild *child);
/* Asks it to end, and waits; after a while it is killed. */
extern void serve_child_stop(ServeChild *child);

#endif
