/*
 * row_reader_internal.h - what the formats of row_reader.h share; for them alone.
 *
 * A format's structure begins with a RowReader. Bytes that are lent are const, and a value is
 * decoded over its own text: so a line, or a row of CSV, is copied once, into a buffer of the
 * reader, and becomes values there. COPY BINARY and JSON copy a row only where a piece ends in it.
 */
#ifndef TRANSFERBENCH_ROW_READER_INTERNAL_H
#define TRANSFERBENCH_ROW_READER_INTERNAL_H

#include "rows/nested_codec.h"
#include "rows/row_reader.h"

#include <string.h>

#define ROW_READER_PROBLEM_MAX 512
/* A value, or a name, within a problem: the quotes, what is shown of it, dots and a terminator. */
#define ROW_READER_QUOTED_MAX 96

typedef struct RowReaderFormat
{
	/* may use up the piece; MORE also when the stream is over and `finished` is not yet set */
	RowReadResult (*next)(RowReader *reader, Value *values);
	void (*reset)(RowReader *reader);
	void (*free)(RowReader *reader); /* what the format owns; members may be NULL */
} RowReaderFormat;

struct RowReader
{
	const RowReaderFormat *format;
	const RowType *type;
	NestedCodec *nested;
	size_t max_row_bytes;
	const char *at; /* what is left of the piece lent */
	const char *end;
	bool finished;
	RowReadResult last;  /* END or FAILED once it was said */
	int64_t stream_rows; /* handed out since the start of this stream */
	int64_t rows;
	int64_t unknown_keys;
	int64_t missing_values;
	int64_t na_values;
	int64_t spool_ns;
	int64_t spool_bytes;
	char problem[ROW_READER_PROBLEM_MAX];
};

/* A zeroed structure of `size` bytes; NULL when out of memory. */
extern RowReader *row_reader_create(const RowReaderFormat *format, size_t size, const RowType *type,
									size_t max_row_bytes);

/* Make the problem; false. The first as it stands, the others with the row that is being read, and
 * the column, before it. */
extern bool row_reader_fail(RowReader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
extern bool row_reader_fail_row(RowReader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
extern bool row_reader_fail_column(RowReader *reader, int column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
extern bool row_reader_fail_memory(RowReader *reader);

/* Writes a text in double quotes, printable and cut to a length that fits a message; returns
 * `quoted`. */
extern const char *row_reader_quote(const char *text, size_t length,
									char quoted[ROW_READER_QUOTED_MAX]);

/* Makes a value of its text form, over the text; false, with a problem, when it is none. The next one of
 * the column may be written over it. */
extern bool row_reader_take_text(RowReader *reader, int column, char *text, size_t length,
								 Value *value);
/* Whether characters of a value that has some are UTF-8 without NUL; false with a problem. */
extern bool row_reader_check_characters(RowReader *reader, int column, const Value *value);

static inline void
row_reader_take_null(Value *value)
{
	value->is_null = true;
	value->is_missing = false;
}

/* --- bytes of a row ---------------------------------------------------------------------- */

typedef struct RowBuffer
{
	char *bytes;
	size_t length;
	size_t capacity;
} RowBuffer;

/* Never without memory afterwards, nor with more than max_row_bytes; false when out of it. */
extern bool row_buffer_init(const RowReader *reader, RowBuffer *buffer);
extern void row_buffer_free(RowBuffer *buffer);
/* Makes room for `more` bytes; false, with a problem, when the row would be too long. */
extern bool row_buffer_grow(RowReader *reader, RowBuffer *buffer, size_t more);

static inline bool
row_buffer_append(RowReader *reader, RowBuffer *buffer, const char *bytes, size_t length)
{
	if (length > buffer->capacity - buffer->length && !row_buffer_grow(reader, buffer, length))
		return false;
	memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
	return true;
}

/* --- line ends --------------------------------------------------------------------------- */

typedef enum LineEnd
{
	LINE_END_UNKNOWN,
	LINE_END_LF,
	LINE_END_CR_LF,
} LineEnd;

/* Line ends are of one kind throughout: a file with both was changed on its way. */
extern bool row_reader_check_line_end(RowReader *reader, LineEnd *seen, LineEnd now);
/* What comes once the end mark \. was read: nothing. */
extern RowReadResult row_reader_after_end_mark(RowReader *reader);

/* --- eight bytes at once ----------------------------------------------------------------- */

#define WORD_BYTES      ((ptrdiff_t) sizeof(uint64_t))
#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t
load_word(const char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Marks the bytes below `limit` (at most 0x80) by their top bit. A borrow may mark the byte after a
 * marked one too, so only the first mark counts. */
static inline uint64_t
mark_below(uint64_t word, unsigned limit)
{
	return (word - EACH_BYTE(limit)) & ~word & EACH_BYTE(0x80);
}

static inline uint64_t
mark_equal(uint64_t word, unsigned byte)
{
	return mark_below(word ^ EACH_BYTE(byte), 1);
}

/* There is one. */
static inline int
first_marked(uint64_t marks)
{
	return __builtin_ctzll(marks) / 8;
}

#endif
