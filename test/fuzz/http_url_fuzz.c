/*
 * http_url_fuzz.c - URLs and where they may lead (extension/http_url.c, host_rules.c), line by line:
 * the list of allowed hosts, a URL, a Location, an address that the URL's host leads to.
 *
 * A URL that is taken is http or https, has no user and no control character, and is shown without
 * its query. A host or an address is permitted only where the oracle finds it in the list, or the
 * address is of no class that is refused.
 */
#include "postgres.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "host_rules.h"
#include "http_url.h"
#include "settings.h"

/* --- oracle of the list ---------------------------------------------------------------------- */

static bool
same_ipv6(const char *a, const char *b)
{
	struct in6_addr a_address, b_address;

	return inet_pton(AF_INET6, a, &a_address) == 1 && inet_pton(AF_INET6, b, &b_address) == 1 &&
		   memcmp(&a_address, &b_address, sizeof(a_address)) == 0;
}

static bool
is_address(const char *host)
{
	struct in_addr ipv4;
	struct in6_addr ipv6;

	return inet_pton(AF_INET, host, &ipv4) == 1 || inet_pton(AF_INET6, host, &ipv6) == 1;
}

/* Whether a pattern, without its port, stands for a host. A dot at the end of a pattern that is no
 * wildcard does not count. */
static bool
pattern_names(const char *pattern, const char *host)
{
	size_t pattern_length = strlen(pattern), length = strlen(host);
	char plain[2048]; /* longer than any input of the fuzzer */

	if (strncmp(pattern, "*.", 2) == 0)
		return !is_address(host) && length > pattern_length - 1 &&
			   strcasecmp(host + length - (pattern_length - 1), pattern + 1) == 0;
	snprintf(plain, sizeof(plain), "%s", pattern);
	pattern_length = strlen(plain);
	if (pattern_length > 1 && plain[pattern_length - 1] == '.')
		plain[pattern_length - 1] = '\0';
	return strcasecmp(plain, host) == 0 || same_ipv6(plain, host);
}

/* host, host:port, [address], [address]:port, address: one way or the other. */
static bool
entry_names(char *entry, const char *host, int port)
{
	char *last_colon = strrchr(entry, ':');
	char with_port[20];

	if (pattern_names(entry, host))
		return true;
	snprintf(with_port, sizeof(with_port), ":%d", port);
	if (last_colon != NULL && atoi(last_colon + 1) == port &&
		strspn(last_colon + 1, "0123456789") == strlen(last_colon + 1))
		*last_colon = '\0';
	if (*entry == '[' && entry[strlen(entry) - 1] == ']')
	{
		entry[strlen(entry) - 1] = '\0';
		entry++;
	}
	return pattern_names(entry, host);
}

static bool
list_names(const char *rules, const char *host, int port)
{
	char *copy = strdup(rules), *rest = copy, *entry;
	char *plain_host = strdup(host);
	size_t length = strlen(plain_host);
	bool found = false;

	if (length > 1 && plain_host[length - 1] == '.')
		plain_host[length - 1] = '\0';
	while (!found && (entry = strsep(&rest, ",")) != NULL)
	{
		while (isspace((unsigned char) *entry))
			entry++;
		for (length = strlen(entry); length > 0 && isspace((unsigned char) entry[length - 1]);)
			entry[--length] = '\0';
		found = entry_names(entry, plain_host, port);
	}
	free(plain_host);
	free(copy);
	return found;
}

/* --- oracle of addresses --------------------------------------------------------------------- */

typedef struct Network
{
	const char *address;
	int bits;
} Network;

/* As IPv6 has them; IPv4 is mapped. */
static const Network loopbacks[] = {{"::1", 128}, {"::ffff:127.0.0.0", 104}};
static const Network refused[] = {
	{"::", 128},
	{"fe80::", 10},
	{"ff00::", 8},
	{"fd00:ec2::254", 128},
	{"::ffff:0.0.0.0", 104},
	{"::ffff:169.254.0.0", 112},
	{"::ffff:100.100.100.200", 128},
	{"::ffff:168.63.129.16", 128},
	{"::ffff:192.0.0.192", 128},
	{"::ffff:224.0.0.0", 99},
};

static bool
is_within(const uint8_t address[16], const Network *network)
{
	uint8_t wanted[16];

	inet_pton(AF_INET6, network->address, wanted);
	for (int bit = 0; bit < network->bits; bit++)
		if ((address[bit / 8] ^ wanted[bit / 8]) >> (7 - bit % 8) & 1)
			return false;
	return true;
}

static bool
is_within_any(const uint8_t address[16], const Network *networks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_within(address, &networks[i]))
			return true;
	return false;
}

#define IS_AMONG(address, networks)                                                                \
	is_within_any(address, networks, sizeof(networks) / sizeof((networks)[0]))

/* What an address that carries one of IPv4 leads to, in its mapped form. */
static void
unwrap(uint8_t address[16])
{
	static const Network compatible = {"::", 96}, nat64 = {"64:ff9b::", 96};
	static const Network six_to_four = {"2002::", 16}, neither = {"::", 127};
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (is_within(address, &six_to_four))
		memcpy(address + 12, address + 2, 4);
	else if (is_within(address, &neither) ||
			 (!is_within(address, &compatible) && !is_within(address, &nat64)))
		return;
	memcpy(address, mapped, sizeof(mapped));
}

static bool
is_localhost(const char *host)
{
	size_t length = strlen(host);

	length -= length > 0 && host[length - 1] == '.';
	return (length == 9 && strncasecmp(host, "localhost", 9) == 0) ||
		   (length > 10 && strncasecmp(host + length - 10, ".localhost", 10) == 0);
}

static void
check_address(const char *rules, const char *host, int port, const char *text)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t) port)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t) port)};
	bool is_in = inet_pton(AF_INET, text, &in.sin_addr) == 1;
	uint8_t address[16] = {[10] = 0xff, [11] = 0xff};
	char named[INET6_ADDRSTRLEN];
	bool permitted, is_loopback;

	if (!is_in && inet_pton(AF_INET6, text, &in6.sin6_addr) != 1)
		return;
	permitted = host_rules_permit_address(
		rules, host, is_in ? (struct sockaddr *) &in : (struct sockaddr *) &in6);
	if (is_in)
		memcpy(address + 12, &in.sin_addr, 4);
	else
		memcpy(address, &in6.sin6_addr, 16);
	inet_ntop(is_in ? AF_INET : AF_INET6, is_in ? (void *) &in.sin_addr : (void *) &in6.sin6_addr,
			  named, sizeof(named));
	if (!is_in)
		unwrap(address);
	is_loopback = IS_AMONG(address, loopbacks);
	if (list_names(rules, named, port))
		return;
	fuzz_require(!permitted || is_loopback == is_localhost(host), "%s is permitted for %s", text,
				 host);
	fuzz_require(!permitted || !IS_AMONG(address, refused), "%s is permitted", text);
	fuzz_require(permitted || is_loopback != is_localhost(host) || IS_AMONG(address, refused),
				 "%s is refused for %s", text, host);
}

/* --- URLs ------------------------------------------------------------------------------------ */

typedef struct Request
{
	const char *text;
	const HttpUrl *base; /* of a Location; NULL for a URL by itself */
	HttpUrl *url;        /* the result */
} Request;

static void
parse(void *request_)
{
	Request *request = request_;

	request->url = request->base == NULL ? http_url_parse(request->text, HTTP_URL_ARGUMENT)
										 : http_url_parse_location(request->base, request->text);
}

static void
check_printable(const char *text, const char *what)
{
	for (; *text != '\0'; text++)
		fuzz_require(*text >= ' ' && *text <= '~', "%s holds the byte 0x%02x", what,
					 (unsigned char) *text);
}

static void
check_url(const HttpUrl *url)
{
	size_t scheme_length = url->is_tls ? strlen("https://") : strlen("http://");
	const char *authority = url->text + scheme_length;
	size_t authority_length = strcspn(authority, "/?#");

	fuzz_require(strncmp(url->text, url->is_tls ? "https://" : "http://", scheme_length) == 0,
				 "a scheme in %s", url->text);
	fuzz_require(authority_length > 0 && url->host[0] != '\0', "no host in %s", url->text);
	fuzz_require(memchr(authority, '@', authority_length) == NULL, "a user in %s", url->text);
	fuzz_require(url->port >= 0 && url->port <= 65535, "port %d", url->port);
	for (const char *byte = url->text; *byte != '\0'; byte++)
		fuzz_require((unsigned char) *byte > ' ' && *byte != 0x7f, "a blank or control in %s",
					 url->text);
	check_printable(url->shown, "what is shown");
	fuzz_require(strchr(url->shown, '#') == NULL, "a fragment is shown: %s", url->shown);
	fuzz_require(strchr(url->shown, '?') == NULL || strcmp(strchr(url->shown, '?'), "?...") == 0,
				 "a query is shown: %s", url->shown);
}

/* The URL, or NULL; what is said of one that is refused repeats none of it but a scheme. */
static HttpUrl *
take_url(const HttpUrl *base, const char *text)
{
	Request request = {.text = text, .base = base};
	ServerStubError error;

	if (!server_stub_try(parse, &request, &error))
	{
		check_printable(error.message, "a message");
		fuzz_require(strchr(error.message, '@') == NULL, "a message repeats: %s", error.message);
		return NULL;
	}
	check_url(request.url);
	return request.url;
}

static void
complete(void *request_)
{
	Request *request = request_;

	request->text = http_url_for_rows(request->text, 5, 10, true);
}

/* What is added to a URL leads nowhere else. */
static void
check_rows(const HttpUrl *url, const char *text)
{
	Request request = {.text = text};
	ServerStubError error;
	HttpUrl *complete_url;

	fuzz_require(server_stub_try(complete, &request, &error), "%s", error.message);
	if (strchr(text, '{') != NULL)
		return;
	fuzz_require(strstr(request.text, "row_limit=5") != NULL, "no limit in %s", request.text);
	complete_url = take_url(NULL, request.text);
	fuzz_require(complete_url != NULL && complete_url->port == url->port &&
					 strcmp(complete_url->host, url->host) == 0,
				 "%s leads elsewhere than %s", request.text, text);
}

static void
check_permission(const char *rules, const HttpUrl *url)
{
	if (host_rules_permit_host(rules, url->host, url->port))
		fuzz_require(list_names(rules, url->host, url->port), "%s is permitted by %s", url->host,
					 rules);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *rules = fuzz_take_line(&data, &size);
	char *text = fuzz_take_line(&data, &size);
	char *location = fuzz_take_line(&data, &size);
	char *address = fuzz_take_line(&data, &size);
	HttpUrl *url = take_url(NULL, text), *next;

	(void) host_rules_fault(rules);
	if (url != NULL)
	{
		check_permission(rules, url);
		check_rows(url, text);
		check_address(rules, url->host, url->port, address);
		next = take_url(url, location);
		if (next != NULL)
			check_permission(rules, next);
		(void) host_rules_is_loopback(url->host);
	}
	server_stub_reset();
	free(rules);
	free(text);
	free(location);
	free(address);
	return 0;
}
