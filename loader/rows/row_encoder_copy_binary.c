/*
 * row_encoder_copy_binary.c - rows as COPY ... FROM STDIN (FORMAT binary) reads them
 * (https://www.postgresql.org/docs/15/sql-copy.html, 'Binary Format').
 */
#include "rows/nested_write_binary.h"
#include "rows/row_encoder.h"
#include "rows/value_binary.h"

#include <stdio.h>
#include <stdlib.h>

#define HEADER_BYTES  (11 + 4 + 4)
#define TRAILER_BYTES 2

struct RowEncoderState
{
	const RowType *type;
	char field_count[2]; /* of each tuple, network order */
};

static RowEncoderState *
open_copy_binary(const RowType *type, char *problem, size_t problem_size)
{
	RowEncoderState *state;

	for (int i = 0; i < type->columns; i++)
	{
		const RowColumn *column = &type->column[i];

		if (column_type_has_binary(column->type))
			continue;
		snprintf(problem, problem_size,
				 "column \"%s\" of type %s has no binary form here: write it as text", column->name,
				 column->type_name);
		return NULL;
	}
	state = malloc(sizeof(RowEncoderState));
	if (state == NULL)
		return NULL;
	state->type = type;
	state->field_count[0] = (char) (type->columns >> 8);
	state->field_count[1] = (char) type->columns;
	return state;
}

static void
close_copy_binary(RowEncoderState *state)
{
	free(state);
}

/* The signature, of which the last byte is zero; no flags; an extension of no bytes. */
static void
put_header(RowEncoderState *state, JsonEncoder *to)
{
	static const char header[HEADER_BYTES] = "PGCOPY\n\377\r\n";

	(void) state;
	json_encode_raw(to, header, sizeof(header));
}

static bool
put_value(JsonEncoder *to, const RowColumn *column, const Value *value)
{
	if (column->nested != NULL && !value->is_null)
		return nested_put_binary(to, column->nested, value->text.bytes, value->text.length);
	return value_put_binary(to, column->type, value);
}

static bool
put_row(RowEncoderState *state, const Value *values, bool first, JsonEncoder *to, int *column)
{
	const RowType *type = state->type;

	(void) first;
	json_encode_raw(to, state->field_count, sizeof(state->field_count));
	for (int i = 0; i < type->columns; i++)
	{
		if (!put_value(to, &type->column[i], &values[i]))
		{
			*column = i;
			return false;
		}
	}
	return true;
}

/* A field count of -1. */
static void
put_trailer(RowEncoderState *state, JsonEncoder *to)
{
	(void) state;
	json_encode_raw(to, "\377\377", TRAILER_BYTES);
}

const RowEncoder row_encoder_copy_binary = {
	.name = "copy-binary",
	.open = open_copy_binary,
	.close = close_copy_binary,
	.begin = put_header,
	.row = put_row,
	.end = put_trailer,
	.end_bytes = TRAILER_BYTES,
};
