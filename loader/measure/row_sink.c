#include "measure/row_sink.h"
#include "interrupt.h"
#include "measure/value_samples.h"
#include "progress.h"

#define PROGRESS_ROWS 1024 /* a power of two: shown in such steps */

/* After the row was added to the digest. */
static bool
compare_row(RowSink *sink, const Value *values)
{
	bool is_kept = true;

	if (sink->log != NULL && !value_log_take(sink->log, sink->digest))
	{
		sink->problem = "the temporary file of the comparison cannot be written or read";
		return false;
	}
	if (sink->samples != NULL && sink->log != NULL)
		is_kept = value_samples_gather(sink->samples, values, sink->log, sink->digest);
	else if (sink->samples != NULL)
		is_kept = value_samples_find(sink->samples, values, sink->digest);
	if (!is_kept)
		sink->problem = "out of memory";
	return is_kept;
}

bool
row_sink_take(RowSink *sink, const Value *values)
{
	for (int i = 0; i < sink->type->columns; i++)
		sink->nulls += values[i].is_null;
	if ((++sink->rows & (PROGRESS_ROWS - 1)) == 0)
		progress_add(PROGRESS_ROWS);
	sink->interrupted = interrupt_requested();
	if (sink->interrupted)
		return false;
	if (sink->digest == NULL)
		return true;
	if (!value_digest_add(sink->digest, values))
	{
		sink->problem = "out of memory";
		return false;
	}
	return compare_row(sink, values);
}
