/*
 * unit_log.h - what happened, written down as text, so that a table of cases
 * can say what should have.
 */
#ifndef TRANSFERBENCH_UNIT_LOG_H
#define TRANSFERBENCH_UNIT_LOG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

enum
{
	LOG_BYTES = 1 << 16
};

typedef struct Log
{
	char text[LOG_BYTES];
	size_t length;
} Log;

/* What does not fit is cut. */
static inline void
log_add(Log *log, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log->length += (size_t) vsnprintf(log->text + log->length, sizeof(log->text) - log->length,
									  format, arguments);
	va_end(arguments);
	if (log->length >= sizeof(log->text))
		log->length = sizeof(log->text) - 1;
}

#endif
