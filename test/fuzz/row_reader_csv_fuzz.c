/*
 * row_reader_csv_fuzz.c - CSV, as row_reader_copy_text_fuzz.c has it of COPY's text format; with a
 * header when the first line begins with "h". What is read goes out by the CSV of `serve`, too,
 * and comes back.
 */
#include "fuzz_rows.h"
#include "rows/nested_codec.h"
#include "rows/row_format.h"
#include "rows/value_text.h"

#include <stdlib.h>
#include <string.h>

static RowReader *
open_with_header(const RowType *type, size_t max_row_bytes)
{
	return row_reader_csv(type, true, max_row_bytes);
}

static RowReader *
open_without_header(const RowType *type, size_t max_row_bytes)
{
	return row_reader_csv(type, false, max_row_bytes);
}

static bool
collect(void *log, const char *bytes, size_t length)
{
	fuzz_log_bytes(log, bytes, length);
	return true;
}

/* The value's text, appended to `texts`, where it begins at *start. */
static void
put_text(FuzzLog *texts, ColumnType type, const Value *value)
{
	char printed[VALUE_TEXT_MAX];

	if (type == COLUMN_BYTEA)
	{
		fuzz_log(texts, "\\x");
		for (size_t i = 0; i < value->text.length; i++)
			fuzz_log(texts, "%02x", (unsigned char) value->text.bytes[i]);
	}
	else if (column_type_is_text(type))
		fuzz_log_bytes(texts, value->text.bytes, value->text.length);
	else
		fuzz_log_bytes(texts, printed, value_print(type, value, printed));
}

static void
put_value(FuzzLog *texts, const RowType *type, NestedCodec *nested, int column, const Value *value)
{
	const char *text;
	size_t length;

	if (type->column[column].nested == NULL)
	{
		put_text(texts, type->column[column].type, value);
		return;
	}
	text = nested_codec_text(nested, column, value, &length);
	fuzz_require(text != NULL, "out of memory");
	fuzz_log_bytes(texts, text, length);
}

static void
write_row(RowWriter *writer, const RowType *type, NestedCodec *nested, const Value *values)
{
	RowField fields[8];
	FuzzLog texts[8] = {{0}};

	for (int i = 0; i < type->columns; i++)
	{
		fuzz_log_bytes(&texts[i], "", 0);
		if (!values[i].is_null)
			put_value(&texts[i], type, nested, i, &values[i]);
		fields[i] = (RowField){.text = values[i].is_null ? NULL : texts[i].bytes,
							   .length = texts[i].length};
	}
	fuzz_require(row_format_csv.row(writer, fields), "the writer failed");
	for (int i = 0; i < type->columns; i++)
		fuzz_log_free(&texts[i]);
}

static void
write_csv(FuzzLog *bytes, const FuzzRows *rows)
{
	RowColumnHead heads[8];
	RowWriterOptions options = {
		.columns = rows->type->columns, .heads = heads, .sink = collect, .sink_context = bytes};
	NestedCodec *nested = nested_codec_create(rows->type, 0);
	RowWriter *writer;

	for (int i = 0; i < rows->type->columns; i++)
		heads[i] = (RowColumnHead){.name = rows->type->column[i].name};
	writer = row_format_csv.open(&options);
	for (int i = 0; i < rows->rows; i++)
		write_row(writer, rows->type, nested, rows->values + i * rows->type->columns);
	fuzz_require(row_format_csv.finish(writer), "the writer failed");
	row_format_csv.close(writer);
	nested_codec_free(nested);
}

static void
check_csv(const FuzzRows *rows)
{
	FuzzLog bytes = {0}, got = {0}, wanted = {0};
	FuzzRows again;

	write_csv(&bytes, rows);
	again =
		fuzz_rows_read(open_with_header, rows->type, (const uint8_t *) bytes.bytes, bytes.length);
	fuzz_rows_digest(&got, &again);
	fuzz_rows_digest(&wanted, rows);
	fuzz_require_same(&got, &wanted, "CSV");
	fuzz_rows_free(&again);
	fuzz_log_free(&bytes);
	fuzz_log_free(&got);
	fuzz_log_free(&wanted);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *letters = fuzz_take_line(&data, &size);
	bool has_header = letters[0] == 'h';
	RowType *type = fuzz_rows_type(letters + has_header);
	FuzzRows rows =
		fuzz_rows_read(has_header ? open_with_header : open_without_header, type, data, size);

	fuzz_rows_drop_bad_json(&rows);
	check_csv(&rows);
	fuzz_rows_round_trips(&rows);
	fuzz_rows_free(&rows);
	row_type_free(type);
	free(letters);
	return 0;
}
