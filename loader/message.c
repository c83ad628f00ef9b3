#include "message.h"
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>

static bool notes_are_quiet;

void
message_set_quiet(bool quiet)
{
	notes_are_quiet = quiet;
	progress_set_quiet(quiet);
}

static void
say(const char *severity, const char *format, va_list arguments)
{
	flockfile(stderr);
	progress_before_message();
	fprintf(stderr, "transferbench: %s", severity);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
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
