#include "rows/value_bytea.h"

int
value_hex_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte = (char) (byte | 0x20);
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

bool
value_bytea_decode(const char *text, size_t length, char *to, size_t *to_length)
{
	if (length < 2 || length % 2 != 0 || text[0] != '\\' || text[1] != 'x')
		return false;
	*to_length = length / 2 - 1;
	for (size_t i = 0; i < *to_length; i++)
	{
		int high = value_hex_digit(text[2 * i + 2]);
		int low = value_hex_digit(text[2 * i + 3]);

		if (high < 0 || low < 0)
			return false;
		to[i] = (char) (high << 4 | low);
	}
	return true;
}
