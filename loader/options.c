#include "options.h"
#include "message.h"

#include <inttypes.h>
#include <string.h>

bool
parse_digits(const char *text, size_t length, int64_t *value)
{
	int64_t result = 0;

	if (length == 0)
		return false;
	for (size_t i = 0; i < length; i++)
	{
		if (text[i] < '0' || text[i] > '9' ||
			__builtin_mul_overflow(result, (int64_t) 10, &result) ||
			__builtin_add_overflow(result, (int64_t) (text[i] - '0'), &result))
			return false;
	}
	*value = result;
	return true;
}

static bool
multiply_power(int64_t *value, int64_t base, int64_t exponent)
{
	/* zero stays zero under any exponent, and is not worth its steps */
	for (; exponent > 0 && *value != 0; exponent--)
		if (__builtin_mul_overflow(*value, base, value))
			return false;
	return true;
}

/* "" 1, "k" 1000, "M" ...; with binary: "Ki", "KiB", "kB" too */
static bool
read_unit(const char *unit, bool bytes, int64_t *base, int64_t *exponent)
{
	static const char letters[] = "kMGT";
	const char *letter;

	*base = 1000;
	*exponent = 0;
	if (*unit == '\0' || (bytes && strcmp(unit, "B") == 0))
		return true;
	letter = strchr(letters, *unit == 'K' ? 'k' : *unit);
	if (letter == NULL)
		return false;
	*exponent = letter - letters + 1;
	unit++;
	if (bytes && *unit == 'i')
	{
		*base = 1024;
		unit++;
	}
	if (bytes && *unit == 'B')
		unit++;
	return *unit == '\0';
}

static bool
read_number(const char *text, bool bytes, int64_t *value)
{
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits;
	int64_t base = 10;
	int64_t exponent;

	if (!parse_digits(text, digits, value))
		return false;
	if (!bytes && (*unit == 'e' || *unit == 'E'))
	{
		unit += unit[1] == '+' ? 2 : 1;
		if (!parse_digits(unit, strlen(unit), &exponent))
			return false;
	}
	else if (!read_unit(unit, bytes, &base, &exponent))
		return false;
	return multiply_power(value, base, exponent);
}

static bool
option_number(const char *option, const char *text, bool bytes, int64_t minimum, int64_t maximum,
			  int64_t *value)
{
	if (!read_number(text, bytes, value))
	{
		message_error("%s: invalid value \"%s\": expected a %s", option, text,
					  bytes ? "size such as 65536, 2k or 8MiB" : "number such as 1000, 1e6 or 1M");
		return false;
	}
	if (*value < minimum || *value > maximum)
	{
		message_error("%s: value \"%s\" is outside %" PRId64 "..%" PRId64, option, text, minimum,
					  maximum);
		return false;
	}
	return true;
}

bool
option_count(const char *option, const char *text, int64_t minimum, int64_t maximum, int64_t *value)
{
	return option_number(option, text, false, minimum, maximum, value);
}

bool
option_bytes(const char *option, const char *text, int64_t minimum, int64_t maximum, int64_t *value)
{
	return option_number(option, text, true, minimum, maximum, value);
}
