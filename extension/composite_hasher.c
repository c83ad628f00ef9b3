/*
 * composite_hasher.c - see composite_hasher.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "column_name.h"
#include "composite_hasher.h"
#include "row_digest.h"

typedef struct AttributeHasher
{
	const char *name;
	int number; /* 0-based, in the type */
	uint64 seed;
	ValueHasher *value;
} AttributeHasher;

struct CompositeHasher
{
	uint64 seed;
	TupleDesc desc;
	int count;                   /* of attributes that are not dropped */
	AttributeHasher *attributes; /* [count] */
	Datum *values;               /* [desc->natts], of the value being hashed */
	bool *nulls;
};

static void
prepare_attribute(CompositeHasher *hasher, int number, ValueHasherScope *scope)
{
	Form_pg_attribute form = TupleDescAttr(hasher->desc, number);
	AttributeHasher *attribute = &hasher->attributes[hasher->count++];
	const char *name = NameStr(form->attname);
	const char *utf8 = column_name_utf8(name);

	attribute->name = name;
	attribute->number = number;
	attribute->seed = row_digest_attribute_seed(hasher->seed, utf8, strlen(utf8));
	attribute->value = value_hasher_create(form->atttypid, attribute->seed, scope);
}

CompositeHasher *
composite_hasher_create(Oid type, uint64 seed, ValueHasherScope *scope)
{
	CompositeHasher *hasher = palloc0(sizeof(CompositeHasher));
	int natts;

	hasher->seed = seed;
	hasher->desc = lookup_rowtype_tupdesc_copy(type, -1);
	natts = Max(hasher->desc->natts, 1);
	hasher->attributes = palloc0(sizeof(AttributeHasher) * natts);
	hasher->values = palloc0(sizeof(Datum) * natts);
	hasher->nulls = palloc0(sizeof(bool) * natts);
	for (int i = 0; i < hasher->desc->natts; i++)
	{
		if (!TupleDescAttr(hasher->desc, i)->attisdropped)
			prepare_attribute(hasher, i, scope);
	}
	return hasher;
}

bool
composite_hasher_same_family(const CompositeHasher *a, const CompositeHasher *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
	{
		if (strcmp(a->attributes[i].name, b->attributes[i].name) != 0 ||
			!value_hasher_same_family(a->attributes[i].value, b->attributes[i].value))
			return false;
	}
	return true;
}

/* Takes the value apart into values and nulls, which lend from it. */
static void
deform(CompositeHasher *hasher, Datum value)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};

	ItemPointerSetInvalid(&tuple.t_self);
	heap_deform_tuple(&tuple, hasher->desc, hasher->values, hasher->nulls);
}

static uint64
attribute_hash(const CompositeHasher *hasher, const AttributeHasher *attribute)
{
	return value_hasher_hash(attribute->value, hasher->values[attribute->number],
							 hasher->nulls[attribute->number]);
}

static uint64
begin_hash(const CompositeHasher *hasher)
{
	return row_digest_composite_begin(hasher->seed, (size_t) hasher->count);
}

uint64
composite_hasher_hash(CompositeHasher *hasher, Datum value)
{
	uint64 hash = begin_hash(hasher);

	check_stack_depth();
	deform(hasher, value);
	for (int i = 0; i < hasher->count; i++)
		hash = row_digest_member(hash, attribute_hash(hasher, &hasher->attributes[i]));
	return hash;
}

/* --- looking into a value ------------------------------------------------------------ */

ValueMembers
composite_hasher_members(CompositeHasher *hasher, Datum value)
{
	ValueMembers members = {.count = hasher->count, .shape = begin_hash(hasher)};

	members.hashes = palloc(sizeof(uint64) * Max(members.count, 1));
	deform(hasher, value);
	for (int i = 0; i < members.count; i++)
	{
		members.hashes[i] = attribute_hash(hasher, &hasher->attributes[i]);
		/* of another type the same place may be another attribute's */
		members.shape = row_digest_member(members.shape, hasher->attributes[i].seed);
	}
	return members;
}

ValueMember
composite_hasher_member(CompositeHasher *hasher, Datum value, int number)
{
	const AttributeHasher *attribute = &hasher->attributes[number];

	deform(hasher, value);
	return (ValueMember){.hasher = attribute->value,
						 .value = hasher->values[attribute->number],
						 .is_null = hasher->nulls[attribute->number],
						 .place = psprintf(".%s", attribute->name)};
}
