/*
 * value_input.c - see value_input.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "array_input.h"
#include "composite_input.h"
#include "json_number.h"
#include "json_scan.h"
#include "json_value.h"
#include "value_input.h"

/* of a scalar within an array, converted without an allocation */
#define SHORT_TEXT_BYTES 64

typedef Datum (*ValueConvert)(ValueInput *input, const JsonField *field);

struct ValueInput
{
	Oid type; /* as declared; a domain perhaps */
	Oid base_type;
	int32 typmod; /* of the base type */
	ValueConvert convert;
	FmgrInfo input; /* of the base type */
	Oid input_parameter;
	FmgrInfo length_coercion;  /* numeric's typmod function */
	Oid element_type;          /* of arrays, else InvalidOid */
	ArrayInput *array;         /* made when the first JSON array comes */
	CompositeInput *composite; /* made when the first JSON object comes */
	ValueInputCounts *counts;
	void *domain_state; /* of domain_check */
	Oid domain_parameter;
	FmgrInfo domain_input; /* fn_oid InvalidOid unless the domain is checked by that */
};

/* --- one function per kind of type --------------------------------------------------- */

static Datum
convert_by_input_function(ValueInput *input, const JsonField *field)
{
	return InputFunctionCall(&input->input, json_value_text(field), input->input_parameter,
							 input->typmod);
}

static Datum
convert_bool(ValueInput *input, const JsonField *field)
{
	if (field->kind == JSON_FIELD_BOOL)
		return BoolGetDatum(field->boolean);
	return convert_by_input_function(input, field);
}

static Datum
convert_int2(ValueInput *input, const JsonField *field)
{
	if (!json_value_is_number(field))
		return convert_by_input_function(input, field);
	return Int16GetDatum((int16) json_value_integer(field, "smallint", PG_INT16_MIN, PG_INT16_MAX));
}

static Datum
convert_int4(ValueInput *input, const JsonField *field)
{
	if (!json_value_is_number(field))
		return convert_by_input_function(input, field);
	return Int32GetDatum((int32) json_value_integer(field, "integer", PG_INT32_MIN, PG_INT32_MAX));
}

static Datum
convert_int8(ValueInput *input, const JsonField *field)
{
	if (!json_value_is_number(field))
		return convert_by_input_function(input, field);
	return Int64GetDatum(json_value_integer(field, "bigint", PG_INT64_MIN, PG_INT64_MAX));
}

/* Numbers of other kinds that are integers: their input functions know no exponent either. */
static Datum
convert_identifier(ValueInput *input, const JsonField *field)
{
	JsonField integer = {.kind = JSON_FIELD_INTEGER};

	if (field->kind == JSON_FIELD_NUMBER &&
		json_number_to_int64(field->text, field->length, &integer.integer) == JSON_NUMBER_OK)
		field = &integer;
	return convert_by_input_function(input, field);
}

static Datum
convert_float8(ValueInput *input, const JsonField *field)
{
	if (field->kind == JSON_FIELD_INTEGER)
		return Float8GetDatum((double) field->integer);
	if (field->kind == JSON_FIELD_NUMBER || field->kind == JSON_FIELD_STRING)
		return DirectFunctionCall1(float8in, CStringGetDatum(json_value_text(field)));
	return convert_by_input_function(input, field);
}

static Datum
convert_numeric(ValueInput *input, const JsonField *field)
{
	Datum value;

	if (field->kind != JSON_FIELD_INTEGER)
		return convert_by_input_function(input, field);
	value = NumericGetDatum(int64_to_numeric(field->integer));
	if (input->typmod >= 0)
		value = FunctionCall2(&input->length_coercion, value, Int32GetDatum(input->typmod));
	return value;
}

/* Its input function takes the decimal point for what lc_monetary says it is. */
static Datum
convert_money(ValueInput *input, const JsonField *field)
{
	Datum value;

	if (!json_value_is_number(field))
		return convert_by_input_function(input, field);
	value = DirectFunctionCall3(numeric_in, CStringGetDatum(json_value_text(field)),
								ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	return DirectFunctionCall1(numeric_cash, value);
}

static Datum
convert_text(ValueInput *input, const JsonField *field)
{
	size_t length;
	const char *text;

	if (field->kind != JSON_FIELD_STRING)
		return CStringGetTextDatum(json_value_text(field));
	text = json_value_server_text(field->text, field->length, &length);
	return PointerGetDatum(cstring_to_text_with_len(text, length));
}

static Datum
convert_json(ValueInput *input, const JsonField *field)
{
	char *text =
		field->kind == JSON_FIELD_STRING ? json_value_quoted(field) : json_value_text(field);

	return InputFunctionCall(&input->input, text, input->input_parameter, input->typmod);
}

static void
refuse_kind(const ValueInput *input, const char *expected)
{
	ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			errmsg("expected a JSON %s for type %s", expected, format_type_be(input->base_type)));
}

/* A string is the array as its input function has it. */
static Datum
convert_array(ValueInput *input, const JsonField *field)
{
	if (field->kind == JSON_FIELD_STRING)
		return convert_by_input_function(input, field);
	if (field->kind != JSON_FIELD_ARRAY)
		refuse_kind(input, "array");
	if (input->array == NULL)
	{
		/* outlives the row, as the input function's own state does */
		MemoryContext caller_context = MemoryContextSwitchTo(input->input.fn_mcxt);

		input->array = array_input_create(input->element_type, input->typmod, input->counts);
		MemoryContextSwitchTo(caller_context);
	}
	return array_input_convert(input->array, field->text, field->length);
}

/* int2vector and oidvector: arrays of one dimension, whose lower bound is 0, without nulls. */
static Datum
convert_vector(ValueInput *input, const JsonField *field)
{
	Datum value = convert_array(input, field);
	ArrayType *array = DatumGetArrayTypeP(value);

	if (field->kind == JSON_FIELD_STRING)
		return value;
	if (ARR_NDIM(array) == 0)
		return InputFunctionCall(&input->input, "", input->input_parameter, input->typmod);
	if (ARR_NDIM(array) > 1 || ARR_HASNULL(array))
		ereport(ERROR, errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				errmsg("a value of type %s has one dimension and no nulls",
					   format_type_be(input->base_type)));
	ARR_LBOUND(array)[0] = 0;
	return value;
}

static Datum
convert_composite(ValueInput *input, const JsonField *field)
{
	if (field->kind == JSON_FIELD_STRING)
		return convert_by_input_function(input, field);
	if (field->kind != JSON_FIELD_OBJECT)
		refuse_kind(input, "object");
	if (input->composite == NULL)
	{
		MemoryContext caller_context = MemoryContextSwitchTo(input->input.fn_mcxt);

		input->composite = composite_input_create(input->base_type, input->counts);
		MemoryContextSwitchTo(caller_context);
	}
	return composite_input_convert(input->composite, field->text, field->length);
}

/* --- choosing ------------------------------------------------------------------------ */

static const struct
{
	Oid type;
	ValueConvert convert;
} converters[] = {
	{BOOLOID, convert_bool},        {INT2OID, convert_int2},      {INT4OID, convert_int4},
	{INT8OID, convert_int8},        {FLOAT8OID, convert_float8},  {NUMERICOID, convert_numeric},
	{MONEYOID, convert_money},      {TEXTOID, convert_text},      {JSONOID, convert_json},
	{JSONBOID, convert_json},       {OIDOID, convert_identifier}, {XIDOID, convert_identifier},
	{XID8OID, convert_identifier},  {CIDOID, convert_identifier}, {INT2VECTOROID, convert_vector},
	{OIDVECTOROID, convert_vector},
};

static ValueConvert
choose_converter(const ValueInput *input)
{
	for (int i = 0; i < lengthof(converters); i++)
	{
		if (converters[i].type == input->base_type)
			return converters[i].convert;
	}
	if (OidIsValid(input->element_type))
		return convert_array;
	if (get_typtype(input->base_type) == TYPTYPE_COMPOSITE)
		return convert_composite;
	return convert_by_input_function;
}

/*
 * domain_check looks for a binary input function of the base type, though it
 * does not call it, and fails without one (aclitem has none).
 */
static bool
has_binary_input(Oid type)
{
	HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	bool has_function;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("type %u does not exist", type));
	has_function = OidIsValid(((Form_pg_type) GETSTRUCT(tuple))->typreceive);
	ReleaseSysCache(tuple);
	return has_function;
}

static void
prepare_domain(ValueInput *input)
{
	Oid input_function;

	if (has_binary_input(input->base_type))
		return;
	getTypeInputInfo(input->type, &input_function, &input->domain_parameter);
	fmgr_info(input_function, &input->domain_input);
}

ValueInput *
value_input_create(Oid type, int32 typmod, ValueInputCounts *counts)
{
	ValueInput *input = palloc0(sizeof(ValueInput));
	Oid input_function;

	input->type = type;
	input->typmod = typmod;
	input->base_type = getBaseTypeAndTypmod(type, &input->typmod);
	input->element_type = get_element_type(input->base_type);
	input->counts = counts;
	getTypeInputInfo(input->base_type, &input_function, &input->input_parameter);
	fmgr_info(input_function, &input->input);
	if (input->base_type == NUMERICOID)
		fmgr_info(F_NUMERIC_NUMERIC_INT4, &input->length_coercion);
	input->convert = choose_converter(input);
	if (input->type != input->base_type)
		prepare_domain(input);
	return input;
}

bool
value_input_is_array(const ValueInput *input)
{
	return OidIsValid(input->element_type);
}

bool
value_input_takes_array(const ValueInput *input)
{
	return value_input_is_array(input) || input->convert == convert_json;
}

bool
value_input_na_is_null(const ValueInput *input)
{
	char category;
	bool is_preferred;

	get_type_category_preferred(input->base_type, &category, &is_preferred);
	return category == TYPCATEGORY_NUMERIC || category == TYPCATEGORY_BOOLEAN ||
		   category == TYPCATEGORY_DATETIME || category == TYPCATEGORY_TIMESPAN;
}

/* --- converting ---------------------------------------------------------------------- */

static Datum
convert_domain(ValueInput *input, const JsonField *field, bool is_null)
{
	Datum value;

	if (OidIsValid(input->domain_input.fn_oid))
		return InputFunctionCall(&input->domain_input, is_null ? NULL : json_value_text(field),
								 input->domain_parameter, -1);
	value = is_null ? (Datum) 0 : input->convert(input, field);
	domain_check(value, is_null, input->type, &input->domain_state, input->input.fn_mcxt);
	return value;
}

Datum
value_input_convert(ValueInput *input, const JsonField *field, bool *is_null)
{
	*is_null = field->kind == JSON_FIELD_NULL || field->kind == JSON_FIELD_MISSING;
	if (input->type != input->base_type)
		return convert_domain(input, field, *is_null);
	return *is_null ? (Datum) 0 : input->convert(input, field);
}

/*
 * An array or object within a compact text is compact itself, and is lent from
 * there; so is a string for json, which keeps its spelling.
 */
Datum
value_input_convert_text(ValueInput *input, const char *json, const char *json_end, bool *is_null)
{
	char short_text[SHORT_TEXT_BYTES];
	size_t length = (size_t) (json_end - json);
	JsonField field = {.text = json, .length = length};
	char *copy = short_text;

	if (*json == '[')
		field.kind = JSON_FIELD_ARRAY;
	else if (*json == '{' || (*json == '"' && input->convert == convert_json))
		field.kind = JSON_FIELD_OBJECT;
	else
	{
		if (length >= sizeof(short_text))
			copy = palloc(length + 1);
		(void) json_scan_field(&field, copy, json, json_end);
	}
	return value_input_convert(input, &field, is_null);
}
