/*
 * scripted_resolver.c - getaddrinfo(3) for the names that tests make up.
 *
 * Preloaded into the server (LD_PRELOAD), so that no test asks the network's
 * name servers:
 *     stalled.test    no answer for an hour
 *     loopback.test   127.0.0.1
 *     metadata.test   169.254.169.254, where clouds keep their secrets
 *     any other name below .test does not exist; all else is resolved as ever
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#define STALL_SECONDS 3600

typedef int (*Resolver)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static int
ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), end = strlen(ending);

	return length >= end && strcmp(text + length - end, ending) == 0;
}

int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
			struct addrinfo **result)
{
	Resolver next = (Resolver) dlsym(RTLD_NEXT, "getaddrinfo");

	if (node != NULL && ends_with(node, ".test"))
	{
		if (strcmp(node, "stalled.test") == 0)
			sleep(STALL_SECONDS);
		if (strcmp(node, "loopback.test") == 0)
			node = "127.0.0.1";
		else if (strcmp(node, "metadata.test") == 0)
			node = "169.254.169.254";
		else
			return EAI_NONAME;
	}
	return next(node, service, hints, result);
}
