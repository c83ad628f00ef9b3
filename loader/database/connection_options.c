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

bool
connection_options_check(const ConnectionOptions *options)
{
	PQconninfoOption *parsed;
	char *problem = NULL;

	if (options->dbname == NULL || !is_connection_string(options->dbname))
		return true;
	parsed = PQconninfoParse(options->dbname, &problem);
	if (parsed != NULL)
	{
		PQconninfoFree(parsed);
		return true;
	}
	/* libpq's words repeat parts of the string, a piece of a password maybe */
	if (problem == NULL || strchr(options->dbname, '@') != NULL ||
		strcasestr(options->dbname, "pass") != NULL)
		message_error("-d: the connection string cannot be read (it is not repeated here, since it "
					  "may hold a password)");
	else
		message_error("-d: the connection string cannot be read: %.*s",
					  (int) strcspn(problem, "\n"), problem);
	PQfreemem(problem);
	return false;
}

void
connection_options_parameters(const ConnectionOptions *options, const char **keywords,
							  const char **values)
{
	/* a conninfo string in dbname overrides what stands before it, as in psql */
	const char *const pairs[CONNECTION_PARAMETERS][2] = {
		{"application_name", options->application_name},
		{"host", options->host},
		{"port", options->port},
		{"user", options->user},
		{"dbname", options->dbname},
		{"client_encoding", "UTF8"},
	};

	for (int i = 0; i < CONNECTION_PARAMETERS; i++)
	{
		keywords[i] = pairs[i][0];
		values[i] = pairs[i][1];
	}
}
