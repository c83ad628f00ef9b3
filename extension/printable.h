/*
 * printable.h - text from outside for messages and results: not known to be
 * in the database's encoding, and perhaps meant to steer a terminal.
 */
#ifndef TRANSFERBENCH_PRINTABLE_H
#define TRANSFERBENCH_PRINTABLE_H

/* Printable ASCII as it is, every other byte as \xNN; terminated, in the current context. */
extern char *printable_bytes(const char *bytes, size_t length);
extern char *printable_text(const char *text);

#endif
