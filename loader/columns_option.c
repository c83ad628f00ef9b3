#include "columns_option.h"
#include "message.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS   1600 /* of a table: PostgreSQL, MaxHeapAttributeNumber */
#define MAX_NAME      63
#define MAX_TYPE_NAME 200

typedef struct ColumnText
{
	char name[MAX_NAME + 1];
	char type[MAX_TYPE_NAME + 1];
} ColumnText;

static const char *
skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static bool
put(char *text, size_t *length, size_t most, char byte)
{
	if (*length >= most)
		return false;
	text[(*length)++] = byte;
	text[*length] = '\0';
	return true;
}

/* Returns where the name ends; NULL when there is none. */
static const char *
read_name(const char *at, char *name)
{
	size_t length = 0;

	name[0] = '\0';
	if (*at == '"')
	{
		for (at++; *at != '\0' && (*at != '"' || at[1] == '"'); at++)
		{
			at += *at == '"';
			if (!put(name, &length, MAX_NAME, *at))
				return NULL;
		}
		return *at == '"' && length > 0 ? at + 1 : NULL;
	}
	for (; isalnum((unsigned char) *at) || *at == '_' || (unsigned char) *at >= 0x80; at++)
		if (!put(name, &length, MAX_NAME, (char) tolower((unsigned char) *at)))
			return NULL;
	return length > 0 ? at : NULL;
}

/*
 * The text up to the comma that ends the column. It becomes a part of CREATE TABLE, so nothing may be in
 * it that could end the statement or begin another clause: letters, digits, blanks, underscores,
 * points, quotes in pairs, brackets, and parentheses around digits and commas.
 */
static const char *
read_type(const char *at, char *type)
{
	size_t length = 0;
	bool quoted = false, within = false;

	for (; *at != '\0' && (*at != ',' || quoted || within); at++)
	{
		if (*at == '"')
			quoted = !quoted;
		else if (!quoted && *at == '(' && !within)
			within = true;
		else if (!quoted && *at == ')' && within)
			within = false;
		else if (!quoted && within ? strchr("0123456789, ", *at) == NULL
				 : !quoted         ? !isalnum((unsigned char) *at) && strchr(" _.[]", *at) == NULL
								   : false)
			return NULL;
		if (!put(type, &length, MAX_TYPE_NAME, *at))
			return NULL;
	}
	while (length > 0 && type[length - 1] == ' ')
		type[--length] = '\0';
	return length > 0 && !quoted && !within ? at : NULL;
}

static const char *
read_column(const char *at, ColumnText *column)
{
	at = read_name(skip_blanks(at), column->name);
	if (at == NULL || strchr(" \t\r\n", *at) == NULL)
		return NULL;
	return read_type(skip_blanks(at), column->type);
}

static int
read_list(const char *list, ColumnText *columns)
{
	const char *at = list;
	int count = 0;

	do
	{
		at = count < MAX_COLUMNS ? read_column(at, &columns[count++]) : NULL;
		if (at == NULL)
			return -1;
	} while (*at++ == ',');
	return count;
}

RowType *
columns_option_read(const char *option, const char *list)
{
	ColumnText *columns = calloc(MAX_COLUMNS, sizeof(ColumnText));
	int count = columns == NULL ? -1 : read_list(list, columns);
	RowType *type = count < 0 ? NULL : row_type_create(count);

	if (columns != NULL && count < 0)
		message_error("%s: \"%s\" is no list such as \"id bigint, x numeric(10,2)\"", option, list);
	for (int i = 0; type != NULL && i < count; i++)
	{
		if (row_type_set_column(type, i, columns[i].name, columns[i].type, 0))
			continue;
		row_type_free(type);
		type = NULL;
	}
	if (type == NULL && (columns == NULL || count > 0))
		message_error("out of memory");
	free(columns);
	return type;
}
