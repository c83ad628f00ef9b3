#include "message.h"
#include "progress.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_MESSAGE 8192 /* more than any has, but for a stranger's words: those are cut */

/* For a reader of stderr to go on; once it has kept somebody for so long nobody waits for it. */
#define READER_PATIENCE_MS 1000

static bool notes_are_quiet;

/* Changed with stderr locked. */
static long lost_messages; /* since one was written */

void
message_set_quiet(bool quiet)
{
	notes_are_quiet = quiet;
	progress_set_quiet(quiet);
}

/*
 * Servers, clients and files put words of theirs into messages: no byte of them may steer a terminal
 * or pass for a line of ours. These are the control characters, those of C1 as UTF-8 writes them.
 */
static void
disarm(char *text)
{
	char *end = text;

	for (const char *p = text; *p != '\0'; p++)
	{
		unsigned char byte = (unsigned char) p[0], next = (unsigned char) p[1];

		if (byte == '\t')
			*end++ = ' ';
		else if (byte < 0x20 || byte == 0x7f)
			*end++ = '?';
		else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f)
		{
			*end++ = '?';
			p++;
		}
		else
			*end++ = *p;
	}
	*end = '\0';
}

/* Whether a reader makes room; then PIPE_BUF bytes can be written without waiting for it. */
static bool
has_room(void)
{
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};
	int ready;

	do
		ready = poll(&room, 1, lost_messages > 0 ? 0 : READER_PATIENCE_MS);
	while (ready < 0 && errno == EINTR);
	return ready != 0;
}

/*
 * A worker of serve that says something must not be kept by whoever reads it, nor the end of a run:
 * a reader that has stopped gets no more, and is told how much that was when it goes on. False when
 * none of it was written.
 */
static bool
write_line(const char *line, size_t length)
{
	size_t written = 0;

	while (written < length && has_room())
	{
		size_t left = length - written;
		ssize_t count = write(STDERR_FILENO, line + written, left < PIPE_BUF ? left : PIPE_BUF);

		if (count < 0 && errno != EINTR && errno != EAGAIN)
			break;
		written += count > 0 ? (size_t) count : 0;
	}
	return written > 0;
}

static bool
tell_lost_messages(void)
{
	char line[120];

	if (lost_messages == 0)
		return true;
	snprintf(line, sizeof(line),
			 "transferbench: warning: %ld messages were lost, since nobody read them\n",
			 lost_messages);
	if (!write_line(line, strlen(line)))
		return false;
	lost_messages = 0;
	return true;
}

static void
say(const char *severity, const char *format, va_list arguments)
{
	char text[MAX_MESSAGE], line[MAX_MESSAGE + 64];

	vsnprintf(text, sizeof(text), format, arguments);
	disarm(text);
	snprintf(line, sizeof(line), "transferbench: %s%s\n", severity, text);
	flockfile(stderr);
	progress_before_message();
	if (!tell_lost_messages() || !write_line(line, strlen(line)))
		lost_messages++;
	funlockfile(stderr);
}

void
message_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("error: ", format, arguments);
	va_end(arguments);
}

void
message_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say("warning: ", format, arguments);
	va_end(arguments);
}

void
message_note(const char *format, ...)
{
	va_list arguments;

	if (notes_are_quiet)
		return;
	va_start(arguments, format);
	say("", format, arguments);
	va_end(arguments);
}
