/*
 * http_conceal.h - an endpoint's words may repeat what was sent to it, a token among it: these do not
 * reach a message or a report.
 */
#ifndef TRANSFERBENCH_HTTP_CONCEAL_H
#define TRANSFERBENCH_HTTP_CONCEAL_H

#include "http/http_session.h"

/* Overwrites with '*' what is the token, or the value of a header that was given, or what follows a
 * scheme in one ("Basic ..."), in a text of one's own; at its end, where it may be cut, also their
 * beginnings. */
extern void http_conceal(const HttpOptions *options, char *text);

#endif
