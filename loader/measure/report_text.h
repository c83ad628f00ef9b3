/*
 * report_text.h - text of others within a report.
 */
#ifndef TRANSFERBENCH_REPORT_TEXT_H
#define TRANSFERBENCH_REPORT_TEXT_H

/* Question marks for what a terminal would obey and for what is not text: control characters, and
 * all bytes beyond ASCII where the whole is not UTF-8. The length stays. */
extern void report_text_make_printable(char *text);

#endif
