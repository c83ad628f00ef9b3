/*
 * row_reader_json_fuzz.c - JSON in every shape, as row_reader_copy_text_fuzz.c has it of COPY's text
 * format: also values of JSON that are taken for a column's type.
 */
#include "fuzz_rows.h"

#include <stdlib.h>

static RowReader *
open_json(const RowType *type, size_t max_row_bytes)
{
	return row_reader_json(type, JSON_SHAPE_UNKNOWN, max_row_bytes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *letters = fuzz_take_line(&data, &size);
	RowType *type = fuzz_rows_type(letters);
	FuzzRows rows = fuzz_rows_read(open_json, type, data, size);

	fuzz_rows_round_trips(&rows);
	fuzz_rows_free(&rows);
	row_type_free(type);
	free(letters);
	return 0;
}
