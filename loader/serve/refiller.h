/*
 * refiller.h - the one thread that reads the temporary files of slow clients' bodies,
 * so that neither the thread that speaks HTTP nor one that reads the database waits
 * for a disk on their behalf.
 */
#ifndef TRANSFERBENCH_REFILLER_H
#define TRANSFERBENCH_REFILLER_H

#include "serve/exchange.h"

typedef struct Refiller Refiller;

/* NULL, and errno, when it cannot be started. */
extern Refiller *refiller_start(void);
/* Takes over a reference; an ExchangeRefillHook. */
extern void refiller_add(void *refiller, Exchange *exchange);
/* What is still in its list is dropped. NULL is fine. */
extern void refiller_stop(Refiller *refiller);

#endif
