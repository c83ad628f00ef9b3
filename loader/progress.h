/*
 * progress.h - how far a long transfer is, on stderr.
 *
 * On a terminal one line that is drawn over: a bar, rows, rows per second, time left; otherwise a
 * line every 5 seconds; nothing when quiet. Drawn by a thread of its own, so that the workers only
 * add to a counter (atomic). Messages (message.h) erase the line first and are not torn by it.
 */
#ifndef TRANSFERBENCH_PROGRESS_H
#define TRANSFERBENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Called by message_set_quiet: nothing is shown from the next transfer on. */
extern void progress_set_quiet(bool quiet);

/* From here on until progress_end; `what` is lent: "copy-binary 100000 rows, trial 3 of 10".
 * `total_rows` is -1 when not known. Without a thread to be had nothing is shown. */
extern void progress_begin(const char *what, int64_t total_rows);
extern void progress_add(int64_t rows);
extern void progress_end(void);

/* For message.h: erases a line that is being drawn, and lets it be drawn again. Called with stderr
 * locked. */
extern void progress_before_message(void);

#endif
