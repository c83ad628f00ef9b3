/*
 * settings.h - the pg_transferbench.* settings (GUCs) as the code reads them.
 *
 * All that widens what the server may reach, trust or hold is for superusers
 * (PGC_SUSET); time limits are anybody's own.
 */
#ifndef TRANSFERBENCH_SETTINGS_H
#define TRANSFERBENCH_SETTINGS_H

extern char *settings_allowed_hosts;       /* list, see host_rules.h */
extern int settings_connect_timeout_ms;    /* 0: none */
extern int settings_stall_timeout_ms;      /* without a byte from the endpoint; 0: none */
extern int settings_timeout_ms;            /* of a request as a whole; 0: none */
extern double settings_max_response_bytes; /* decoded, of one response */
extern int settings_max_row_bytes;         /* text of one row, or of one value of a column object */
extern int settings_max_buffered_bytes; /* of a column object before it goes to temporary files */
extern char *settings_ca_file;          /* "": the system's */
extern char *settings_credentials_file; /* "": none, see credentials.h */
extern bool settings_tls_verify;
extern bool settings_follow_redirects;

/* Defines all settings and reserves the prefix; called once, when the module is loaded. */
extern void settings_define(void);

#endif
