/*
 * serve_http.h - the HTTP side: one thread (libmicrohttpd, epoll) for all connections,
 * that never waits for a database, a file or a client.
 *
 *   GET, HEAD        /load_from_db  rows, by a pool
 *   POST             /save_to_db    rows, by another
 *   GET, HEAD        /info          a constant document
 *   GET, HEAD        /health        a document made on the spot
 *   GET, HEAD, POST  /usage         the same; POST begins its peak anew
 */
#ifndef TRANSFERBENCH_SERVE_HTTP_H
#define TRANSFERBENCH_SERVE_HTTP_H

#include "serve/serve_info.h"
#include "serve/serve_pool.h"
#include "serve/serve_token.h"

#include <stdbool.h>

typedef struct ServeHttp ServeHttp;

typedef struct ServeHttpOptions
{
	ServePool *load_pool; /* NULL: nothing is read */
	ServePool *save_pool; /* NULL: no POST is allowed */
	const ServeLimits *limits;
	const char *info;        /* JSON */
	const ServeToken *token; /* NULL: none is wanted; /health never wants it */
	bool local_only;         /* whoever names another host than this machine is refused */
} ServeHttpOptions;

/* Serves on a listening socket, which becomes its own; what the options point to is lent. NULL, with
 * a message, on failure. */
extern ServeHttp *serve_http_start(int listen_fd, const ServeHttpOptions *options);
/* Takes no new connections, and refuses new requests on those there are. */
extern void serve_http_close_doors(ServeHttp *http);
/* Requests for rows, or with rows, that have not ended yet. */
extern int serve_http_active(ServeHttp *http);
/* Ends all of them: 503, or a broken body. */
extern void serve_http_cut_all(ServeHttp *http);
/* After cut_all, or with none active. */
extern void serve_http_stop(ServeHttp *http);

#endif
