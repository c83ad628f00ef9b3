/*
 * http_header.c - see http_header.h.
 */
#include "postgres.h"

#include <curl/curl.h>

#include "http_header.h"
#include "media_type.h"

#define LENGTH_DIGITS 18 /* of a Content-Length: more would be an exabyte */

/* The value of a header line without the blanks around it, or NULL when its name is another. */
static const char *
header_value(const char *line, size_t length, const char *name, size_t *value_length)
{
	size_t name_length = strlen(name);
	const char *start = line + name_length + 1;
	const char *end = line + length;

	if (length <= name_length || line[name_length] != ':' ||
		pg_strncasecmp(line, name, name_length) != 0)
		return NULL;
	while (start < end && isspace((unsigned char) *start))
		start++;
	while (end > start && isspace((unsigned char) end[-1]))
		end--;
	*value_length = end - start;
	return start;
}

/* Keeps a header's value when its name is the wanted one; of too long a value nothing. */
static void
keep_value(const char *line, size_t length, const char *name, char *kept, size_t capacity)
{
	size_t value_length;
	const char *value = header_value(line, length, name, &value_length);

	if (value == NULL)
		return;
	if (value_length >= capacity)
		value_length = 0;
	memcpy(kept, value, value_length);
	kept[value_length] = '\0';
}

#define KEEP_VALUE(name, field) keep_value(line, length, name, header->field, sizeof(header->field))

/* Several lines are one list (RFC 9110, 5.3). Too long a one is cut: no coding has such a name. */
static void
keep_codings(const char *line, size_t length, HttpHeader *header)
{
	char *list = header->content_encoding;
	size_t used = strlen(list);
	size_t value_length, most;
	const char *value = header_value(line, length, "Content-Encoding", &value_length);

	if (value == NULL || value_length == 0)
		return;
	if (used > 0 && used + strlen(", ") < sizeof(header->content_encoding))
	{
		memcpy(list + used, ", ", strlen(", "));
		used += strlen(", ");
	}
	most = sizeof(header->content_encoding) - 1 - used;
	memcpy(list + used, value, Min(value_length, most));
	list[used + Min(value_length, most)] = '\0';
}

/*
 * RFC 9110, 8.6: digits, and the same where it comes twice. libcurl takes what
 * a number begins with, the last of several, and none for one that is too big.
 */
static HttpHeaderFault
check_length(HttpHeader *header, const char *value, size_t value_length)
{
	char digits[LENGTH_DIGITS + 1] = "";
	int64 length;

	if (value_length == 0 || value_length > LENGTH_DIGITS)
		return HTTP_HEADER_LENGTH_MALFORMED;
	memcpy(digits, value, value_length);
	if (strspn(digits, "0123456789") != value_length)
		return HTTP_HEADER_LENGTH_MALFORMED;
	length = strtoll(digits, NULL, 10);
	if (header->has_length && header->length != length)
		return HTTP_HEADER_LENGTHS_DIFFER;
	header->has_length = true;
	header->length = length;
	return HTTP_HEADER_SOUND;
}

/*
 * Where a body ends must not be a matter of opinion. Of the transfer codings
 * none but chunked was asked for (RFC 9112, 7.4); libcurl would take off
 * others, all that a read expands to at once.
 */
static HttpHeaderFault
check_framing(HttpHeader *header, const char *line, size_t length)
{
	size_t value_length;
	const char *value = header_value(line, length, "Content-Length", &value_length);

	if (value != NULL)
		return check_length(header, value, value_length);
	value = header_value(line, length, "Transfer-Encoding", &value_length);
	if (value == NULL ||
		(value_length == strlen("chunked") && pg_strncasecmp(value, "chunked", value_length) == 0))
		return HTTP_HEADER_SOUND;
	return HTTP_HEADER_TRANSFER_CODING;
}

HttpHeaderFault
http_header_take(HttpHeader *header, const char *line, size_t length)
{
	size_t bytes = header->bytes + length;

	if (bytes > HTTP_HEADER_MAX_BYTES)
		return HTTP_HEADER_TOO_LONG;
	header->bytes = bytes;
	if (header->complete)
		return HTTP_HEADER_SOUND; /* a trailer */
	if (length >= strlen("HTTP/") && memcmp(line, "HTTP/", strlen("HTTP/")) == 0)
	{
		*header = (HttpHeader){.bytes = bytes}; /* after a 1xx */
		return length > strlen("HTTP/1.") && memcmp(line, "HTTP/1.", strlen("HTTP/1.")) == 0
				   ? HTTP_HEADER_SOUND
				   : HTTP_HEADER_VERSION;
	}
	KEEP_VALUE("Content-Type", media_type);
	KEEP_VALUE("Retry-After", retry_after);
	KEEP_VALUE("Location", location);
	keep_codings(line, length, header);
	return check_framing(header, line, length);
}

bool
http_header_ends(const char *line, size_t length)
{
	return length > 0 && length <= 2 && (line[0] == '\r' || line[0] == '\n');
}

void
http_header_reduce_media_type(HttpHeader *header)
{
	char *media_type = header->media_type;

	header->says_columns = media_type_says(media_type, strlen(media_type), "shape", "columns");
	media_type[strcspn(media_type, "; \t")] = '\0';
	for (; *media_type != '\0'; media_type++)
		*media_type = pg_ascii_tolower((unsigned char) *media_type);
}

int64
http_header_retry_after_ms(const HttpHeader *header, time_t now, int64 most)
{
	const char *text = header->retry_after;
	const char *first = text + strspn(text, "0"); /* digit that counts */
	size_t digits = strspn(first, "0123456789");
	time_t date;
	double seconds;

	if (text[0] == '\0')
		return -1;
	if (first[digits] == '\0')
		seconds = digits <= 9 ? (double) strtol(text, NULL, 10) : (double) most;
	/* every form of a date that RFC 9110, section 5.6.7, has begins with the day's name; libcurl
	 * would take much else for one */
	else if (strspn(text, "MTWFS") > 0 && (date = curl_getdate(text, NULL)) != (time_t) -1)
		seconds = Max(difftime(date, now), 0); /* a date: the wall clock is what it means */
	else
		return -1;
	return (int64) Min(seconds * 1000, most);
}
