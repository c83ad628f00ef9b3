/*
 * exact_settings.h - settings under which text means the same whatever role and database say: the
 * one list of them, for whoever begins a transaction that reads or writes values.
 *
 * By SET LOCAL, so that they hold behind a pooler in transaction mode too, and go with the
 * transaction.
 */
#ifndef TRANSFERBENCH_EXACT_SETTINGS_H
#define TRANSFERBENCH_EXACT_SETTINGS_H

/* How text is read: dates by year first, times without a zone as UTC, money with a point, NULL in an
 * array as null (not as a string), xml as any content. Values, casts and defaults of a query, too,
 * so a reader sets them as well. */
#define EXACT_INPUT_SETTINGS                                                                       \
	" SET LOCAL DateStyle = 'ISO, YMD';"                                                           \
	" SET LOCAL IntervalStyle = postgres;"                                                         \
	" SET LOCAL TimeZone = 'UTC';"                                                                 \
	" SET LOCAL lc_monetary = 'C';"                                                                \
	" SET LOCAL array_nulls = on;"                                                                 \
	" SET LOCAL xmloption = content;"

/* How it is written, as far as that is not told by how it is read. */
#define EXACT_OUTPUT_SETTINGS                                                                      \
	EXACT_INPUT_SETTINGS                                                                           \
	" SET LOCAL extra_float_digits = 3;"                                                           \
	" SET LOCAL bytea_output = hex;"

#endif
