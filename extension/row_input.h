/*
 * row_input.h - JSON fields into PostgreSQL values of a row type.
 *
 * Numbers become values from their own digits; a double is passed only when
 * the column is one. Integer columns take any number that is integral after
 * its decimal shift (9.007199254740993e15). JSON arrays and objects become
 * json, or go through PostgreSQL's own json_populate_record; all else goes
 * through the type's input function. Errors are the types' own.
 */
#ifndef TRANSFERBENCH_ROW_INPUT_H
#define TRANSFERBENCH_ROW_INPUT_H

#include "access/tupdesc.h"

#include "json_decode.h"

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

/* Rows of which column i had no key, or the string "NA" taken for null; [natts], lent. */
extern const int64 *row_input_missing_counts(const RowInput *input);
extern const int64 *row_input_na_counts(const RowInput *input);

#endif
