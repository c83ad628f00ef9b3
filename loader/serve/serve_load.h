/*
 * serve_load.h - GET /load_from_db, on the HTTP side.
 */
#ifndef TRANSFERBENCH_SERVE_LOAD_H
#define TRANSFERBENCH_SERVE_LOAD_H

#include "serve/active.h"
#include "serve/refiller.h"
#include "serve/serve_pool.h"

/* Of one connection: bounds a request's head, and is the size of a chunk. Untouched pages of it
 * cost nothing. */
#define SERVE_CONNECTION_MEMORY (64 * 1024)

typedef struct ServeLoad
{
	ServePool *pool; /* NULL: nothing is read */
	ActiveList *list;
	Refiller *refiller;
	int64_t max_spool_bytes;
} ServeLoad;

/* Starts a request, or refuses it; *active stays NULL then. */
extern enum MHD_Result serve_load_begin(const ServeLoad *load, struct MHD_Connection *connection,
										bool has_chunks, bool head_only, Active **active);
/* Sends the error, or begins the body; until the status is decided the connection sleeps, and this
 * is to be called again after it. */
extern enum MHD_Result serve_load_answer(struct MHD_Connection *connection, Active *active);

#endif
