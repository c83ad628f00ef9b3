/*
 * settings.c - see settings.h.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"

#include "compat.h"
#include "host_rules.h"
#include "settings.h"

#define SECOND_MS 1000
#define DAY_MS    (24 * 60 * 60 * SECOND_MS)

#define KIB 1024
#define MIB (1024 * KIB)
#define GIB (1024.0 * MIB)

#define DEFAULT_ALLOWED_HOSTS      "localhost, 127.0.0.1, ::1"
#define DEFAULT_MAX_RESPONSE_BYTES (32 * GIB) /* 10^8 reference rows as JSON */
#define DEFAULT_MAX_ROW_BYTES      (4 * MIB)
#define DEFAULT_MAX_BUFFERED_BYTES MIB
#define LARGEST_RESPONSE_BYTES     (1024 * 1024 * GIB)
#define LARGEST_ROW_BYTES          (1023 * MIB) /* what one palloc can hold (MaxAllocSize) */

char *settings_allowed_hosts;
int settings_connect_timeout_ms;
int settings_stall_timeout_ms;
int settings_timeout_ms;
double settings_max_response_bytes;
int settings_max_row_bytes;
int settings_max_buffered_bytes;
char *settings_ca_file;
char *settings_credentials_file;
bool settings_tls_verify;
bool settings_follow_redirects;

static bool
check_allowed_hosts(char **new_value, void **extra, GucSource source)
{
	const char *fault = host_rules_fault(*new_value);

	if (fault == NULL)
		return true;
	GUC_check_errdetail("%s", fault);
	GUC_check_errhint("Give host, host:port, [address]:port or *.domain, separated by commas.");
	return false;
}

static void
define_reach_settings(void)
{
	DefineCustomStringVariable("pg_transferbench.allowed_hosts",
							   "Hosts that the server may be sent to.",
							   "host, host:port, [address]:port or *.domain, separated by commas.",
							   &settings_allowed_hosts, DEFAULT_ALLOWED_HOSTS, PGC_SUSET, 0,
							   check_allowed_hosts, NULL, NULL);
	DefineCustomBoolVariable("pg_transferbench.follow_redirects",
							 "Follows redirects, each checked as the first URL was.", NULL,
							 &settings_follow_redirects, false, PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"pg_transferbench.ca_file", "File of certificate authorities (PEM) to trust.",
		"Empty for the system's own.", &settings_ca_file, "", PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"pg_transferbench.credentials_file", "File of headers to send, by host and port.",
		"Lines of host:port:Header: value; mode 0600. Empty for none.", &settings_credentials_file,
		"", PGC_SUSET, GUC_SUPERUSER_ONLY, NULL, NULL, NULL);
	DefineCustomBoolVariable("pg_transferbench.tls_verify",
							 "Verifies the endpoint's certificate and host name.", NULL,
							 &settings_tls_verify, true, PGC_SUSET, 0, NULL, NULL, NULL);
}

static void
define_time_limit(const char *name, const char *meaning, int *variable, int default_ms)
{
	DefineCustomIntVariable(name, meaning, "0 turns the limit off.", variable, default_ms, 0,
							DAY_MS, PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
}

static void
define_limits(void)
{
	define_time_limit("pg_transferbench.connect_timeout",
					  "Longest time to look up the host and connect.", &settings_connect_timeout_ms,
					  10 * SECOND_MS);
	define_time_limit("pg_transferbench.stall_timeout",
					  "Longest time without a byte from the endpoint.", &settings_stall_timeout_ms,
					  60 * SECOND_MS);
	define_time_limit("pg_transferbench.timeout", "Longest time for one request as a whole.",
					  &settings_timeout_ms, 0);
	DefineCustomRealVariable("pg_transferbench.max_response_bytes",
							 "Largest response body, after decompression.", NULL,
							 &settings_max_response_bytes, DEFAULT_MAX_RESPONSE_BYTES, 1,
							 LARGEST_RESPONSE_BYTES, PGC_SUSET, GUC_UNIT_BYTE, NULL, NULL, NULL);
	DefineCustomIntVariable("pg_transferbench.max_row_bytes", "Longest JSON text of one row.", NULL,
							&settings_max_row_bytes, DEFAULT_MAX_ROW_BYTES, 1, LARGEST_ROW_BYTES,
							PGC_SUSET, GUC_UNIT_BYTE, NULL, NULL, NULL);
	DefineCustomIntVariable(
		"pg_transferbench.max_buffered_bytes",
		"Memory for a column-oriented response before it goes to temporary files.", NULL,
		&settings_max_buffered_bytes, DEFAULT_MAX_BUFFERED_BYTES, 0, LARGEST_ROW_BYTES, PGC_SUSET,
		GUC_UNIT_BYTE, NULL, NULL, NULL);
}

void
settings_define(void)
{
	define_reach_settings();
	define_limits();
	MarkGUCPrefixReserved("pg_transferbench");
}
