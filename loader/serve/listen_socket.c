#include "serve/listen_socket.h"
#include "message.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 1024

static int
open_at(const struct addrinfo *at)
{
	const int on = 1;
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	/* so that a restart need not wait for connections of the time before */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
		bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool
is_loopback_address(const struct sockaddr_storage *address)
{
	const struct sockaddr_in *ipv4 = (const struct sockaddr_in *) address;
	const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *) address;

	if (address->ss_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&ipv6->sin6_addr);
	return ntohl(ipv4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* Where it really listens: the port may have been left to the system. */
static bool
describe(ListenSocket *listener)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	char host[INET6_ADDRSTRLEN], port[8];

	if (getsockname(listener->fd, (struct sockaddr *) &address, &length) != 0 ||
		getnameinfo((struct sockaddr *) &address, length, host, sizeof(host), port, sizeof(port),
					NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return false;
	listener->is_loopback = is_loopback_address(&address);
	snprintf(listener->url, sizeof(listener->url),
			 address.ss_family == AF_INET6 ? "http://[%s]:%s" : "http://%s:%s", host, port);
	return true;
}

bool
listen_socket_open(ListenSocket *listener, const char *address, int port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *found;
	char service[8];
	int problem;

	snprintf(service, sizeof(service), "%d", port);
	problem = getaddrinfo(address, service, &hints, &found);
	if (problem != 0)
	{
		message_error("--bind: \"%s\": %s", address, gai_strerror(problem));
		return false;
	}
	listener->fd = open_at(found);
	freeaddrinfo(found);
	if (listener->fd >= 0 && describe(listener))
		return true;
	message_error("cannot listen on %s port %d: %m", address, port);
	if (listener->fd >= 0)
		close(listener->fd);
	return false;
}
