/*
 * row_input.h - JSON fields into PostgreSQL values of a row type, column by
 * column (value_input.h), and what is to be said of a column over all rows.
 */
#ifndef TRANSFERBENCH_ROW_INPUT_H
#define TRANSFERBENCH_ROW_INPUT_H

#include "access/tupdesc.h"

#include "json_decode.h"
#include "value_input.h"

typedef struct RowInput RowInput;

/* Lives in the current context; `row_desc` must outlive it. Raises 0A000 for a column type that no
 * text can be turned into. */
extern RowInput *row_input_create(TupleDesc row_desc);

/* The columns' names for json_decoder_create: UTF-8, [natts], "" for a dropped column; lent. */
extern const char *const *row_input_names(const RowInput *input);

/* Whether there is a column of this name (raw JSON key text, without quotes). A key with escapes
 * counts as one, since only a decoder could tell. */
extern bool row_input_has_column(const RowInput *input, const char *key, size_t length);

/* Whether a column of this name (raw JSON key text) takes a JSON array as one value. */
extern bool row_input_takes_array(const RowInput *input, const char *key, size_t length);

/* Column that the last row_input_convert was at; NULL between columns. For error contexts. */
extern const char *row_input_current_column(const RowInput *input);

/*
 * Converts fields[natts] into values and nulls, allocated in the current
 * context. na_is_null: the string "NA" in a column of numbers, booleans, dates
 * or times is a null (how a column-oriented serializer writes a missing one).
 */
extern void row_input_convert(RowInput *input, const JsonField *fields, bool na_is_null,
							  Datum *values, bool *nulls);

/* Over all rows so far, of one column. */
typedef struct RowInputCounts
{
	int64 missing_keys; /* rows that had no such key */
	int64 na_strings;   /* rows that had the string "NA", which was taken for null */
	ValueInputCounts within;
} RowInputCounts;

/* [natts], lent. */
extern const RowInputCounts *row_input_counts(const RowInput *input);

#endif
