/*
 * accept_encoding.h - whether a client wants gzip: RFC 9110, section 12.5.3.
 */
#ifndef TRANSFERBENCH_ACCEPT_ENCODING_H
#define TRANSFERBENCH_ACCEPT_ENCODING_H

#include <stdbool.h>

typedef struct AcceptEncoding
{
	/* weights in thousandths; -1: not named */
	int gzip;
	int identity;
	int any; /* the asterisk's */
} AcceptEncoding;

extern void accept_encoding_init(AcceptEncoding *accept);
/* Takes one Accept-Encoding field; a request may have several. What is malformed is passed over. */
extern void accept_encoding_take(AcceptEncoding *accept, const char *field);
/* True when gzip is welcome, and no less so than no coding where that is named. */
extern bool accept_encoding_wants_gzip(const AcceptEncoding *accept);

#endif
