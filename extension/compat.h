/*
 * compat.h - the one place that knows differences between server versions.
 *
 * Include after postgres.h.
 */
#ifndef TRANSFERBENCH_COMPAT_H
#define TRANSFERBENCH_COMPAT_H

#if PG_VERSION_NUM < 150000
#error "pg_transferbench needs PostgreSQL 15 or newer"
#endif

/* 16 took the macros of variable-length values out of postgres.h */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#endif
