#include "serve/accept_encoding.h"

#include <stddef.h>
#include <string.h>

#define WEIGHT_ONE 1000

void
accept_encoding_init(AcceptEncoding *accept)
{
	accept->gzip = accept->identity = accept->any = -1;
}

static const char *
skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* 0, 0.5, 1.000 and so on, in thousandths; -1 when it is none. */
static int
read_weight(const char **text)
{
	int weight, place = WEIGHT_ONE / 10;

	if (**text != '0' && **text != '1')
		return -1;
	weight = (*(*text)++ - '0') * WEIGHT_ONE;
	if (**text == '.')
		for (++*text; **text >= '0' && **text <= '9' && place > 0; ++*text, place /= 10)
			weight += (**text - '0') * place;
	return weight <= WEIGHT_ONE ? weight : -1;
}

/* ;q=0.5 and nothing else before the comma; -1 when it is malformed. */
static int
read_parameters(const char *text)
{
	int weight = WEIGHT_ONE;

	text = skip_blanks(text);
	if (*text == ';')
	{
		text = skip_blanks(text + 1);
		if ((*text != 'q' && *text != 'Q') || text[1] != '=')
			return -1;
		text += 2;
		weight = read_weight(&text);
	}
	text = skip_blanks(text);
	return *text == ',' || *text == '\0' ? weight : -1;
}

static bool
is_coding(const char *name, size_t length, const char *wanted)
{
	return length == strlen(wanted) && strncasecmp(name, wanted, length) == 0;
}

void
accept_encoding_take(AcceptEncoding *accept, const char *field)
{
	while (*field != '\0')
	{
		const char *name = skip_blanks(field);
		size_t length = strcspn(name, " \t;,");
		int weight = read_parameters(name + length);

		if (weight >= 0)
		{
			if (is_coding(name, length, "gzip") || is_coding(name, length, "x-gzip"))
				accept->gzip = weight;
			else if (is_coding(name, length, "identity"))
				accept->identity = weight;
			else if (is_coding(name, length, "*"))
				accept->any = weight;
		}
		field = name + strcspn(name, ",");
		field += *field == ',';
	}
}

bool
accept_encoding_wants_gzip(const AcceptEncoding *accept)
{
	int gzip = accept->gzip >= 0 ? accept->gzip : accept->any;

	return gzip > 0 && gzip >= accept->identity;
}
