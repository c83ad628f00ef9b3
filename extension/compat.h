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

/* 17 dropped the random-access bool of tuplesorts' neighbours and moved GUC hooks out of guc.h */
#if PG_VERSION_NUM >= 160000
#include "utils/guc_hooks.h"
#endif

#endif
