/*
 * credentials.c - see credentials.h. Parsing is apart from reading: it knows no
 * file and raises nothing.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog/pg_authid.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/acl.h"

#include "credentials.h"
#include "host_rules.h"
#include "http_headers.h"
#include "settings.h"

#define TLS_PREFIX "https://"
#define BLANKS     " \t\r"

/* one line, lent from the text */
typedef struct Credential
{
	HostEndpoint endpoint;
	bool is_tls_only;
	const char *header; /* "Name: value", terminated */
	size_t name_length;
} Credential;

struct Credentials
{
	MemoryContextCallback on_reset; /* wipes the text */
	List *entries;                  /* of Credential * */
	size_t length;
	char text[CREDENTIALS_MAX_BYTES + 1]; /* what the entries point into */
};

/* --- parsing ------------------------------------------------------------------------- */

/* The colon behind host:port; NULL when there is none. */
static char *
end_of_endpoint(char *text)
{
	char *end = *text == '[' ? strchr(text, ']') : text;

	if (end != NULL)
		end = strchr(end, ':');
	return end != NULL ? strchr(end + 1, ':') : NULL;
}

/* What is wrong with a line that is neither blank nor a comment; NULL when nothing. */
static const char *
parse_line(char *line, Credential *credential)
{
	char *colon, *value;

	credential->is_tls_only = pg_strncasecmp(line, TLS_PREFIX, strlen(TLS_PREFIX)) == 0;
	if (credential->is_tls_only)
		line += strlen(TLS_PREFIX);
	colon = end_of_endpoint(line);
	if (colon == NULL || !host_rules_parse_endpoint(line, colon - line, &credential->endpoint))
		return "It does not begin with host:port: or [address]:port:.";
	credential->header = colon + 1;
	credential->name_length = strcspn(credential->header, ":");
	if (!http_headers_is_name(credential->header, credential->name_length))
		return "The header's name is empty or has characters that header names do not have.";
	if (http_headers_is_ours(credential->header, credential->name_length))
		return "The header is one that the extension sets itself.";
	value = colon + 1 + credential->name_length;
	if (*value != ':' || value[1 + strspn(value + 1, BLANKS)] == '\0')
		return "The header has no value.";
	if (!http_headers_is_value(value + 1))
		return "The header's value contains a control character.";
	return NULL;
}

/* Whether a list has the same header for the same host and port. */
static bool
has_credential(List *entries, const Credential *wanted)
{
	ListCell *cell;

	foreach (cell, entries)
	{
		const Credential *entry = lfirst(cell);

		if (entry->endpoint.port == wanted->endpoint.port &&
			entry->name_length == wanted->name_length &&
			pg_strncasecmp(entry->header, wanted->header, wanted->name_length) == 0 &&
			host_rules_same_host(entry->endpoint.host, entry->endpoint.length,
								 wanted->endpoint.host, wanted->endpoint.length))
			return true;
	}
	return false;
}

/* Cuts blanks off both ends, in place. */
static char *
trim(char *line, char *end)
{
	while (end > line && strchr(BLANKS, end[-1]) != NULL)
		end--;
	*end = '\0';
	return line + strspn(line, BLANKS);
}

/*
 * Cuts the text into lines and lists what they hold, in the current context.
 * What is wrong with a line, static text, and its number; NULL when nothing.
 */
static const char *
parse(Credentials *credentials, int *line_number)
{
	char *next = credentials->text;
	char *end = credentials->text + credentials->length;

	for (*line_number = 1; next < end; (*line_number)++)
	{
		Credential *credential = palloc0(sizeof(Credential));
		char *line = next;
		char *line_end = memchr(line, '\n', end - line);
		const char *fault;

		if (line_end == NULL)
			line_end = end;
		next = line_end + 1;
		if (memchr(line, '\0', line_end - line) != NULL)
			return "It contains a zero byte.";
		line = trim(line, line_end);
		if (*line == '\0' || *line == '#')
			continue;
		fault = parse_line(line, credential);
		if (fault == NULL && has_credential(credentials->entries, credential))
			fault = "A line above has the same header for the same host and port.";
		if (fault != NULL)
			return fault;
		credentials->entries = lappend(credentials->entries, credential);
	}
	return NULL;
}

/* --- reading ------------------------------------------------------------------------- */

/* The file, for messages: its path is shown to whom SHOW shows it. */
static const char *
shown_file(void)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_SETTINGS)
			   ? psprintf("credentials file \"%s\"", settings_credentials_file)
			   : "the file of pg_transferbench.credentials_file";
}

static void
refuse_file(const char *reason)
{
	ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR), errmsg("%s %s", shown_file(), reason),
			errhint("It must be a regular file that belongs to the server's operating system user, "
					"with permissions u=rw (chmod 0600) or less."));
}

static void
check_file(int file)
{
	struct stat status;

	if (fstat(file, &status) != 0)
		refuse_file(psprintf("could not be examined: %s", strerror(errno)));
	if (!S_ISREG(status.st_mode))
		refuse_file("is not a regular file");
	if (status.st_uid != geteuid() && status.st_uid != 0)
		refuse_file("belongs to another user");
	if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
		refuse_file(psprintf("has permissions %04o, which others can use",
							 (unsigned int) status.st_mode & 07777));
}

/* Reads the whole file; raises when it is longer than there is room. */
static void
read_text(int file, Credentials *credentials)
{
	ssize_t length;

	do
	{
		CHECK_FOR_INTERRUPTS();
		length = read(file, credentials->text + credentials->length,
					  CREDENTIALS_MAX_BYTES + 1 - credentials->length);
		if (length > 0)
			credentials->length += length;
	} while ((length > 0 && credentials->length <= CREDENTIALS_MAX_BYTES) ||
			 (length < 0 && errno == EINTR));
	if (length < 0)
		refuse_file(psprintf("could not be read: %s", strerror(errno)));
	if (credentials->length > CREDENTIALS_MAX_BYTES)
		ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR),
				errmsg("%s is longer than %d bytes", shown_file(), CREDENTIALS_MAX_BYTES));
}

static void
wipe(void *argument)
{
	Credentials *credentials = argument;

	explicit_bzero(credentials->text, sizeof(credentials->text));
}

Credentials *
credentials_read(void)
{
	Credentials *credentials;
	const char *fault;
	int file, line;

	if (settings_credentials_file[0] == '\0')
		return NULL;
	credentials = palloc0(sizeof(Credentials));
	credentials->on_reset = (MemoryContextCallback){.func = wipe, .arg = credentials};
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &credentials->on_reset);

	/* not to wait for the other end of a FIFO */
	file = OpenTransientFile(settings_credentials_file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		refuse_file(psprintf("could not be opened: %s", strerror(errno)));
	check_file(file);
	read_text(file, credentials);
	CloseTransientFile(file);

	fault = parse(credentials, &line);
	if (fault != NULL)
		ereport(ERROR, errcode(ERRCODE_CONFIG_FILE_ERROR),
				errmsg("line %d of %s is malformed", line, shown_file()), errdetail("%s", fault),
				errhint("Lines read \"host:port:Header: value\"."));
	return credentials;
}

/* --- using --------------------------------------------------------------------------- */

static bool
is_for_url(const Credential *credential, const HttpUrl *url)
{
	return credential->endpoint.port == url->port && (url->is_tls || !credential->is_tls_only) &&
		   host_rules_same_host(credential->endpoint.host, credential->endpoint.length, url->host,
								strlen(url->host));
}

List *
credentials_add_headers(const Credentials *credentials, const HttpUrl *url, List *headers)
{
	List *all = list_copy(headers);
	ListCell *cell;

	if (credentials == NULL)
		return all;
	foreach (cell, credentials->entries)
	{
		const Credential *credential = lfirst(cell);

		if (is_for_url(credential, url) &&
			!http_headers_have(headers, credential->header, credential->name_length))
			all = lappend(all, (void *) credential->header);
	}
	return all;
}
