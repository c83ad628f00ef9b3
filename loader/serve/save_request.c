#include "serve/save_request.h"

#include <stdio.h>
#include <string.h>

#define BLANKS " \t"

void
save_request_init(SaveRequest *request)
{
	*request = (SaveRequest){.shape = JSON_SHAPE_UNKNOWN};
}

static bool
refuse(ServeRequestError *error, int status, const char *field, const char *value, const char *why)
{
	char shown[SERVE_SHOWN_SIZE];

	error->status = status;
	snprintf(error->detail, sizeof(error->detail), "%s: \"%s\" %s", field,
			 serve_show(shown, value, strlen(value)), why);
	return false;
}

static bool
is_word(const char *text, size_t length, const char *word)
{
	return length == strlen(word) && strncasecmp(text, word, length) == 0;
}

/* Whether a media type's parameters (what follows it, from a semicolon on) allow for UTF-8. */
static bool
is_utf8(const char *parameters)
{
	while (*parameters == ';')
	{
		const char *name = parameters + 1 + strspn(parameters + 1, BLANKS);
		size_t name_length = strcspn(name, "=;");
		const char *value = name + name_length + (name[name_length] == '=');
		size_t length;

		value += *value == '"';
		length = strcspn(value, "\";" BLANKS);
		if (is_word(name, name_length, "charset") && !is_word(value, length, "utf-8") &&
			!is_word(value, length, "utf8") && !is_word(value, length, "us-ascii"))
			return false;
		parameters = value + strcspn(value, ";");
	}
	return true;
}

/* RFC 9110, section 8.3. */
static bool
take_media_type(SaveRequest *request, const char *value, ServeRequestError *error)
{
	size_t length = strcspn(value, ";" BLANKS);

	if (request->shape != JSON_SHAPE_UNKNOWN)
		return refuse(error, SERVE_STATUS_INVALID_TYPE, "Content-Type", value, "comes twice");
	if (is_word(value, length, "application/json"))
		request->shape = JSON_SHAPE_ARRAY;
	else if (is_word(value, length, "application/x-ndjson"))
		request->shape = JSON_SHAPE_LINES;
	else
		return refuse(error, SERVE_STATUS_INVALID_TYPE, "Content-Type", value,
					  "is neither application/json nor application/x-ndjson");
	value += length + strspn(value + length, BLANKS);
	return is_utf8(value) || refuse(error, SERVE_STATUS_INVALID_TYPE, "Content-Type", value,
									"asks for another charset than UTF-8");
}

static bool
take_coding(SaveRequest *request, const char *value, ServeRequestError *error)
{
	if (request->has_coding)
		return refuse(error, SERVE_STATUS_INVALID_TYPE, "Content-Encoding", value, "comes twice");
	request->has_coding = true;
	request->gzip = strcasecmp(value, "gzip") == 0 || strcasecmp(value, "x-gzip") == 0;
	return request->gzip || *value == '\0' || strcasecmp(value, "identity") == 0 ||
		   refuse(error, SERVE_STATUS_INVALID_TYPE, "Content-Encoding", value,
				  "is not known: gzip or none");
}

static bool
take_key(SaveRequest *request, const char *value, ServeRequestError *error)
{
	size_t length = strlen(value);

	if (request->has_key)
		return refuse(error, SERVE_STATUS_INVALID_VALUE, "Idempotency-Key", value, "comes twice");
	if (length == 0 || length > SAVE_KEY_MAX)
		return refuse(error, SERVE_STATUS_INVALID_VALUE, "Idempotency-Key", value,
					  "does not have 1 to 200 bytes");
	for (size_t i = 0; i < length; i++)
		if (value[i] < ' ' || value[i] > '~')
			return refuse(error, SERVE_STATUS_INVALID_VALUE, "Idempotency-Key", value,
						  "is not printable ASCII");
	memcpy(request->key, value, length + 1);
	request->has_key = true;
	return true;
}

bool
save_request_take(SaveRequest *request, const char *name, const char *value,
				  ServeRequestError *error)
{
	if (value == NULL)
		value = "";
	if (strcasecmp(name, "Content-Type") == 0)
		return take_media_type(request, value, error);
	if (strcasecmp(name, "Content-Encoding") == 0)
		return take_coding(request, value, error);
	if (strcasecmp(name, "Idempotency-Key") == 0)
		return take_key(request, value, error);
	return true;
}

bool
save_request_check(const SaveRequest *request, ServeRequestError *error)
{
	if (request->shape != JSON_SHAPE_UNKNOWN)
		return true;
	error->status = SERVE_STATUS_INVALID_TYPE;
	snprintf(error->detail, sizeof(error->detail),
			 "Content-Type is missing: application/json or application/x-ndjson");
	return false;
}
