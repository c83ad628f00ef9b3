/*
 * row_hasher.c - see row_hasher.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/bytea.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "compat.h"
#include "canonical_json.h"
#include "column_name.h"
#include "row_hasher.h"
#include "splitmix64.h"

typedef struct ColumnHasher ColumnHasher;
typedef uint64 (*ColumnHash)(ColumnHasher *column, Datum value);

struct ColumnHasher
{
	int attribute; /* 0-based, in the row type */
	const char *name;
	uint64 seed;
	ColumnHash hash;
	uint64 scale_sum; /* of numeric columns */
	FmgrInfo output;  /* of types that have no family of their own */
};

struct RowHasher
{
	int columns;
	ColumnHasher *column; /* [columns] */
	uint64 *hashes;       /* [columns] */

	/* where we are, for errors */
	int64 row;     /* from 1 */
	int in_column; /* index into `column` */
};

/* --- one function per family --------------------------------------------------------- */

static uint64
hash_bool(ColumnHasher *column, Datum value)
{
	return row_digest_bool(column->seed, DatumGetBool(value));
}

static uint64
hash_int2(ColumnHasher *column, Datum value)
{
	return row_digest_int64(column->seed, DatumGetInt16(value));
}

static uint64
hash_int4(ColumnHasher *column, Datum value)
{
	return row_digest_int64(column->seed, DatumGetInt32(value));
}

static uint64
hash_int8(ColumnHasher *column, Datum value)
{
	return row_digest_int64(column->seed, DatumGetInt64(value));
}

static uint64
hash_float4(ColumnHasher *column, Datum value)
{
	return row_digest_float64(column->seed, DatumGetFloat4(value));
}

static uint64
hash_float8(ColumnHasher *column, Datum value)
{
	return row_digest_float64(column->seed, DatumGetFloat8(value));
}

static uint64
hash_decimal(ColumnHasher *column, Datum value)
{
	const char *text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
	const char *point = strchr(text, '.');
	uint64 hash = row_digest_decimal(column->seed, text, strlen(text));

	column->scale_sum += splitmix64_mix(hash + (point == NULL ? 0 : strlen(point + 1)));
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
hash_text(ColumnHasher *column, Datum value)
{
	size_t length;
	const char *utf8 = utf8_of(value, &length);

	return row_digest_text(column->seed, utf8, length);
}

static uint64
hash_bpchar(ColumnHasher *column, Datum value)
{
	size_t length;
	const char *utf8 = utf8_of(value, &length);

	return row_digest_bpchar(column->seed, utf8, length);
}

static uint64
hash_bytea(ColumnHasher *column, Datum value)
{
	struct varlena *bytes = PG_DETOAST_DATUM_PACKED(value);

	return row_digest_bytea(column->seed, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* Its output depends on lc_monetary, its value does not. */
static uint64
hash_money(ColumnHasher *column, Datum value)
{
	return row_digest_int64(column->seed, DatumGetCash(value));
}

static uint64
hash_date(ColumnHasher *column, Datum value)
{
	return row_digest_date(column->seed, DatumGetDateADT(value));
}

static uint64
hash_time(ColumnHasher *column, Datum value)
{
	return row_digest_time(column->seed, DatumGetTimeADT(value));
}

static uint64
hash_timestamp(ColumnHasher *column, Datum value)
{
	return row_digest_timestamp(column->seed, DatumGetTimestamp(value));
}

static uint64
hash_timestamptz(ColumnHasher *column, Datum value)
{
	return row_digest_timestamptz(column->seed, DatumGetTimestampTz(value));
}

static uint64
hash_uuid(ColumnHasher *column, Datum value)
{
	return row_digest_uuid(column->seed, DatumGetUUIDP(value)->data);
}

/*
 * Output under pinned settings. They are set directly, for this one call and
 * back in any case: a GUC level per value would cost microseconds, and a level
 * around the pass would change what the pass itself computes.
 */
static char *
pinned_output_text(ColumnHasher *column, Datum value)
{
	int saved_date_style = DateStyle;
	int saved_interval_style = IntervalStyle;
	int saved_float_digits = extra_float_digits;
	int saved_bytea_output = bytea_output;
	pg_tz *saved_timezone = session_timezone;
	char *text;

	PG_TRY();
	{
		DateStyle = USE_ISO_DATES;
		IntervalStyle = INTSTYLE_POSTGRES;
		extra_float_digits = 3;
		bytea_output = BYTEA_OUTPUT_HEX;
		session_timezone = pg_tzset("UTC");
		text = OutputFunctionCall(&column->output, value);
	}
	PG_FINALLY();
	{
		DateStyle = saved_date_style;
		IntervalStyle = saved_interval_style;
		extra_float_digits = saved_float_digits;
		bytea_output = saved_bytea_output;
		session_timezone = saved_timezone;
	}
	PG_END_TRY();
	return text;
}

static uint64
hash_text_of_other(ColumnHasher *column, char *text)
{
	char *utf8 = pg_server_to_any(text, strlen(text), PG_UTF8);

	return row_digest_other(column->seed, utf8, strlen(utf8));
}

static uint64
hash_jsonb(ColumnHasher *column, Datum value)
{
	return hash_text_of_other(column, canonical_json_text(DatumGetJsonbP(value)));
}

static uint64
hash_json(ColumnHasher *column, Datum value)
{
	char *spelling = TextDatumGetCString(value);

	return hash_jsonb(column, DirectFunctionCall1(jsonb_in, CStringGetDatum(spelling)));
}

static uint64
hash_other(ColumnHasher *column, Datum value)
{
	return hash_text_of_other(column, pinned_output_text(column, value));
}

/* --- choosing ------------------------------------------------------------------------ */

static const struct
{
	Oid type;
	ColumnHash hash;
} families[] = {
	{BOOLOID, hash_bool},       {INT2OID, hash_int2},     {INT4OID, hash_int4},
	{INT8OID, hash_int8},       {FLOAT4OID, hash_float4}, {FLOAT8OID, hash_float8},
	{NUMERICOID, hash_decimal}, {TEXTOID, hash_text},     {VARCHAROID, hash_text},
	{BPCHAROID, hash_bpchar},   {BYTEAOID, hash_bytea},   {MONEYOID, hash_money},
	{DATEOID, hash_date},       {TIMEOID, hash_time},     {TIMESTAMPOID, hash_timestamp},
	{JSONOID, hash_json},       {JSONBOID, hash_jsonb},   {TIMESTAMPTZOID, hash_timestamptz},
	{UUIDOID, hash_uuid},
};

/* The function that stands for a column's family. */
static ColumnHash
hash_family(const ColumnHasher *column)
{
	if (column->hash == hash_int2 || column->hash == hash_int4)
		return hash_int8;
	if (column->hash == hash_float4)
		return hash_float8;
	return column->hash == hash_json ? hash_jsonb : column->hash;
}

static void
choose_family(ColumnHasher *column, Oid type)
{
	Oid base_type = getBaseType(type);
	Oid output_function;
	bool is_varlena;

	for (int i = 0; i < lengthof(families); i++)
	{
		if (families[i].type == base_type)
		{
			column->hash = families[i].hash;
			return;
		}
	}
	column->hash = hash_other;
	getTypeOutputInfo(base_type, &output_function, &is_varlena);
	fmgr_info(output_function, &column->output);
}

RowHasher *
row_hasher_create(TupleDesc row_desc)
{
	RowHasher *hasher = palloc0(sizeof(RowHasher));

	hasher->column = palloc0(sizeof(ColumnHasher) * Max(row_desc->natts, 1));
	hasher->hashes = palloc0(sizeof(uint64) * Max(row_desc->natts, 1));
	for (int i = 0; i < row_desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(row_desc, i);
		ColumnHasher *column = &hasher->column[hasher->columns];
		char *name = NameStr(attribute->attname);
		const char *utf8_name;

		if (attribute->attisdropped)
			continue;
		utf8_name = column_name_utf8(name);
		column->attribute = i;
		column->name = name;
		column->seed = row_digest_column_seed(utf8_name, strlen(utf8_name));
		choose_family(column, attribute->atttypid);
		hasher->columns++;
	}
	return hasher;
}

bool
row_hasher_same_family(const RowHasher *a, int a_column, const RowHasher *b, int b_column)
{
	/* integers of all widths are one family, and so are both floats */
	return hash_family(&a->column[a_column]) == hash_family(&b->column[b_column]);
}

int
row_hasher_columns(const RowHasher *hasher)
{
	return hasher->columns;
}

const char *
row_hasher_column_name(const RowHasher *hasher, int column)
{
	return hasher->column[column].name;
}

uint64
row_hasher_scale_sum(const RowHasher *hasher, int column)
{
	return hasher->column[column].scale_sum;
}

/* A value may have no digest: bytes that are no characters, an output function that raises. */
static void
add_place(void *context)
{
	const RowHasher *hasher = context;

	errcontext("digest of row " INT64_FORMAT ", column \"%s\"", hasher->row,
			   hasher->column[hasher->in_column].name);
}

const uint64 *
row_hasher_hash(RowHasher *hasher, const Datum *values, const bool *nulls)
{
	ErrorContextCallback place = {
		.previous = error_context_stack, .callback = add_place, .arg = hasher};

	hasher->row++;
	error_context_stack = &place;
	for (int i = 0; i < hasher->columns; i++)
	{
		ColumnHasher *column = &hasher->column[i];

		hasher->in_column = i;
		hasher->hashes[i] = nulls[column->attribute]
								? row_digest_null(column->seed)
								: column->hash(column, values[column->attribute]);
	}
	error_context_stack = place.previous;
	return hasher->hashes;
}
