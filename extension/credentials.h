/*
 * credentials.h - request headers that a superuser keeps in a file, so that no
 * token stands in a statement: pg_transferbench.credentials_file.
 *
 *     # comments and blank lines are skipped
 *     host:port:Header: value
 *     [address]:port:Header: value
 *     https://host:port:Header: value     sent over TLS only
 *
 * A line's header goes to that host and port only: hosts are compared without
 * regard to letter case, to a dot at the end and to the spelling of an IPv6
 * address, and there are no wildcards. It belongs to the URL that a call names;
 * a redirect to another origin neither keeps it nor picks up those of the new
 * one, for it is the endpoint that chooses where that leads.
 *
 * The file is read anew for each call of a bench function. It must be a regular
 * file of at most CREDENTIALS_MAX_BYTES that belongs to the server's user or to
 * root and that nobody else may read or write. All faults are F0000; messages
 * never repeat what a line holds, and name the file only to those who may see
 * the setting.
 */
#ifndef TRANSFERBENCH_CREDENTIALS_H
#define TRANSFERBENCH_CREDENTIALS_H

#include "nodes/pg_list.h"

#include "http_url.h"

#define CREDENTIALS_MAX_BYTES (64 * 1024)

typedef struct Credentials Credentials;

/*
 * What the file holds, in the current context, with which it is wiped; NULL
 * when the setting is empty. (Of what was sent libcurl's request buffer keeps a
 * copy, which it frees without wiping.)
 */
extern Credentials *credentials_read(void);

/*
 * A List of char *, "Name: value": `headers`, and after them those of the file
 * for this URL whose names are not among them. The list is in the current
 * context, the strings are those of `headers` and of the credentials, which may
 * be NULL for none.
 */
extern List *credentials_add_headers(const Credentials *credentials, const HttpUrl *url,
									 List *headers);

#endif
