/*
 * value_hash.h - the hash of one value by its type (common/row_digest.h); for value_digest.h.
 */
#ifndef TRANSFERBENCH_VALUE_HASH_H
#define TRANSFERBENCH_VALUE_HASH_H

#include "json_canonical.h"
#include "row_digest.h"
#include "rows/nested_type.h"

#define NAME_TYPE_OID 19

/* The memory that some hashes take. Zeroed, then made by init. */
typedef struct ValueHasher
{
	JsonCanonical *json;
	char *numeric; /* digits of one numeric within another value; NULL where there is none */
	char *text;    /* a document without its white space */
	size_t text_capacity;
} ValueHasher;

/* For the values of a type's columns. False when out of memory: free it in any case. */
extern bool value_hasher_init(ValueHasher *hasher, const RowType *type);
extern void value_hasher_free(ValueHasher *hasher);

/* Hash of a json or jsonb; false when out of memory. */
extern bool value_hash_json(ValueHasher *hasher, uint64_t seed, const char *json, size_t length,
							uint64_t *hash);
/* Hash of an array or a composite, which was checked. Adds to *scale_term what each numeric within does
 * (value_digest_scale_sum). False when out of memory. */
extern bool value_hash_nested(ValueHasher *hasher, uint64_t seed, const NestedType *type,
							  const char *bytes, size_t length, uint64_t *hash,
							  uint64_t *scale_term);
/* What a numeric adds to its column's sum of scales. */
extern uint64_t value_hash_scale_term(uint64_t hash, const Value *numeric);

/* The family that a value is hashed by: names are text here, but have no family of their own. */
static inline ColumnType
value_hash_family(ColumnType type, unsigned base_oid)
{
	return base_oid == NAME_TYPE_OID ? COLUMN_OTHER : type;
}

static inline uint64_t
value_hash_text(ColumnType family, uint64_t seed, const char *bytes, size_t length)
{
	switch (family)
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

/* Of a value that is not null, and no json, array or composite. */
static inline uint64_t
value_hash_plain(ColumnType family, uint64_t seed, const Value *value)
{
	switch (family)
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
			return value_hash_text(family, seed, value->text.bytes, value->text.length);
	}
}

#endif
