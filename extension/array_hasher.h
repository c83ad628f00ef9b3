/*
 * array_hasher.h - the digest of arrays: dimensions, lower bounds, and elements as
 * values of their type (value_hasher.h).
 *
 * Memory beyond the array is that of one element; can be interrupted at each.
 */
#ifndef TRANSFERBENCH_ARRAY_HASHER_H
#define TRANSFERBENCH_ARRAY_HASHER_H

#include "value_hasher.h"

typedef struct ArrayHasher ArrayHasher;

/* For arrays of this type of element; `seed` is the column's. Lives in the current context. */
extern ArrayHasher *array_hasher_create(Oid element_type, uint64 seed, ValueHasherScope *scope);

extern ValueHasher *array_hasher_element(const ArrayHasher *hasher);
extern uint64 array_hasher_hash(ArrayHasher *hasher, Datum value);

/* As value_hasher_members and value_hasher_member. */
extern ValueMembers array_hasher_members(ArrayHasher *hasher, Datum value);
extern ValueMember array_hasher_member(ArrayHasher *hasher, Datum value, int number);

#endif
