/*
 * http_conceal.h - an endpoint's words may repeat what was sent to it, a token among it: these do not
 * reach a message or a report.
 */
#ifndef TRANSFERBENCH_HTTP_CONCEAL_H
#define TRANSFERBENCH_HTTP_CONCEAL_H

#include "http/http_session.h"

/* Overwrites with '*', in a text of one's own, what is the token, the value of a header that was given
 * (of 8 bytes or more), or the credentials in an Authorization; at the text's end, where it may be
 * cut, their beginnings, too. A backslash that JSON puts before some bytes does not hide them. */
extern void http_conceal(const HttpOptions *options, char *text);

#endif
