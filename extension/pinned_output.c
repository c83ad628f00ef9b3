/*
 * pinned_output.c - see pinned_output.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgtime.h"
#include "utils/bytea.h"
#include "utils/float.h"

#include "pinned_output.h"

/*
 * The settings are set directly, for this one call and back in any case: a GUC
 * level per value would cost microseconds, and a level around the pass would
 * change what the pass itself computes.
 */
char *
pinned_output_text(FmgrInfo *output, Datum value)
{
	int saved_date_style = DateStyle;
	int saved_interval_style = IntervalStyle;
	int saved_float_digits = extra_float_digits;
	int saved_bytea_output = bytea_output;
	pg_tz *saved_timezone = session_timezone;
	char *text;

	PG_TRY();
	{
		DateStyle = USE_ISO_DATES;
		IntervalStyle = INTSTYLE_POSTGRES;
		extra_float_digits = 3;
		bytea_output = BYTEA_OUTPUT_HEX;
		session_timezone = pg_tzset("UTC");
		text = OutputFunctionCall(output, value);
	}
	PG_FINALLY();
	{
		DateStyle = saved_date_style;
		IntervalStyle = saved_interval_style;
		extra_float_digits = saved_float_digits;
		bytea_output = saved_bytea_output;
		session_timezone = saved_timezone;
	}
	PG_END_TRY();
	return text;
}
