/*
 * nested_writer.h - an encoder (common/json_encode.h) that keeps all that is written together, in
 * memory that grows; lengths can be filled in later.
 */
#ifndef TRANSFERBENCH_NESTED_WRITER_H
#define TRANSFERBENCH_NESTED_WRITER_H

#include "json_encode.h"

typedef struct NestedWriter
{
	JsonEncoder to; /* `failed`: out of memory, or beyond the limit */
	size_t limit;
	bool is_too_long;
} NestedWriter;

/* Zeroed, it is one without memory. */
extern void nested_writer_free(NestedWriter *writer);
/* Empties it, to be written at most `limit` bytes; false when out of memory. */
extern bool nested_writer_begin(NestedWriter *writer, size_t limit);

/* Bytes written. */
extern size_t nested_writer_length(const NestedWriter *writer);
/* Overwrites four bytes written before with an integer of network order. */
extern void nested_writer_patch(NestedWriter *writer, size_t at, uint32_t word);
extern void nested_writer_put(NestedWriter *writer, uint32_t word);
/* Takes back what was written from there on. */
extern void nested_writer_cut(NestedWriter *writer, size_t length);

/* A field whose length is not known yet: begin tells where its length stands, for end. */
extern size_t nested_writer_begin_field(NestedWriter *writer);
extern void nested_writer_end_field(NestedWriter *writer, size_t field);

#endif
