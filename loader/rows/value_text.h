/*
 * value_text.h - values and PostgreSQL's text form of them.
 *
 * The text is that of DateStyle ISO, IntervalStyle postgres, extra_float_digits
 * 3, bytea_output hex, lc_monetary C; timestamptz with any offset, or none for UTC
 * (PostgreSQL: src/backend/utils/adt, datetime.c EncodeDateTime, float.c, varlena.c).
 * Years beyond 9999 and BC included. No locale and no time zone of this machine matters.
 *
 * Of what the server reads besides, some is taken (true, 1e5, .5 as a float, a T in
 * timestamps); what is taken is read as the server reads it. A numeric must be a JSON
 * number, since its text is passed on. Arrays and composites are nested_codec.h's.
 */
#ifndef TRANSFERBENCH_VALUE_TEXT_H
#define TRANSFERBENCH_VALUE_TEXT_H

#include "json_encode.h"
#include "rows/row_type.h"

/*
 * Reads the text (not terminated, not null) as a value of a type. Text types
 * lend the bytes; bytea is decoded in place, over `text`. False when it is not of the
 * type's form or out of its range (22P02, 22003 for the server), and for arrays and composites.
 */
extern bool value_from_text(ColumnType type, char *text, size_t length, Value *value);

/* Longest text of a type that is no text: enough for any. */
#define VALUE_TEXT_MAX 64

/*
 * Writes a value that is not null and whose type is not text into a buffer of
 * VALUE_TEXT_MAX; its length, without a terminator. float8 and float4 are written with
 * the fewest digits that read back as the same bits.
 */
extern size_t value_print(ColumnType type, const Value *value, char *buffer);

#endif
