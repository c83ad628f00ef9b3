#include "database/type_catalog.h"
#include "rows/nested_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries of the catalog name schemas and operators in full: whatever the search path is, and
 * whoever may plant things on it. */
#define IS " OPERATOR(pg_catalog.=) "

/*
 * A row for each type that is used, directly or within another one, and of a composite for each
 * attribute. UNION takes each type once, so this ends whatever refers to what. Only what array_in
 * reads has the text and the binary form of an array.
 */
#define TYPES_QUERY                                                                                \
	"WITH RECURSIVE used(oid) AS ("                                                                \
	" SELECT given.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) AS given(oid)"                 \
	" UNION"                                                                                       \
	" SELECT part.oid FROM used u JOIN pg_catalog.pg_type t ON t.oid" IS "u.oid"                   \
	" CROSS JOIN LATERAL ("                                                                        \
	"  SELECT t.typbasetype WHERE t.typtype" IS "'d'::pg_catalog.\"char\""                         \
	"  UNION ALL SELECT t.typelem WHERE t.typinput::pg_catalog.oid" IS ARRAY_IN                    \
	"  UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a WHERE " IS_ATTRIBUTE             \
	" ) AS part(oid))"                                                                             \
	" SELECT t.oid, t.typtype,"                                                                    \
	" CASE WHEN t.typinput::pg_catalog.oid" IS ARRAY_IN " THEN t.typelem ELSE 0 END,"              \
	" t.typbasetype, t.typdelim, a.attname, a.atttypid"                                            \
	" FROM used u JOIN pg_catalog.pg_type t ON t.oid" IS "u.oid"                                   \
	" LEFT JOIN pg_catalog.pg_attribute a ON " IS_ATTRIBUTE                                        \
	" ORDER BY t.oid USING OPERATOR(pg_catalog.<), a.attnum USING OPERATOR(pg_catalog.<)"
#define ARRAY_IN "'pg_catalog.array_in'::pg_catalog.regproc::pg_catalog.oid"
#define IS_ATTRIBUTE                                                                               \
	"t.typtype" IS "'c'::pg_catalog.\"char\" AND a.attrelid" IS "t.typrelid"                       \
	" AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped"

enum
{
	FIELD_OID,
	FIELD_KIND,
	FIELD_ELEMENT,
	FIELD_BASE,
	FIELD_DELIMITER,
	FIELD_NAME,
	FIELD_ATTRIBUTE_TYPE,
};

/* The building of one column's type. */
typedef struct Build
{
	const PGresult *rows;
	int members; /* made so far */
	bool is_out_of_memory;
} Build;

/* --- rows ------------------------------------------------------------------------------------- */

static unsigned
oid_at(const Build *build, int row, int field)
{
	return (unsigned) strtoul(PQgetvalue(build->rows, row, field), NULL, 10);
}

static char
char_at(const Build *build, int row, int field)
{
	return *PQgetvalue(build->rows, row, field);
}

/* The first row of a type, or -1. */
static int
find_row(const Build *build, unsigned oid)
{
	for (int row = 0; row < PQntuples(build->rows); row++)
	{
		if (oid_at(build, row, FIELD_OID) == oid)
			return row;
	}
	return -1;
}

/* The row of what a type is, which for a domain is what it is over, whatever that is over; or
 * -1. Domains cannot be over each other in a circle, but rows are only what a server says. */
static int
find_base_row(const Build *build, unsigned oid)
{
	int row = find_row(build, oid);

	for (int steps = 0; row >= 0 && char_at(build, row, FIELD_KIND) == 'd'; steps++)
	{
		if (steps == PQntuples(build->rows))
			return -1;
		row = find_row(build, oid_at(build, row, FIELD_BASE));
	}
	return row;
}

/* --- types ------------------------------------------------------------------------------------ */

static bool make_member(Build *build, NestedMember *member, unsigned oid, int depth);

/* NULL when a part of it is of no known form, or when there is too much of it. */
static NestedType *
start_nested(Build *build, ColumnType type, int members, int depth)
{
	NestedType *made;

	build->members += members;
	if (depth >= TYPE_CATALOG_MAX_DEPTH || build->members > TYPE_CATALOG_MAX_MEMBERS)
		return NULL;
	made = nested_type_create(type, members);
	build->is_out_of_memory |= made == NULL;
	return made;
}

static NestedType *
make_array(Build *build, int row, int depth)
{
	NestedType *made = start_nested(build, COLUMN_ARRAY, 1, depth);

	if (made == NULL)
		return NULL;
	made->delimiter = char_at(build, row, FIELD_DELIMITER);
	if (make_member(build, &made->member[0], oid_at(build, row, FIELD_ELEMENT), depth + 1))
		return made;
	nested_type_free(made);
	return NULL;
}

static bool
make_attribute(Build *build, NestedMember *member, int row, int depth)
{
	member->name = strdup(PQgetvalue(build->rows, row, FIELD_NAME));
	build->is_out_of_memory |= member->name == NULL;
	return member->name != NULL &&
		   make_member(build, member, oid_at(build, row, FIELD_ATTRIBUTE_TYPE), depth + 1);
}

/* Its rows follow each other; one without a name is there when it has no attribute. */
static NestedType *
make_composite(Build *build, int row, int depth)
{
	unsigned oid = oid_at(build, row, FIELD_OID);
	int members = 0;
	NestedType *made;

	while (row + members < PQntuples(build->rows) &&
		   oid_at(build, row + members, FIELD_OID) == oid &&
		   !PQgetisnull(build->rows, row + members, FIELD_NAME))
		members++;
	made = start_nested(build, COLUMN_COMPOSITE, members, depth);
	for (int i = 0; made != NULL && i < members; i++)
	{
		if (make_attribute(build, &made->member[i], row + i, depth))
			continue;
		nested_type_free(made);
		made = NULL;
	}
	return made;
}

/* False when the family is not known: then there is nothing to be freed. */
static bool
make_member(Build *build, NestedMember *member, unsigned oid, int depth)
{
	int row = find_base_row(build, oid);

	if (row < 0)
		return false;
	member->type_oid = oid;
	member->base_oid = oid_at(build, row, FIELD_OID);
	member->type = column_type_of_oid(member->base_oid);
	if (member->type != COLUMN_OTHER)
		return true;
	if (char_at(build, row, FIELD_KIND) == 'e')
		member->type = COLUMN_ENUM;
	else if (oid_at(build, row, FIELD_ELEMENT) != 0)
		member->nested = make_array(build, row, depth);
	else if (char_at(build, row, FIELD_KIND) == 'c')
		member->nested = make_composite(build, row, depth);
	if (member->nested != NULL)
		member->type = member->nested->type;
	return member->type != COLUMN_OTHER;
}

/* --- columns ---------------------------------------------------------------------------------- */

static bool
fail_memory(Database *database)
{
	database_fail(database, "out of memory");
	return false;
}

/* The OID of a column's type, by its name where that is all there is; 0 when the server has
 * none. A name that is no type's at all is refused by it, and whoever uses the column will be
 * told. */
static unsigned
find_oid(const RowColumn *column, Database *database)
{
	const char *values[1] = {column->type_name};
	PGresult *found;
	unsigned oid = column->type_oid;

	if (oid != 0)
		return oid;
	found =
		database_execute(database, "SELECT pg_catalog.to_regtype($1)::pg_catalog.oid", 1, values);
	if (found != NULL && PQntuples(found) == 1 && !PQgetisnull(found, 0, 0))
		oid = (unsigned) strtoul(PQgetvalue(found, 0, 0), NULL, 10);
	PQclear(found);
	return oid;
}

static bool
is_compound(const Build *build, unsigned oid)
{
	int row = find_base_row(build, oid);

	return row >= 0 &&
		   (oid_at(build, row, FIELD_ELEMENT) != 0 || char_at(build, row, FIELD_KIND) == 'c');
}

/* Sets a column as what the rows say of its type. */
static bool
describe_column(RowType *type, int index, unsigned oid, const PGresult *rows)
{
	Build build = {.rows = rows};
	NestedMember member = {.type = COLUMN_OTHER};

	if (make_member(&build, &member, oid, 0))
		row_type_set_family(type, index, member.base_oid, member.type, member.nested);
	else
		type->column[index].is_compound = is_compound(&build, oid);
	return !build.is_out_of_memory;
}

/* {1007,16384}: of the columns that are OTHER; NULL when out of memory. */
static char *
list_oids(const unsigned *oids, int columns)
{
	char *list = NULL;
	size_t length;
	FILE *text = open_memstream(&list, &length);

	if (text == NULL)
		return NULL;
	for (int i = 0; i < columns; i++)
	{
		if (oids[i] != 0)
			fprintf(text, "%s%u", ftell(text) == 0 ? "{" : ",", oids[i]);
	}
	fputs(ftell(text) == 0 ? "{}" : "}", text);
	if (fclose(text) == 0)
		return list;
	free(list);
	return NULL;
}

static bool
describe_columns(RowType *type, const unsigned *oids, Database *database)
{
	char *list = list_oids(oids, type->columns);
	const char *values[1] = {list};
	PGresult *rows;
	bool described = true;

	if (list == NULL)
		return fail_memory(database);
	rows = database_execute(database, TYPES_QUERY, 1, values);
	free(list);
	if (rows == NULL)
		return false;
	for (int i = 0; i < type->columns && described; i++)
		described = oids[i] == 0 || describe_column(type, i, oids[i], rows);
	PQclear(rows);
	return described || fail_memory(database);
}

bool
type_catalog_describe(RowType *type, Database *database)
{
	unsigned *oids = calloc((size_t) type->columns, sizeof(unsigned));
	bool any = false, described;

	if (oids == NULL)
		return fail_memory(database);
	for (int i = 0; i < type->columns; i++)
	{
		if (type->column[i].type == COLUMN_OTHER)
			oids[i] = find_oid(&type->column[i], database);
		any |= oids[i] != 0;
	}
	described = !any || describe_columns(type, oids, database);
	free(oids);
	return described;
}
