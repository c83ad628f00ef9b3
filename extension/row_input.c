/*
 * row_input.c - see row_input.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "column_name.h"
#include "row_input.h"

typedef struct ColumnInput
{
	const char *name; /* as the server has it, for messages; NULL for a dropped column */
	ValueInput *value;
	bool na_is_null;
} ColumnInput;

struct RowInput
{
	int natts;
	ColumnInput *columns;   /* [natts] */
	const char **names;     /* [natts], UTF-8 */
	RowInputCounts *counts; /* [natts] */
	int current_column;     /* -1: none */
};

static void
refuse_pseudo_type(Form_pg_attribute attribute)
{
	Oid type = getBaseType(attribute->atttypid);

	if (get_typtype(type) == TYPTYPE_PSEUDO)
		ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("column \"%s\" has pseudo-type %s", NameStr(attribute->attname),
					   format_type_be(type)),
				errhint("Cast it in the query, or name a row_type."));
}

static void
prepare_column(RowInput *input, int number, Form_pg_attribute attribute)
{
	ColumnInput *column = &input->columns[number];

	refuse_pseudo_type(attribute);
	column->name = pstrdup(NameStr(attribute->attname));
	column->value = value_input_create(attribute->atttypid, attribute->atttypmod,
									   &input->counts[number].within);
	column->na_is_null = value_input_na_is_null(column->value);
	input->names[number] = column_name_utf8(column->name);
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
	input->counts = palloc0(sizeof(RowInputCounts) * Max(natts, 1));
	for (int i = 0; i < natts; i++)
	{
		input->names[i] = "";
		if (!TupleDescAttr(row_desc, i)->attisdropped)
			prepare_column(input, i, TupleDescAttr(row_desc, i));
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

	return column != NULL && value_input_takes_array(column->value);
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

static void
convert_column(RowInput *input, int number, const JsonField *field, bool na_is_null, Datum *value,
			   bool *is_null)
{
	static const JsonField null = {.kind = JSON_FIELD_NULL};
	const ColumnInput *column = &input->columns[number];
	RowInputCounts *counts = &input->counts[number];

	input->current_column = number;
	if (field->kind == JSON_FIELD_MISSING)
		counts->missing_keys++;
	else if (na_is_null && is_na(column, field))
	{
		counts->na_strings++;
		field = &null;
	}
	*value = value_input_convert(column->value, field, is_null);
}

void
row_input_convert(RowInput *input, const JsonField *fields, bool na_is_null, Datum *values,
				  bool *nulls)
{
	for (int i = 0; i < input->natts; i++)
	{
		if (input->columns[i].name == NULL)
		{
			values[i] = (Datum) 0;
			nulls[i] = true;
		}
		else
			convert_column(input, i, &fields[i], na_is_null, &values[i], &nulls[i]);
	}
	input->current_column = -1;
}

const RowInputCounts *
row_input_counts(const RowInput *input)
{
	return input->counts;
}
