/*
 * serve_reply.h - answers in one piece, to libmicrohttpd. Each returns what its handler is to
 * return.
 */
#ifndef TRANSFERBENCH_SERVE_REPLY_H
#define TRANSFERBENCH_SERVE_REPLY_H

#include <microhttpd.h>
#include <stdbool.h>

/* False when out of memory. */
extern bool serve_reply_header(struct MHD_Response *response, const char *name, const char *value);

/* `json` is copied; NULL (out of memory) ends the connection. */
extern enum MHD_Result serve_reply_json(struct MHD_Connection *connection, int status,
										const char *json);
/* The answer to a request that was done before. */
extern enum MHD_Result serve_reply_replayed(struct MHD_Connection *connection, int status,
											const char *json);
extern enum MHD_Result serve_reply_error(struct MHD_Connection *connection, int status,
										 const char *detail);
/* 405; `allowed`: the methods there are, "" for none. */
extern enum MHD_Result serve_reply_method(struct MHD_Connection *connection, const char *allowed);
/* 401, with the challenge of RFC 6750. */
extern enum MHD_Result serve_reply_unauthorized(struct MHD_Connection *connection, bool has_token);

/* A whole answer straight to a socket on which nothing was answered yet, for a request whose body
 * libmicrohttpd would first have to read to its end. The connection is to be closed after it. */
extern void serve_reply_early(int fd, int status, const char *json);

#endif
