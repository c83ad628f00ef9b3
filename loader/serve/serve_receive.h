/*
 * serve_receive.h - POST /save_to_db, on the HTTP side: the body into an upload, the outcome back.
 *
 * A request goes to the pool once its body is complete or fills the upload, so that a slow client
 * with little to say holds up no connection. Only from then on it counts against --max-requests.
 * A body that is refused half-way is read to its end and dropped, since libmicrohttpd answers no
 * earlier; one that goes on for too long, or too slowly, is answered past the library, and its
 * connection closed.
 */
#ifndef TRANSFERBENCH_SERVE_RECEIVE_H
#define TRANSFERBENCH_SERVE_RECEIVE_H

#include "serve/active.h"
#include "serve/lingering.h"
#include "serve/serve_pool.h"

typedef struct ServeReceive
{
	ServePool *pool;
	ActiveList *list;
	Lingering *lingering;
	int64_t max_body_bytes; /* as they come; 0: no limit */
} ServeReceive;

/* The head has come. Lets the request in, or refuses it; *active stays NULL then. */
extern enum MHD_Result serve_receive_begin(const ServeReceive *receive,
										   struct MHD_Connection *connection, bool has_chunks,
										   Active **active);
/* Some of the body has come; *size: what is left of it to be taken later. */
extern enum MHD_Result serve_receive_take(const ServeReceive *receive,
										  struct MHD_Connection *connection, Active *active,
										  const char *bytes, size_t *size);
/* The body is complete: sends the answer, or sleeps until there is one, and is then to be called
 * again. */
extern enum MHD_Result serve_receive_answer(const ServeReceive *receive,
											struct MHD_Connection *connection, Active *active);

#endif
