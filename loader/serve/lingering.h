/*
 * lingering.h - connections that were refused before their body was read.
 *
 * To close a socket with bytes unread resets the connection, and the client, still
 * sending, may never see its answer (RFC 9112, section 9.6). So a thread reads on and drops
 * what comes, for a bounded time, number of bytes and of connections.
 */
#ifndef TRANSFERBENCH_LINGERING_H
#define TRANSFERBENCH_LINGERING_H

#define LINGERING_MAX 64 /* connections */

typedef struct Lingering Lingering;

/* NULL, and errno, when it cannot be started. */
extern Lingering *lingering_start(void);
/* Takes over a socket, a descriptor of its own; never waits. With LINGERING_MAX it is closed. */
extern void lingering_add(Lingering *lingering, int fd);
/* Closes them all. NULL is fine. */
extern void lingering_stop(Lingering *lingering);

#endif
