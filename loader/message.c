#include "message.h"
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_MESSAGE 8192 /* more than any has, but for a stranger's words: those are cut */

static bool notes_are_quiet;

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

static void
say(const char *severity, const char *format, va_list arguments)
{
	char text[MAX_MESSAGE];

	vsnprintf(text, sizeof(text), format, arguments);
	disarm(text);
	flockfile(stderr);
	progress_before_message();
	fprintf(stderr, "transferbench: %s%s\n", severity, text);
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
