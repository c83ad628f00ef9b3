/*
 * parallel_watch.h - notices whether any statement launched parallel workers,
 * those inside functions too: their CPU time is not this backend's.
 */
#ifndef TRANSFERBENCH_PARALLEL_WATCH_H
#define TRANSFERBENCH_PARALLEL_WATCH_H

/* Hooks into the executor; called once, when the module is loaded. */
extern void parallel_watch_install(void);

/*
 * Workers launched so far by statements of this backend that have ended well; it
 * only grows, so that two readings tell what happened between them.
 */
extern uint64 parallel_watch_workers(void);

#endif
