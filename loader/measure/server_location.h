/*
 * server_location.h - whether the server runs on this machine, so that its processes can be seen in
 * /proc.
 *
 * Two things must hold. The connection goes to this machine: through a Unix socket, to a loopback
 * address, or to an address of one of its interfaces. And its backend is here: there is a process
 * of its pid, it calls itself a PostgreSQL one, and it is as old as the server says. The first
 * alone would take in a tunnel, a pooler, and a container that has a numbering of processes of its
 * own.
 */
#ifndef TRANSFERBENCH_SERVER_LOCATION_H
#define TRANSFERBENCH_SERVER_LOCATION_H

#include "database/database.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* `backend_pid` and its age (now less its backend_start) as the server told them just now. */
extern bool server_location_is_here(const Database *database, int backend_pid, int64_t age_ms);

/* Whether the peer is this machine. */
extern bool server_location_is_own_address(const struct sockaddr *peer);
extern bool server_location_is_backend(int pid, int64_t age_ms);

#endif
