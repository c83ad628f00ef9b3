#include "rows/value_digest.h"
#include "rows/value_hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct DigestColumn
{
	ColumnType family;
	bool is_plain; /* no json, array or composite */
	const NestedType *nested;
	uint64_t seed;
	uint64_t scale_sum;
} DigestColumn;

struct ValueDigest
{
	RowDigest sums;
	DigestColumn *column;  /* [columns] */
	uint64_t *hashes;      /* [columns], of the row added last */
	uint64_t *scale_terms; /* [columns], likewise; what it adds to scale_sum */
	uint64_t *column_sums; /* [columns], for `sums` */
	ValueHasher hasher;
};

static void
prepare_column(DigestColumn *to, const RowColumn *column)
{
	to->family = value_hash_family(column->type, column->type_oid);
	to->is_plain =
		column->nested == NULL && column->type != COLUMN_JSON && column->type != COLUMN_JSONB;
	to->nested = column->nested;
	to->seed = row_digest_column_seed(column->name, strlen(column->name));
}

ValueDigest *
value_digest_create(const RowType *type)
{
	ValueDigest *digest = calloc(1, sizeof(ValueDigest));
	size_t columns = (size_t) type->columns;

	if (digest == NULL)
		return NULL;
	digest->column = calloc(columns, sizeof(DigestColumn));
	digest->hashes = calloc(columns, sizeof(uint64_t));
	digest->scale_terms = calloc(columns, sizeof(uint64_t));
	digest->column_sums = calloc(columns, sizeof(uint64_t));
	if (!value_hasher_init(&digest->hasher, type) || digest->column == NULL ||
		digest->hashes == NULL || digest->scale_terms == NULL || digest->column_sums == NULL)
	{
		value_digest_free(digest);
		return NULL;
	}
	for (int i = 0; i < type->columns; i++)
		prepare_column(&digest->column[i], &type->column[i]);
	row_digest_init(&digest->sums, digest->column_sums, type->columns);
	return digest;
}

void
value_digest_free(ValueDigest *digest)
{
	if (digest == NULL)
		return;
	free(digest->column);
	free(digest->hashes);
	free(digest->scale_terms);
	free(digest->column_sums);
	value_hasher_free(&digest->hasher);
	free(digest);
}

void
value_digest_reset(ValueDigest *digest)
{
	row_digest_init(&digest->sums, digest->column_sums, digest->sums.columns);
	for (int i = 0; i < digest->sums.columns; i++)
	{
		digest->hashes[i] = 0;
		digest->column[i].scale_sum = 0;
	}
}

static bool
hash_not_plain(ValueDigest *digest, const DigestColumn *column, const Value *value, uint64_t *hash,
			   uint64_t *scale_term)
{
	if (column->nested == NULL)
		return value_hash_json(&digest->hasher, column->seed, value->text.bytes, value->text.length,
							   hash);
	return value_hash_nested(&digest->hasher, column->seed, column->nested, value->text.bytes,
							 value->text.length, hash, scale_term);
}

/* A row for which memory is missing changes no sum. */
bool
value_digest_add(ValueDigest *digest, const Value *values)
{
	for (int i = 0; i < digest->sums.columns; i++)
	{
		const DigestColumn *column = &digest->column[i];
		const Value *value = &values[i];
		uint64_t *hash = &digest->hashes[i];

		digest->scale_terms[i] = 0;
		if (value->is_null)
			*hash = row_digest_null(column->seed);
		else if (column->is_plain)
			*hash = value_hash_plain(column->family, column->seed, value);
		else if (!hash_not_plain(digest, column, value, hash, &digest->scale_terms[i]))
			return false;
		if (column->family == COLUMN_NUMERIC && !value->is_null)
			digest->scale_terms[i] = value_hash_scale_term(*hash, value);
	}
	for (int i = 0; i < digest->sums.columns; i++)
		digest->column[i].scale_sum += digest->scale_terms[i];
	row_digest_add(&digest->sums, digest->hashes);
	return true;
}

const RowDigest *
value_digest_sums(const ValueDigest *digest)
{
	return &digest->sums;
}

uint64_t
value_digest_scale_sum(const ValueDigest *digest, int column)
{
	return digest->column[column].scale_sum;
}

uint64_t
value_digest_last_hash(const ValueDigest *digest, int column)
{
	return digest->hashes[column];
}
