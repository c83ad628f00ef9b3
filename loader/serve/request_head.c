#include "serve/request_head.h"
#include "serve/serve_request.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

/* RFC 9110, section 5.6.2 */
#define TOKEN_CHARACTERS                                                                           \
	"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* What is of interest of all fields together. */
typedef struct Fields
{
	int lengths;          /* Content-Length */
	int encodings;        /* Transfer-Encoding */
	int hosts;            /* Host */
	int authorizations;   /* Authorization */
	bool is_known;        /* each encoding is chunked */
	bool names_are_sound; /* they are tokens */
	bool values_are_sound;
} Fields;

static bool
refuse(RequestHeadProblem *problem, int status, const char *detail)
{
	*problem = (RequestHeadProblem){.status = status, .detail = detail};
	return false;
}

/* --- the target --- */

bool
request_target_check(const char *target, RequestHeadProblem *problem)
{
	int parameters = 1;

	if (strlen(target) > REQUEST_TARGET_MAX)
		return refuse(problem, SERVE_STATUS_URI_TOO_LONG, "the target is longer than 16384 bytes");
	for (const char *p = strchr(target, '?'); p != NULL; p = strchr(p + 1, '&'))
		if (parameters++ > REQUEST_PARAMETERS_MAX)
			return refuse(problem, SERVE_STATUS_INVALID_VALUE, "there are more than 64 parameters");
	return true;
}

const char *
request_path(const char *target)
{
	static const char scheme[] = "http://";
	const char *path;

	if (strncasecmp(target, scheme, sizeof(scheme) - 1) != 0)
		return target;
	path = strchr(target + sizeof(scheme) - 1, '/');
	return path != NULL ? path : "/";
}

size_t
request_unescape(void *context, struct MHD_Connection *connection, char *text)
{
	(void) context;
	(void) connection;
	return strstr(text, "%00") != NULL ? strlen(text) : MHD_http_unescape(text);
}

/* --- fields --- */

/* RFC 9110, section 5.5: all but control characters, of which a tab is none. */
static bool
is_sound_value(const char *value)
{
	for (; *value != '\0'; value++)
		if (((unsigned char) *value < ' ' && *value != '\t') || *value == 0x7f)
			return false;
	return true;
}

static enum MHD_Result
take_field(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	Fields *fields = context;

	(void) kind;
	if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0)
		fields->lengths++;
	else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0)
		fields->hosts++;
	else if (strcasecmp(name, MHD_HTTP_HEADER_AUTHORIZATION) == 0)
		fields->authorizations++;
	else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0)
	{
		fields->encodings++;
		fields->is_known &= value != NULL && strcasecmp(value, "chunked") == 0;
	}
	fields->names_are_sound &= *name != '\0' && name[strspn(name, TOKEN_CHARACTERS)] == '\0';
	fields->values_are_sound &= value == NULL || is_sound_value(value);
	return MHD_YES;
}

/* Somebody in between may see the end of such a body elsewhere, and then a request within it. */
static const char *
find_framing_problem(const Fields *fields)
{
	if (fields->lengths > 1)
		return "Content-Length comes twice";
	if (fields->encodings > 1)
		return "Transfer-Encoding comes twice";
	if (fields->lengths > 0 && fields->encodings > 0)
		return "Content-Length and Transfer-Encoding exclude each other";
	return fields->is_known ? NULL : "the only Transfer-Encoding is chunked";
}

static const char *
find_problem(const Fields *fields, const char *version)
{
	if (!fields->names_are_sound)
		return "the name of a field is none: it is empty, or has a blank or another character that "
			   "names do not have";
	if (!fields->values_are_sound)
		return "the value of a field has a control character";
	/* RFC 9112, section 3.2 */
	if (fields->hosts > 1)
		return "Host comes twice";
	if (fields->hosts == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0)
		return "Host is missing";
	if (fields->authorizations > 1)
		return "Authorization comes twice";
	return find_framing_problem(fields);
}

bool
request_head_check(struct MHD_Connection *connection, const char *version,
				   RequestHeadProblem *problem)
{
	Fields fields = {.is_known = true, .names_are_sound = true, .values_are_sound = true};
	const char *detail;

	MHD_get_connection_values(connection, MHD_HEADER_KIND, take_field, &fields);
	detail = find_problem(&fields, version);
	return detail == NULL || refuse(problem, SERVE_STATUS_BAD_REQUEST, detail);
}

/* --- Host --- */

static bool
is_port(const char *text)
{
	return *text == '\0' || (*text == ':' && text[1 + strspn(text + 1, "0123456789")] == '\0');
}

/* "localhost", and what ends with ".localhost" (RFC 6761, section 6.3). */
static bool
is_localhost(const char *name, size_t length)
{
	static const char localhost[] = "localhost";
	size_t wanted = sizeof(localhost) - 1;

	return length >= wanted && strncasecmp(name + length - wanted, localhost, wanted) == 0 &&
		   (length == wanted || name[length - wanted - 1] == '.');
}

/* "127.0.0.1", or what stands in the brackets of "[::1]". */
static bool
is_address(int family, const char *text, size_t length)
{
	char name[INET6_ADDRSTRLEN];
	unsigned char address[sizeof(struct in6_addr)];

	if (length >= sizeof(name))
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return inet_pton(family, name, address) == 1;
}

bool
request_host_is_local(const char *host)
{
	size_t length;

	if (host == NULL)
		return true;
	if (*host == '[')
	{
		length = strcspn(host, "]");
		return host[length] == ']' && is_port(host + length + 1) &&
			   is_address(AF_INET6, host + 1, length - 1);
	}
	length = strcspn(host, ":");
	return is_port(host + length) &&
		   (is_localhost(host, length) || is_address(AF_INET, host, length));
}
