/*
 * nested_codec.h - values of arrays and composites, out of each form that they come in and into
 * each that they are sent in (the value itself: nested_type.h).
 *
 *   text    array_out's and record_out's, with all that array_in and record_in read besides:
 *           blanks, quotes where none are needed, NULL in any case of its letters
 *   JSON    an array of arrays for each further dimension, as far as the first element shows; a
 *           composite is an object, whose keys that are no attribute do not count and attributes
 *           that are missing are null; a string is the text form. What is within goes by
 *           value_json.h, but "NA" is refused
 *   binary  PostgreSQL's own, checked in full and then lent
 *
 * A codec holds the memory for the values of one row, which stay until the next value of the same
 * column.
 */
#ifndef TRANSFERBENCH_NESTED_CODEC_H
#define TRANSFERBENCH_NESTED_CODEC_H

#include "json_encode.h"
#include "json_field.h"
#include "rows/row_type.h"

typedef struct NestedCodec NestedCodec;

/* For the columns of a type, which is lent, that are arrays or composites; a value takes at most
 * `max_bytes`. NULL when out of memory. */
extern NestedCodec *nested_codec_create(const RowType *type, size_t max_bytes);
extern void nested_codec_free(NestedCodec *codec); /* NULL is fine */

/* These read what is not null; false when it is not of the column's type: see nested_codec_why.
 * The text is written over. */
extern bool nested_codec_from_text(NestedCodec *codec, int column, char *text, size_t length,
								   Value *value);
extern bool nested_codec_from_json(NestedCodec *codec, int column, const JsonField *field,
								   Value *value);
extern bool nested_codec_from_binary(NestedCodec *codec, int column, const char *bytes,
									 size_t length, Value *value);
/* Why the last one was false, a few static words. */
extern const char *nested_codec_why(const NestedCodec *codec);
/* Attributes of composites that had no key in JSON, so far. */
extern int64_t nested_codec_missing_attributes(const NestedCodec *codec);

/* These write a value that is not null and was checked. The text is lent until the next call;
 * NULL when out of memory, or longer than a value can be. */
extern const char *nested_codec_text(NestedCodec *codec, int column, const Value *value,
									 size_t *length);
/* As to_json writes it; but an array that would not come back the same from that goes as its
 * text, in a string: one that does not begin at 1, whose elements are arrays (by a domain), or
 * are documents of which one is an array or null, or which has more than one dimension of
 * documents. False when out of memory. */
extern bool nested_codec_put_json(NestedCodec *codec, int column, const Value *value,
								  JsonEncoder *to);

#endif
