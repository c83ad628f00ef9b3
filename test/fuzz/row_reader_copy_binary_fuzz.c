/*
 * row_reader_copy_binary_fuzz.c - COPY's binary format, as row_reader_copy_text_fuzz.c has it of the
 * text format. An input need not begin with the header, which is put before it, unless its first
 * line begins with "h".
 */
#include "fuzz_rows.h"

#include <stdlib.h>
#include <string.h>

static const char header[19] = "PGCOPY\n\377\r\n";

/* Of other types the bytes pass unread: they are no text that could be written elsewhere. */
static void
replace_others(char *letters)
{
	for (; *letters != '\0'; letters++)
		if (fuzz_rows_column_type(*letters) == COLUMN_OTHER)
			*letters = 'y';
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *letters = fuzz_take_line(&data, &size);
	bool has_header = letters[0] == 'h';
	FuzzLog stream = {0};
	RowType *type;
	FuzzRows rows;

	replace_others(letters);
	type = fuzz_rows_type(letters + has_header);
	if (!has_header)
		fuzz_log_bytes(&stream, header, sizeof(header));
	fuzz_log_bytes(&stream, data, size);
	rows =
		fuzz_rows_read(row_reader_copy_binary, type, (const uint8_t *) stream.bytes, stream.length);
	fuzz_rows_round_trips(&rows);
	fuzz_rows_free(&rows);
	row_type_free(type);
	fuzz_log_free(&stream);
	free(letters);
	return 0;
}
