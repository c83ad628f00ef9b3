/*
 * pg_transferbench.c - the module's front door: what the server calls when it
 * loads the library.
 */
#include "postgres.h"

#include "fmgr.h"

#include "parallel_watch.h"
#include "settings.h"

PG_MODULE_MAGIC;

void _PG_init(void);

void
_PG_init(void)
{
	settings_define();
	parallel_watch_install();
}
