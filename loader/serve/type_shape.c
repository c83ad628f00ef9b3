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

/* What the catalog says of a type. */
typedef struct TypeRow
{
	char kind; /* pg_type.typtype */
	Oid element, base, relation;
	char delimiter;
} TypeRow;

static const TypeShape text_shape = {.kind = TYPE_SHAPE_TEXT};
static const TypeShape integer_shape = {.kind = TYPE_SHAPE_INTEGER};
static const TypeShape json_shape = {.kind = TYPE_SHAPE_JSON};

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
	return database_fail(database, "out of memory");
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
	return type_shapes_load(&made->element, &type->element, 1, depth + 1, database);
}

/* Rows: names and types. */
static DatabaseResult
take_attributes(TypeShape *made, const PGresult *rows, int depth, Database *database)
{
	int count = PQntuples(rows);
	Oid *types = calloc((size_t) count + 1, sizeof(Oid));
	const TypeShape **shapes = calloc((size_t) count + 1, sizeof(TypeShape *));
	DatabaseResult taken = DATABASE_OK;

	made->attribute = calloc((size_t) count + 1, sizeof(TypeAttribute));
	if (types == NULL || shapes == NULL || made->attribute == NULL)
		taken = out_of_memory(database);
	for (int i = 0; i < count && taken == DATABASE_OK; i++)
	{
		types[i] = oid_of(rows, i, 1);
		made->attribute[i].name = strdup(PQgetvalue(rows, i, 0));
		made->attributes++;
		if (made->attribute[i].name == NULL)
			taken = out_of_memory(database);
	}
	if (taken == DATABASE_OK)
	{
		taken = type_shapes_load(shapes, types, count, depth + 1, database);
		for (int i = 0; i < count; i++)
			made->attribute[i].shape = shapes[i];
	}
	free(shapes);
	free(types);
	return taken;
}

static DatabaseResult
make_composite(const TypeShape **shape, const TypeRow *type, int depth, Database *database)
{
	TypeShape *made = calloc(1, sizeof(TypeShape));
	char sql[320];
	PGresult *rows;
	DatabaseResult result;

	if (made == NULL)
		return out_of_memory(database);
	made->kind = TYPE_SHAPE_COMPOSITE;
	*shape = made;
	snprintf(sql, sizeof(sql),
			 "SELECT a.attname, a.atttypid FROM pg_catalog.pg_attribute a"
			 " WHERE a.attrelid OPERATOR(pg_catalog.=) %u::pg_catalog.oid"
			 " AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped ORDER BY a.attnum",
			 type->relation);
	result = database_run(database, sql, DATABASE_WAIT_FOREVER, &rows);
	if (result != DATABASE_OK)
		return result;
	result = take_attributes(made, rows, depth, database);
	PQclear(rows);
	return result;
}

static DatabaseResult
make_shape(const TypeShape **shape, const TypeRow *type, int depth, Database *database)
{
	if (type->kind == 'd')
		return type_shapes_load(shape, &type->base, 1, depth, database);
	if (depth < TYPE_SHAPE_MAX_DEPTH && type->kind == 'b' && type->element != 0)
		return make_array(shape, type, depth, database);
	if (depth < TYPE_SHAPE_MAX_DEPTH && type->kind == 'c')
		return make_composite(shape, type, depth, database);
	*shape = &text_shape;
	return DATABASE_OK;
}

/* Asks the catalog for the types whose shape is not known yet. */
static DatabaseResult
ask(const TypeShape *const *shapes, const Oid *types, int count, Database *database,
	PGresult **rows)
{
	char *sql = NULL;
	size_t length;
	FILE *text = open_memstream(&sql, &length);
	const char *before = "{";
	DatabaseResult asked;

	if (text == NULL)
		return out_of_memory(database);
	fputs("SELECT t.oid, t.typtype, CASE WHEN t.typinput::pg_catalog.oid OPERATOR(pg_catalog.=)"
		  " 'pg_catalog.array_in'::pg_catalog.regproc::pg_catalog.oid THEN t.typelem ELSE 0 END,"
		  " t.typbasetype, t.typrelid, t.typdelim FROM pg_catalog.pg_type t"
		  " WHERE t.oid OPERATOR(pg_catalog.=) ANY ('",
		  text);
	for (int i = 0; i < count; i++)
	{
		if (shapes[i] != NULL)
			continue;
		fprintf(text, "%s%u", before, types[i]);
		before = ",";
	}
	fputs("}'::pg_catalog.oid[])", text);
	if (fclose(text) != 0)
	{
		free(sql);
		return out_of_memory(database);
	}
	asked = database_run(database, sql, DATABASE_WAIT_FOREVER, rows);
	free(sql);
	return asked;
}

/* The shape of a type among the rows that the catalog gave. */
static DatabaseResult
take_shape(const TypeShape **shape, Oid type, const PGresult *rows, int depth, Database *database)
{
	for (int row = 0; row < PQntuples(rows); row++)
	{
		TypeRow found = {
			.kind = *PQgetvalue(rows, row, 1),
			.element = oid_of(rows, row, 2),
			.base = oid_of(rows, row, 3),
			.relation = oid_of(rows, row, 4),
			.delimiter = *PQgetvalue(rows, row, 5),
		};

		if (oid_of(rows, row, 0) == type)
			return make_shape(shape, &found, depth, database);
	}
	/* dropped a moment ago: the server will say so */
	*shape = &text_shape;
	return DATABASE_OK;
}

DatabaseResult
type_shapes_load(const TypeShape **shapes, const Oid *types, int count, int depth,
				 Database *database)
{
	int unknown = 0;
	PGresult *rows;
	DatabaseResult result;

	for (int i = 0; i < count; i++)
	{
		shapes[i] = find_known(types[i]);
		unknown += shapes[i] == NULL;
	}
	if (unknown == 0)
		return DATABASE_OK;
	result = ask(shapes, types, count, database, &rows);
	if (result != DATABASE_OK)
		return result;
	for (int i = 0; i < count && result == DATABASE_OK; i++)
		if (shapes[i] == NULL)
			result = take_shape(&shapes[i], types[i], rows, depth, database);
	PQclear(rows);
	return result;
}
