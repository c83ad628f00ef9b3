/*
 * composite_hasher.h - the digest of composites: attributes as values of their
 * type (value_hasher.h), bound to their names; dropped ones left out.
 */
#ifndef TRANSFERBENCH_COMPOSITE_HASHER_H
#define TRANSFERBENCH_COMPOSITE_HASHER_H

#include "value_hasher.h"

typedef struct CompositeHasher CompositeHasher;

/* For values of a composite type, which is no domain; `seed` is the column's. Lives in the
 * current context. */
extern CompositeHasher *composite_hasher_create(Oid type, uint64 seed, ValueHasherScope *scope);

/* Whether both have attributes of the same names, in the same order, that can be equal. */
extern bool composite_hasher_same_family(const CompositeHasher *a, const CompositeHasher *b);

extern uint64 composite_hasher_hash(CompositeHasher *hasher, Datum value);

/* As value_hasher_members and value_hasher_member. */
extern ValueMembers composite_hasher_members(CompositeHasher *hasher, Datum value);
extern ValueMember composite_hasher_member(CompositeHasher *hasher, Datum value, int number);

#endif
