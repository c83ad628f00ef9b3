/*
 * http_answer.h - what is kept of an answer's header, taken line by line as libcurl hands it on.
 * Pure; nothing is allocated.
 */
#ifndef TRANSFERBENCH_HTTP_ANSWER_H
#define TRANSFERBENCH_HTTP_ANSWER_H

#include "http/http_session.h"

#define HTTP_HEAD_MAX_BYTES (256 * 1024) /* all header lines of one answer, interim ones included */

typedef struct HttpHead
{
	HttpAnswer answer;          /* the members that a header says */
	char content_encoding[128]; /* lists, as they came; nothing of one that is too long */
	char transfer_encoding[32];
	unsigned too_long; /* lists that are, a bit each */
	bool has_length;
	int64_t length; /* Content-Length */
	size_t bytes;
	const char *problem; /* static words, when a line was refused for what it says; else NULL */
	bool complete;       /* of the final answer, not of a 1xx; what comes then is a trailer */
} HttpHead;

/* Takes a line with its line end; false when there are too many bytes of them, or (head->problem) when
 * where the body ends would be a matter of opinion. */
extern bool http_head_take(HttpHead *head, const char *line, size_t length);
/* Takes a whole head from the start of `bytes`; its length, or 0 when there is none. */
extern size_t http_head_take_all(HttpHead *head, const char *bytes, size_t length);

#endif
