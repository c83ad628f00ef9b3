/*
 * tuple_builder.h - puts a row of a function's result together, column after
 * column in the order of its type.
 */
#ifndef TRANSFERBENCH_TUPLE_BUILDER_H
#define TRANSFERBENCH_TUPLE_BUILDER_H

#include "nodes/execnodes.h"

#define TUPLE_BUILDER_MAX_COLUMNS 32

typedef struct TupleBuilder
{
	Datum values[TUPLE_BUILDER_MAX_COLUMNS];
	bool nulls[TUPLE_BUILDER_MAX_COLUMNS];
	int columns;
} TupleBuilder;

extern void tuple_builder_begin(TupleBuilder *builder);
/* Each adds the next column: a value, or null when it is not known. */
extern void tuple_builder_add(TupleBuilder *builder, Datum value, bool is_known);
extern void tuple_builder_add_int32(TupleBuilder *builder, int32 value, bool is_known);
extern void tuple_builder_add_int64(TupleBuilder *builder, int64 value, bool is_known);
extern void tuple_builder_add_float8(TupleBuilder *builder, double value, bool is_known);
extern void tuple_builder_add_text(TupleBuilder *builder, const char *text); /* NULL: null */
/* Ends the row and adds it to a materialised result (InitMaterializedSRF). */
extern void tuple_builder_put(TupleBuilder *builder, ReturnSetInfo *result);

#endif
