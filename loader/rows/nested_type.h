/*
 * nested_type.h - what an array or a composite consists of, as the catalog has it.
 *
 * A Value of either holds PostgreSQL's own binary form (array_send,
 * src/backend/utils/adt/arrayfuncs.c; record_send, rowtypes.c), whatever form it came in; the type
 * says how to read it. All integers are of network order:
 *
 *   array      int32 dimensions, int32 1 when there are nulls, the elements' type OID; for each
 *              dimension int32 length and int32 lower bound; the elements, row by row
 *   composite  int32 attributes (dropped ones left out); for each its type's OID and its value
 *
 * where an element or a value is its length (int32, -1 for null) and its own binary form.
 */
#ifndef TRANSFERBENCH_NESTED_TYPE_H
#define TRANSFERBENCH_NESTED_TYPE_H

#include "rows/row_type.h"

/* An array's element, or an attribute of a composite. */
typedef struct NestedMember
{
	char *name;           /* of an attribute, UTF-8; NULL for an element */
	unsigned type_oid;    /* as the binary form names it: a domain's own */
	unsigned base_oid;    /* a domain being what it is over */
	unsigned written_oid; /* of the same type in the database that is written to; 0: type_oid */
	ColumnType type;
	NestedType *nested; /* of an ARRAY or a COMPOSITE, owned; else NULL */
} NestedMember;

struct NestedType
{
	ColumnType type;    /* ARRAY or COMPOSITE */
	bool is_renumbered; /* a member, at any depth, has a written_oid */
	char delimiter;     /* ARRAY: between the elements of its text */
	int members;        /* 1 for an ARRAY; of a COMPOSITE, it may be 0 */
	NestedMember member[];
};

/* Members of no known family. NULL when out of memory. */
extern NestedType *nested_type_create(ColumnType type, int members);
extern void nested_type_free(NestedType *type); /* NULL is fine */
/* All of it; NULL when out of memory. */
extern NestedType *nested_type_copy(const NestedType *type);

/* Whether values of one are values of the other: the same families and attributes, by name and
 * order. OIDs do not count. Two NULLs are the same. */
extern bool nested_type_is_same(const NestedType *one, const NestedType *other);
/* Notes the OIDs that the same type has where its values are written to. */
extern void nested_type_renumber(NestedType *type, const NestedType *written);
/* Most attributes of composites that are within each other: what is open at once. */
extern size_t nested_type_open_attributes(const NestedType *type);
/* Whether there is a member of this family at any depth. */
extern bool nested_type_has(const NestedType *type, ColumnType member_type);

#endif
