#include "serve/serve_request.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_MAX (SERVE_SHOWN_SIZE - sizeof("...")) /* bytes that are repeated */

void
serve_request_init(ServeRequest *request)
{
	*request = (ServeRequest){
		.row_limit = SERVE_DEFAULT_ROW_LIMIT,
		.format = &row_format_rows,
	};
}

const char *
serve_status_text(int status)
{
	switch (status)
	{
		case SERVE_STATUS_BAD_REQUEST:
			return "malformed request";
		case SERVE_STATUS_INVALID_CLASS:
			return "invalid request: class";
		case SERVE_STATUS_INVALID_TYPE:
			return "invalid request: type";
		case SERVE_STATUS_INVALID_VALUE:
			return "missing or invalid parameter";
		case SERVE_STATUS_NOT_FOUND:
			return "not found";
		case SERVE_STATUS_METHOD:
			return "method not allowed";
		case SERVE_STATUS_TOO_LARGE:
			return "body over the limit";
		case SERVE_STATUS_URI_TOO_LONG:
			return "target too long";
		case SERVE_STATUS_MISDIRECTED:
			return "misdirected request";
		case SERVE_STATUS_OTHER_BODY:
			return "same key, other body";
		case SERVE_STATUS_TOO_MANY:
			return "too many requests";
		case SERVE_STATUS_WRITING_FAILED:
			return "database writing failed";
		case SERVE_STATUS_READING_FAILED:
			return "database reading failed";
		case SERVE_STATUS_BUSY:
			return "busy";
		default:
			return "unspecified error";
	}
}

const char *
serve_show(char shown[SERVE_SHOWN_SIZE], const char *text, size_t length)
{
	char *end = shown;

	while (length > 0 && (size_t) (end - shown) < SHOWN_MAX)
	{
		*end++ = *text >= ' ' && *text <= '~' && *text != '"' ? *text : '?';
		text++;
		length--;
	}
	strcpy(end, length > 0 ? "..." : "");
	return shown;
}

static bool
take_integer(const char *name, const char *value, size_t length, int64_t *result,
			 ServeRequestError *error)
{
	char shown[SERVE_SHOWN_SIZE];

	if (parse_digits(value, length, result))
		return true;
	error->status = SERVE_STATUS_INVALID_VALUE;
	snprintf(error->detail, sizeof(error->detail),
			 "%s: \"%s\" is not an integer from 0 to 9223372036854775807", name,
			 serve_show(shown, value, length));
	return false;
}

static bool
take_format(const char *value, size_t length, const RowFormat **result, ServeRequestError *error)
{
	char shown[SERVE_SHOWN_SIZE];

	*result = row_format_find(value, length);
	if (*result != NULL)
		return true;
	error->status = SERVE_STATUS_INVALID_TYPE;
	snprintf(error->detail, sizeof(error->detail),
			 "format: \"%s\" is none of rows, columns, ndjson, csv",
			 serve_show(shown, value, length));
	return false;
}

static bool
refuse_parameter(ServeRequestError *error, const char *key, size_t key_length, const char *why)
{
	char shown[SERVE_SHOWN_SIZE];

	error->status = SERVE_STATUS_INVALID_VALUE;
	snprintf(error->detail, sizeof(error->detail), "\"%s\" %s", serve_show(shown, key, key_length),
			 why);
	return false;
}

bool
serve_request_take(ServeRequest *request, const char *key, size_t key_length, const char *value,
				   size_t value_length, ServeRequestError *error)
{
	static const char *const names[] = {"row_limit", "offset", "format", NULL};
	int index = 0;

	while (names[index] != NULL &&
		   (strlen(names[index]) != key_length || memcmp(names[index], key, key_length) != 0))
		index++;
	if (names[index] == NULL)
		return refuse_parameter(error, key, key_length,
								"is no parameter: expected row_limit, offset, format");
	if (value == NULL)
		return refuse_parameter(error, key, key_length, "has no value");
	if ((request->seen & (1u << index)) != 0)
		return refuse_parameter(error, key, key_length, "comes twice");
	request->seen |= 1u << index;
	if (index == 0)
		return take_integer(names[index], value, value_length, &request->row_limit, error);
	if (index == 1)
		return take_integer(names[index], value, value_length, &request->offset, error);
	return take_format(value, value_length, &request->format, error);
}
