/*
 * row_log.h - what a reader or a source of rows gives, written down as text: a line per row, values
 * by their members, texts in brackets with what is not printable, and the backslash, escaped.
 */
#ifndef TRANSFERBENCH_ROW_LOG_H
#define TRANSFERBENCH_ROW_LOG_H

#include "unit.h"
#include "unit_log.h"

#include "rows/row_reader.h"

#include <stdlib.h>

static inline void
log_text(Log *log, const char *bytes, size_t length)
{
	log_add(log, "[");
	for (size_t i = 0; i < length; i++)
	{
		unsigned char byte = (unsigned char) bytes[i];

		if (byte == '\\')
			log_add(log, "\\\\");
		else if (byte < ' ' || byte >= 0x7f)
			log_add(log, "\\x%02x", byte);
		else
			log_add(log, "%c", byte);
	}
	log_add(log, "]");
}

static inline void
log_value(Log *log, ColumnType type, const Value *value)
{
	if (value->is_null)
		log_add(log, value->is_missing ? "missing" : "null");
	else if (type == COLUMN_NUMERIC)
		log_add(log, "%.*s", (int) value->text.length, value->text.bytes);
	else if (column_type_is_text(type))
		log_text(log, value->text.bytes, value->text.length);
	else if (type == COLUMN_BOOL)
		log_add(log, value->boolean ? "t" : "f");
	else if (type == COLUMN_FLOAT4 || type == COLUMN_FLOAT8)
		log_add(log, "%.17g", value->real);
	else if (type == COLUMN_UUID)
		log_text(log, (const char *) value->uuid, sizeof(value->uuid));
	else
		log_add(log, "%" PRId64, value->integer);
}

static inline void
log_row(Log *log, const RowType *type, const Value *values)
{
	for (int i = 0; i < type->columns; i++)
	{
		if (i > 0)
			log_add(log, "|");
		log_value(log, type->column[i].type, &values[i]);
	}
	log_add(log, "\n");
}

static inline void
log_clear(Log *log)
{
	log->length = 0;
	log->text[0] = '\0';
}

static inline bool
log_matches(const Log *log, const char *wanted)
{
	if (strcmp(log->text, wanted) == 0)
		return true;
	printf("# got:\n");
	for (const char *line = log->text; *line != '\0';)
	{
		int length = (int) strcspn(line, "\n");

		printf("#   %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
	return false;
}

/* --- types ------------------------------------------------------------------------------- */

typedef struct TestColumn
{
	const char *name;
	const char *type_name;
	unsigned type_oid;
} TestColumn;

#define COLUMN_TEST_ID                                                                             \
	{                                                                                              \
		"id", "bigint", 20                                                                         \
	}
#define COLUMN_TEST_TEXT(name)                                                                     \
	{                                                                                              \
		name, "text", 25                                                                           \
	}

static inline RowType *
make_type(const TestColumn *columns, int count)
{
	RowType *type = row_type_create(count);

	for (int i = 0; i < count; i++)
		row_type_set_column(type, i, columns[i].name, columns[i].type_name, columns[i].type_oid);
	return type;
}

/* id bigint, x numeric(12,2), t text */
static inline RowType *
make_small_type(void)
{
	static const TestColumn columns[] = {
		COLUMN_TEST_ID, {"x", "numeric(12,2)", 1700}, COLUMN_TEST_TEXT("t")};

	return make_type(columns, 3);
}

static inline RowType *
make_text_type(void)
{
	static const TestColumn columns[] = {COLUMN_TEST_TEXT("t")};

	return make_type(columns, 1);
}

/* of row_files.h */
static inline RowType *
make_file_type(void)
{
	static const TestColumn columns[] = {
		COLUMN_TEST_ID,
		{"amount", "numeric(12,2)", 1700},
		{"ratio", "double precision", 701},
		{"active", "boolean", 16},
		{"at", "timestamp with time zone", 1184},
		{"raw", "bytea", 17},
		COLUMN_TEST_TEXT("label"),
	};

	return make_type(columns, 7);
}

/* --- readers ----------------------------------------------------------------------------- */

/* Takes rows until a piece is used up (true), or all is over (false). */
static inline bool
take_rows(RowReader *reader, const RowType *type, Value *values, Log *log)
{
	RowReadResult result = row_reader_next(reader, values);

	for (; result == ROW_READ_ROW; result = row_reader_next(reader, values))
		log_row(log, type, values);
	if (result == ROW_READ_END)
		log_add(log, "end\n");
	else if (result == ROW_READ_FAILED)
		log_add(log, "%s\n", row_reader_problem(reader));
	return result == ROW_READ_MORE;
}

/*
 * Feeds a stream in pieces: the first of `first` bytes, the others of `rest`. A piece lies in a block
 * of its own size, and is gone once it is used up.
 */
static inline void
read_pieces(RowReader *reader, const RowType *type, const char *bytes, size_t length, size_t first,
			size_t rest, Log *log)
{
	Value *values = calloc((size_t) type->columns, sizeof(Value));
	size_t piece_length = first;
	bool more = true;

	log_clear(log);
	row_reader_reset(reader);
	for (size_t from = 0; from < length && more;)
	{
		char *piece;

		if (piece_length > length - from)
			piece_length = length - from;
		piece = malloc(piece_length + (piece_length == 0));
		memcpy(piece, bytes + from, piece_length);
		row_reader_feed(reader, piece, piece_length);
		more = take_rows(reader, type, values, log);
		free(piece);
		from += piece_length;
		piece_length = rest;
	}
	if (more)
	{
		row_reader_finish(reader);
		if (take_rows(reader, type, values, log))
			log_add(log, "more after the end\n");
	}
	free(values);
}

/* Whole, byte by byte, and cut in two at every place. */
static inline void
expect_rows(const char *name, RowReader *reader, const RowType *type, const char *bytes,
			size_t length, const char *wanted)
{
	static Log log;
	char label[160];
	bool same = true;

	read_pieces(reader, type, bytes, length, length, 1, &log);
	snprintf(label, sizeof(label), "%s: whole", name);
	unit_ok(log_matches(&log, wanted), label);
	read_pieces(reader, type, bytes, length, 1, 1, &log);
	snprintf(label, sizeof(label), "%s: byte by byte", name);
	unit_ok(log_matches(&log, wanted), label);
	for (size_t first = 0; first <= length && same; first++)
	{
		/* a piece without a byte does no harm */
		read_pieces(reader, type, bytes, length, first, length, &log);
		same = log_matches(&log, wanted);
	}
	snprintf(label, sizeof(label), "%s: cut in two at every place", name);
	unit_ok(same, label);
}

/* One of a table of streams without a NUL. */
typedef struct StreamCase
{
	const char *name;
	const char *bytes;
	const char *log;
} StreamCase;

static inline void
expect_cases(RowReader *reader, const RowType *type, const StreamCase *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect_rows(cases[i].name, reader, type, cases[i].bytes, strlen(cases[i].bytes),
					cases[i].log);
}

#endif
