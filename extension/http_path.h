/*
 * http_path.h - the path 'http-json': n rows as JSON over HTTP into typed
 * values of a row type, consumed in this backend.
 */
#ifndef TRANSFERBENCH_HTTP_PATH_H
#define TRANSFERBENCH_HTTP_PATH_H

#include "nodes/pg_list.h"

#include "bench_path.h"

#define HTTP_PATH_DEFAULT_DECODER "json-c"

typedef struct HttpPathOptions
{
	const char *url;     /* {n} and {offset} are replaced, see http_url.h */
	List *headers;       /* of http_headers_from_jsonb */
	int64 page_rows;     /* rows of one request; 0: all in one */
	const char *decoder; /* NULL: the default */
	TupleDesc row_desc;  /* what each row becomes; must outlive the path */
} HttpPathOptions;

/*
 * Checks the options (22023, 42501) and reads the credentials (F0000) before
 * anything is sent; lives in the current context.
 */
extern BenchPath *http_path_create(const HttpPathOptions *options);

/* Whether the URL names this host by loopback. */
extern bool http_path_leads_to_loopback(const BenchPath *path);

#endif
