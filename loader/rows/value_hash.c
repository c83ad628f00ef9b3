#include "rows/value_hash.h"
#include "json_scan.h"
#include "rows/nested_walk.h"
#include "rows/value_binary.h"
#include "rows/value_numeric.h"
#include "splitmix64.h"

#include <stdlib.h>
#include <string.h>

bool
value_hasher_init(ValueHasher *hasher, const RowType *type)
{
	bool has_numerics = false;

	for (int i = 0; i < type->columns; i++)
	{
		const NestedType *nested = type->column[i].nested;

		has_numerics |= nested != NULL && nested_type_has(nested, COLUMN_NUMERIC);
	}
	hasher->json = json_canonical_create();
	if (has_numerics)
		hasher->numeric = malloc(VALUE_NUMERIC_TEXT_MAX);
	return hasher->json != NULL && (hasher->numeric != NULL) == has_numerics;
}

void
value_hasher_free(ValueHasher *hasher)
{
	json_canonical_free(hasher->json);
	free(hasher->numeric);
	free(hasher->text);
}

uint64_t
value_hash_scale_term(uint64_t hash, const Value *numeric)
{
	return splitmix64_mix(hash + value_numeric_scale(numeric->text.bytes, numeric->text.length));
}

/* --- json --------------------------------------------------------------------------------- */

/* What jsonb would refuse has no canonical form, and yet is a value of json. */
static bool
hash_verbatim(ValueHasher *hasher, uint64_t seed, const char *json, size_t length, uint64_t *hash)
{
	char *end;

	if (length > hasher->text_capacity)
	{
		char *grown = realloc(hasher->text, length);

		if (grown == NULL)
			return false;
		hasher->text = grown;
		hasher->text_capacity = length;
	}
	end = json_scan_compact(hasher->text, json, json + length);
	*hash = row_digest_verbatim_json(seed, hasher->text, (size_t) (end - hasher->text));
	return true;
}

bool
value_hash_json(ValueHasher *hasher, uint64_t seed, const char *json, size_t length, uint64_t *hash)
{
	size_t canonical_length;
	const char *canonical = json_canonical_make(hasher->json, json, length, &canonical_length);

	if (canonical == NULL)
		return !json_canonical_is_out_of_memory(hasher->json) &&
			   hash_verbatim(hasher, seed, json, length, hash);
	*hash = row_digest_other(seed, canonical, canonical_length);
	return true;
}

/* --- arrays and composites ------------------------------------------------------------------ */

static bool
hash_leaf(ValueHasher *hasher, uint64_t seed, const NestedMember *member, const NestedField *field,
		  uint64_t *hash, uint64_t *scale_term)
{
	Value value;

	if (!nested_leaf(member, field, hasher->numeric, &value))
		return false;
	if (member->type == COLUMN_JSON || member->type == COLUMN_JSONB)
		return value_hash_json(hasher, seed, value.text.bytes, value.text.length, hash);
	*hash = value_hash_plain(value_hash_family(member->type, member->base_oid), seed, &value);
	if (member->type == COLUMN_NUMERIC)
		*scale_term += value_hash_scale_term(*hash, &value);
	return true;
}

static bool
hash_member(ValueHasher *hasher, uint64_t seed, const NestedMember *member,
			const NestedField *field, uint64_t *hash, uint64_t *scale_term)
{
	if (field->is_null)
	{
		*hash = row_digest_null(seed);
		return true;
	}
	if (member->nested != NULL)
		return value_hash_nested(hasher, seed, member->nested, field->bytes, field->length, hash,
								 scale_term);
	return hash_leaf(hasher, seed, member, field, hash, scale_term);
}

static bool
hash_array(ValueHasher *hasher, uint64_t seed, const NestedType *type, const char *bytes,
		   size_t length, uint64_t *hash, uint64_t *scale_term)
{
	NestedArray array;
	NestedField field;
	uint64_t element_hash;

	if (!nested_array_begin(&array, bytes, length))
		return false;
	*hash = row_digest_array_begin(seed, array.dimensions, array.lengths, array.lower_bounds,
								   array.elements);
	for (size_t i = 0; i < array.elements; i++)
	{
		if (!nested_take_field(&array.cursor, &field) ||
			!hash_member(hasher, seed, &type->member[0], &field, &element_hash, scale_term))
			return false;
		*hash = row_digest_member(*hash, element_hash);
	}
	return true;
}

static bool
hash_composite(ValueHasher *hasher, uint64_t seed, const NestedType *type, const char *bytes,
			   size_t length, uint64_t *hash, uint64_t *scale_term)
{
	NestedCursor cursor;
	NestedField field;
	uint64_t attribute_hash;

	if (!nested_composite_begin(&cursor, type, bytes, length))
		return false;
	*hash = row_digest_composite_begin(seed, (size_t) type->members);
	for (int i = 0; i < type->members; i++)
	{
		const NestedMember *member = &type->member[i];
		uint64_t attribute_seed =
			row_digest_attribute_seed(seed, member->name, strlen(member->name));

		if (!nested_take_attribute(&cursor, &field) ||
			!hash_member(hasher, attribute_seed, member, &field, &attribute_hash, scale_term))
			return false;
		*hash = row_digest_member(*hash, attribute_hash);
	}
	return true;
}

bool
value_hash_nested(ValueHasher *hasher, uint64_t seed, const NestedType *type, const char *bytes,
				  size_t length, uint64_t *hash, uint64_t *scale_term)
{
	return type->type == COLUMN_ARRAY
			   ? hash_array(hasher, seed, type, bytes, length, hash, scale_term)
			   : hash_composite(hasher, seed, type, bytes, length, hash, scale_term);
}
