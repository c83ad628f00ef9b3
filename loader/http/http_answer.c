/*
 * http_answer.c - see http_answer.h.
 */
#include "http/http_answer.h"
#include "media_type.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LENGTH_DIGITS 18 /* of a Content-Length: more would be an exabyte */

typedef struct Span
{
	const char *start;
	size_t length;
} Span;

/* A field that is kept as it stands; of too long a value nothing is, rather than half of it. */
typedef struct KeptField
{
	const char *name;
	size_t offset, size; /* of its text in HttpHead */
	bool is_list;        /* several lines are one list (RFC 9110, section 5.3) */
	bool in_trailer;
} KeptField;

#define ANSWER_TEXT(member)                                                                        \
	offsetof(HttpHead, answer) + offsetof(HttpAnswer, member), sizeof(((HttpAnswer *) 0)->member)

static const KeptField kept_fields[] = {
	{"Content-Range", ANSWER_TEXT(content_range), false, false},
	{"Retry-After", ANSWER_TEXT(retry_after), false, false},
	{"WWW-Authenticate", ANSWER_TEXT(www_authenticate), true, false},
	{"Server-Timing", ANSWER_TEXT(server_timing), true, true},
	{"Content-Encoding", offsetof(HttpHead, content_encoding),
	 sizeof(((HttpHead *) 0)->content_encoding), true, false},
	{"Transfer-Encoding", offsetof(HttpHead, transfer_encoding),
	 sizeof(((HttpHead *) 0)->transfer_encoding), true, false},
};

static bool
has_prefix(const char *line, size_t length, const char *prefix)
{
	return length >= strlen(prefix) && strncasecmp(line, prefix, strlen(prefix)) == 0;
}

/* The value of a line when its name is the wanted one, without blanks around it. */
static bool
field_value(const char *line, size_t length, const char *name, Span *value)
{
	size_t name_length = strlen(name);
	const char *end = line + length;

	if (!has_prefix(line, length, name) || length == name_length || line[name_length] != ':')
		return false;
	value->start = line + name_length + 1;
	while (value->start < end && isspace((unsigned char) *value->start))
		value->start++;
	while (end > value->start && isspace((unsigned char) end[-1]))
		end--;
	value->length = (size_t) (end - value->start);
	return true;
}

/* Fit for a message. */
static void
copy_printable(char *text, Span value)
{
	for (size_t i = 0; i < value.length; i++)
		text[i] = value.start[i] >= ' ' && value.start[i] <= '~' ? value.start[i] : '?';
	text[value.length] = '\0';
}

static void
keep_field(HttpHead *head, const KeptField *field, const char *line, size_t length)
{
	char *text = (char *) head + field->offset;
	unsigned bit = 1u << (field - kept_fields);
	size_t used = field->is_list ? strlen(text) : 0;
	size_t separator = used > 0 ? strlen(", ") : 0;
	Span value;

	if (!field_value(line, length, field->name, &value))
		return;
	if (used + separator + value.length >= field->size || (head->too_long & bit) != 0)
	{
		head->too_long |= field->is_list ? bit : 0;
		*text = '\0';
		return;
	}
	memcpy(text + used, ", ", separator);
	copy_printable(text + used + separator, value);
}

/* --- where the body ends ------------------------------------------------------------------ */

/* RFC 9110, section 8.6: digits, and the same where it comes twice. libcurl takes what a number begins
 * with, the last of several, and none for one that is too large. */
static const char *
check_length(HttpHead *head, Span value)
{
	char digits[LENGTH_DIGITS + 1] = "";
	int64_t length;

	if (value.length == 0 || value.length > LENGTH_DIGITS)
		return "Content-Length is no number, or one that is too large";
	memcpy(digits, value.start, value.length);
	if (strspn(digits, "0123456789") != value.length)
		return "Content-Length is no number, or one that is too large";
	length = strtoll(digits, NULL, 10);
	if (head->has_length && head->length != length)
		return "Content-Length comes twice, with different values";
	head->has_length = true;
	head->length = length;
	return NULL;
}

/* After the line was kept. No transfer coding but chunked was asked for (RFC 9112, section 7.4); libcurl
 * would take off others by itself. */
static const char *
check_framing(HttpHead *head, const char *line, size_t length)
{
	Span value;

	if (field_value(line, length, "Content-Length", &value))
		return check_length(head, value);
	if (field_value(line, length, "Transfer-Encoding", &value) &&
		strcasecmp(head->transfer_encoding, "chunked") != 0)
		return "Transfer-Encoding is not chunked";
	return NULL;
}

/* ------------------------------------------------------------------------------------------- */

/* Takes the parameters off. The only one of interest tells columns from rows. */
static void
keep_media_type(HttpAnswer *answer, Span value)
{
	size_t length = 0;

	while (length < value.length && strchr("; \t", value.start[length]) == NULL)
		length++;
	answer->says_columns = media_type_says(value.start, value.length, "shape", "columns");
	value.length = length < sizeof(answer->media_type) ? length : 0;
	copy_printable(answer->media_type, value);
	for (char *byte = answer->media_type; *byte != '\0'; byte++)
		if (*byte >= 'A' && *byte <= 'Z')
			*byte = (char) tolower(*byte);
}

/* "HTTP/1.1 200 OK", "HTTP/2 200"; what came with an interim answer is no longer of interest. */
static void
begin_answer(HttpHead *head, const char *line, size_t length)
{
	size_t at = 0;
	int status = 0;

	while (at < length && line[at] != ' ')
		at++;
	while (at < length && line[at] == ' ')
		at++;
	for (int digits = 0; digits < 3 && at < length && isdigit((unsigned char) line[at]); digits++)
		status = status * 10 + (line[at++] - '0');
	*head = (HttpHead){
		.answer = {.status = status, .http2 = has_prefix(line, length, "HTTP/2")},
		.bytes = head->bytes,
	};
}

bool
http_head_take(HttpHead *head, const char *line, size_t length)
{
	Span media_type;

	head->bytes += length;
	if (head->bytes > HTTP_HEAD_MAX_BYTES)
		return false;
	if (!head->complete && has_prefix(line, length, "HTTP/"))
		begin_answer(head, line, length);
	else if (line[0] == '\r' || line[0] == '\n')
		/* of the interim answers 101 is the last: what follows is no HTTP */
		head->complete = head->answer.status >= 200 || head->answer.status == 101;
	for (size_t i = 0; i < sizeof(kept_fields) / sizeof(kept_fields[0]); i++)
		if (!head->complete || kept_fields[i].in_trailer)
			keep_field(head, &kept_fields[i], line, length);
	if (head->complete)
		return true;
	if (field_value(line, length, "Content-Type", &media_type))
		keep_media_type(&head->answer, media_type);
	head->problem = check_framing(head, line, length);
	return head->problem == NULL;
}

size_t
http_head_take_all(HttpHead *head, const char *bytes, size_t length)
{
	const char *at = bytes, *end = bytes + length, *line_end;

	if (!has_prefix(bytes, length, "HTTP/"))
		return 0;
	while (!head->complete && (line_end = memchr(at, '\n', (size_t) (end - at))) != NULL)
	{
		if (!http_head_take(head, at, (size_t) (line_end + 1 - at)))
			return 0;
		at = line_end + 1;
	}
	return head->complete ? (size_t) (at - bytes) : 0;
}
