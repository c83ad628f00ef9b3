/*
 * api_dialect.c - see api_dialect.h: what is common to all dialects.
 */
#include "http/api_dialect.h"

#include <string.h>

static const ApiDialect *const dialects[] = {
	&api_dialect_reference,
	&api_dialect_plumber,
	&api_dialect_postgrest,
	&api_dialect_template,
};

const ApiDialect *
api_dialect_find(const char *name)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
		if (strcmp(dialects[i]->name, name) == 0)
			return dialects[i];
	return NULL;
}

bool
api_post_is_repeatable(const ApiDialect *dialect, const ApiTarget *target)
{
	if (!dialect->may_be_repeated)
		return false;
	/* rows that are there already are left alone; of a URL in full we do not know */
	if (dialect == &api_dialect_postgrest)
		return target->on_conflict != NULL && target->post_url == NULL;
	return target->idempotency_key;
}
