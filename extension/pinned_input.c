/*
 * pinned_input.c - see pinned_input.h.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "pinned_input.h"

static void
pin(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
}

int
pinned_input_begin(void)
{
	int level = NewGUCNestLevel();

	pin("array_nulls", "on");
	pin("xmloption", "content");
	return level;
}

void
pinned_input_end(int level)
{
	AtEOXact_GUC(true, level);
}
