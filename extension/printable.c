/*
 * printable.c - see printable.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "printable.h"

char *
printable_bytes(const char *bytes, size_t length)
{
	StringInfoData shown;

	initStringInfo(&shown);
	for (size_t i = 0; i < length; i++)
	{
		unsigned char c = bytes[i];

		if (c >= ' ' && c < 0x7f)
			appendStringInfoChar(&shown, c);
		else
			appendStringInfo(&shown, "\\x%02x", c);
	}
	return shown.data;
}

char *
printable_text(const char *text)
{
	return printable_bytes(text, strlen(text));
}
