/*
 * value_hasher.c - see value_hasher.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

#include "compat.h"
#include "pinned_output.h"
#include "row_digest.h"
#include "splitmix64.h"
#include "value_hasher.h"

typedef uint64 (*ValueHash)(ValueHasher *hasher, Datum value);

/* of an array type; made with the first array */
typedef struct ElementHasher
{
	Oid type;
	ArrayMetaState layout;
	ValueHasher *hasher;
	MemoryContext context; /* of one element's garbage */
} ElementHasher;

/* of a composite type; made with the first value */
typedef struct AttributesHasher
{
	TupleDesc desc;
	int count;             /* of those that are not dropped */
	int *numbers;          /* [count], 0-based in desc */
	ValueHasher **hashers; /* [count] */
	Datum *values;         /* [desc->natts], of the value being hashed */
	bool *nulls;
} AttributesHasher;

struct ValueHasher
{
	Oid base_type;
	uint64 seed;
	ValueHash hash;
	ValueHasherScope *scope;
	MemoryContext context; /* of what is made later */
	FmgrInfo output;       /* fn_oid InvalidOid until it is wanted */
	ElementHasher *element;
	AttributesHasher *attributes;
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

static char *
jsonb_utf8(Datum value)
{
	Jsonb *document = DatumGetJsonbP(value);
	char *text = JsonbToCString(NULL, &document->root, VARSIZE(document));

	return pg_server_to_any(text, strlen(text), PG_UTF8);
}

static uint64
hash_jsonb(ValueHasher *hasher, Datum value)
{
	const char *utf8 = jsonb_utf8(value);

	return json_hasher_hash(hasher->scope->json, hasher->seed, utf8, strlen(utf8));
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

/* --- arrays -------------------------------------------------------------------------- */

static ElementHasher *
element_of(ValueHasher *hasher)
{
	MemoryContext caller_context;
	ElementHasher *element;

	if (hasher->element != NULL)
		return hasher->element;
	caller_context = MemoryContextSwitchTo(hasher->context);
	element = palloc0(sizeof(ElementHasher));
	element->type = get_element_type(hasher->base_type);
	get_typlenbyvalalign(element->type, &element->layout.typlen, &element->layout.typbyval,
						 &element->layout.typalign);
	element->hasher = value_hasher_create(element->type, hasher->seed, hasher->scope);
	element->context = AllocSetContextCreate(
		CurrentMemoryContext, "pg_transferbench hashed element", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(caller_context);
	return hasher->element = element;
}

static int
element_count(ArrayType *array)
{
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

static uint64
begin_array(ValueHasher *hasher, ArrayType *array)
{
	return row_digest_array_begin(hasher->seed, ARR_NDIM(array), ARR_DIMS(array), ARR_LBOUND(array),
								  (size_t) element_count(array));
}

/* The next element's hash; false after the last. */
static bool
next_element_hash(ElementHasher *element, ArrayIterator iterator, uint64 *hash)
{
	MemoryContext caller_context = MemoryContextSwitchTo(element->context);
	Datum value;
	bool is_null;
	bool has_next;

	CHECK_FOR_INTERRUPTS();
	has_next = array_iterate(iterator, &value, &is_null);
	if (has_next)
		*hash = value_hasher_hash(element->hasher, value, is_null);
	MemoryContextSwitchTo(caller_context);
	MemoryContextReset(element->context);
	return has_next;
}

static uint64
hash_elements(ValueHasher *hasher, Datum value)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	ElementHasher *element = element_of(hasher);
	ArrayIterator iterator = array_create_iterator(array, 0, &element->layout);
	uint64 hash = begin_array(hasher, array);
	uint64 element_hash;

	check_stack_depth();
	while (next_element_hash(element, iterator, &element_hash))
		hash = row_digest_member(hash, element_hash);
	array_free_iterator(iterator);
	return hash;
}

/* --- composites ---------------------------------------------------------------------- */

static ValueHasher *
create_attribute(ValueHasher *hasher, Form_pg_attribute attribute)
{
	char *name = NameStr(attribute->attname);
	char *utf8 = pg_server_to_any(name, strlen(name), PG_UTF8);

	return value_hasher_create(attribute->atttypid,
							   row_digest_attribute_seed(hasher->seed, utf8, strlen(utf8)),
							   hasher->scope);
}

static AttributesHasher *
attributes_of(ValueHasher *hasher)
{
	MemoryContext caller_context;
	AttributesHasher *attributes;
	int natts;

	if (hasher->attributes != NULL)
		return hasher->attributes;
	caller_context = MemoryContextSwitchTo(hasher->context);
	attributes = palloc0(sizeof(AttributesHasher));
	attributes->desc = lookup_rowtype_tupdesc_copy(hasher->base_type, -1);
	natts = Max(attributes->desc->natts, 1);
	attributes->numbers = palloc0(sizeof(int) * natts);
	attributes->hashers = palloc0(sizeof(ValueHasher *) * natts);
	attributes->values = palloc0(sizeof(Datum) * natts);
	attributes->nulls = palloc0(sizeof(bool) * natts);
	for (int i = 0; i < attributes->desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(attributes->desc, i);

		if (attribute->attisdropped)
			continue;
		attributes->numbers[attributes->count] = i;
		attributes->hashers[attributes->count] = create_attribute(hasher, attribute);
		attributes->count++;
	}
	MemoryContextSwitchTo(caller_context);
	return hasher->attributes = attributes;
}

/* Takes the value apart into attributes->values and nulls, which lend from it. */
static void
deform_composite(AttributesHasher *attributes, Datum value)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};

	ItemPointerSetInvalid(&tuple.t_self);
	heap_deform_tuple(&tuple, attributes->desc, attributes->values, attributes->nulls);
}

static uint64
attribute_hash(AttributesHasher *attributes, int number)
{
	int attribute = attributes->numbers[number];

	return value_hasher_hash(attributes->hashers[number], attributes->values[attribute],
							 attributes->nulls[attribute]);
}

static uint64
hash_attributes(ValueHasher *hasher, Datum value)
{
	AttributesHasher *attributes = attributes_of(hasher);
	uint64 hash = row_digest_composite_begin(hasher->seed, (size_t) attributes->count);

	check_stack_depth();
	deform_composite(attributes, value);
	for (int i = 0; i < attributes->count; i++)
		hash = row_digest_member(hash, attribute_hash(attributes, i));
	return hash;
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

static ValueHash
choose_family(Oid base_type)
{
	for (int i = 0; i < lengthof(families); i++)
	{
		if (families[i].type == base_type)
			return families[i].hash;
	}
	if (OidIsValid(get_element_type(base_type)))
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

static bool
same_attributes(ValueHasher *a, ValueHasher *b)
{
	AttributesHasher *ours = attributes_of(a);
	AttributesHasher *theirs = attributes_of(b);

	if (ours->count != theirs->count)
		return false;
	for (int i = 0; i < ours->count; i++)
	{
		Form_pg_attribute our = TupleDescAttr(ours->desc, ours->numbers[i]);
		Form_pg_attribute their = TupleDescAttr(theirs->desc, theirs->numbers[i]);

		if (strcmp(NameStr(our->attname), NameStr(their->attname)) != 0 ||
			!value_hasher_same_family(ours->hashers[i], theirs->hashers[i]))
			return false;
	}
	return true;
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
		return value_hasher_same_family(element_of(a)->hasher, element_of(b)->hasher);
	return a->hash != hash_attributes || same_attributes(a, b);
}

/* --- looking into a value ------------------------------------------------------------ */

char *
value_hasher_text(ValueHasher *hasher, Datum value)
{
	size_t length;
	const char *utf8;
	char *text;

	if (hasher->hash != hash_json && hasher->hash != hash_jsonb)
		return output_text(hasher, value);
	if (hasher->hash == hash_json)
		utf8 = utf8_of(value, &length);
	else
	{
		utf8 = jsonb_utf8(value);
		length = strlen(utf8);
	}
	text = json_hasher_text(hasher->scope->json, utf8, length);
	return pg_any_to_server(text, strlen(text), PG_UTF8);
}

static uint64 *
element_hashes(ValueHasher *hasher, Datum value, int *count, uint64 *shape)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	ElementHasher *element = element_of(hasher);
	ArrayIterator iterator = array_create_iterator(array, 0, &element->layout);
	uint64 *hashes;

	*count = element_count(array);
	*shape = begin_array(hasher, array);
	hashes = palloc_extended(sizeof(uint64) * Max(*count, 1), MCXT_ALLOC_HUGE);
	for (int i = 0; i < *count; i++)
		(void) next_element_hash(element, iterator, &hashes[i]);
	return hashes;
}

static uint64 *
attribute_hashes(ValueHasher *hasher, Datum value, int *count, uint64 *shape)
{
	AttributesHasher *attributes = attributes_of(hasher);
	uint64 *hashes = palloc(sizeof(uint64) * Max(attributes->count, 1));

	*count = attributes->count;
	*shape = row_digest_composite_begin(hasher->seed, (size_t) attributes->count);
	deform_composite(attributes, value);
	for (int i = 0; i < *count; i++)
		hashes[i] = attribute_hash(attributes, i);
	return hashes;
}

uint64 *
value_hasher_members(ValueHasher *hasher, Datum value, int *count, uint64 *shape)
{
	if (hasher->hash == hash_elements)
		return element_hashes(hasher, value, count, shape);
	if (hasher->hash == hash_attributes)
		return attribute_hashes(hasher, value, count, shape);
	return NULL;
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

static ValueMember
array_member(ValueHasher *hasher, Datum value, int number)
{
	ArrayType *array = DatumGetArrayTypeP(value);
	ElementHasher *element = element_of(hasher);
	ArrayIterator iterator = array_create_iterator(array, 0, &element->layout);
	ValueMember member = {.hasher = element->hasher, .place = subscripts(array, number)};

	for (int i = 0; i <= number; i++)
		(void) array_iterate(iterator, &member.value, &member.is_null);
	return member;
}

static ValueMember
composite_member(ValueHasher *hasher, Datum value, int number)
{
	AttributesHasher *attributes = attributes_of(hasher);
	int attribute = attributes->numbers[number];

	deform_composite(attributes, value);
	return (ValueMember){
		.hasher = attributes->hashers[number],
		.value = attributes->values[attribute],
		.is_null = attributes->nulls[attribute],
		.place = psprintf(".%s", NameStr(TupleDescAttr(attributes->desc, attribute)->attname))};
}

ValueMember
value_hasher_member(ValueHasher *hasher, Datum value, int number)
{
	if (hasher->hash == hash_elements)
		return array_member(hasher, value, number);
	return composite_member(hasher, value, number);
}
