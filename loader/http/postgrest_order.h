/*
 * postgrest_order.h - a list of ORDER BY in PostgREST's words: `id, "Name" DESC` is
 * id,"Name".desc (https://postgrest.org, 'Ordering').
 */
#ifndef TRANSFERBENCH_POSTGREST_ORDER_H
#define TRANSFERBENCH_POSTGREST_ORDER_H

/* `list` as order_by.h reads it. Not escaped for a URL. NULL when it is malformed or out of memory; the
 * caller frees. */
extern char *postgrest_order(const char *list);

#endif
