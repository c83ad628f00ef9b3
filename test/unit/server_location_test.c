/*
 * server_location_test.c - addresses that are this machine's, and processes that are no backends.
 */
#include "measure/server_location.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include "unit.h"

static bool
is_own_ipv4(const char *address)
{
	struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(5432)};

	inet_pton(AF_INET, address, &peer.sin_addr);
	return server_location_is_own_address((const struct sockaddr *) &peer);
}

static bool
is_own_ipv6(const char *address)
{
	struct sockaddr_in6 peer = {.sin6_family = AF_INET6, .sin6_port = htons(5432)};

	inet_pton(AF_INET6, address, &peer.sin6_addr);
	return server_location_is_own_address((const struct sockaddr *) &peer);
}

int
main(void)
{
	struct sockaddr_un local = {.sun_family = AF_UNIX};
	struct sockaddr unspecified = {.sa_family = AF_UNSPEC};

	unit_ok(server_location_is_own_address((const struct sockaddr *) &local), "a Unix socket");
	unit_ok(is_own_ipv4("127.0.0.1"), "loopback");
	unit_ok(is_own_ipv4("127.9.8.7"), "another loopback address");
	/* addresses for documentation, which nobody has */
	unit_ok(!is_own_ipv4("192.0.2.1"), "somebody else's IPv4 address");
	unit_ok(!is_own_ipv6("2001:db8::1"), "somebody else's IPv6 address");
	unit_ok(!server_location_is_own_address(&unspecified), "no address");
	unit_ok(!server_location_is_backend(getpid(), 0), "a process that is not PostgreSQL's");
	unit_ok(!server_location_is_backend(2147483647, 0), "no process");
	return unit_done();
}
