/*
 * scripted_resolver.c - getaddrinfo(3) for the names that tests make up.
 *
 * Preloaded into the server (LD_PRELOAD), so that no test asks the network's
 * name servers. ADDRESSES says where names lead; besides them
 *     stalled.test    no answer for an hour
 *     slow.test       does not exist, which is known after a second
 *     any other name below .test does not exist; all else is resolved as ever
 * Letter case and a dot at the end make no difference, as in the DNS. What is
 * dialled at a link-local IPv4 address is led to 127.0.0.1: no test leaves this
 * host, and one can see whether it was dialled.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define STALL_SECONDS 3600
#define SLOW_SECONDS  1
#define NAME_BYTES    256
#define MAX_ADDRESSES 2

typedef int (*Resolver)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
typedef int (*Connector)(int, const struct sockaddr *, socklen_t);

typedef struct Name
{
	const char *name;
	const char *addresses[MAX_ADDRESSES]; /* in the order that they come in */
} Name;

/* 169.254.169.254 is where clouds keep their secrets, a9fe:a9fe in hexadecimal */
static const Name ADDRESSES[] = {
	{"loopback.test", {"127.0.0.1"}},
	{"loopback-ipv6.test", {"::1"}},
	{"metadata.test", {"169.254.169.254"}},
	{"metadata-ipv6.test", {"fd00:ec2::254"}},
	{"link-local.test", {"169.254.1.1"}},
	{"link-local-ipv6.test", {"fe80::1"}},
	{"mapped.test", {"::ffff:169.254.169.254"}},
	{"nat64.test", {"64:ff9b::169.254.169.254"}},
	{"6to4.test", {"2002:a9fe:a9fe::1"}},
	{"unspecified.test", {"0.0.0.0"}},
	{"unspecified-ipv6.test", {"::"}},
	{"multicast.test", {"224.0.0.1"}},
	{"loopback-then-metadata.test", {"127.0.0.1", "169.254.169.254"}},
	{"metadata-then-loopback.test", {"169.254.169.254", "127.0.0.1"}},
};

/* The name without a dot at its end; empty when it is too long for a test's. */
static void
copy_name(const char *node, char name[NAME_BYTES])
{
	size_t length = strlen(node);

	if (length > 0 && node[length - 1] == '.')
		length--;
	if (length >= NAME_BYTES)
		length = 0;
	memcpy(name, node, length);
	name[length] = '\0';
}

static int
ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), end = strlen(ending);

	return length >= end && strcasecmp(text + length - end, ending) == 0;
}

/* All addresses of a name, one list after the other. */
static int
resolve_scripted(Resolver next, const Name *name, const char *service, const struct addrinfo *hints,
				 struct addrinfo **result)
{
	int code = EAI_NONAME;

	*result = NULL;
	for (int i = 0; i < MAX_ADDRESSES && name->addresses[i] != NULL; i++)
	{
		struct addrinfo **end = result;

		while (*end != NULL)
			end = &(*end)->ai_next;
		code = next(name->addresses[i], service, hints, end);
		if (code != 0)
			*end = NULL;
	}
	return *result != NULL ? 0 : code;
}

int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
			struct addrinfo **result)
{
	Resolver next = (Resolver) dlsym(RTLD_NEXT, "getaddrinfo");
	char name[NAME_BYTES];

	if (node == NULL)
		return next(node, service, hints, result);
	copy_name(node, name);
	if (!ends_with(name, ".test"))
		return next(node, service, hints, result);
	if (strcasecmp(name, "stalled.test") == 0)
		sleep(STALL_SECONDS);
	if (strcasecmp(name, "slow.test") == 0)
		sleep(SLOW_SECONDS);
	for (size_t i = 0; i < sizeof(ADDRESSES) / sizeof(ADDRESSES[0]); i++)
	{
		if (strcasecmp(name, ADDRESSES[i].name) == 0)
			return resolve_scripted(next, &ADDRESSES[i], service, hints, result);
	}
	return EAI_NONAME;
}

int
connect(int socket_fd, const struct sockaddr *address, socklen_t length)
{
	Connector next = (Connector) dlsym(RTLD_NEXT, "connect");
	struct sockaddr_in loopback;

	if (address->sa_family != AF_INET || length < sizeof(loopback))
		return next(socket_fd, address, length);
	memcpy(&loopback, address, sizeof(loopback));
	if (ntohl(loopback.sin_addr.s_addr) >> 16 == 0xA9FE)
		loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return next(socket_fd, (const struct sockaddr *) &loopback, sizeof(loopback));
}
