/*
 * http_header.c - see http_header.h.
 */
#include "postgres.h"

#include <curl/curl.h>

#include "http_header.h"

/* Keeps a value when its name is the wanted one; of too long a value nothing. */
static void
keep_value(const char *line, size_t length, const char *name, char *value, size_t capacity)
{
	size_t name_length = strlen(name);
	const char *start = line + name_length + 1;
	const char *end = line + length;

	if (length <= name_length || line[name_length] != ':' ||
		pg_strncasecmp(line, name, name_length) != 0)
		return;
	while (start < end && isspace((unsigned char) *start))
		start++;
	while (end > start && isspace((unsigned char) end[-1]))
		end--;
	length = end - start < capacity ? end - start : 0;
	memcpy(value, start, length);
	value[length] = '\0';
}

#define KEEP_VALUE(name, field) keep_value(line, length, name, header->field, sizeof(header->field))

bool
http_header_take(HttpHeader *header, const char *line, size_t length)
{
	size_t bytes = header->bytes + length;

	if (bytes > HTTP_HEADER_MAX_BYTES)
		return false;
	if (!header->complete && length >= 5 && memcmp(line, "HTTP/", 5) == 0)
		*header = (HttpHeader){0}; /* after a 1xx */
	header->bytes = bytes;
	if (header->complete)
		return true; /* a trailer */
	KEEP_VALUE("Content-Type", media_type);
	KEEP_VALUE("Content-Encoding", content_encoding);
	KEEP_VALUE("Retry-After", retry_after);
	KEEP_VALUE("Location", location);
	return true;
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

	header->says_columns = strcasestr(media_type, "shape=columns") != NULL;
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
