/*
 * value_json.h - values and their form in JSON, exact in both directions.
 *
 * Numbers are written as PostgreSQL's to_json writes them: integers and numerics as
 * their digits, floats with the fewest digits that read back the same; NaN and the
 * infinities as strings; dates and times in ISO 8601 (timestamps with a T, timestamptz
 * in UTC with +00:00); bytea as "\\x..." ; json as it stands, its
 * line breaks as blanks. Arrays and composites are nested_codec.h's.
 */
#ifndef TRANSFERBENCH_VALUE_JSON_H
#define TRANSFERBENCH_VALUE_JSON_H

#include "json_decode.h"
#include "json_encode.h"
#include "rows/row_type.h"

/*
 * Makes a value of a decoded field. Numbers go exactly from their digits
 * (json_number.h for integers: 9.007199254740993e15 is one); strings are read as
 * value_text.h reads them, both 'T' and blank in timestamps; arrays and objects
 * for json columns, and for others as their text; numbers and booleans as theirs for
 * columns of text. `buffer` is for what must be changed to be read: `capacity` is
 * value_json_room(), or more. "NA" for what is no text, bytea or uuid is null. False when it
 * does not fit: *why says so in a few static words, without the value ("it has a fraction").
 */
extern bool value_from_json(ColumnType type, const JsonField *field, char *buffer, size_t capacity,
							Value *value, const char **why);

/* Bytes of buffer that value_from_json needs for a field: not more than its value has in the row's
 * own text, so a buffer as long as the row does for all of its fields. */
extern size_t value_json_room(ColumnType type, const JsonField *field);

/* Writes one value, null included. Texts must be valid UTF-8. */
extern void value_put_json(JsonEncoder *to, ColumnType type, const Value *value);

#endif
