/*
 * row_reader_copy_text_fuzz.c - COPY's text format: the same rows or the same problem wherever the
 * stream is cut, and rows that every encoder writes and its reader reads again as they were.
 */
#include "fuzz_rows.h"

#include <stdlib.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *letters = fuzz_take_line(&data, &size);
	RowType *type = fuzz_rows_type(letters);
	FuzzRows rows = fuzz_rows_read(row_reader_copy_text, type, data, size);

	fuzz_rows_round_trips(&rows);
	fuzz_rows_free(&rows);
	row_type_free(type);
	free(letters);
	return 0;
}
