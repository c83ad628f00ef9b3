/*
 * active.h - the requests that are under way between HTTP and a database, so that their number
 * is bounded and all can be ended.
 *
 * One that brings a body counts from when it goes to the database until it has ended: as long
 * as its client is merely sending it, others must not be kept out by it. The number of
 * those is bounded by that of HTTP connections.
 */
#ifndef TRANSFERBENCH_ACTIVE_H
#define TRANSFERBENCH_ACTIVE_H

#include "serve/exchange.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Active Active;

typedef struct ActiveList
{
	int64_t limit;
	pthread_mutex_t lock; /* over all that follows */
	Active *first;
	int64_t count;   /* of all */
	int64_t counted; /* of those that count against the limit */
	bool closing;
} ActiveList;

/* One request. */
struct Active
{
	Exchange *exchange;
	struct MHD_Response *response; /* a GET's, while its body is being read, for the trailer */
	bool has_chunks;               /* HTTP/1.1: an end that is none can be told from one */
	bool is_submitted;             /* a POST's: to the pool */
	int64_t received;              /* a POST's: bytes of its body, as they came */
	int64_t discarded;             /* those of them that nobody wanted */
	ActiveList *list;
	bool counts; /* against the limit; under the list's lock */
	Active *previous, *next;
};

extern void active_list_init(ActiveList *list, int64_t limit);
extern void active_list_destroy(ActiveList *list);
/* Nobody else is let in. */
extern void active_list_close(ActiveList *list);
extern int active_list_count(ActiveList *list);
/* Ends all of them: 503, or a broken answer. */
extern void active_list_cut(ActiveList *list);

typedef enum Admission
{
	ADMITTED,
	ADMISSION_FULL,
	ADMISSION_CLOSING,
	ADMISSION_OUT_OF_MEMORY, /* or out of descriptors */
} Admission;

/* Lets a request of a connection in; `options` need neither client_fd nor hooks of the HTTP side.
 * *active is set when ADMITTED. */
extern Admission active_admit(ActiveList *list, struct MHD_Connection *connection,
							  const ExchangeOptions *options, bool has_chunks, Active **active);
/* A request with a body goes to the database now: false when the limit does not let it. */
extern bool active_count_upload(Active *active);
/* What a client is told then. */
#define ACTIVE_FULL "as many requests as --max-requests allows are under way"
/* Answers for those who were not. */
extern enum MHD_Result active_refuse(struct MHD_Connection *connection, Admission admission);
/* The request is over, its connection too perhaps. */
extern void active_forget(Active *active);

/* A descriptor of our own for a connection's socket, or -1. */
extern int active_duplicate_socket(struct MHD_Connection *connection);

/*
 * Whether all that a client sent has been read, and its end has come too. libmicrohttpd hears of
 * readiness by edges: an end that came together with the last bytes is told to nobody again, so
 * whoever takes bytes and waits for more has to look.
 */
extern bool active_has_left(struct MHD_Connection *connection);

#endif
