#include "database/connection_options.h"
#include "message.h"

#include <libpq-fe.h>
#include <string.h>

bool
connection_option_take(ConnectionOptions *options, int letter, const char *value)
{
	switch (letter)
	{
		case 'h':
			options->host = value;
			return true;
		case 'p':
			options->port = value;
			return true;
		case 'U':
			options->user = value;
			return true;
		case 'd':
			options->dbname = value;
			return true;
		default:
			return false;
	}
}

static bool
is_connection_string(const char *text)
{
	return strchr(text, '=') != NULL || strncmp(text, "postgresql://", 13) == 0 ||
		   strncmp(text, "postgres://", 11) == 0;
}

/* A slash or a colon within a password makes of what follows it something else, and libpq's complaint
 * about that repeats it. */
static bool
is_port_list(const char *text)
{
	return text == NULL || text[strspn(text, "0123456789,")] == '\0';
}

static bool
has_good_ports(const PQconninfoOption *parsed)
{
	for (; parsed->keyword != NULL; parsed++)
		if (strcmp(parsed->keyword, "port") == 0 && !is_port_list(parsed->val))
			return false;
	return true;
}

bool
connection_options_check(const ConnectionOptions *options, const char *option)
{
	PQconninfoOption *parsed;
	char *problem = NULL;
	bool fit;

	if (options->dbname == NULL || !is_connection_string(options->dbname))
		return true;
	parsed = PQconninfoParse(options->dbname, &problem);
	fit = parsed != NULL && has_good_ports(parsed);
	/* libpq's words repeat parts of the string, a piece of a password maybe */
	if (!fit && (problem == NULL || strchr(options->dbname, '@') != NULL ||
				 strcasestr(options->dbname, "pass") != NULL))
		message_error("%s: the connection string cannot be read (it is not repeated here, since it "
					  "may hold a password; within a URI / : and @ of a password are written %%2F, "
					  "%%3A, %%40)",
					  option);
	else if (!fit)
		message_error("%s: the connection string cannot be read: %.*s", option,
					  (int) strcspn(problem, "\n"), problem);
	PQconninfoFree(parsed);
	PQfreemem(problem);
	return fit;
}

void
connection_options_parameters(const ConnectionOptions *options, const char **keywords,
							  const char **values)
{
	/* a conninfo string in dbname overrides what stands before it, as in psql; what stands after it
	 * overrides the string: a run must be known by its name */
	const char *const pairs[CONNECTION_PARAMETERS][2] = {
		{"application_name", options->default_application_name},
		{"host", options->host},
		{"port", options->port},
		{"user", options->user},
		{"dbname", options->dbname},
		{"application_name", options->application_name},
		{"client_encoding", "UTF8"},
	};

	for (int i = 0; i < CONNECTION_PARAMETERS; i++)
	{
		keywords[i] = pairs[i][0];
		values[i] = pairs[i][1];
	}
}
