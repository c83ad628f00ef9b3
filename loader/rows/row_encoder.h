/*
 * row_encoder.h - typed rows into the bytes that a writing path sends.
 *
 * An encoder is a constant table of functions; its state between begin and end is
 * only what it is given.
 */
#ifndef TRANSFERBENCH_ROW_ENCODER_H
#define TRANSFERBENCH_ROW_ENCODER_H

#include "json_encode.h"
#include "rows/row_type.h"

/* What is made once per row type: JSON keys, say. */
typedef struct RowEncoderState RowEncoderState;

typedef struct RowEncoder
{
	const char *name;
	const char *media_type; /* NULL unless it is a body of HTTP */
	/* NULL when out of memory; `type` is lent. `problem` is filled ("column \"x\" of type
	 * inet has no binary form here: write it as text") when the type cannot be encoded at all:
	 * then NULL too. */
	RowEncoderState *(*open)(const RowType *type, char *problem, size_t problem_size);
	void (*close)(RowEncoderState *state); /* NULL is fine */
	/* the start of a batch; one row, `first` in its batch or not; the end */
	void (*begin)(RowEncoderState *state, JsonEncoder *to);
	/* false when a value cannot be encoded: *column (0-based) is told; bytes may have been
	 * written */
	bool (*row)(RowEncoderState *state, const Value *values, bool first, JsonEncoder *to,
				int *column);
	void (*end)(RowEncoderState *state, JsonEncoder *to);
	size_t end_bytes; /* that `end` writes, at most */
} RowEncoder;

extern const RowEncoder row_encoder_copy_text;
extern const RowEncoder row_encoder_copy_binary; /* signature at begin, trailer at end */
/* Parameters of an INSERT, text form: per value a 4-byte length of host order (-1: null), the text
 * and a terminator. */
extern const RowEncoder row_encoder_parameters;
extern const RowEncoder row_encoder_json_array;
extern const RowEncoder row_encoder_ndjson;

#endif
