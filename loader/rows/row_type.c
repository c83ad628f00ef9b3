#include "rows/row_type.h"
#include "reference_row.h"
#include "rows/nested_type.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_TYPE_NAME 32 /* "timestamp without time zone" */

typedef struct BuiltinType
{
	const char *name; /* without modifier, in lower case */
	unsigned oid;     /* built-in OIDs never change: src/include/catalog/pg_type.dat */
	ColumnType type;
} BuiltinType;

/* Each type by the name that format_type writes, then by its other names. */
static const BuiltinType builtin_types[] = {
	{"boolean", 16, COLUMN_BOOL},
	{"bytea", 17, COLUMN_BYTEA},
	{"name", 19, COLUMN_TEXT},
	{"bigint", 20, COLUMN_INT8},
	{"smallint", 21, COLUMN_INT2},
	{"integer", 23, COLUMN_INT4},
	{"text", 25, COLUMN_TEXT},
	{"json", 114, COLUMN_JSON},
	{"real", 700, COLUMN_FLOAT4},
	{"double precision", 701, COLUMN_FLOAT8},
	{"money", 790, COLUMN_MONEY},
	{"character", 1042, COLUMN_BPCHAR},
	{"character varying", 1043, COLUMN_TEXT},
	{"date", 1082, COLUMN_DATE},
	{"time without time zone", 1083, COLUMN_TIME},
	{"timestamp without time zone", 1114, COLUMN_TIMESTAMP},
	{"timestamp with time zone", 1184, COLUMN_TIMESTAMPTZ},
	{"numeric", 1700, COLUMN_NUMERIC},
	{"uuid", 2950, COLUMN_UUID},
	{"jsonb", 3802, COLUMN_JSONB},
	{"bool", 16, COLUMN_BOOL},
	{"int8", 20, COLUMN_INT8},
	{"int2", 21, COLUMN_INT2},
	{"int4", 23, COLUMN_INT4},
	{"int", 23, COLUMN_INT4},
	{"float4", 700, COLUMN_FLOAT4},
	{"float8", 701, COLUMN_FLOAT8},
	{"float", 701, COLUMN_FLOAT8},
	{"char", 1042, COLUMN_BPCHAR},
	{"bpchar", 1042, COLUMN_BPCHAR},
	{"varchar", 1043, COLUMN_TEXT},
	{"time", 1083, COLUMN_TIME},
	{"timestamp", 1114, COLUMN_TIMESTAMP},
	{"timestamptz", 1184, COLUMN_TIMESTAMPTZ},
	{"decimal", 1700, COLUMN_NUMERIC},
};

#define BUILTIN_TYPES (sizeof(builtin_types) / sizeof(builtin_types[0]))

ColumnType
column_type_of_oid(unsigned type_oid)
{
	for (size_t i = 0; i < BUILTIN_TYPES; i++)
		if (builtin_types[i].oid == type_oid)
			return builtin_types[i].type;
	return COLUMN_OTHER;
}

bool
column_type_is_text(ColumnType type)
{
	switch (type)
	{
		case COLUMN_NUMERIC:
		case COLUMN_TEXT:
		case COLUMN_BPCHAR:
		case COLUMN_BYTEA:
		case COLUMN_JSON:
		case COLUMN_JSONB:
		case COLUMN_ENUM:
		case COLUMN_ARRAY:
		case COLUMN_COMPOSITE:
		case COLUMN_OTHER:
			return true;
		default:
			return false;
	}
}

bool
column_type_has_binary(ColumnType type)
{
	return type != COLUMN_OTHER;
}

/*
 * Writes the name as the table has it: in lower case, words one blank apart, the
 * modifier in brackets left out. False when it is longer than any in the table.
 */
static bool
simplify_type_name(const char *from, char to[LONGEST_TYPE_NAME])
{
	size_t length = 0;
	bool blank_due = false;

	for (; *from != '\0'; from++)
	{
		if (*from == '(')
		{
			size_t modifier = strcspn(from, ")");

			from += modifier;
			if (*from == '\0')
				return false;
			blank_due = true;
			continue;
		}
		if (isspace((unsigned char) *from))
		{
			blank_due = true;
			continue;
		}
		if (length + 2 >= LONGEST_TYPE_NAME)
			return false;
		if (blank_due && length > 0)
			to[length++] = ' ';
		blank_due = false;
		to[length++] = (char) tolower((unsigned char) *from);
	}
	to[length] = '\0';
	return true;
}

/* SQL's float(p) is real up to 24 bits. */
static bool
is_short_float(const char *simple_name, const char *type_name)
{
	const char *modifier = strchr(type_name, '(');

	return strcmp(simple_name, "float") == 0 && modifier != NULL &&
		   strtol(modifier + 1, NULL, 10) <= 24;
}

/* NULL when it is not a built-in's. */
static const BuiltinType *
find_by_name(const char *type_name)
{
	char simple[LONGEST_TYPE_NAME];
	const char *wanted = simple;

	if (!simplify_type_name(type_name, simple))
		return NULL;
	if (is_short_float(simple, type_name))
		wanted = "real";
	for (size_t i = 0; i < BUILTIN_TYPES; i++)
		if (strcmp(builtin_types[i].name, wanted) == 0)
			return &builtin_types[i];
	return NULL;
}

ColumnType
column_type_of_name(const char *type_name)
{
	const BuiltinType *found = find_by_name(type_name);

	return found == NULL ? COLUMN_OTHER : found->type;
}

RowType *
row_type_create(int columns)
{
	RowType *type = calloc(1, sizeof(RowType));

	if (type == NULL)
		return NULL;
	type->column = calloc((size_t) columns, sizeof(RowColumn));
	if (type->column == NULL)
	{
		free(type);
		return NULL;
	}
	type->columns = columns;
	for (int i = 0; i < columns; i++)
		type->column[i].type = COLUMN_OTHER;
	return type;
}

static void
free_column(RowColumn *column)
{
	free(column->name);
	free(column->type_name);
	nested_type_free(column->nested);
}

bool
row_type_set_column(RowType *type, int index, const char *name, const char *type_name,
					unsigned type_oid)
{
	RowColumn *column = &type->column[index];
	char *name_copy = strdup(name);
	char *type_name_copy = strdup(type_name);

	if (name_copy == NULL || type_name_copy == NULL)
	{
		free(name_copy);
		free(type_name_copy);
		return false;
	}
	if (type_oid == 0)
	{
		const BuiltinType *found = find_by_name(type_name);

		type_oid = found == NULL ? 0 : found->oid;
	}
	free_column(column);
	*column = (RowColumn){.name = name_copy,
						  .type_name = type_name_copy,
						  .type_oid = type_oid,
						  .type = column_type_of_oid(type_oid)};
	return true;
}

void
row_type_free(RowType *type)
{
	if (type == NULL)
		return;
	for (int i = 0; i < type->columns; i++)
		free_column(&type->column[i]);
	free(type->column);
	free(type);
}

void
row_type_set_family(RowType *type, int index, unsigned type_oid, ColumnType family,
					NestedType *nested)
{
	RowColumn *column = &type->column[index];

	nested_type_free(column->nested);
	column->type_oid = type_oid;
	column->type = family;
	column->nested = nested;
	column->is_compound = false;
}

static bool
copy_column(RowType *to, int index, const RowColumn *from)
{
	NestedType *nested = from->nested == NULL ? NULL : nested_type_copy(from->nested);

	if ((nested == NULL && from->nested != NULL) ||
		!row_type_set_column(to, index, from->name, from->type_name, from->type_oid))
	{
		nested_type_free(nested);
		return false;
	}
	row_type_set_family(to, index, from->type_oid, from->type, nested);
	to->column[index].is_compound = from->is_compound;
	return true;
}

RowType *
row_type_copy(const RowType *type)
{
	RowType *copy = row_type_create(type->columns);

	for (int i = 0; copy != NULL && i < type->columns; i++)
	{
		if (copy_column(copy, i, &type->column[i]))
			continue;
		row_type_free(copy);
		copy = NULL;
	}
	return copy;
}

bool
row_column_is_same(const RowColumn *one, const RowColumn *other)
{
	return one->type == other->type && nested_type_is_same(one->nested, other->nested);
}

RowType *
row_type_reference(void)
{
	static const char *const type_names[REFERENCE_ROW_COLUMNS] = {"bigint",
																  "bigint",
																  "timestamp with time zone",
																  "numeric(12,2)",
																  "double precision",
																  "boolean",
																  "text",
																  "text"};
	RowType *type = row_type_create(REFERENCE_ROW_COLUMNS);

	for (int i = 0; type != NULL && i < REFERENCE_ROW_COLUMNS; i++)
	{
		if (!row_type_set_column(type, i, reference_row_column_names[i], type_names[i], 0))
		{
			row_type_free(type);
			type = NULL;
		}
	}
	return type;
}
