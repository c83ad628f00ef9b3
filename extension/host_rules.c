/*
 * host_rules.c - see host_rules.h.
 */
#include "postgres.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "host_rules.h"

/* one entry of the list, lent from it */
typedef struct HostRule
{
	const char *host; /* without brackets, and without the * of *.domain */
	size_t length;
	bool any_below; /* *.domain: `host` begins with the dot */
	int port;       /* 0: any */
} HostRule;

typedef enum AddressClass
{
	ADDRESS_ORDINARY,
	ADDRESS_LOOPBACK,
	ADDRESS_REFUSED, /* link-local, metadata, unspecified, multicast, other families */
} AddressClass;

/* Takes the next entry off *cursor; false at the list's end. Blank entries come as length 0. */
static bool
next_entry(const char **cursor, const char **entry, size_t *length)
{
	const char *start = *cursor;
	const char *end;

	if (start == NULL)
		return false;
	end = strchrnul(start, ',');
	*cursor = *end == ',' ? end + 1 : NULL;
	while (start < end && isspace((unsigned char) *start))
		start++;
	while (end > start && isspace((unsigned char) end[-1]))
		end--;
	*entry = start;
	*length = end - start;
	return true;
}

/* digits up to `end` as a port; 0 when they are none */
static int
parse_port(const char *digits, const char *end)
{
	int port = 0;

	if (digits == end || end - digits > 5)
		return 0;
	for (; digits < end; digits++)
	{
		if (*digits < '0' || *digits > '9')
			return 0;
		port = port * 10 + (*digits - '0');
	}
	return port <= 65535 ? port : 0;
}

static bool
is_host_text(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		unsigned char c = text[i];

		if (!isalnum(c) && c != '.' && c != '-' && c != '_' && c != ':' && !IS_HIGHBIT_SET(c))
			return false;
	}
	return length > 0;
}

static bool
parse_rule(const char *entry, size_t length, HostRule *rule)
{
	const char *end = entry + length;
	const char *colon = memchr(entry, ':', length);

	*rule = (HostRule){.host = entry, .length = length};
	if (length > 0 && *entry == '[')
	{
		const char *bracket = memchr(entry, ']', length);

		if (bracket == NULL || (bracket + 1 < end && bracket[1] != ':'))
			return false;
		rule->host = entry + 1;
		rule->length = bracket - rule->host;
		if (bracket + 1 < end && (rule->port = parse_port(bracket + 2, end)) == 0)
			return false;
	}
	else if (colon != NULL && memchr(colon + 1, ':', end - colon - 1) == NULL)
	{
		/* one colon sets off a port, more make an IPv6 address */
		rule->length = colon - entry;
		if ((rule->port = parse_port(colon + 1, end)) == 0)
			return false;
	}
	if (rule->length > 2 && strncmp(rule->host, "*.", 2) == 0)
	{
		rule->any_below = true;
		rule->host++;
		rule->length--;
	}
	return is_host_text(rule->host, rule->length);
}

const char *
host_rules_fault(const char *rules)
{
	const char *entry;
	size_t length;
	HostRule rule;

	while (next_entry(&rules, &entry, &length))
	{
		if (length > 0 && !parse_rule(entry, length, &rule))
			return "An entry is neither a host nor host:port, [address]:port or *.domain.";
	}
	return NULL;
}

bool
host_rules_parse_endpoint(const char *text, size_t length, HostEndpoint *endpoint)
{
	HostRule rule;

	for (size_t i = 0; i < length; i++)
	{
		if (IS_HIGHBIT_SET(text[i]))
			return false;
	}
	if (!parse_rule(text, length, &rule) || rule.any_below || rule.port == 0)
		return false;
	*endpoint = (HostEndpoint){.host = rule.host, .length = rule.length, .port = rule.port};
	return true;
}

/* an address in its binary form, so that ::1 and 0:0::1 are one */
static bool
parse_ipv6(const char *host, size_t length, unsigned char address[16])
{
	char text[INET6_ADDRSTRLEN];

	if (length >= sizeof(text))
		return false;
	memcpy(text, host, length);
	text[length] = '\0';
	return inet_pton(AF_INET6, text, address) == 1;
}

/* A fully qualified name is the name. */
static size_t
length_without_dot(const char *host, size_t length)
{
	return length > 1 && host[length - 1] == '.' ? length - 1 : length;
}

bool
host_rules_same_host(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned char a_address[16], b_address[16];

	a_length = length_without_dot(a, a_length);
	b_length = length_without_dot(b, b_length);
	if (a_length == b_length && pg_strncasecmp(a, b, a_length) == 0)
		return true;
	return parse_ipv6(a, a_length, a_address) && parse_ipv6(b, b_length, b_address) &&
		   memcmp(a_address, b_address, sizeof(a_address)) == 0;
}

/* Below a domain there are names: the digits of an address are no part of one. */
static bool
is_address_text(const char *host, size_t length)
{
	char text[INET_ADDRSTRLEN];
	struct in_addr ipv4;

	if (memchr(host, ':', length) != NULL)
		return true;
	if (length >= sizeof(text))
		return false;
	memcpy(text, host, length);
	text[length] = '\0';
	return inet_pton(AF_INET, text, &ipv4) == 1;
}

static bool
rule_matches(const HostRule *rule, const char *host, int port)
{
	size_t length = length_without_dot(host, strlen(host));

	if (rule->port != 0 && rule->port != port)
		return false;
	if (rule->any_below)
		return length > rule->length && !is_address_text(host, length) &&
			   pg_strncasecmp(host + length - rule->length, rule->host, rule->length) == 0;
	/* takes one dot off itself; another would be of no name */
	return host_rules_same_host(rule->host, rule->length, host, strlen(host));
}

bool
host_rules_permit_host(const char *rules, const char *host, int port)
{
	const char *entry;
	size_t length;
	HostRule rule;

	while (next_entry(&rules, &entry, &length))
	{
		if (length > 0 && parse_rule(entry, length, &rule) && rule_matches(&rule, host, port))
			return true;
	}
	return false;
}

static AddressClass
classify_ipv4(uint32 address) /* host byte order */
{
	if ((address >> 24) == 127)
		return ADDRESS_LOOPBACK;
	if ((address >> 16) == 0xA9FE) /* 169.254/16, link-local: RFC 3927 */
		return ADDRESS_REFUSED;
	/* metadata of clouds beyond that range: 100.100.100.200, 168.63.129.16, 192.0.0.192 */
	if (address == 0x646464C8 || address == 0xA83F8110 || address == 0xC00000C0)
		return ADDRESS_REFUSED;
	if ((address >> 24) == 0 || (address >> 28) >= 14) /* this network, multicast, reserved */
		return ADDRESS_REFUSED;
	return ADDRESS_ORDINARY;
}

/*
 * Where an IPv6 address leads to an IPv4 one, that: mapped and compatible
 * addresses (RFC 4291), NAT64 (RFC 6052) and 6to4 (RFC 3056).
 */
static bool
embedded_ipv4(const struct in6_addr *address, uint32 *ipv4)
{
	static const unsigned char nat64[12] = {0x00, 0x64, 0xff, 0x9b};
	const unsigned char *bytes = address->s6_addr;
	int place;

	if (IN6_IS_ADDR_V4MAPPED(address) || IN6_IS_ADDR_V4COMPAT(address) ||
		memcmp(bytes, nat64, sizeof(nat64)) == 0)
		place = 12;
	else if (bytes[0] == 0x20 && bytes[1] == 0x02)
		place = 2;
	else
		return false;
	memcpy(ipv4, bytes + place, sizeof(*ipv4));
	*ipv4 = ntohl(*ipv4);
	return true;
}

static AddressClass
classify_ipv6(const struct in6_addr *address)
{
	/* fd00:ec2::254, a cloud's metadata within the unique local range */
	static const unsigned char metadata[16] = {0xfd, 0x00, 0x0e, 0xc2, [14] = 0x02, [15] = 0x54};
	uint32 embedded;

	if (IN6_IS_ADDR_LOOPBACK(address))
		return ADDRESS_LOOPBACK;
	if (embedded_ipv4(address, &embedded))
		return classify_ipv4(embedded);
	if (IN6_IS_ADDR_UNSPECIFIED(address) || IN6_IS_ADDR_LINKLOCAL(address) ||
		IN6_IS_ADDR_MULTICAST(address) || memcmp(address->s6_addr, metadata, 16) == 0)
		return ADDRESS_REFUSED;
	return ADDRESS_ORDINARY;
}

/* port and text of an address; class REFUSED when it is neither IPv4 nor IPv6 */
static AddressClass
describe_address(const struct sockaddr *address, char text[INET6_ADDRSTRLEN], int *port)
{
	text[0] = '\0';
	if (address->sa_family == AF_INET)
	{
		const struct sockaddr_in *in = (const struct sockaddr_in *) address;

		inet_ntop(AF_INET, &in->sin_addr, text, INET6_ADDRSTRLEN);
		*port = ntohs(in->sin_port);
		return classify_ipv4(ntohl(in->sin_addr.s_addr));
	}
	if (address->sa_family == AF_INET6)
	{
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *) address;

		inet_ntop(AF_INET6, &in6->sin6_addr, text, INET6_ADDRSTRLEN);
		*port = ntohs(in6->sin6_port);
		return classify_ipv6(&in6->sin6_addr);
	}
	*port = 0;
	return ADDRESS_REFUSED;
}

static bool
is_localhost_name(const char *host)
{
	size_t length = strlen(host);

	if (length > 0 && host[length - 1] == '.')
		length--;
	return (length == 9 && pg_strncasecmp(host, "localhost", 9) == 0) ||
		   (length > 10 && pg_strncasecmp(host + length - 10, ".localhost", 10) == 0);
}

bool
host_rules_permit_address(const char *rules, const char *host, const struct sockaddr *address)
{
	char text[INET6_ADDRSTRLEN];
	int port;
	AddressClass class = describe_address(address, text, &port);

	if (class == ADDRESS_LOOPBACK && is_localhost_name(host))
		return true;
	if (class == ADDRESS_ORDINARY && !is_localhost_name(host))
		return true;
	return text[0] != '\0' && host_rules_permit_host(rules, text, port);
}

bool
host_rules_is_loopback(const char *host)
{
	struct in_addr ipv4;
	struct in6_addr ipv6;

	if (inet_pton(AF_INET, host, &ipv4) == 1)
		return classify_ipv4(ntohl(ipv4.s_addr)) == ADDRESS_LOOPBACK;
	if (inet_pton(AF_INET6, host, &ipv6) == 1)
		return classify_ipv6(&ipv6) == ADDRESS_LOOPBACK;
	return is_localhost_name(host);
}
