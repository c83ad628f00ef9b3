/*
 * host_rules.h - where the server may be sent: pg_transferbench.allowed_hosts.
 *
 * The list holds, separated by commas: host, host:port, [address]:port,
 * address, *.domain (any name below the domain, not the domain itself). Without
 * a port, every port. A name that is allowed may still lead to an address
 * that is not (DNS rebinding): host_rules_permit_address looks at what is
 * really dialled.
 */
#ifndef TRANSFERBENCH_HOST_RULES_H
#define TRANSFERBENCH_HOST_RULES_H

struct sockaddr;

/* What is wrong with a list, static text; NULL when nothing. */
extern const char *host_rules_fault(const char *rules);

/* Whether the rules allow a host (a name, or an address without brackets) at a port. */
extern bool host_rules_permit_host(const char *rules, const char *host, int port);

/*
 * Whether an address may be dialled for a host that was permitted. An address
 * that the rules name itself always may. 'localhost' leads to loopback only;
 * any other name never leads to loopback, link-local (cloud metadata),
 * unspecified or multicast addresses. Never raises, allocates nothing: it is
 * called from within libcurl.
 */
extern bool host_rules_permit_address(const char *rules, const char *host,
									  const struct sockaddr *address);

/* A host at a port, lent from the text that it was parsed from. */
typedef struct HostEndpoint
{
	const char *host; /* [length], without brackets */
	size_t length;
	int port;
} HostEndpoint;

/* Parses host:port or [address]:port; false for anything else, a wildcard or a byte beyond ASCII
 * among it. */
extern bool host_rules_parse_endpoint(const char *text, size_t length, HostEndpoint *endpoint);

/*
 * Whether two hosts are one: without regard to letter case, to a dot at the end
 * and to the spelling of an IPv6 address. A name is never an address.
 */
extern bool host_rules_same_host(const char *a, size_t a_length, const char *b, size_t b_length);

/* Whether a host is this one by name or address: localhost, 127.0.0.0/8, ::1. */
extern bool host_rules_is_loopback(const char *host);

#endif
