/*
 * row_input.c - see row_input.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "column_name.h"
#include "json_number.h"
#include "json_populate.h"
#include "row_input.h"

typedef struct ColumnInput ColumnInput;

struct ColumnInput
{
	const char *name; /* as the server has it, for messages */
	Oid type;         /* as declared; a domain perhaps */
	Oid base_type;
	int32 typmod; /* of the base type */
	Datum (*convert)(ColumnInput *column, const JsonField *field, bool *is_null);
	bool na_is_null;  /* the string "NA" is no value of the type */
	bool takes_array; /* arrays, json, composites with an array as text: one value */
	FmgrInfo input;   /* of the type */
	Oid input_parameter;
	FmgrInfo length_coercion; /* numeric's typmod function, where there is a typmod */
	JsonPopulate *populate;   /* made when the first JSON array or object comes */
	void *domain_state;       /* of domain_check */
};

struct RowInput
{
	int natts;
	ColumnInput *columns; /* [natts]; name NULL for a dropped one */
	const char **names;   /* [natts], UTF-8 */
	int current_column;   /* -1: none */
	int64 *missing_counts;
	int64 *na_counts;
	MemoryContext context; /* for caches that outlive a row */
};

/* --- text of a field ----------------------------------------------------------------- */

/* A string of the message as the database's text: no \u0000, the server's encoding. */
static char *
server_text(const char *utf8, size_t length, size_t *server_length)
{
	char *text;

	if (memchr(utf8, '\0', length) != NULL)
		ereport(ERROR, errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				errmsg("unsupported Unicode escape sequence"),
				errdetail("\\u0000 cannot be converted to text."));
	text = pg_any_to_server(utf8, (int) length, PG_UTF8);
	*server_length = text == utf8 ? length : strlen(text);
	return text;
}

/* The field as text for an input function, terminated, in the current context. */
static char *
input_text(const JsonField *field)
{
	size_t length;

	switch (field->kind)
	{
		case JSON_FIELD_BOOL:
			return pstrdup(field->boolean ? "true" : "false");
		case JSON_FIELD_INTEGER:
			return psprintf(INT64_FORMAT, field->integer);
		case JSON_FIELD_STRING:
		case JSON_FIELD_ARRAY:
		case JSON_FIELD_OBJECT:
		{
			const char *text = server_text(field->text, field->length, &length);

			return pnstrdup(text, length);
		}
		default:
			return pnstrdup(field->text, field->length);
	}
}

/* --- one function per kind of column ------------------------------------------------- */

static Datum
convert_by_input_function(ColumnInput *column, const JsonField *field, bool *is_null)
{
	return InputFunctionCall(&column->input, input_text(field), column->input_parameter,
							 column->typmod);
}

static Datum
convert_bool(ColumnInput *column, const JsonField *field, bool *is_null)
{
	if (field->kind == JSON_FIELD_BOOL)
		return BoolGetDatum(field->boolean);
	return convert_by_input_function(column, field, is_null);
}

/*
 * The int64 of a number field. Range errors of wide digits are PostgreSQL's
 * own words, so that a message reads the same whichever way the value came.
 */
static int64
field_int64(const JsonField *field, const char *type_name)
{
	int64 value = field->integer;

	if (field->kind == JSON_FIELD_INTEGER)
		return value;
	switch (json_number_to_int64(field->text, field->length, &value))
	{
		case JSON_NUMBER_OK:
			break;
		case JSON_NUMBER_OUT_OF_RANGE:
			ereport(
				ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				errmsg("value \"%s\" is out of range for type %s", input_text(field), type_name));
			break;
		case JSON_NUMBER_NOT_INTEGRAL:
			ereport(
				ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("invalid input syntax for type %s: \"%s\"", type_name, input_text(field)),
				errdetail("The number has a fraction."));
			break;
	}
	return value;
}

static bool
is_number(const JsonField *field)
{
	return field->kind == JSON_FIELD_INTEGER || field->kind == JSON_FIELD_NUMBER;
}

static int64
field_int_in_range(const JsonField *field, const char *type_name, int64 lowest, int64 highest)
{
	int64 value = field_int64(field, type_name);

	if (value < lowest || value > highest)
		ereport(ERROR, errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				errmsg("value \"" INT64_FORMAT "\" is out of range for type %s", value, type_name));
	return value;
}

static Datum
convert_int2(ColumnInput *column, const JsonField *field, bool *is_null)
{
	if (!is_number(field))
		return convert_by_input_function(column, field, is_null);
	return Int16GetDatum((int16) field_int_in_range(field, "smallint", PG_INT16_MIN, PG_INT16_MAX));
}

static Datum
convert_int4(ColumnInput *column, const JsonField *field, bool *is_null)
{
	if (!is_number(field))
		return convert_by_input_function(column, field, is_null);
	return Int32GetDatum((int32) field_int_in_range(field, "integer", PG_INT32_MIN, PG_INT32_MAX));
}

static Datum
convert_int8(ColumnInput *column, const JsonField *field, bool *is_null)
{
	if (!is_number(field))
		return convert_by_input_function(column, field, is_null);
	return Int64GetDatum(field_int64(field, "bigint"));
}

static Datum
convert_float8(ColumnInput *column, const JsonField *field, bool *is_null)
{
	if (field->kind == JSON_FIELD_INTEGER)
		return Float8GetDatum((double) field->integer);
	if (field->kind == JSON_FIELD_NUMBER || field->kind == JSON_FIELD_STRING)
		return DirectFunctionCall1(float8in, CStringGetDatum(input_text(field)));
	return convert_by_input_function(column, field, is_null);
}

static Datum
convert_numeric(ColumnInput *column, const JsonField *field, bool *is_null)
{
	Datum value;

	if (field->kind != JSON_FIELD_INTEGER)
		return convert_by_input_function(column, field, is_null);
	value = NumericGetDatum(int64_to_numeric(field->integer));
	if (column->typmod >= 0)
		value = FunctionCall2(&column->length_coercion, value, Int32GetDatum(column->typmod));
	return value;
}

static Datum
convert_text(ColumnInput *column, const JsonField *field, bool *is_null)
{
	size_t length;
	const char *text;

	if (field->kind != JSON_FIELD_STRING)
		return CStringGetTextDatum(input_text(field));
	text = server_text(field->text, field->length, &length);
	return PointerGetDatum(cstring_to_text_with_len(text, length));
}

/* The field as JSON text again. */
static char *
json_text(const JsonField *field)
{
	StringInfoData quoted;

	if (field->kind != JSON_FIELD_STRING)
		return input_text(field);
	initStringInfo(&quoted);
	escape_json(&quoted, input_text(field));
	return quoted.data;
}

static Datum
convert_json(ColumnInput *column, const JsonField *field, bool *is_null)
{
	return InputFunctionCall(&column->input, json_text(field), column->input_parameter,
							 column->typmod);
}

/* Arrays, composites and what is over them: PostgreSQL's own conversion of a JSON value. */
static Datum
convert_populated(ColumnInput *column, const JsonField *field, bool *is_null)
{
	if (field->kind != JSON_FIELD_ARRAY && field->kind != JSON_FIELD_OBJECT)
		return convert_by_input_function(column, field, is_null);
	if (column->populate == NULL)
	{
		/* outlives the row, as the input function's own state does */
		MemoryContext row_context = MemoryContextSwitchTo(column->input.fn_mcxt);

		column->populate = json_populate_create(column->base_type, column->typmod);
		MemoryContextSwitchTo(row_context);
	}
	return json_populate_value(column->populate, input_text(field), is_null);
}

/* --- choosing ------------------------------------------------------------------------ */

static void
choose_converter(ColumnInput *column)
{
	switch (column->base_type)
	{
		case BOOLOID:
			column->convert = convert_bool;
			return;
		case INT2OID:
			column->convert = convert_int2;
			return;
		case INT4OID:
			column->convert = convert_int4;
			return;
		case INT8OID:
			column->convert = convert_int8;
			return;
		case FLOAT8OID:
			column->convert = convert_float8;
			return;
		case NUMERICOID:
			column->convert = convert_numeric;
			fmgr_info(F_NUMERIC_NUMERIC_INT4, &column->length_coercion);
			return;
		case TEXTOID:
			column->convert = convert_text;
			return;
		case JSONOID:
		case JSONBOID:
			column->convert = convert_json;
			return;
		default:
			column->convert = convert_populated;
			return;
	}
}

/* Numbers, booleans, dates and times: where R writes "NA" for a missing one. An enum or json could
 * have it for a value. */
static bool
is_na_null(char category)
{
	return category == TYPCATEGORY_NUMERIC || category == TYPCATEGORY_BOOLEAN ||
		   category == TYPCATEGORY_DATETIME || category == TYPCATEGORY_TIMESPAN;
}

static void
prepare_column(ColumnInput *column, Form_pg_attribute attribute)
{
	Oid input_function;
	Oid base_type;
	char category;
	bool is_preferred;

	column->name = pstrdup(NameStr(attribute->attname));
	column->type = attribute->atttypid;
	column->typmod = attribute->atttypmod;
	column->base_type = base_type = getBaseTypeAndTypmod(column->type, &column->typmod);
	if (get_typtype(base_type) == TYPTYPE_PSEUDO)
		ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("column \"%s\" has pseudo-type %s", column->name, format_type_be(base_type)),
				errhint("Cast it in the query, or name a row_type."));
	get_type_category_preferred(base_type, &category, &is_preferred);
	column->na_is_null = is_na_null(category);
	column->takes_array =
		category == TYPCATEGORY_ARRAY || base_type == JSONOID || base_type == JSONBOID;
	getTypeInputInfo(base_type, &input_function, &column->input_parameter);
	fmgr_info(input_function, &column->input);
	choose_converter(column);
}

RowInput *
row_input_create(TupleDesc row_desc)
{
	RowInput *input = palloc0(sizeof(RowInput));
	int natts = row_desc->natts;

	input->natts = natts;
	input->current_column = -1;
	input->columns = palloc0(sizeof(ColumnInput) * Max(natts, 1));
	input->names = palloc0(sizeof(char *) * Max(natts, 1));
	input->missing_counts = palloc0(sizeof(int64) * Max(natts, 1));
	input->na_counts = palloc0(sizeof(int64) * Max(natts, 1));
	for (int i = 0; i < natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(row_desc, i);

		input->names[i] = "";
		if (attribute->attisdropped)
			continue;
		prepare_column(&input->columns[i], attribute);
		input->names[i] = column_name_utf8(input->columns[i].name);
	}
	return input;
}

const char *const *
row_input_names(const RowInput *input)
{
	return input->names;
}

static const ColumnInput *
find_column(const RowInput *input, const char *key, size_t length)
{
	for (int i = 0; i < input->natts; i++)
	{
		if (input->columns[i].name != NULL && strlen(input->names[i]) == length &&
			memcmp(input->names[i], key, length) == 0)
			return &input->columns[i];
	}
	return NULL;
}

bool
row_input_has_column(const RowInput *input, const char *key, size_t length)
{
	return memchr(key, '\\', length) != NULL || find_column(input, key, length) != NULL;
}

bool
row_input_takes_array(const RowInput *input, const char *key, size_t length)
{
	const ColumnInput *column = find_column(input, key, length);

	return column != NULL && column->takes_array;
}

const char *
row_input_current_column(const RowInput *input)
{
	return input->current_column < 0 ? NULL : input->columns[input->current_column].name;
}

static bool
is_na(const ColumnInput *column, const JsonField *field)
{
	return column->na_is_null && field->kind == JSON_FIELD_STRING && field->length == 2 &&
		   memcmp(field->text, "NA", 2) == 0;
}

/* One value, or null; a domain has its say about either. */
static void
convert_field(ColumnInput *column, const JsonField *field, bool na, Datum *value, bool *is_null)
{
	*value = (Datum) 0;
	*is_null = na || field->kind == JSON_FIELD_NULL || field->kind == JSON_FIELD_MISSING;
	if (!*is_null)
		*value = column->convert(column, field, is_null);
	if (column->type != column->base_type)
		domain_check(*value, *is_null, column->type, &column->domain_state, column->input.fn_mcxt);
}

void
row_input_convert(RowInput *input, const JsonField *fields, bool na_is_null, Datum *values,
				  bool *nulls)
{
	for (int i = 0; i < input->natts; i++)
	{
		ColumnInput *column = &input->columns[i];
		const JsonField *field = &fields[i];
		bool na;

		if (column->name == NULL)
		{
			values[i] = (Datum) 0;
			nulls[i] = true;
			continue;
		}
		input->current_column = i;
		na = na_is_null && is_na(column, field);
		input->na_counts[i] += na;
		input->missing_counts[i] += field->kind == JSON_FIELD_MISSING;
		convert_field(column, field, na, &values[i], &nulls[i]);
	}
	input->current_column = -1;
}

const int64 *
row_input_missing_counts(const RowInput *input)
{
	return input->missing_counts;
}

const int64 *
row_input_na_counts(const RowInput *input)
{
	return input->na_counts;
}
