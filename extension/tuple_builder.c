/*
 * tuple_builder.c - see tuple_builder.h.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "tuple_builder.h"

void
tuple_builder_begin(TupleBuilder *builder)
{
	builder->columns = 0;
}

void
tuple_builder_add(TupleBuilder *builder, Datum value, bool is_known)
{
	Assert(builder->columns < TUPLE_BUILDER_MAX_COLUMNS);
	builder->nulls[builder->columns] = !is_known;
	builder->values[builder->columns] = is_known ? value : (Datum) 0;
	builder->columns++;
}

void
tuple_builder_add_int32(TupleBuilder *builder, int32 value, bool is_known)
{
	tuple_builder_add(builder, Int32GetDatum(value), is_known);
}

void
tuple_builder_add_int64(TupleBuilder *builder, int64 value, bool is_known)
{
	tuple_builder_add(builder, Int64GetDatum(value), is_known);
}

void
tuple_builder_add_float8(TupleBuilder *builder, double value, bool is_known)
{
	tuple_builder_add(builder, Float8GetDatum(value), is_known);
}

void
tuple_builder_add_text(TupleBuilder *builder, const char *text)
{
	tuple_builder_add(builder, text != NULL ? CStringGetTextDatum(text) : (Datum) 0, text != NULL);
}

void
tuple_builder_put(TupleBuilder *builder, ReturnSetInfo *result)
{
	if (builder->columns != result->setDesc->natts)
		ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the result type has %d columns, the library knows %d",
					   result->setDesc->natts, builder->columns),
				errhint("Run ALTER EXTENSION pg_transferbench UPDATE."));
	tuplestore_putvalues(result->setResult, result->setDesc, builder->values, builder->nulls);
}
