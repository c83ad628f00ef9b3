#include "rows/hex_encode.h"

#define PIECE_BYTES 64

void
hex_encode(JsonEncoder *to, const char *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char hex[2 * PIECE_BYTES];

	while (length > 0)
	{
		size_t piece = length < PIECE_BYTES ? length : PIECE_BYTES;

		for (size_t i = 0; i < piece; i++)
		{
			hex[2 * i] = digits[(unsigned char) bytes[i] >> 4];
			hex[2 * i + 1] = digits[(unsigned char) bytes[i] & 15];
		}
		json_encode_raw(to, hex, 2 * piece);
		bytes += piece;
		length -= piece;
	}
}
