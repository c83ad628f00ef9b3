/*
 * database_cancel.h - asks the server to cancel what a connection runs, for a bounded time.
 *
 * PQcancel opens a connection of its own and waits for the server to close it, with no
 * time limit: a host that drops packets, or a postmaster that is stopped, would hold it for
 * ever. It therefore runs in a thread of its own, which owns all that it works on and is
 * left to itself once the time is over. The protocol could be spoken here without a
 * thread, but not through every transport that libpq knows.
 */
#ifndef TRANSFERBENCH_DATABASE_CANCEL_H
#define TRANSFERBENCH_DATABASE_CANCEL_H

#include <libpq-fe.h>
#include <stdint.h>

/* Returns when the server has taken note, or never will, or at the deadline (of clock_now_ns). */
extern void database_cancel(PGconn *connection, int64_t deadline_ns);

#endif
