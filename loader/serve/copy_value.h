/*
 * copy_value.h - one JSON value as a field of COPY's text format.
 *
 * https://www.postgresql.org/docs/15/sql-copy.html, 'Text Format';
 * .../arrays.html#ARRAYS-IO, .../rowtypes.html#ROWTYPES-IO-SYNTAX.
 *
 *   null, missing     \N
 *   numbers           digit by digit; where input takes digits only, an exponent form that is
 *                     exactly integral as its integer
 *   strings           their characters; for a json column the JSON string
 *   arrays            of an array column: an array literal; else their JSON text
 *   objects           of a composite column: a row literal; else their JSON text
 *
 * What does not fit a type is left to the server to refuse.
 */
#ifndef TRANSFERBENCH_COPY_VALUE_H
#define TRANSFERBENCH_COPY_VALUE_H

#include "json_decode.h"
#include "json_encode.h"
#include "serve/type_shape.h"

typedef enum CopyValueResult
{
	COPY_VALUE_OK,
	COPY_VALUE_NUL,         /* \u0000 in a string: no text of PostgreSQL can hold it */
	COPY_VALUE_UNKNOWN_KEY, /* an object has a key that is no attribute of the composite */
} CopyValueResult;

/* Writes through an encoder, as it would JSON: it buffers and hands on. When not OK some bytes of the
 * value may have been written. */
extern CopyValueResult copy_value_put(JsonEncoder *to, const TypeShape *shape,
									  const JsonField *field);

#endif
