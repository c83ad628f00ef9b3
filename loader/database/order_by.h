/*
 * order_by.h - reads the list of --order-by: column [ASC|DESC] [NULLS FIRST|LAST], ...
 *
 * Names are written as in SQL: folded to lower case unless double-quoted.
 */
#ifndef TRANSFERBENCH_ORDER_BY_H
#define TRANSFERBENCH_ORDER_BY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct OrderByItem
{
	char *name; /* as the column is called, unquoted; freed by the caller */
	bool descending;
	int nulls; /* -1 first, 1 last, 0 not said */
} OrderByItem;

/* Reads one item and moves *text behind it and its comma; false when it is malformed, or when out
 * of memory. The end of the list is where **text is '\0'. */
extern bool order_by_next(const char **text, OrderByItem *item);

#endif
