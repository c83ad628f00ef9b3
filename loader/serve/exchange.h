/*
 * exchange.h - one request and its answer, between the thread that speaks HTTP and
 * the thread that works on the database.
 *
 * The HTTP side never blocks: where there is nothing to be had yet it goes to sleep
 * (suspends its connection) and is woken. The database side blocks while the bounded
 * buffer is full, until the client has taken some, has gone, or the exchange is cut; or,
 * once it has been relieved because others wait for its connection, it goes on into a
 * temporary file, from which a third thread refills the buffer.
 *
 * The status is decided once: with a document that is the whole answer, or for a body.
 * Then its bytes flow, and it ends complete, or broken: then the connection is closed so
 * that nobody can take the body for whole. An answer that nobody can give with
 * certainty is broken too: the connection is closed without a status.
 *
 * A request that brings a body has an upload (upload.h), which ends with the exchange.
 *
 * Counted references; both sides hold one.
 */
#ifndef TRANSFERBENCH_EXCHANGE_H
#define TRANSFERBENCH_EXCHANGE_H

#include "serve/save_request.h"
#include "serve/serve_request.h"
#include "serve/upload.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Lets the HTTP side run again; called with the exchange's lock held, from any thread. */
typedef void (*ExchangeHook)(void *http_side);

typedef struct Exchange Exchange;

/* Asks for exchange_refill from a thread that may wait for a disk; called with the lock held, with a
 * reference that goes to it. */
typedef void (*ExchangeRefillHook)(void *refiller, Exchange *exchange);

typedef struct ExchangeOptions
{
	ServeRequest request; /* of a GET, */
	SaveRequest save;     /* or of a POST */
	bool has_upload;
	int client_fd; /* becomes the exchange's */
	ExchangeHook sleep, wake;
	void *http_side; /* what they work on */
	ExchangeRefillHook refill;
	void *refiller;
	int64_t max_overflow_bytes; /* of the temporary file; 0: no limit */
} ExchangeOptions;

/* NULL when out of memory (client_fd is then still the caller's). */
extern Exchange *exchange_create(const ExchangeOptions *options);
extern void exchange_hold(Exchange *exchange);
extern void exchange_release(Exchange *exchange);

/* What was asked; constant. */
extern const ServeRequest *exchange_request(const Exchange *exchange);
extern const SaveRequest *exchange_save_request(const Exchange *exchange);
/* NULL unless it has one. */
extern Upload *exchange_upload(const Exchange *exchange);

/* --- the HTTP side --- */

typedef struct ExchangeAnswer
{
	int status;     /* EXCHANGE_NO_STATUS: none can be given */
	char *document; /* JSON, terminated; NULL when a body is to be read. The exchange's. */
	bool is_replayed;
} ExchangeAnswer;

#define EXCHANGE_NO_STATUS 0

/* True when the status is decided; else the HTTP side has been put to sleep. */
extern bool exchange_answer(Exchange *exchange, ExchangeAnswer *answer);

#define EXCHANGE_END    (-1)
#define EXCHANGE_BROKEN (-2)
/* Takes up to `size` bytes; 0: none yet, and put to sleep; or END, BROKEN. */
extern ssize_t exchange_read(Exchange *exchange, char *bytes, size_t size);
/* After END: the value of the Server-Timing field. */
extern const char *exchange_server_timing(const Exchange *exchange);
/* Says that nobody reads any more, and that `http_side` is gone. */
extern void exchange_abandon(Exchange *exchange);

/* --- the database side --- */

/* False when nobody waits for this answer any more. From here until detach, abandon and cut also
 * write to `interrupt_fd` (an eventfd). */
extern bool exchange_attach(Exchange *exchange, int interrupt_fd);
extern void exchange_detach(Exchange *exchange);
/* The client's socket, to be watched; the exchange's. */
extern int exchange_client_fd(const Exchange *exchange);
/* Decides for a body: 200 or 201. False when out of memory or already ended. */
extern bool exchange_decide(Exchange *exchange, int status);
/* Decides for a document, which becomes the exchange's. */
extern void exchange_conclude(Exchange *exchange, int status, char *document, bool is_replayed);
/* From here on a cut breaks the answer: 503 would promise that nothing was done. False when nobody
 * waits for the answer any more. */
extern bool exchange_begin_commit(Exchange *exchange);
/* Whether somebody still waits for the answer. */
extern bool exchange_is_wanted(Exchange *exchange);
/* Ends without an answer. */
extern void exchange_break(Exchange *exchange);
/* Writes `length` bytes of the body, waiting for room; false when nobody reads any more. */
extern bool exchange_write(Exchange *exchange, const char *bytes, size_t length);
/* Nanoseconds spent in exchange_write waiting for room. */
extern int64_t exchange_waited_ns(const Exchange *exchange);
extern void exchange_finish(Exchange *exchange, const char *server_timing);

/* --- whoever looks after the connections --- */

/* If the database side has been waiting for its client for `stalled_ns`, lets it go on into a
 * temporary file. */
extern void exchange_relieve(Exchange *exchange, int64_t stalled_ns);
/* If its body comes too slowly (upload_is_slow), ends it with 503, and returns true. */
extern bool exchange_end_slow_upload(Exchange *exchange);
/* Whether that was so: the rest of the body is not worth waiting for. */
extern bool exchange_is_too_slow(Exchange *exchange);
/* Moves bytes from the file into the buffer. */
extern void exchange_refill(Exchange *exchange);
/* Where the refiller hangs on the next one of its list: no memory is wanted for that. */
extern Exchange **exchange_refill_link(Exchange *exchange);

/* --- both, and whoever else holds a reference --- */

/* Ends with an error: before the status is decided by an error body, afterwards by a broken one.
 * No more than the first end counts. */
extern void exchange_fail(Exchange *exchange, int status, const char *detail);
/* exchange_fail, and stops the database side too. */
extern void exchange_cut(Exchange *exchange, int status, const char *detail);

/* Makes the JSON body of an error; the caller frees; NULL when out of memory. */
extern char *exchange_error_body(const char *error, const char *detail);

#endif
