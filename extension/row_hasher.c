/*
 * row_hasher.c - see row_hasher.h.
 */
#include "postgres.h"

#include "column_name.h"
#include "row_hasher.h"

typedef struct ColumnHasher
{
	int attribute; /* 0-based, in the row type */
	const char *name;
	ValueHasher *value;
	ValueHasherScope scope;
} ColumnHasher;

struct RowHasher
{
	int columns;
	ColumnHasher *column; /* [columns] */
	uint64 *hashes;       /* [columns] */

	/* where we are, for errors */
	int64 row;     /* from 1 */
	int in_column; /* index into `column` */
};

static void
prepare_column(ColumnHasher *column, int number, Form_pg_attribute attribute, JsonHasher *json)
{
	const char *name = NameStr(attribute->attname);
	const char *utf8_name = column_name_utf8(name);

	column->attribute = number;
	column->name = name;
	column->scope.json = json;
	column->value = value_hasher_create(
		attribute->atttypid, row_digest_column_seed(utf8_name, strlen(utf8_name)), &column->scope);
}

RowHasher *
row_hasher_create(TupleDesc row_desc)
{
	RowHasher *hasher = palloc0(sizeof(RowHasher));
	JsonHasher *json = json_hasher_create();

	hasher->column = palloc0(sizeof(ColumnHasher) * Max(row_desc->natts, 1));
	hasher->hashes = palloc0(sizeof(uint64) * Max(row_desc->natts, 1));
	for (int i = 0; i < row_desc->natts; i++)
	{
		if (!TupleDescAttr(row_desc, i)->attisdropped)
			prepare_column(&hasher->column[hasher->columns++], i, TupleDescAttr(row_desc, i), json);
	}
	return hasher;
}

bool
row_hasher_same_family(const RowHasher *a, int a_column, const RowHasher *b, int b_column)
{
	return value_hasher_same_family(a->column[a_column].value, b->column[b_column].value);
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

int
row_hasher_attribute(const RowHasher *hasher, int column)
{
	return hasher->column[column].attribute;
}

ValueHasher *
row_hasher_value_hasher(const RowHasher *hasher, int column)
{
	return hasher->column[column].value;
}

uint64
row_hasher_scale_sum(const RowHasher *hasher, int column)
{
	return hasher->column[column].scope.scale_sum;
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
		const ColumnHasher *column = &hasher->column[i];

		hasher->in_column = i;
		hasher->hashes[i] =
			value_hasher_hash(column->value, values[column->attribute], nulls[column->attribute]);
	}
	error_context_stack = place.previous;
	return hasher->hashes;
}
