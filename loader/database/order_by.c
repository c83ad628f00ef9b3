#include "database/order_by.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void
skip_blanks(const char **text)
{
	*text += strspn(*text, " \t\r\n");
}

static bool
is_name_byte(char byte)
{
	return isalnum((unsigned char) byte) || byte == '_' || byte == '$' ||
		   ((unsigned char) byte & 0x80) != 0;
}

/* Takes a keyword if it stands there as a whole word. */
static bool
take_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncasecmp(*text, word, length) != 0 || is_name_byte((*text)[length]))
		return false;
	*text += length;
	skip_blanks(text);
	return true;
}

/* "a ""quoted"" name": pairs of quotation marks stand for one */
static char *
take_quoted_name(const char **text)
{
	char *name = malloc(strlen(*text) + 1);
	size_t length = 0;

	if (name == NULL)
		return NULL;
	for (const char *byte = *text + 1; *byte != '\0'; byte++)
	{
		if (*byte == '"' && *++byte != '"')
		{
			name[length] = '\0';
			*text = byte;
			return name;
		}
		name[length++] = *byte;
	}
	free(name);
	return NULL;
}

static char *
take_bare_name(const char **text)
{
	size_t length = 0;
	char *name;

	while (is_name_byte((*text)[length]))
		length++;
	name = strndup(*text, length);
	for (char *byte = name; byte != NULL && *byte != '\0'; byte++)
		if (*byte >= 'A' && *byte <= 'Z')
			*byte = (char) tolower(*byte);
	*text += length;
	return name;
}

bool
order_by_next(const char **text, OrderByItem *item)
{
	*item = (OrderByItem){0};
	skip_blanks(text);
	item->name = **text == '"' ? take_quoted_name(text) : take_bare_name(text);
	if (item->name == NULL || *item->name == '\0')
		return false;
	skip_blanks(text);
	if (!take_word(text, "asc"))
		item->descending = take_word(text, "desc");
	if (take_word(text, "nulls"))
	{
		if (take_word(text, "first"))
			item->nulls = -1;
		else if (take_word(text, "last"))
			item->nulls = 1;
		else
			return false;
	}
	if (**text == '\0')
		return true;
	if (**text != ',')
		return false;
	++*text;
	skip_blanks(text);
	return **text != '\0'; /* nothing after the comma */
}
