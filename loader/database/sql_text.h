/*
 * sql_text.h - a statement put together from parts, with names and values quoted by libpq.
 *
 * What goes wrong on the way, memory or a name that is no text of the connection's encoding, is
 * told at the end.
 */
#ifndef TRANSFERBENCH_SQL_TEXT_H
#define TRANSFERBENCH_SQL_TEXT_H

#include "database/database.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct SqlText
{
	FILE *stream; /* for text that needs no quoting */
	char *text;
	size_t length;
	bool is_whole;
	const Database *database;
} SqlText;

/* False when out of memory; then nothing is to be closed. */
extern bool sql_text_open(SqlText *sql, const Database *database);
extern void sql_text_identifier(SqlText *sql, const char *name);
extern void sql_text_literal(SqlText *sql, const char *value);
/* The whole, which the caller frees; NULL when a part failed. */
extern char *sql_text_close(SqlText *sql);

#endif
