#include "serve/type_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* pg_type.dat: those of no interest here keep their OIDs for ever, and need not be asked for. */
enum
{
	OID_BOOL = 16,
	OID_BYTEA = 17,
	OID_INT8 = 20,
	OID_INT2 = 21,
	OID_INT4 = 23,
	OID_TEXT = 25,
	OID_OID = 26,
	OID_JSON = 114,
	OID_FLOAT4 = 700,
	OID_FLOAT8 = 701,
	OID_BPCHAR = 1042,
	OID_VARCHAR = 1043,
	OID_DATE = 1082,
	OID_TIMESTAMP = 1114,
	OID_TIMESTAMPTZ = 1184,
	OID_NUMERIC = 1700,
	OID_UUID = 2950,
	OID_JSONB = 3802,
};

/* One row of TYPE_SHAPE_SELECT. */
typedef struct TypeRow
{
	Oid oid;
	char kind; /* pg_type.typtype */
	Oid element, base, relation;
	char delimiter;
} TypeRow;

static const TypeShape text_shape = {.kind = TYPE_SHAPE_TEXT};
static const TypeShape integer_shape = {.kind = TYPE_SHAPE_INTEGER};
static const TypeShape json_shape = {.kind = TYPE_SHAPE_JSON};

static DatabaseResult load(const TypeShape **shape, Oid type, int depth, Database *database);

/* NULL when the catalog must be asked. */
static const TypeShape *
find_known(Oid type)
{
	switch (type)
	{
		case OID_INT2:
		case OID_INT4:
		case OID_INT8:
		case OID_OID:
			return &integer_shape;
		case OID_JSON:
		case OID_JSONB:
			return &json_shape;
		case OID_BOOL:
		case OID_BYTEA:
		case OID_TEXT:
		case OID_FLOAT4:
		case OID_FLOAT8:
		case OID_BPCHAR:
		case OID_VARCHAR:
		case OID_DATE:
		case OID_TIMESTAMP:
		case OID_TIMESTAMPTZ:
		case OID_NUMERIC:
		case OID_UUID:
			return &text_shape;
		default:
			return NULL;
	}
}

void
type_shape_free(const TypeShape *shape)
{
	if (shape == NULL || (shape->kind != TYPE_SHAPE_ARRAY && shape->kind != TYPE_SHAPE_COMPOSITE))
		return;
	type_shape_free(shape->element);
	for (int i = 0; i < shape->attributes; i++)
	{
		free(shape->attribute[i].name);
		type_shape_free(shape->attribute[i].shape);
	}
	free(shape->attribute);
	free((TypeShape *) shape);
}

static DatabaseResult
out_of_memory(Database *database)
{
	*database->sqlstate = '\0';
	snprintf(database->message, sizeof(database->message), "out of memory");
	return DATABASE_FAILED;
}

static Oid
oid_of(const PGresult *rows, int row, int column)
{
	return (Oid) strtoul(PQgetvalue(rows, row, column), NULL, 10);
}

static DatabaseResult
make_array(const TypeShape **shape, const TypeRow *type, int depth, Database *database)
{
	TypeShape *made = calloc(1, sizeof(TypeShape));

	if (made == NULL)
		return out_of_memory(database);
	made->kind = TYPE_SHAPE_ARRAY;
	made->delimiter = type->delimiter;
	*shape = made;
	return load(&made->element, type->element, depth + 1, database);
}

static DatabaseResult
take_attributes(TypeShape *made, const PGresult *rows, int depth, Database *database)
{
	int attributes = PQntuples(rows);
	DatabaseResult taken = DATABASE_OK;

	made->attribute = calloc((size_t) attributes + 1, sizeof(TypeAttribute));
	if (made->attribute == NULL)
		return out_of_memory(database);
	for (int i = 0; i < attributes && taken == DATABASE_OK; i++)
	{
		made->attributes++;
		made->attribute[i].name = strdup(PQgetvalue(rows, i, 0));
		if (made->attribute[i].name == NULL)
			return out_of_memory(database);
		taken = type_shape_make(&made->attribute[i].shape, rows, i, 1, depth + 1, database);
	}
	return taken;
}

static DatabaseResult
make_composite(const TypeShape **shape, const TypeRow *type, int depth, Database *database)
{
	TypeShape *made = calloc(1, sizeof(TypeShape));
	char sql[640];
	PGresult *rows;
	DatabaseResult result;

	if (made == NULL)
		return out_of_memory(database);
	made->kind = TYPE_SHAPE_COMPOSITE;
	*shape = made;
	snprintf(sql, sizeof(sql),
			 "SELECT a.attname, " TYPE_SHAPE_SELECT
			 " FROM pg_catalog.pg_attribute a, pg_catalog.pg_type t"
			 " WHERE a.attrelid OPERATOR(pg_catalog.=) %u::pg_catalog.oid"
			 " AND t.oid OPERATOR(pg_catalog.=) a.atttypid"
			 " AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped ORDER BY a.attnum",
			 type->relation);
	result = database_run(database, sql, DATABASE_WAIT_FOREVER, &rows);
	if (result != DATABASE_OK)
		return result;
	result = take_attributes(made, rows, depth, database);
	PQclear(rows);
	return result;
}

DatabaseResult
type_shape_make(const TypeShape **shape, const PGresult *rows, int row, int first_column, int depth,
				Database *database)
{
	TypeRow type = {
		.oid = oid_of(rows, row, first_column),
		.kind = *PQgetvalue(rows, row, first_column + 1),
		.element = oid_of(rows, row, first_column + 2),
		.base = oid_of(rows, row, first_column + 3),
		.relation = oid_of(rows, row, first_column + 4),
		.delimiter = *PQgetvalue(rows, row, first_column + 5),
	};

	*shape = find_known(type.oid);
	if (*shape != NULL)
		return DATABASE_OK;
	if (type.kind == 'd')
		return load(shape, type.base, depth, database);
	if (depth < TYPE_SHAPE_MAX_DEPTH && type.kind == 'b' && type.element != 0)
		return make_array(shape, &type, depth, database);
	if (depth < TYPE_SHAPE_MAX_DEPTH && type.kind == 'c')
		return make_composite(shape, &type, depth, database);
	*shape = &text_shape;
	return DATABASE_OK;
}

static DatabaseResult
load(const TypeShape **shape, Oid type, int depth, Database *database)
{
	char sql[512];
	PGresult *rows;
	DatabaseResult result;

	*shape = find_known(type);
	if (*shape != NULL)
		return DATABASE_OK;
	snprintf(sql, sizeof(sql),
			 "SELECT " TYPE_SHAPE_SELECT " FROM pg_catalog.pg_type t"
			 " WHERE t.oid OPERATOR(pg_catalog.=) %u::pg_catalog.oid",
			 type);
	result = database_run(database, sql, DATABASE_WAIT_FOREVER, &rows);
	if (result != DATABASE_OK)
		return result;
	if (PQntuples(rows) == 1)
		result = type_shape_make(shape, rows, 0, 0, depth, database);
	else
		*shape = &text_shape;
	PQclear(rows);
	return result;
}
