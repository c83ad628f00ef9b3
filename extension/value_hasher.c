/*
 * value_hasher.c - see value_hasher.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "array_hasher.h"
#include "compat.h"
#include "composite_hasher.h"
#include "pinned_output.h"
#include "row_digest.h"
#include "splitmix64.h"
#include "value_hasher.h"

typedef uint64 (*ValueHash)(ValueHasher *hasher, Datum value);

struct ValueHasher
{
	Oid base_type;
	uint64 seed;
	ValueHash hash;
	ValueHasherScope *scope;
	MemoryContext context; /* of what is made later */
	FmgrInfo output;       /* fn_oid InvalidOid until it is wanted */
	ArrayHasher *array;    /* made when it is wanted, as the next is */
	CompositeHasher *composite;
};

/* --- one function per family --------------------------------------------------------- */

static uint64
hash_bool(ValueHasher *hasher, Datum value)
{
	return row_digest_bool(hasher->seed, DatumGetBool(value));
}

static uint64
hash_int2(ValueHasher *hasher, Datum value)
{
	return row_digest_int64(hasher->seed, DatumGetInt16(value));
}

static uint64
hash_int4(ValueHasher *hasher, Datum value)
{
	return row_digest_int64(hasher->seed, DatumGetInt32(value));
}

static uint64
hash_int8(ValueHasher *hasher, Datum value)
{
	return row_digest_int64(hasher->seed, DatumGetInt64(value));
}

static uint64
hash_float4(ValueHasher *hasher, Datum value)
{
	return row_digest_float64(hasher->seed, DatumGetFloat4(value));
}

static uint64
hash_float8(ValueHasher *hasher, Datum value)
{
	return row_digest_float64(hasher->seed, DatumGetFloat8(value));
}

static uint64
hash_decimal(ValueHasher *hasher, Datum value)
{
	const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
	const char *point = strchr(text, '.');
	uint64 hash = row_digest_decimal(hasher->seed, text, strlen(text));

	hasher->scope->scale_sum += splitmix64_mix(hash + (point == NULL ? 0 : strlen(point + 1)));
	return hash;
}

/* the bytes of a text-like value as UTF-8 */
static const char *
utf8_of(Datum value, size_t *length)
{
	struct varlena *text = PG_DETOAST_DATUM_PACKED(value);
	const char *bytes = VARDATA_ANY(text);
	char *utf8 = pg_server_to_any(bytes, VARSIZE_ANY_EXHDR(text), PG_UTF8);

	*length = utf8 == bytes ? VARSIZE_ANY_EXHDR(text) : strlen(utf8);
	return utf8;
}

static uint64
hash_text(ValueHasher *hasher, Datum value)
{
	size_t length;
	const char *utf8 = utf8_of(value, &length);

	return row_digest_text(hasher->seed, utf8, length);
}

static uint64
hash_bpchar(ValueHasher *hasher, Datum value)
{
	size_t length;
	const char *utf8 = utf8_of(value, &length);

	return row_digest_bpchar(hasher->seed, utf8, length);
}

static uint64
hash_bytea(ValueHasher *hasher, Datum value)
{
	struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

	return row_digest_bytea(hasher->seed, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* Its output depends on lc_monetary, its value does not. */
static uint64
hash_money(ValueHasher *hasher, Datum value)
{
	return row_digest_int64(hasher->seed, DatumGetCash(value));
}

static uint64
hash_date(ValueHasher *hasher, Datum value)
{
	return row_digest_date(hasher->seed, DatumGetDateADT(value));
}

static uint64
hash_time(ValueHasher *hasher, Datum value)
{
	return row_digest_time(hasher->seed, DatumGetTimeADT(value));
}

static uint64
hash_timestamp(ValueHasher *hasher, Datum value)
{
	return row_digest_timestamp(hasher->seed, DatumGetTimestamp(value));
}

static uint64
hash_timestamptz(ValueHasher *hasher, Datum value)
{
	return row_digest_timestamptz(hasher->seed, DatumGetTimestampTz(value));
}

static uint64
hash_uuid(ValueHasher *hasher, Datum value)
{
	return row_digest_uuid(hasher->seed, DatumGetUUIDP(value)->data);
}

static uint64
hash_json(ValueHasher *hasher, Datum value)
{
	size_t length;
	const char *utf8 = utf8_of(value, &length);

	return json_hasher_hash(hasher->scope->json, hasher->seed, utf8, length);
}

static const char *
jsonb_utf8(Datum value, size_t *length)
{
	Jsonb *document = DatumGetJsonbP(value);
	char *text = JsonbToCString(NULL, &document->root, VARSIZE(document));
	char *utf8 = pg_server_to_any(text, strlen(text), PG_UTF8);

	*length = strlen(utf8);
	return utf8;
}

static uint64
hash_jsonb(ValueHasher *hasher, Datum value)
{
	size_t length;
	const char *utf8 = jsonb_utf8(value, &length);

	return json_hasher_hash(hasher->scope->json, hasher->seed, utf8, length);
}

static char *
output_text(ValueHasher *hasher, Datum value)
{
	if (!OidIsValid(hasher->output.fn_oid))
	{
		Oid function;
		bool is_varlena;

		getTypeOutputInfo(hasher->base_type, &function, &is_varlena);
		fmgr_info_cxt(function, &hasher->output, hasher->context);
	}
	return pinned_output_text(&hasher->output, value);
}

static uint64
hash_other(ValueHasher *hasher, Datum value)
{
	char *text = output_text(hasher, value);
	char *utf8 = pg_server_to_any(text, strlen(text), PG_UTF8);

	return row_digest_other(hasher->seed, utf8, strlen(utf8));
}

/* --- arrays and composites ----------------------------------------------------------- */

static ArrayHasher *
array_of(ValueHasher *hasher)
{
	MemoryContext caller_context;

	if (hasher->array == NULL)
	{
		caller_context = MemoryContextSwitchTo(hasher->context);
		hasher->array =
			array_hasher_create(get_element_type(hasher->base_type), hasher->seed, hasher->scope);
		MemoryContextSwitchTo(caller_context);
	}
	return hasher->array;
}

static uint64
hash_elements(ValueHasher *hasher, Datum value)
{
	return array_hasher_hash(array_of(hasher), value);
}

static CompositeHasher *
composite_of(ValueHasher *hasher)
{
	MemoryContext caller_context;

	if (hasher->composite == NULL)
	{
		caller_context = MemoryContextSwitchTo(hasher->context);
		hasher->composite = composite_hasher_create(hasher->base_type, hasher->seed, hasher->scope);
		MemoryContextSwitchTo(caller_context);
	}
	return hasher->composite;
}

static uint64
hash_attributes(ValueHasher *hasher, Datum value)
{
	return composite_hasher_hash(composite_of(hasher), value);
}

/* --- choosing ------------------------------------------------------------------------ */

static const struct
{
	Oid type;
	ValueHash hash;
} families[] = {
	{BOOLOID, hash_bool},       {INT2OID, hash_int2},     {INT4OID, hash_int4},
	{INT8OID, hash_int8},       {FLOAT4OID, hash_float4}, {FLOAT8OID, hash_float8},
	{NUMERICOID, hash_decimal}, {TEXTOID, hash_text},     {VARCHAROID, hash_text},
	{BPCHAROID, hash_bpchar},   {BYTEAOID, hash_bytea},   {MONEYOID, hash_money},
	{DATEOID, hash_date},       {TIMEOID, hash_time},     {TIMESTAMPOID, hash_timestamp},
	{JSONOID, hash_json},       {JSONBOID, hash_jsonb},   {TIMESTAMPTZOID, hash_timestamptz},
	{UUIDOID, hash_uuid},
};

/* int2vector and oidvector, which have array elements but a text of their own, are not. */
static bool
is_array(Oid base_type)
{
	Oid input_function, input_parameter;

	getTypeInputInfo(base_type, &input_function, &input_parameter);
	return input_function == F_ARRAY_IN;
}

static ValueHash
choose_family(Oid base_type)
{
	for (int i = 0; i < lengthof(families); i++)
	{
		if (families[i].type == base_type)
			return families[i].hash;
	}
	if (is_array(base_type))
		return hash_elements;
	return get_typtype(base_type) == TYPTYPE_COMPOSITE ? hash_attributes : hash_other;
}

ValueHasher *
value_hasher_create(Oid type, uint64 seed, ValueHasherScope *scope)
{
	ValueHasher *hasher = palloc0(sizeof(ValueHasher));

	hasher->base_type = getBaseType(type);
	hasher->seed = seed;
	hasher->hash = choose_family(hasher->base_type);
	hasher->scope = scope;
	hasher->context = CurrentMemoryContext;
	return hasher;
}

uint64
value_hasher_hash(ValueHasher *hasher, Datum value, bool is_null)
{
	return is_null ? row_digest_null(hasher->seed) : hasher->hash(hasher, value);
}

/* The function that stands for a family. */
static ValueHash
family(const ValueHasher *hasher)
{
	if (hasher->hash == hash_int2 || hasher->hash == hash_int4)
		return hash_int8;
	if (hasher->hash == hash_float4)
		return hash_float8;
	return hasher->hash == hash_json ? hash_jsonb : hasher->hash;
}

bool
value_hasher_same_family(ValueHasher *a, ValueHasher *b)
{
	check_stack_depth();
	if (a->base_type == b->base_type)
		return true;
	if (family(a) != family(b))
		return false;
	if (a->hash == hash_elements)
		return value_hasher_same_family(array_hasher_element(array_of(a)),
										array_hasher_element(array_of(b)));
	return a->hash != hash_attributes ||
		   composite_hasher_same_family(composite_of(a), composite_of(b));
}

/* --- looking into a value ------------------------------------------------------------ */

ValueMembers
value_hasher_members(ValueHasher *hasher, Datum value)
{
	if (hasher->hash == hash_elements)
		return array_hasher_members(array_of(hasher), value);
	if (hasher->hash == hash_attributes)
		return composite_hasher_members(composite_of(hasher), value);
	return (ValueMembers){.count = 0};
}

ValueMember
value_hasher_member(ValueHasher *hasher, Datum value, int number)
{
	if (hasher->hash == hash_elements)
		return array_hasher_member(array_of(hasher), value, number);
	return composite_hasher_member(composite_of(hasher), value, number);
}

char *
value_hasher_text(ValueHasher *hasher, Datum value)
{
	size_t length;
	const char *utf8;
	char *text;

	if (hasher->hash != hash_json && hasher->hash != hash_jsonb)
		return output_text(hasher, value);
	utf8 = hasher->hash == hash_json ? utf8_of(value, &length) : jsonb_utf8(value, &length);
	text = json_hasher_text(hasher->scope->json, utf8, length);
	return pg_any_to_server(text, strlen(text), PG_UTF8);
}

bool
value_hasher_is_number(const ValueHasher *hasher)
{
	return TypeCategory(hasher->base_type) == TYPCATEGORY_NUMERIC;
}
