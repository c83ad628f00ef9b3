/*
 * connection_options.h - how the database is found: as psql and pgbench do it.
 *
 * What is not given comes from the environment (PGHOST, PGSERVICE, ...), the
 * service file and .pgpass, by libpq itself.
 */
#ifndef TRANSFERBENCH_CONNECTION_OPTIONS_H
#define TRANSFERBENCH_CONNECTION_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

typedef struct ConnectionOptions
{
	const char *host;
	const char *port;
	const char *user;
	const char *dbname;                   /* a name, a conninfo string or a URI */
	const char *application_name;         /* whatever is said elsewhere */
	const char *default_application_name; /* unless the connection string has one */
} ConnectionOptions;

/* For getopt_long; the long forms use the same letters. --port is not among them: it belongs to
 * the commands. */
#define CONNECTION_SHORT_OPTIONS "h:p:U:d:"
#define CONNECTION_LONG_OPTIONS                                                                    \
	{"host", required_argument, NULL, 'h'}, {"username", required_argument, NULL, 'U'},            \
	{                                                                                              \
		"dbname", required_argument, NULL, 'd'                                                     \
	}
#define CONNECTION_OPTIONS_HELP                                                                    \
	"Connection options (as in psql; the environment and .pgpass too):\n"                          \
	"  -h, --host HOST          database server host or socket directory\n"                        \
	"  -p PORT                  database server port\n"                                            \
	"  -U, --username NAME      database user\n"                                                   \
	"  -d, --dbname DBNAME      database, connection string or URI\n"

/* Takes one option; false when the letter is none of these. */
extern bool connection_option_take(ConnectionOptions *options, int letter, const char *value);

/* False, with a message that names the option, when the connection string cannot be read. */
extern bool connection_options_check(const ConnectionOptions *options, const char *option);

#define CONNECTION_PARAMETERS 8

/* Fills [CONNECTION_PARAMETERS] arrays for PQconnectStartParams with expand_dbname. */
extern void connection_options_parameters(const ConnectionOptions *options, const char **keywords,
										  const char **values);

#endif
