#include "http/postgrest_order.h"
#include "database/order_by.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
put_name(FILE *text, const char *name)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

	if (name[strspn(name, plain)] == '\0')
	{
		fputs(name, text);
		return;
	}
	fputc('"', text);
	for (; *name != '\0'; name++)
		fprintf(text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
	fputc('"', text);
}

/* False when the list is malformed. */
static bool
put_items(FILE *text, const char *list)
{
	bool first = true;

	while (*list != '\0')
	{
		OrderByItem item = {0};
		bool read = order_by_next(&list, &item);

		if (read)
		{
			fputs(first ? "" : ",", text);
			put_name(text, item.name);
			fprintf(text, "%s%s", item.descending ? ".desc" : "",
					item.nulls < 0   ? ".nullsfirst"
					: item.nulls > 0 ? ".nullslast"
									 : "");
		}
		free(item.name);
		if (!read)
			return false;
		first = false;
	}
	return true;
}

char *
postgrest_order(const char *list)
{
	char *order = NULL;
	size_t length;
	FILE *text = open_memstream(&order, &length);
	bool whole;

	if (text == NULL)
		return NULL;
	whole = put_items(text, list);
	if (fclose(text) == 0 && whole)
		return order;
	free(order);
	return NULL;
}
