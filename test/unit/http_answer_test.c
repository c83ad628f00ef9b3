/*
 * http_answer_test.c - what is kept of an answer's header: lists over several lines, values that
 * are longer than there is room, and what it says of where the body ends.
 */
#include "http/http_answer.h"

#include "unit.h"

/* Content-Encoding has room for 127 */
#define TWENTY     "aaaaaaaaaaaaaaaaaaaa"
#define SIXTY      TWENTY TWENTY TWENTY
#define SIXTY_FIVE SIXTY "aaaaa"

typedef struct HeadCase
{
	const char *name;
	const char *lines;
	const char *content_encoding;
} HeadCase;

static const HeadCase cases[] = {
	{"one line", "Content-Encoding: gzip\r\n", "gzip"},
	{"two lines are one list", "Content-Encoding: gzip\r\ncontent-encoding:br \r\n", "gzip, br"},
	{"an interim answer's are gone", "Content-Encoding: gzip\r\n\r\nHTTP/1.1 200 OK\r\n", ""},
	{"as long as there is room",
	 "Content-Encoding: " SIXTY "\r\nContent-Encoding: " SIXTY_FIVE "\r\n", SIXTY ", " SIXTY_FIVE},
	{"a list longer than that",
	 "Content-Encoding: " SIXTY "\r\nContent-Encoding: " SIXTY_FIVE "b\r\n", ""},
	{"no room for the comma", "Content-Encoding: " SIXTY_FIVE SIXTY "b\r\nContent-Encoding: b\r\n",
	 ""},
	{"a value longer than that", "Content-Encoding: " SIXTY SIXTY TWENTY "\r\n", ""},
	{"what comes after a list that is too long",
	 "Content-Encoding: " SIXTY SIXTY TWENTY "\r\nContent-Encoding: gzip\r\n", ""},
	{"a list that is too long, of an interim answer",
	 "Content-Encoding: " SIXTY SIXTY TWENTY
	 "\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n",
	 "gzip"},
	{"control characters", "Content-Encoding: a\x1b\tb\x9b\r\n", "a??b?"},
};

#define NO_NUMBER "Content-Length is no number, or one that is too large"
#define DIFFERENT "Content-Length comes twice, with different values"
#define NO_CHUNKS "Transfer-Encoding is not chunked"

typedef struct FramingCase
{
	const char *lines;
	const char *problem; /* NULL: none */
} FramingCase;

static const FramingCase framings[] = {
	{"Content-Length: 0\r\n", NULL},
	{"content-length:\t052 \r\n", NULL},
	{"Content-Length: 999999999999999999\r\n", NULL},
	{"Content-Length: 5\r\nContent-Length: 05\r\n", NULL},
	{"Content-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n", NULL},
	{"Content-Length: 5\r\nTransfer-Encoding: Chunked\r\n", NULL},
	{"Content-Length: 1000000000000000000\r\n", NO_NUMBER},
	{"Content-Length:\r\n", NO_NUMBER},
	{"Content-Length: -1\r\n", NO_NUMBER},
	{"Content-Length: +1\r\n", NO_NUMBER},
	{"Content-Length: 0x10\r\n", NO_NUMBER},
	{"Content-Length: 5 2\r\n", NO_NUMBER},
	{"Content-Length: 5, 5\r\n", NO_NUMBER},
	{"Content-Length: 5\r\nContent-Length: 6\r\n", DIFFERENT},
	{"Content-Length: 5\r\nContent-Length: 0\r\n", DIFFERENT},
	{"Transfer-Encoding: gzip\r\n", NO_CHUNKS},
	{"Transfer-Encoding:\r\n", NO_CHUNKS},
	{"Transfer-Encoding: gzip, chunked\r\n", NO_CHUNKS},
	{"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", NO_CHUNKS},
	{"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", NO_CHUNKS},
	{"Transfer-Encoding: " SIXTY "\r\nTransfer-Encoding: chunked\r\n", NO_CHUNKS},
};

/* Whether all lines of an interim answer with these ones, and of what follows, were taken. */
static bool
take_lines(HttpHead *head, const char *lines)
{
	char text[500];

	snprintf(text, sizeof(text), "HTTP/1.1 100 Continue\r\n%s\r\n", lines);
	for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
		if (!http_head_take(head, line, (size_t) (strchr(line, '\n') + 1 - line)))
			return false;
	return true;
}

/* On one line. */
static const char *
name_of(const char *lines)
{
	static char name[200];

	snprintf(name, sizeof(name), "%s", lines);
	for (char *byte = name; *byte != '\0'; byte++)
		if (*byte < ' ')
			*byte = ' ';
	return name;
}

static void
test_framing(const FramingCase *framing)
{
	HttpHead head = {.bytes = 0};

	bool taken = take_lines(&head, framing->lines);
	const char *problem = head.problem == NULL ? "" : head.problem;

	unit_ok(taken == (framing->problem == NULL), name_of(framing->lines));
	unit_equal_bytes(problem, strlen(problem), framing->problem == NULL ? "" : framing->problem,
					 name_of(framing->lines));
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		HttpHead head = {.bytes = 0};

		unit_ok(take_lines(&head, cases[i].lines), cases[i].name);
		unit_equal_bytes(head.content_encoding, strlen(head.content_encoding),
						 cases[i].content_encoding, cases[i].name);
	}
	for (size_t i = 0; i < sizeof(framings) / sizeof(framings[0]); i++)
		test_framing(&framings[i]);
	return unit_done();
}
