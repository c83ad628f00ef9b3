/*
 * fuzz_message.c - message.h for the targets: nothing is printed, or the fuzzer's own words would be
 * lost among it; each message is made, and looked at as a whole.
 */
#include "fuzz.h"
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
message_set_quiet(bool quiet)
{
	(void) quiet;
}

static void
make_message(const char *format, va_list arguments)
{
	char *text = NULL;

	fuzz_require(vasprintf(&text, format, arguments) > 0, "a message of nothing: %s", format);
	free(text);
}

#define MAKE_MESSAGE(format)                                                                       \
	do                                                                                             \
	{                                                                                              \
		va_list arguments;                                                                         \
		va_start(arguments, format);                                                               \
		make_message(format, arguments);                                                           \
		va_end(arguments);                                                                         \
	} while (0)

void
message_error(const char *format, ...)
{
	MAKE_MESSAGE(format);
}

void
message_warning(const char *format, ...)
{
	MAKE_MESSAGE(format);
}

void
message_note(const char *format, ...)
{
	MAKE_MESSAGE(format);
}
