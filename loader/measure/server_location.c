#include "measure/server_location.h"
#include "measure/proc_file.h"
#include "measure/process_stat.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TITLE "postgres:" /* a backend's command line (PostgreSQL's ps_status.c) */
/* Between fork and the server's note of it, and between its answer and our look. */
#define AGE_TOLERANCE_MS 1000
#define US_PER_MS        1000
#define MS_PER_S         1000
#define NS_PER_MS        1000000

static bool
is_same_host(const struct sockaddr *left, const struct sockaddr *right)
{
	if (left->sa_family != right->sa_family)
		return false;
	if (left->sa_family == AF_INET)
		return ((const struct sockaddr_in *) left)->sin_addr.s_addr ==
			   ((const struct sockaddr_in *) right)->sin_addr.s_addr;
	return left->sa_family == AF_INET6 &&
		   memcmp(&((const struct sockaddr_in6 *) left)->sin6_addr,
				  &((const struct sockaddr_in6 *) right)->sin6_addr, sizeof(struct in6_addr)) == 0;
}

static bool
is_interface_address(const struct sockaddr *peer)
{
	struct ifaddrs *interfaces;
	bool found = false;

	if (getifaddrs(&interfaces) != 0)
		return false;
	for (const struct ifaddrs *each = interfaces; each != NULL && !found; each = each->ifa_next)
		found = each->ifa_addr != NULL && is_same_host(each->ifa_addr, peer);
	freeifaddrs(interfaces);
	return found;
}

bool
server_location_is_own_address(const struct sockaddr *peer)
{
	switch (peer->sa_family)
	{
		case AF_UNIX:
			return true;
		case AF_INET:
			/* all of 127.0.0.0/8, of which the interface has one */
			if (ntohl(((const struct sockaddr_in *) peer)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET)
				return true;
			return is_interface_address(peer);
		case AF_INET6:
			return is_interface_address(peer);
		default:
			return false;
	}
}

/* False when the clock cannot be read. */
static bool
read_age_ms(const ProcessStat *stat, int64_t *age_ms)
{
	struct timespec now;

	if (clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return false;
	*age_ms = (int64_t) now.tv_sec * MS_PER_S + now.tv_nsec / NS_PER_MS -
			  process_stat_ticks_to_us(stat->start_ticks) / US_PER_MS;
	return true;
}

bool
server_location_is_backend(int pid, int64_t age_ms)
{
	char title[sizeof(TITLE)];
	ProcessStat stat;
	int64_t seen_age_ms;

	return proc_file_read_of(pid, "cmdline", title, sizeof(title)) && strcmp(title, TITLE) == 0 &&
		   process_stat_read(pid, &stat) && read_age_ms(&stat, &seen_age_ms) &&
		   llabs(seen_age_ms - age_ms) <= AGE_TOLERANCE_MS;
}

bool
server_location_is_here(const Database *database, int backend_pid, int64_t age_ms)
{
	struct sockaddr_storage peer;
	socklen_t length = sizeof(peer);

	if (getpeername(PQsocket(database->connection), (struct sockaddr *) &peer, &length) != 0)
		return false;
	return server_location_is_own_address((const struct sockaddr *) &peer) &&
		   server_location_is_backend(backend_pid, age_ms);
}
