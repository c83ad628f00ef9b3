/*
 * array_hasher.c - see array_hasher.h.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "array_hasher.h"
#include "row_digest.h"

struct ArrayHasher
{
	uint64 seed;
	ArrayMetaState layout; /* of elements */
	ValueHasher *element;
	MemoryContext element_context; /* of one element's garbage */
};

ArrayHasher *
array_hasher_create(Oid element_type, uint64 seed, ValueHasherScope *scope)
{
	ArrayHasher *hasher = palloc0(sizeof(ArrayHasher));
	ArrayMetaState *layout = &hasher->layout;

	hasher->seed = seed;
	layout->element_type = element_type;
	get_typlenbyvalalign(element_type, &layout->typlen, &layout->typbyval, &layout->typalign);
	hasher->element = value_hasher_create(element_type, seed, scope);
	hasher->element_context = AllocSetContextCreate(
		CurrentMemoryContext, "pg_transferbench hashed element", ALLOCSET_DEFAULT_SIZES);
	return hasher;
}

ValueHasher *
array_hasher_element(const ArrayHasher *hasher)
{
	return hasher->element;
}

static int
element_count(ArrayType *array)
{
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

static uint64
begin_hash(const ArrayHasher *hasher, ArrayType *array)
{
	return row_digest_array_begin(hasher->seed, ARR_NDIM(array), ARR_DIMS(array), ARR_LBOUND(array),
								  (size_t) element_count(array));
}

/* The next element's hash; false after the last. */
static bool
next_hash(ArrayHasher *hasher, ArrayIterator iterator, uint64 *hash)
{
	MemoryContext caller_context = MemoryContextSwitchTo(hasher->element_context);
	Datum value;
	bool is_null;
	bool has_next;

	CHECK_FOR_INTERRUPTS();
	has_next = array_iterate(iterator, &value, &is_null);
	if (has_next)
		*hash = value_hasher_hash(hasher->element, value, is_null);
	MemoryContextSwitchTo(caller_context);
	MemoryContextReset(hasher->element_context);
	return has_next;
}

uint64
array_hasher_hash(ArrayHasher *hasher, Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	ArrayIterator iterator = array_create_iterator(array, 0, &hasher->layout);
	uint64 hash = begin_hash(hasher, array);
	uint64 element_hash;

	check_stack_depth();
	while (next_hash(hasher, iterator, &element_hash))
		hash = row_digest_member(hash, element_hash);
	array_free_iterator(iterator);
	return hash;
}

/* --- looking into a value ------------------------------------------------------------ */

ValueMembers
array_hasher_members(ArrayHasher *hasher, Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	ArrayIterator iterator = array_create_iterator(array, 0, &hasher->layout);
	ValueMembers members = {.count = element_count(array), .shape = begin_hash(hasher, array)};

	members.hashes =
		palloc_extended(sizeof(uint64) * Max((Size) members.count, 1), MCXT_ALLOC_HUGE);
	for (int i = 0; i < members.count; i++)
		(void) next_hash(hasher, iterator, &members.hashes[i]);
	array_free_iterator(iterator);
	return members;
}

/* '[2][1]' for an element by its number in row-major order, from 0. */
static char *
subscripts(ArrayType *array, int number)
{
	StringInfoData text;
	int within = element_count(array); /* of the dimensions that follow */

	initStringInfo(&text);
	for (int i = 0; i < ARR_NDIM(array); i++)
	{
		within /= ARR_DIMS(array)[i];
		appendStringInfo(&text, "[%d]", ARR_LBOUND(array)[i] + number / within);
		number %= within;
	}
	return text.data;
}

ValueMember
array_hasher_member(ArrayHasher *hasher, Datum value, int number)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	ArrayIterator iterator = array_create_iterator(array, 0, &hasher->layout);
	ValueMember member = {.hasher = hasher->element, .place = subscripts(array, number)};

	for (int i = 0; i <= number; i++)
		(void) array_iterate(iterator, &member.value, &member.is_null);
	array_free_iterator(iterator);
	return member;
}
