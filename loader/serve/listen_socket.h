/*
 * listen_socket.h - a listening TCP socket, and its address as a URL has it.
 */
#ifndef TRANSFERBENCH_LISTEN_SOCKET_H
#define TRANSFERBENCH_LISTEN_SOCKET_H

#include <stdbool.h>

#define LISTEN_SOCKET_URL_MAX 80

typedef struct ListenSocket
{
	int fd;
	bool is_loopback;
	char url[LISTEN_SOCKET_URL_MAX]; /* http://127.0.0.1:8000, http://[::1]:8000 */
} ListenSocket;

/* Port 0 takes any free one. False, with a message, on failure. */
extern bool listen_socket_open(ListenSocket *socket, const char *address, int port);

#endif
