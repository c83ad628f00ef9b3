/* row_reader.c - see row_reader.h: the dispatch, and what the formats share. */
#include "rows/row_reader_internal.h"

#include "json_encode.h"
#include "rows/value_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_BUFFER_BYTES 1024 /* most rows fit */

#define QUOTED_BYTES (ROW_READER_QUOTED_MAX - sizeof("\"\"..."))

/* the piece before the first */
static const char no_bytes[] = "";

RowReader *
row_reader_create(const RowReaderFormat *format, size_t size, const RowType *type,
				  size_t max_row_bytes)
{
	RowReader *reader = calloc(1, size);

	if (reader == NULL)
		return NULL;
	reader->format = format;
	reader->type = type;
	reader->max_row_bytes = max_row_bytes;
	reader->at = reader->end = no_bytes;
	reader->last = ROW_READ_MORE;
	reader->nested = nested_codec_create(type, max_row_bytes);
	if (reader->nested != NULL)
		return reader;
	free(reader);
	return NULL;
}

void
row_reader_free(RowReader *reader)
{
	if (reader == NULL)
		return;
	reader->format->free(reader);
	nested_codec_free(reader->nested);
	free(reader);
}

void
row_reader_reset(RowReader *reader)
{
	reader->at = reader->end = no_bytes;
	reader->finished = false;
	reader->last = ROW_READ_MORE;
	reader->stream_rows = 0;
	reader->problem[0] = '\0';
	reader->format->reset(reader);
}

void
row_reader_feed(RowReader *reader, const char *bytes, size_t length)
{
	if (length == 0) /* `bytes` may be NULL */
		return;
	reader->at = bytes;
	reader->end = bytes + length;
}

void
row_reader_finish(RowReader *reader)
{
	reader->finished = true;
}

RowReadResult
row_reader_next(RowReader *reader, Value *values)
{
	RowReadResult result;

	if (reader->last == ROW_READ_END || reader->last == ROW_READ_FAILED)
		return reader->last;
	result = reader->format->next(reader, values);
	if (result == ROW_READ_ROW)
	{
		reader->stream_rows++;
		reader->rows++;
	}
	reader->last = result;
	return result;
}

const char *
row_reader_problem(const RowReader *reader)
{
	return reader->problem;
}

int64_t
row_reader_rows(const RowReader *reader)
{
	return reader->rows;
}

int64_t
row_reader_unknown_keys(const RowReader *reader)
{
	return reader->unknown_keys;
}

int64_t
row_reader_missing_values(const RowReader *reader)
{
	return reader->missing_values + nested_codec_missing_attributes(reader->nested);
}

int64_t
row_reader_na_values(const RowReader *reader)
{
	return reader->na_values;
}

int64_t
row_reader_spool_ns(const RowReader *reader)
{
	return reader->spool_ns;
}

int64_t
row_reader_spool_bytes(const RowReader *reader)
{
	return reader->spool_bytes;
}

/* --- problems ---------------------------------------------------------------------------- */

static bool
fail_after(RowReader *reader, int prefix, const char *format, va_list arguments)
{
	vsnprintf(reader->problem + prefix, sizeof(reader->problem) - (size_t) prefix, format,
			  arguments);
	return false;
}

bool
row_reader_fail(RowReader *reader, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fail_after(reader, 0, format, arguments);
	va_end(arguments);
	return false;
}

bool
row_reader_fail_row(RowReader *reader, const char *format, ...)
{
	va_list arguments;
	int prefix;

	va_start(arguments, format);
	prefix = snprintf(reader->problem, sizeof(reader->problem), "row %" PRId64 ": ",
					  reader->stream_rows + 1);
	fail_after(reader, prefix, format, arguments);
	va_end(arguments);
	return false;
}

bool
row_reader_fail_column(RowReader *reader, int column, const char *format, ...)
{
	const char *name = reader->type->column[column].name;
	char quoted[ROW_READER_QUOTED_MAX];
	va_list arguments;
	int prefix;

	va_start(arguments, format);
	prefix = snprintf(reader->problem, sizeof(reader->problem),
					  "row %" PRId64 ", column %s: ", reader->stream_rows + 1,
					  row_reader_quote(name, strlen(name), quoted));
	fail_after(reader, prefix, format, arguments);
	va_end(arguments);
	return false;
}

bool
row_reader_fail_memory(RowReader *reader)
{
	return row_reader_fail(reader, "out of memory");
}

/* No control character: C0, DEL, and C1, which is C2 80 to C2 9F. */
static void
make_printable(char *text, size_t length, bool is_utf8)
{
	for (size_t i = 0; i < length; i++)
	{
		unsigned char byte = (unsigned char) text[i];

		if (byte < ' ' || byte == 0x7f || (byte >= 0x80 && !is_utf8))
			text[i] = '?';
		else if (byte == 0xc2 && (unsigned char) text[i + 1] < 0xa0)
			text[i] = text[i + 1] = '?';
	}
}

const char *
row_reader_quote(const char *text, size_t length, char quoted[ROW_READER_QUOTED_MAX])
{
	bool is_cut = length > QUOTED_BYTES;

	if (is_cut)
		length = QUOTED_BYTES;
	/* not within a character */
	while (is_cut && length > 0 && ((unsigned char) text[length] & 0xc0) == 0x80)
		length--;
	quoted[0] = '"';
	memcpy(quoted + 1, text, length);
	make_printable(quoted + 1, length, json_encode_is_utf8(text, length));
	strcpy(quoted + 1 + length, is_cut ? "...\"" : "\"");
	return quoted;
}

/* --- values ------------------------------------------------------------------------------ */

static bool
refuse_text(RowReader *reader, int column, const char *text, size_t length)
{
	const RowColumn *head = &reader->type->column[column];
	char quoted[ROW_READER_QUOTED_MAX];

	/* decoded over its text, so the text may be half gone */
	if (head->type == COLUMN_BYTEA)
		return row_reader_fail_column(reader, column, "the text is no %s", head->type_name);
	return row_reader_fail_column(reader, column, "%s is no %s",
								  row_reader_quote(text, length, quoted), head->type_name);
}

/* Of numerics and bytea the form says enough. */
static inline bool
has_characters(ColumnType type)
{
	return type == COLUMN_TEXT || type == COLUMN_BPCHAR || type == COLUMN_JSON ||
		   type == COLUMN_JSONB || type == COLUMN_ENUM || type == COLUMN_OTHER;
}

/* Where the first character begins that is none. */
static size_t
first_invalid(const char *text, size_t length)
{
	size_t at = 0;

	while (at < length)
	{
		size_t sequence = 1;

		while (sequence <= 4 && sequence <= length - at &&
			   !json_encode_is_utf8(text + at, sequence))
			sequence++;
		if (sequence > 4 || sequence > length - at)
			break;
		at += sequence;
	}
	return at;
}

bool
row_reader_check_characters(RowReader *reader, int column, const Value *value)
{
	const char *text = value->text.bytes;
	size_t length = value->text.length;

	if (!has_characters(reader->type->column[column].type) || length == 0)
		return true;
	if (!json_encode_is_utf8(text, length))
	{
		size_t at = first_invalid(text, length);

		return row_reader_fail_column(reader, column,
									  "invalid UTF-8: byte 0x%02x at place %zu of the value",
									  (unsigned) (unsigned char) text[at], at + 1);
	}
	if (memchr(text, '\0', length) != NULL)
		return row_reader_fail_column(reader, column, "a text cannot hold a NUL character");
	return true;
}

/* The text is half gone by then. */
static bool
refuse_nested(RowReader *reader, int column)
{
	return row_reader_fail_column(reader, column, "the text is no %s: %s",
								  reader->type->column[column].type_name,
								  nested_codec_why(reader->nested));
}

bool
row_reader_take_text(RowReader *reader, int column, char *text, size_t length, Value *value)
{
	value->is_null = value->is_missing = false;
	if (reader->type->column[column].nested != NULL)
		return nested_codec_from_text(reader->nested, column, text, length, value) ||
			   refuse_nested(reader, column);
	if (!value_from_text(reader->type->column[column].type, text, length, value))
		return refuse_text(reader, column, text, length);
	return row_reader_check_characters(reader, column, value);
}

/* --- bytes and lines --------------------------------------------------------------------- */

bool
row_buffer_init(const RowReader *reader, RowBuffer *buffer)
{
	size_t limit = reader->max_row_bytes;

	buffer->length = 0;
	buffer->capacity = limit < FIRST_BUFFER_BYTES ? limit : FIRST_BUFFER_BYTES;
	buffer->bytes = malloc(buffer->capacity);
	return buffer->bytes != NULL;
}

void
row_buffer_free(RowBuffer *buffer)
{
	free(buffer->bytes);
}

bool
row_buffer_grow(RowReader *reader, RowBuffer *buffer, size_t more)
{
	size_t limit = reader->max_row_bytes;
	size_t wanted = buffer->length + more;
	size_t capacity = buffer->capacity;
	char *grown;

	if (wanted > limit)
		return row_reader_fail_row(reader, "longer than the limit of %zu bytes", limit);
	while (capacity < wanted)
		capacity = capacity > limit / 2 ? limit : capacity * 2;
	grown = realloc(buffer->bytes, capacity);
	if (grown == NULL)
		return row_reader_fail_memory(reader);
	buffer->bytes = grown;
	buffer->capacity = capacity;
	return true;
}

bool
row_reader_check_line_end(RowReader *reader, LineEnd *seen, LineEnd now)
{
	if (*seen == LINE_END_UNKNOWN)
		*seen = now;
	if (*seen == now)
		return true;
	return row_reader_fail_row(reader, now == LINE_END_LF
										   ? "the line ends with LF, those before with CR LF"
										   : "the line ends with CR LF, those before with LF");
}

RowReadResult
row_reader_after_end_mark(RowReader *reader)
{
	if (reader->at == reader->end)
		return reader->finished ? ROW_READ_END : ROW_READ_MORE;
	row_reader_fail(reader, "there is more data after the end mark \\.");
	return ROW_READ_FAILED;
}
