/*
 * request_head.h - what must hold of a request's head, whatever is asked for.
 *
 * libmicrohttpd reads heads tolerantly. Where somebody in between reads one in another way, the two
 * disagree about where a request ends, or whom it is for (RFC 9112, sections 5.1 and 11.2): such a
 * head is refused. What cannot be seen from here is a byte 0, with which the library ends whatever
 * it stands in.
 */
#ifndef TRANSFERBENCH_REQUEST_HEAD_H
#define TRANSFERBENCH_REQUEST_HEAD_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

/* Of a request's target, as it comes. The library would not get over more parameters than its
 * memory for a head holds: it neither answers nor reads on. */
#define REQUEST_TARGET_MAX     (16 * 1024)
#define REQUEST_PARAMETERS_MAX 64

typedef struct RequestHeadProblem
{
	int status;
	const char *detail; /* constant */
} RequestHeadProblem;

/* Whether the target, not yet taken apart, has a size that can be dealt with; else *problem. */
extern bool request_target_check(const char *target, RequestHeadProblem *problem);
/* Whether the fields are well formed, and the end of the body is beyond doubt; else *problem. */
extern bool request_head_check(struct MHD_Connection *connection, const char *version,
							   RequestHeadProblem *problem);
/* The path of a target in origin or absolute form (RFC 9112, section 3.2), within it. */
extern const char *request_path(const char *target);
/*
 * Whether a Host field (NULL: there is none) names this machine by an address or as localhost. A
 * browser that was sent to a stranger's name, which then led here, names the stranger (DNS
 * rebinding): its page may read the answer.
 */
extern bool request_host_is_local(const char *host);
/* An MHD unescape callback that leaves alone what would hold a byte 0: it would hide what follows. */
extern size_t request_unescape(void *context, struct MHD_Connection *connection, char *text);

#endif
