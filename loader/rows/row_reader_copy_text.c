/*
 * row_reader_copy_text.c - COPY's text format.
 *
 * A line break within a value is escaped, so a line is a row. What COPY TO never writes though COPY
 * FROM would take it is refused where it is a sign of damage: a backslash that ends a line, \. with
 * more beside it, a last line without its end.
 */
#include "rows/row_reader_internal.h"

#include <stdlib.h>

typedef struct CopyTextReader
{
	RowReader base;
	RowBuffer line; /* what has come of it, without its LF */
	LineEnd line_end;
	bool is_over; /* the end mark has come */
} CopyTextReader;

/* --- fields ------------------------------------------------------------------------------ */

/* The next byte that means something: a tab, a backslash, a CR; or the end. */
static char *
find_special(char *p, const char *end)
{
	while (p < end)
	{
		if (end - p >= WORD_BYTES)
		{
			uint64_t word = load_word(p);
			uint64_t marks = mark_below(word, ' ') | mark_equal(word, '\\');

			if (marks == 0)
			{
				p += WORD_BYTES;
				continue;
			}
			p += first_marked(marks);
		}
		if (*p == '\t' || *p == '\\' || *p == '\r')
			break;
		p++;
	}
	return p;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Up to `most` digits of a base that is a power of two; `from` unchanged when there is none. */
static char *
take_byte(char *from, const char *end, int bits, int most, unsigned char *byte)
{
	unsigned value = 0;

	for (int i = 0; i < most && from < end; i++, from++)
	{
		int digit = hex_digit(*from);

		if (digit < 0 || digit >= 1 << bits)
			break;
		value = value << bits | (unsigned) digit;
	}
	*byte = (unsigned char) value;
	return from;
}

/* Takes the escape at `from`, its backslash; NULL, with a problem, when it is none. */
static char *
take_escape(CopyTextReader *text, int column, char *from, char *end, unsigned char *byte)
{
	static const char letters[] = "bfnrtv";
	static const char meanings[] = "\b\f\n\r\t\v";
	const char *letter;
	char *rest;

	if (++from == end)
	{
		row_reader_fail_column(&text->base, column, "the line ends with a backslash");
		return NULL;
	}
	if (*from == '.')
	{
		row_reader_fail_column(&text->base, column, "the end mark \\. is not alone on its line");
		return NULL;
	}
	rest = take_byte(from, end, 3, 3, byte);
	if (rest == from && *from == 'x')
	{
		rest = take_byte(from + 1, end, 4, 2, byte);
		if (rest == from + 1)
			rest = from; /* an x */
	}
	if (rest != from)
		return rest;
	letter = *from == '\0' ? NULL : strchr(letters, *from);
	*byte = (unsigned char) (letter == NULL ? *from : meanings[letter - letters]);
	return from + 1;
}

/* Unescapes the field at `from` where it stands; *to_end is its end. Returns where it ended in the
 * line, or NULL with a problem. */
static char *
unescape_field(CopyTextReader *text, int column, char *from, char *end, char **to_end)
{
	char *to = from;

	for (;;)
	{
		char *special = find_special(from, end);
		unsigned char byte;

		if (to != from)
			memmove(to, from, (size_t) (special - from));
		to += special - from;
		from = special;
		if (from == end || *from == '\t')
			break;
		if (*from == '\r')
		{
			row_reader_fail_column(&text->base, column, "a carriage return that is not escaped");
			return NULL;
		}
		from = take_escape(text, column, from, end, &byte);
		if (from == NULL)
			return NULL;
		*to++ = (char) byte;
	}
	*to_end = to;
	return from;
}

static inline bool
is_null(const char *from, const char *end)
{
	return end - from >= 2 && from[0] == '\\' && from[1] == 'N' &&
		   (end - from == 2 || from[2] == '\t');
}

/* Makes a value of the field at `from`; returns where it ended, or NULL with a problem. */
static char *
take_field(CopyTextReader *text, int column, char *from, char *end, Value *value)
{
	char *field_end, *to_end;

	if (is_null(from, end))
	{
		row_reader_take_null(value);
		return from + 2;
	}
	field_end = unescape_field(text, column, from, end, &to_end);
	if (field_end == NULL ||
		!row_reader_take_text(&text->base, column, from, (size_t) (to_end - from), value))
		return NULL;
	return field_end;
}

/* --- lines ------------------------------------------------------------------------------- */

static bool
take_row(CopyTextReader *text, Value *values)
{
	RowReader *reader = &text->base;
	char *at = text->line.bytes;
	char *end = at + text->line.length;
	int columns = reader->type->columns;

	for (int i = 0; i < columns; i++)
	{
		if (i > 0 && at == end)
			return row_reader_fail_column(reader, i, "the line has %d of %d columns", i, columns);
		if (i > 0)
			at++; /* the tab */
		at = take_field(text, i, at, end, &values[i]);
		if (at == NULL)
			return false;
	}
	return at == end || row_reader_fail_row(reader, "the line has more than %d columns", columns);
}

/* Takes the line's CR off, if it has one. */
static bool
end_line(CopyTextReader *text)
{
	RowBuffer *line = &text->line;
	bool has_cr = line->length > 0 && line->bytes[line->length - 1] == '\r';

	line->length -= has_cr;
	return row_reader_check_line_end(&text->base, &text->line_end,
									 has_cr ? LINE_END_CR_LF : LINE_END_LF);
}

static bool
is_end_mark(const RowBuffer *line)
{
	return line->length == 2 && memcmp(line->bytes, "\\.", 2) == 0;
}

/* All of the piece is used up, and the line not whole. */
static RowReadResult
want_more(CopyTextReader *text)
{
	RowReader *reader = &text->base;

	if (!reader->finished)
		return ROW_READ_MORE;
	if (text->line.length == 0)
		return ROW_READ_END;
	row_reader_fail_row(reader, "the data ends within the line: it has no line break");
	return ROW_READ_FAILED;
}

/* ROW: the line is whole. */
static RowReadResult
gather_line(CopyTextReader *text)
{
	RowReader *reader = &text->base;
	size_t left = (size_t) (reader->end - reader->at);
	const char *line_break = left == 0 ? NULL : memchr(reader->at, '\n', left);
	size_t length = line_break == NULL ? left : (size_t) (line_break - reader->at);

	if (left > 0 && !row_buffer_append(reader, &text->line, reader->at, length))
		return ROW_READ_FAILED;
	reader->at = line_break == NULL ? reader->end : line_break + 1;
	if (line_break == NULL)
		return want_more(text);
	return end_line(text) ? ROW_READ_ROW : ROW_READ_FAILED;
}

static RowReadResult
next_copy_text(RowReader *reader, Value *values)
{
	CopyTextReader *text = (CopyTextReader *) reader;
	RowReadResult result;
	bool taken;

	if (text->is_over)
		return row_reader_after_end_mark(reader);
	result = gather_line(text);
	if (result != ROW_READ_ROW)
		return result;
	text->is_over = is_end_mark(&text->line);
	if (text->is_over)
		return row_reader_after_end_mark(reader);
	taken = take_row(text, values);
	text->line.length = 0; /* the values lend from it until the next line is gathered */
	return taken ? ROW_READ_ROW : ROW_READ_FAILED;
}

static void
reset_copy_text(RowReader *reader)
{
	CopyTextReader *text = (CopyTextReader *) reader;

	text->line.length = 0;
	text->line_end = LINE_END_UNKNOWN;
	text->is_over = false;
}

static void
free_copy_text(RowReader *reader)
{
	row_buffer_free(&((CopyTextReader *) reader)->line);
}

RowReader *
row_reader_copy_text(const RowType *type, size_t max_row_bytes)
{
	static const RowReaderFormat format = {next_copy_text, reset_copy_text, free_copy_text};
	RowReader *reader = row_reader_create(&format, sizeof(CopyTextReader), type, max_row_bytes);

	if (reader != NULL && !row_buffer_init(reader, &((CopyTextReader *) reader)->line))
	{
		row_reader_free(reader);
		return NULL;
	}
	return reader;
}
