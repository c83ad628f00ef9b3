/*
 * serve_info.h - the documents of /info and /health.
 *
 * /info, constant while the server runs: versions, what is served, columns, order,
 * formats and limits. /health: that this process answers, how busy it is, and whether
 * the database could be reached when last tried; it asks the database nothing.
 */
#ifndef TRANSFERBENCH_SERVE_INFO_H
#define TRANSFERBENCH_SERVE_INFO_H

#include "serve/serve_pool.h"
#include "database/query_source.h"
#include "serve/serve_target.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ServeLimits
{
	int64_t connections;       /* to the database, and threads */
	int64_t write_connections; /* the same, for those that write; 0: nobody writes */
	int64_t requests;          /* at once, waiting ones counted */
	int64_t http_connections;  /* at once */
	int64_t queue_timeout_s;   /* for a database connection */
	int64_t idle_timeout_s;    /* an HTTP connection without progress */
	int64_t spool_bytes;       /* of one request's temporary file; 0: no limit */
	int64_t body_bytes;        /* of one request's body; 0: no limit */
} ServeLimits;

/* JSON, terminated; the caller frees. NULL when out of memory. */
extern char *serve_info_document(const QuerySource *source, const ServeTarget *target,
								 const ServeLimits *limits);
/* `save` is all zeros where nobody writes. */
extern char *serve_health_document(const ServePoolState *load, const ServePoolState *save);

#endif
