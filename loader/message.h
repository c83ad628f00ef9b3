/*
 * message.h - everything that is said to a person goes through here, to stderr.
 *
 * One line per call, prefixed with the program's name, whole even when several
 * threads speak, and without control characters: question marks stand for them. A message
 * never holds a password, a token or a connection string: that is for the caller to see to.
 */
#ifndef TRANSFERBENCH_MESSAGE_H
#define TRANSFERBENCH_MESSAGE_H

#include <stdbool.h>

/* Silences notes; errors and warnings are always said. */
extern void message_set_quiet(bool quiet);

extern void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern void message_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
