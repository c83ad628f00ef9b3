/*
 * serve_http.h - the HTTP side: one thread (libmicrohttpd, epoll) for all connections,
 * that never waits for a database, a file or a client.
 *
 *   GET, HEAD  /load_from_db  rows, by the pool
 *   GET, HEAD  /info          a constant document
 *   GET, HEAD  /health        a document made on the spot
 */
#ifndef TRANSFERBENCH_SERVE_HTTP_H
#define TRANSFERBENCH_SERVE_HTTP_H

#include "serve/serve_info.h"
#include "serve/serve_pool.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ServeHttp ServeHttp;

/* Serves on a listening socket, which becomes its own; `pool`, `limits` and `info` (JSON) are lent.
 * NULL, with a message, on failure. */
extern ServeHttp *serve_http_start(int listen_fd, ServePool *pool, const ServeLimits *limits,
								   const char *info);
/* Takes no new connections, and refuses new requests on those there are. */
extern void serve_http_close_doors(ServeHttp *http);
/* Requests for rows that have not ended yet. */
extern int serve_http_active(ServeHttp *http);
/* Ends all of them: 503, or a broken body. */
extern void serve_http_cut_all(ServeHttp *http);
/* After cut_all, or with none active. */
extern void serve_http_stop(ServeHttp *http);

#endif
