/*
 * nested_write_binary.h - arrays and composites in the binary form of the database that they are
 * written to, which has OIDs of its own for the types that it made.
 */
#ifndef TRANSFERBENCH_NESTED_WRITE_BINARY_H
#define TRANSFERBENCH_NESTED_WRITE_BINARY_H

#include "json_encode.h"
#include "rows/nested_type.h"

/* A value that was checked, with its length before it. False, with nothing written, when it is
 * longer than a length can say. */
extern bool nested_put_binary(JsonEncoder *to, const NestedType *type, const char *bytes,
							  size_t length);

#endif
