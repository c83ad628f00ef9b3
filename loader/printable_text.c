#include "printable_text.h"
#include "json_encode.h"

#include <string.h>

/* The first byte of U+0080..U+00BF in UTF-8; up to the second byte 9F they are controls (C1). */
#define C1_LEAD 0xc2
#define C1_END  0xa0

void
printable_text_make(char *text)
{
	bool is_utf8 = json_encode_is_utf8(text, strlen(text));

	for (unsigned char *byte = (unsigned char *) text; *byte != '\0'; byte++)
	{
		if (*byte < 0x20 || *byte == 0x7f || (!is_utf8 && *byte >= 0x80))
			*byte = '?';
		else if (byte[0] == C1_LEAD && byte[1] < C1_END)
			byte[0] = byte[1] = '?';
	}
}
