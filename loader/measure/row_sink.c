#include "measure/row_sink.h"
#include "measure/value_log.h"

bool
row_sink_take(RowSink *sink, const Value *values)
{
	for (int i = 0; i < sink->type->columns; i++)
		sink->nulls += values[i].is_null;
	sink->rows++;
	if (sink->digest == NULL)
		return true;
	if (!value_digest_add(sink->digest, values))
	{
		sink->problem = "a json value is not valid JSON";
		return false;
	}
	if (sink->log != NULL && !value_log_take(sink->log, sink->digest))
	{
		sink->problem = "the temporary file of the comparison cannot be written or read";
		return false;
	}
	return true;
}
