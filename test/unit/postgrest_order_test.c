/*
 * postgrest_order_test.c - an ORDER BY in PostgREST's words.
 */
#include "unit.h"

#include <stdlib.h>

#include "http/postgrest_order.h"

static void
check(const char *list, const char *wanted)
{
	char *order = postgrest_order(list);
	bool same = order == NULL || wanted == NULL ? order == wanted : strcmp(order, wanted) == 0;

	if (!unit_ok(same, list))
		printf("# got %s\n", order == NULL ? "nothing" : order);
	free(order);
}

int
main(void)
{
	check("id", "id");
	check("Id DESC, b", "id.desc,b");
	check("\"Id\", b asc nulls first", "Id,b.nullsfirst");
	check("a DESC NULLS LAST", "a.desc.nullslast");
	check("\"we\"\"ird, one\"", "\"we\\\"ird, one\"");
	check("\"back\\slash\"", "\"back\\\\slash\"");
	check("a;", NULL);
	return unit_done();
}
