/*
 * pinned_input.h - text into values, whatever the session is set to.
 *
 * Only settings under which the same text would be another value, or none, and
 * which no value can say for itself: array_nulls on, xmloption content. (What is
 * left to the session is what json_populate_record leaves to it: DateStyle for
 * dates that are not ISO, TimeZone for times that name no zone.)
 */
#ifndef TRANSFERBENCH_PINNED_INPUT_H
#define TRANSFERBENCH_PINNED_INPUT_H

/* Pins the settings until pinned_input_end, or until the transaction or subtransaction fails.
 * Returns what pinned_input_end wants. */
extern int pinned_input_begin(void);
extern void pinned_input_end(int level);

#endif
