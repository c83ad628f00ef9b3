/*
 * http_answer_test.c - what is kept of an answer's header: lists over several lines, and values that
 * are longer than there is room.
 */
#include "http/http_answer.h"

#include "unit.h"

/* 20 bytes; Transfer-Encoding has room for 31 */
#define TWENTY "aaaaaaaaaaaaaaaaaaaa"
#define NINE   "aaaaaaaaa"

typedef struct HeadCase
{
	const char *name;
	const char *lines;
	const char *transfer_encoding;
} HeadCase;

static const HeadCase cases[] = {
	{"one line", "Transfer-Encoding: gzip\r\n", "gzip"},
	{"two lines are one list", "Transfer-Encoding: gzip\r\ntransfer-encoding:chunked \r\n",
	 "gzip, chunked"},
	{"an interim answer's are gone", "Transfer-Encoding: gzip\r\n\r\nHTTP/1.1 200 OK\r\n", ""},
	{"as long as there is room", "Transfer-Encoding: " TWENTY "\r\nTransfer-Encoding: " NINE "\r\n",
	 TWENTY ", " NINE},
	{"a list longer than that", "Transfer-Encoding: " TWENTY "\r\nTransfer-Encoding: " NINE "b\r\n",
	 ""},
	{"no room for the comma", "Transfer-Encoding: " TWENTY NINE "b\r\nTransfer-Encoding: b\r\n",
	 ""},
	{"a value longer than that", "Transfer-Encoding: " TWENTY TWENTY "\r\n", ""},
	{"control characters", "Transfer-Encoding: a\x1b\tb\x9b\r\n", "a??b?"},
};

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		static const char status_line[] = "HTTP/1.1 100 Continue\r\n";
		char text[400];
		HttpHead head = {.bytes = 0};

		snprintf(text, sizeof(text), "%s%s\r\n", status_line, cases[i].lines);
		for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
			unit_ok(http_head_take(&head, line, (size_t) (strchr(line, '\n') + 1 - line)),
					cases[i].name);
		unit_equal_bytes(head.transfer_encoding, strlen(head.transfer_encoding),
						 cases[i].transfer_encoding, cases[i].name);
	}
	return unit_done();
}
