/*
 * row_reader_csv.c - CSV as COPY and RFC 4180 have it, a state machine that can stop at any byte.
 *
 * A record is gathered without its quotes and delimiters; its fields are places in it. Stricter than
 * COPY FROM in one thing: a quote may stand only at a field's start, since one within an unquoted
 * field is the mark of a writer that did not quote.
 */
#include "rows/row_reader_internal.h"

#include <stdlib.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

typedef enum CsvState
{
	CSV_FIELD_START,
	CSV_UNQUOTED,
	CSV_QUOTED,
	CSV_QUOTE, /* after a quote within a quoted field: its end, or the first of two */
	CSV_CR,    /* an LF must follow */
} CsvState;

typedef struct CsvField
{
	size_t start; /* in the record */
	size_t length;
	bool is_quoted;
} CsvField;

typedef struct CsvReader
{
	RowReader base;
	bool has_header;
	bool header_is_due;
	bool is_over;         /* the end mark has come */
	int record_fields;    /* that a record has: the header's, or the type's columns */
	int *column_of_field; /* [columns], the first record_fields in use */
	bool *is_in_header;   /* [columns] */
	LineEnd line_end;

	/* the record that is being gathered */
	CsvState state;
	RowBuffer record;
	CsvField *field; /* [columns] */
	int fields;      /* that are whole */
	CsvField current;
} CsvReader;

/* --- the header -------------------------------------------------------------------------- */

/* The column of a name: one that the header has not had yet, or else one that it has had. */
static int
find_column(const CsvReader *csv, const char *name, size_t length)
{
	int found = -1;

	for (int i = 0; i < csv->base.type->columns; i++)
	{
		const char *column_name = csv->base.type->column[i].name;

		if (strlen(column_name) != length || memcmp(column_name, name, length) != 0)
			continue;
		found = i;
		if (!csv->is_in_header[i])
			break;
	}
	return found;
}

static bool
take_header_field(CsvReader *csv)
{
	const char *name = csv->record.bytes + csv->current.start;
	int column = find_column(csv, name, csv->current.length);
	char quoted[ROW_READER_QUOTED_MAX];

	row_reader_quote(name, csv->current.length, quoted);
	if (column < 0)
		return row_reader_fail(&csv->base, "the header names %s, which is no column", quoted);
	if (csv->is_in_header[column])
		return row_reader_fail(&csv->base, "the header names column %s twice", quoted);
	csv->is_in_header[column] = true;
	csv->column_of_field[csv->fields++] = column;
	return true;
}

/* The next byte begins a record. Values lend from the old one until bytes are gathered again. */
static void
begin_record(CsvReader *csv)
{
	csv->record.length = 0;
	csv->fields = 0;
	csv->current = (CsvField){0};
}

static void
end_header(CsvReader *csv)
{
	csv->record_fields = csv->fields;
	csv->header_is_due = false;
	begin_record(csv);
}

/* Until a header says otherwise. */
static void
expect_all_columns(CsvReader *csv)
{
	csv->header_is_due = csv->has_header;
	csv->record_fields = csv->base.type->columns;
	for (int i = 0; i < csv->record_fields; i++)
	{
		csv->column_of_field[i] = i;
		csv->is_in_header[i] = false;
	}
}

/* --- fields ------------------------------------------------------------------------------ */

/* Of the field that is being gathered. */
static bool
fail_field(CsvReader *csv, const char *what)
{
	if (csv->header_is_due)
		return row_reader_fail(&csv->base, "header, field %d: %s", csv->fields + 1, what);
	if (csv->fields < csv->record_fields)
		return row_reader_fail_column(&csv->base, csv->column_of_field[csv->fields], "%s", what);
	return row_reader_fail_row(&csv->base, "field %d: %s", csv->fields + 1, what);
}

/* Whether all there is so far is a byte order mark, unquoted, at the very start. */
static bool
is_at_byte_order_mark(const CsvReader *csv)
{
	return csv->base.stream_rows == 0 && csv->header_is_due == csv->has_header &&
		   csv->fields == 0 && !csv->current.is_quoted &&
		   csv->record.length >= strlen(BYTE_ORDER_MARK) &&
		   memcmp(csv->record.bytes, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0;
}

static bool
end_field(CsvReader *csv)
{
	RowReader *reader = &csv->base;
	CsvField *current = &csv->current;
	bool done = true;

	if (is_at_byte_order_mark(csv))
		current->start += strlen(BYTE_ORDER_MARK);
	current->length = csv->record.length - current->start;
	if (csv->header_is_due)
		done = take_header_field(csv);
	else if (csv->fields == csv->record_fields)
		done =
			row_reader_fail_row(reader, "the record has more than %d fields", csv->record_fields);
	else
		csv->field[csv->fields++] = *current;
	*current = (CsvField){.start = csv->record.length};
	csv->state = CSV_FIELD_START;
	return done;
}

static bool
begin_quotes(CsvReader *csv)
{
	csv->current.is_quoted = true;
	csv->state = CSV_QUOTED;
	csv->base.at++;
	return true;
}

/* At a quote in an unquoted field: an error, unless all before it is a byte order mark. */
static bool
take_stray_quote(CsvReader *csv)
{
	if (is_at_byte_order_mark(csv) && csv->record.length == strlen(BYTE_ORDER_MARK))
	{
		csv->record.length = 0;
		return begin_quotes(csv);
	}
	return fail_field(csv, "a quote within a field that does not begin with one");
}

/* Where unquoted text ends: at a comma, a quote, a line break; all are below the hyphen. */
static const char *
find_unquoted_end(const char *p, const char *end)
{
	while (p < end)
	{
		if (end - p >= WORD_BYTES)
		{
			uint64_t marks = mark_below(load_word(p), '-');

			if (marks == 0)
			{
				p += WORD_BYTES;
				continue;
			}
			p += first_marked(marks);
		}
		if (*p == ',' || *p == '"' || *p == '\n' || *p == '\r')
			break;
		p++;
	}
	return p;
}

/* --- one state's bytes ------------------------------------------------------------------- */

/* Takes up to `stop` of the piece into the record. */
static bool
gather(CsvReader *csv, const char *stop)
{
	RowReader *reader = &csv->base;
	const char *from = reader->at;

	reader->at = stop;
	return row_buffer_append(reader, &csv->record, from, (size_t) (stop - from));
}

/* At the byte that ends a field; *is_whole when it ends the record too. */
static bool
take_delimiter(CsvReader *csv, bool *is_whole)
{
	RowReader *reader = &csv->base;
	char byte = *reader->at++;

	if (byte == ',')
		return end_field(csv);
	if (byte == '\r')
	{
		csv->state = CSV_CR;
		return true;
	}
	*is_whole = true;
	return end_field(csv) && row_reader_check_line_end(reader, &csv->line_end, LINE_END_LF);
}

static bool
step_unquoted(CsvReader *csv, bool *is_whole)
{
	RowReader *reader = &csv->base;

	if (!gather(csv, find_unquoted_end(reader->at, reader->end)))
		return false;
	if (reader->at == reader->end)
		return true;
	return *reader->at == '"' ? take_stray_quote(csv) : take_delimiter(csv, is_whole);
}

static bool
step_quoted(CsvReader *csv)
{
	RowReader *reader = &csv->base;
	const char *quote = memchr(reader->at, '"', (size_t) (reader->end - reader->at));

	if (!gather(csv, quote == NULL ? reader->end : quote))
		return false;
	if (quote != NULL)
	{
		reader->at++;
		csv->state = CSV_QUOTE;
	}
	return true;
}

static bool
step_after_quote(CsvReader *csv, bool *is_whole)
{
	RowReader *reader = &csv->base;
	char byte = *reader->at;

	if (byte == '"')
	{
		csv->state = CSV_QUOTED;
		return gather(csv, reader->at + 1);
	}
	if (byte == ',' || byte == '\n' || byte == '\r')
		return take_delimiter(csv, is_whole);
	return fail_field(csv, "text after the closing quote");
}

static bool
step_after_cr(CsvReader *csv, bool *is_whole)
{
	RowReader *reader = &csv->base;

	if (*reader->at != '\n')
		return fail_field(csv, "a carriage return, unquoted and without a line feed");
	reader->at++;
	*is_whole = true;
	return end_field(csv) && row_reader_check_line_end(reader, &csv->line_end, LINE_END_CR_LF);
}

static bool
step(CsvReader *csv, bool *is_whole)
{
	switch (csv->state)
	{
		case CSV_FIELD_START:
			if (*csv->base.at == '"')
				return begin_quotes(csv);
			csv->state = CSV_UNQUOTED;
			return step_unquoted(csv, is_whole);
		case CSV_UNQUOTED:
			return step_unquoted(csv, is_whole);
		case CSV_QUOTED:
			return step_quoted(csv);
		case CSV_QUOTE:
			return step_after_quote(csv, is_whole);
		default:
			return step_after_cr(csv, is_whole);
	}
}

/* --- records ----------------------------------------------------------------------------- */

/* The stream is over: what of it makes a last record without a line break? */
static RowReadResult
end_stream(CsvReader *csv)
{
	RowReader *reader = &csv->base;

	if (csv->state == CSV_FIELD_START && csv->fields == 0)
	{
		if (!csv->header_is_due)
			return ROW_READ_END;
		row_reader_fail(reader, "there is no header line");
		return ROW_READ_FAILED;
	}
	if (csv->state == CSV_QUOTED)
		fail_field(csv, "the data ends within quotes");
	else if (csv->state == CSV_CR)
		fail_field(csv, "a carriage return, unquoted and without a line feed");
	else if (end_field(csv))
		return ROW_READ_ROW;
	return ROW_READ_FAILED;
}

/* ROW: a record is whole, the header perhaps. */
static RowReadResult
gather_record(CsvReader *csv)
{
	RowReader *reader = &csv->base;
	bool is_whole = false;

	while (reader->at < reader->end && !is_whole)
	{
		if (!step(csv, &is_whole))
			return ROW_READ_FAILED;
	}
	if (is_whole)
		return ROW_READ_ROW;
	return reader->finished ? end_stream(csv) : ROW_READ_MORE;
}

static bool
is_end_mark(const CsvReader *csv)
{
	return csv->fields == 1 && !csv->field[0].is_quoted && csv->field[0].length == 2 &&
		   memcmp(csv->record.bytes + csv->field[0].start, "\\.", 2) == 0;
}

static bool
take_row(CsvReader *csv, Value *values)
{
	RowReader *reader = &csv->base;
	int columns = reader->type->columns;

	if (csv->fields < csv->record_fields)
		return row_reader_fail_column(reader, csv->column_of_field[csv->fields],
									  "the record has %d of %d fields", csv->fields,
									  csv->record_fields);
	for (int i = 0; csv->record_fields < columns && i < columns; i++)
		row_reader_take_null(&values[i]);
	for (int i = 0; i < csv->fields; i++)
	{
		const CsvField *field = &csv->field[i];
		int column = csv->column_of_field[i];

		if (field->length == 0 && !field->is_quoted)
			row_reader_take_null(&values[column]);
		else if (!row_reader_take_text(reader, column, csv->record.bytes + field->start,
									   field->length, &values[column]))
			return false;
	}
	return true;
}

/* A line that is \. ends the data for COPY FROM; of a single column it may as well be a value by a
 * writer that knows nothing of COPY, and no row is to be lost by a guess. */
static RowReadResult
take_end_mark(CsvReader *csv)
{
	if (csv->record_fields > 1)
	{
		csv->is_over = true;
		return row_reader_after_end_mark(&csv->base);
	}
	row_reader_fail_column(&csv->base, csv->column_of_field[0],
						   "\\. without quotes may be a value or COPY's end mark: quote it");
	return ROW_READ_FAILED;
}

static RowReadResult
next_csv(RowReader *reader, Value *values)
{
	CsvReader *csv = (CsvReader *) reader;
	RowReadResult result;
	bool taken;

	if (csv->is_over)
		return row_reader_after_end_mark(reader);
	result = gather_record(csv);
	if (result == ROW_READ_ROW && csv->header_is_due)
	{
		end_header(csv);
		result = gather_record(csv);
	}
	if (result != ROW_READ_ROW)
		return result;
	if (is_end_mark(csv))
		return take_end_mark(csv);
	taken = take_row(csv, values);
	begin_record(csv);
	return taken ? ROW_READ_ROW : ROW_READ_FAILED;
}

static void
reset_csv(RowReader *reader)
{
	CsvReader *csv = (CsvReader *) reader;

	expect_all_columns(csv);
	csv->is_over = false;
	csv->line_end = LINE_END_UNKNOWN;
	csv->state = CSV_FIELD_START;
	begin_record(csv);
}

static void
free_csv(RowReader *reader)
{
	CsvReader *csv = (CsvReader *) reader;

	row_buffer_free(&csv->record);
	free(csv->field);
	free(csv->column_of_field);
	free(csv->is_in_header);
}

RowReader *
row_reader_csv(const RowType *type, bool has_header, size_t max_row_bytes)
{
	static const RowReaderFormat format = {next_csv, reset_csv, free_csv};
	RowReader *reader = row_reader_create(&format, sizeof(CsvReader), type, max_row_bytes);
	CsvReader *csv = (CsvReader *) reader;
	size_t columns = (size_t) type->columns;

	if (reader == NULL)
		return NULL;
	csv->has_header = has_header;
	csv->field = calloc(columns, sizeof(CsvField));
	csv->column_of_field = calloc(columns, sizeof(int));
	csv->is_in_header = calloc(columns, sizeof(bool));
	if (!row_buffer_init(reader, &csv->record) || csv->field == NULL ||
		csv->column_of_field == NULL || csv->is_in_header == NULL)
	{
		row_reader_free(reader);
		return NULL;
	}
	reset_csv(reader);
	return reader;
}
