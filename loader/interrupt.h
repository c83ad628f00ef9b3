/*
 * interrupt.h - SIGINT, SIGTERM and SIGHUP of the commands that measure.
 *
 * The first signal asks to stop in order: it sets a flag and makes a descriptor
 * readable. The second ends the program at once, exit status 2.
 */
#ifndef TRANSFERBENCH_INTERRUPT_H
#define TRANSFERBENCH_INTERRUPT_H

#include <stdbool.h>

/* Installs the handlers, ignores SIGPIPE; false, with a message, on failure. */
extern bool interrupt_install(void);
extern bool interrupt_requested(void);
/* An eventfd that stays readable once a stop was asked for; for poll, never read. */
extern int interrupt_fd(void);
/* Waits; true when interrupted meanwhile. */
extern bool interrupt_sleep_ms(int milliseconds);

#endif
