/*
 * parallel_watch.h - notices whether any statement may have used parallel
 * workers, those inside functions too: their CPU time is not this backend's.
 */
#ifndef TRANSFERBENCH_PARALLEL_WATCH_H
#define TRANSFERBENCH_PARALLEL_WATCH_H

/* Hooks into the executor; called once, when the module is loaded. */
extern void parallel_watch_install(void);

/*
 * Begins to watch; an error in between needs no cleanup. Nests: what it returns,
 * what was seen before, goes to parallel_watch_end.
 */
extern bool parallel_watch_begin(void);
/* Ends, and tells whether a plan that wants workers was started meanwhile. */
extern bool parallel_watch_end(bool seen_before);

#endif
