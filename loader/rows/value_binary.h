/*
 * value_binary.h - values and PostgreSQL's binary form of them, as COPY BINARY and
 * binary results have it (the send and receive functions of src/backend/utils/adt).
 *
 * Of COLUMN_OTHER the form is not known here: its bytes pass through unread, as those of arrays and
 * composites do, which nested_codec.h checks.
 */
#ifndef TRANSFERBENCH_VALUE_BINARY_H
#define TRANSFERBENCH_VALUE_BINARY_H

#include "json_encode.h"
#include "rows/row_type.h"

/* Room for the digits of any numeric, as the binary form can carry them: weight and scale are 16
 * bits (numeric.c). */
#define VALUE_NUMERIC_TEXT_MAX (4 * 32768 + 2 * 16384)

/*
 * Reads a field (not null). Texts are lent, but numerics are written as text to
 * `scratch`, which holds VALUE_NUMERIC_TEXT_MAX bytes per numeric column of a row:
 * *scratch is advanced. False when the bytes are not of the type's form.
 */
extern bool value_from_binary(ColumnType type, const char *bytes, size_t length, char **scratch,
							  Value *value);

/*
 * Writes the length word (4 bytes, -1 for null) and the field. False, with nothing
 * written, when the value has no binary form: OTHER, or a numeric beyond numeric's range.
 */
extern bool value_put_binary(JsonEncoder *to, ColumnType type, const Value *value);

#endif
