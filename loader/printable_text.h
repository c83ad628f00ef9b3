/*
 * printable_text.h - text of others within a report or a message.
 */
#ifndef TRANSFERBENCH_PRINTABLE_TEXT_H
#define TRANSFERBENCH_PRINTABLE_TEXT_H

/* Question marks for what a terminal would obey and for what is not text: control characters, and
 * all bytes beyond ASCII where the whole is not UTF-8. The length stays. */
extern void printable_text_make(char *text);

#endif
