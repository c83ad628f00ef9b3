/*
 * value_hasher.h - digests values of one type, at any depth: picks the canonical
 * form (common/row_digest.h) by the type.
 *
 * Families by base type (domains as what they are over): bool; int2, int4,
 * int8; float4, float8; numeric; text and varchar; bpchar; bytea; date, time,
 * timestamp, timestamptz; uuid; money as the integer that it is; json and jsonb
 * as parsed (json_hasher.h); arrays of their elements, composites of their
 * attributes. Every other type by its output text (pinned_output.h), int2vector
 * and oidvector too. Text is converted to UTF-8.
 */
#ifndef TRANSFERBENCH_VALUE_HASHER_H
#define TRANSFERBENCH_VALUE_HASHER_H

#include "json_hasher.h"

typedef struct ValueHasher ValueHasher;

/* What all values within one column share. */
typedef struct ValueHasherScope
{
	/*
	 * Sum over all numerics hashed so far of what their scale is: 1.50 and 1.5
	 * are the same value and hash alike, but differ here.
	 */
	uint64 scale_sum;
	JsonHasher *json;
} ValueHasherScope;

/* Lives in the current context, as does what it makes later for the types within; `scope` must
 * outlive it. `seed` is a column's or an attribute's. */
extern ValueHasher *value_hasher_create(Oid type, uint64 seed, ValueHasherScope *scope);

/* Values are detoasted; garbage is left in the current context, but not that of an array's
 * elements. Can be interrupted at each element. */
extern uint64 value_hasher_hash(ValueHasher *hasher, Datum value, bool is_null);

/* Whether values of both can be equal at all; 'other' types count as one family. */
extern bool value_hasher_same_family(ValueHasher *a, ValueHasher *b);

/* --- looking into a value ------------------------------------------------------------ */

/* Of an array its elements, of a composite its attributes that are not dropped. */
typedef struct ValueMembers
{
	int count;
	uint64 *hashes; /* [count], in the current context; NULL for a value that has no members */
	uint64 shape;   /* equal for values whose members correspond one to one */
} ValueMembers;

typedef struct ValueMember
{
	ValueHasher *hasher;
	Datum value; /* lent from the value that it is in, or in the current context */
	bool is_null;
	const char *place; /* '[2][1]' or '.name', in the current context */
} ValueMember;

extern ValueMembers value_hasher_members(ValueHasher *hasher, Datum value);
/* `number`: from 0, less than the count of members. */
extern ValueMember value_hasher_member(ValueHasher *hasher, Datum value, int number);

/* What a value says, in the database's encoding: its output text, or json as it is hashed. */
extern char *value_hasher_text(ValueHasher *hasher, Datum value);
/* Whether that is a number. */
extern bool value_hasher_is_number(const ValueHasher *hasher);

#endif
