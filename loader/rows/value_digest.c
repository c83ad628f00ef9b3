#include "rows/value_digest.h"
#include "json_canonical.h"
#include "rows/value_numeric.h"
#include "splitmix64.h"

#include <stdlib.h>
#include <string.h>

/* Its values are text here, but have no family of their own in the extension. */
#define NAME_TYPE_OID 19

typedef struct DigestColumn
{
	ColumnType type;
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
	JsonCanonical *json;
};

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
	digest->json = json_canonical_create();
	if (digest->column == NULL || digest->hashes == NULL || digest->scale_terms == NULL ||
		digest->column_sums == NULL || digest->json == NULL)
	{
		value_digest_free(digest);
		return NULL;
	}
	for (int i = 0; i < type->columns; i++)
	{
		const RowColumn *column = &type->column[i];

		digest->column[i].type = column->type_oid == NAME_TYPE_OID ? COLUMN_OTHER : column->type;
		digest->column[i].seed = row_digest_column_seed(column->name, strlen(column->name));
	}
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
	json_canonical_free(digest->json);
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
hash_json(ValueDigest *digest, uint64_t seed, const Value *value, uint64_t *hash)
{
	size_t length;
	const char *text =
		json_canonical_make(digest->json, value->text.bytes, value->text.length, &length);

	if (text == NULL)
		return false;
	*hash = row_digest_other(seed, text, length);
	return true;
}

static uint64_t
hash_text(ColumnType type, uint64_t seed, const char *bytes, size_t length)
{
	switch (type)
	{
		case COLUMN_NUMERIC:
			return row_digest_decimal(seed, bytes, length);
		case COLUMN_TEXT:
			return row_digest_text(seed, bytes, length);
		case COLUMN_BPCHAR:
			return row_digest_bpchar(seed, bytes, length);
		case COLUMN_BYTEA:
			return row_digest_bytea(seed, bytes, length);
		default:
			return row_digest_other(seed, bytes, length);
	}
}

static uint64_t
hash_value(ColumnType type, uint64_t seed, const Value *value)
{
	switch (type)
	{
		case COLUMN_BOOL:
			return row_digest_bool(seed, value->boolean);
		case COLUMN_INT2:
		case COLUMN_INT4:
		case COLUMN_INT8:
		case COLUMN_MONEY:
			return row_digest_int64(seed, value->integer);
		case COLUMN_FLOAT4:
		case COLUMN_FLOAT8:
			return row_digest_float64(seed, value->real);
		case COLUMN_DATE:
			return row_digest_date(seed, (int32_t) value->integer);
		case COLUMN_TIME:
			return row_digest_time(seed, value->integer);
		case COLUMN_TIMESTAMP:
			return row_digest_timestamp(seed, value->integer);
		case COLUMN_TIMESTAMPTZ:
			return row_digest_timestamptz(seed, value->integer);
		case COLUMN_UUID:
			return row_digest_uuid(seed, value->uuid);
		default:
			return hash_text(type, seed, value->text.bytes, value->text.length);
	}
}

/* A row that is refused in one column changes no sum. */
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
		else if (column->type != COLUMN_JSON && column->type != COLUMN_JSONB)
			*hash = hash_value(column->type, column->seed, value);
		else if (!hash_json(digest, column->seed, value, hash))
			return false;
		if (column->type == COLUMN_NUMERIC && !value->is_null)
			digest->scale_terms[i] =
				splitmix64_mix(*hash + value_numeric_scale(value->text.bytes, value->text.length));
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
