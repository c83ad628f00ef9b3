/*
 * fuzz_rows.h - what the targets of row readers and row encoders share.
 *
 * The first line of an input names the types of the columns, a letter each (fuzz_rows.c has the
 * table), the rest is the stream of bytes that is read: "8nt\n1\t2.50\ta\n".
 */
#ifndef TRANSFERBENCH_FUZZ_ROWS_H
#define TRANSFERBENCH_FUZZ_ROWS_H

#include "fuzz.h"
#include "rows/row_encoder.h"
#include "rows/row_reader.h"

#define FUZZ_ROWS_ROOMY (1 << 20)

/* Columns c0, c1, ...; at least one and at most eight. */
extern RowType *fuzz_rows_type(const char *letters);
/* The type of one letter. */
extern ColumnType fuzz_rows_column_type(char letter);

typedef RowReader *(*FuzzRowsOpen)(const RowType *type, size_t max_row_bytes);

/* Rows that were read, copied. */
typedef struct FuzzRows
{
	const RowType *type;
	Value *values; /* [rows * columns], texts in blocks of their own */
	int rows;
} FuzzRows;

/*
 * Reads a stream whole, byte by byte and in drawn pieces, with room and with a narrow limit, and
 * requires the same of all; gives the rows.
 */
extern FuzzRows fuzz_rows_read(FuzzRowsOpen open, const RowType *type, const uint8_t *data,
							   size_t size);
extern void fuzz_rows_free(FuzzRows *rows);

/* Takes out rows with a json value that is none, or is none for jsonb. */
extern void fuzz_rows_drop_bad_json(FuzzRows *rows);
/* Takes out rows with a json value that is null, or has one as an attribute: JSON cannot tell it from no
 * value. */
extern void fuzz_rows_drop_json_nulls(FuzzRows *rows);
/* Takes out rows with a text NA of a type that takes it for null in JSON. */
extern void fuzz_rows_drop_not_available(FuzzRows *rows);

/* Hashes of all values, and the scales of numerics. */
extern void fuzz_rows_digest(FuzzLog *log, const FuzzRows *rows);
/* The rows by an encoder, as one batch. */
extern void fuzz_rows_encode(FuzzLog *bytes, const RowEncoder *encoder, const FuzzRows *rows);
/* Requires that what an encoder makes of the rows, read again, are the same rows. */
extern void fuzz_rows_round_trip(const FuzzRows *rows, const RowEncoder *encoder,
								 FuzzRowsOpen open);
/* By all encoders; takes rows out on the way. */
extern void fuzz_rows_round_trips(FuzzRows *rows);

#endif
