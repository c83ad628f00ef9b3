/*
 * row_encoder_text.h - what the encoders share that write values as PostgreSQL's text; for them alone.
 */
#ifndef TRANSFERBENCH_ROW_ENCODER_TEXT_H
#define TRANSFERBENCH_ROW_ENCODER_TEXT_H

#include "rows/nested_codec.h"
#include "rows/row_encoder.h"

struct RowEncoderState
{
	const RowType *type;
	NestedCodec *nested;
};

/* RowEncoder's open, close, and a begin or end that writes nothing. */
extern RowEncoderState *row_encoder_text_open(const RowType *type, char *problem,
											  size_t problem_size);
extern void row_encoder_text_close(RowEncoderState *state);
extern void row_encoder_text_put_nothing(RowEncoderState *state, JsonEncoder *to);

#endif
