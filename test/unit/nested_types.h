/*
 * nested_types.h - types of arrays and composites, as database/type_catalog.h would find them.
 *
 * Of types that a database makes the OIDs are those here:
 *
 *   CREATE TYPE mood AS ENUM ('sad', 'so so', 'NULL');
 *   CREATE DOMAIN positive AS integer;
 *   CREATE TYPE pair AS (a integer, "B ""b""" text);
 *   CREATE TYPE deep AS (p pair, ps pair[], j jsonb, n numeric);
 *   CREATE DOMAIN ints AS integer[];
 *   CREATE TYPE empty_type AS ();
 */
#ifndef TRANSFERBENCH_NESTED_TYPES_H
#define TRANSFERBENCH_NESTED_TYPES_H

#include "rows/nested_type.h"

#include <string.h>

enum
{
	OID_MOOD = 90001,
	OID_POSITIVE,
	OID_PAIR,
	OID_DEEP,
	OID_INTS,
	OID_EMPTY_TYPE,
	OID_PAIRS,
};

static inline void
set_member(NestedMember *member, const char *name, unsigned type_oid, unsigned base_oid,
		   ColumnType type, NestedType *nested)
{
	*member = (NestedMember){.name = name == NULL ? NULL : strdup(name),
							 .type_oid = type_oid,
							 .base_oid = base_oid,
							 .type = type,
							 .nested = nested};
}

static inline NestedType *
make_array_type(unsigned type_oid, unsigned base_oid, ColumnType type, NestedType *nested)
{
	NestedType *made = nested_type_create(COLUMN_ARRAY, 1);

	set_member(&made->member[0], NULL, type_oid, base_oid, type, nested);
	return made;
}

static inline NestedType *
make_pair_type(void)
{
	NestedType *made = nested_type_create(COLUMN_COMPOSITE, 2);

	set_member(&made->member[0], "a", 23, 23, COLUMN_INT4, NULL);
	set_member(&made->member[1], "B \"b\"", 25, 25, COLUMN_TEXT, NULL);
	return made;
}

static inline NestedType *
make_pairs_type(void)
{
	return make_array_type(OID_PAIR, OID_PAIR, COLUMN_COMPOSITE, make_pair_type());
}

static inline NestedType *
make_deep_type(void)
{
	NestedType *made = nested_type_create(COLUMN_COMPOSITE, 4);

	set_member(&made->member[0], "p", OID_PAIR, OID_PAIR, COLUMN_COMPOSITE, make_pair_type());
	set_member(&made->member[1], "ps", OID_PAIRS, OID_PAIRS, COLUMN_ARRAY, make_pairs_type());
	set_member(&made->member[2], "j", 3802, 3802, COLUMN_JSONB, NULL);
	set_member(&made->member[3], "n", 1700, 1700, COLUMN_NUMERIC, NULL);
	return made;
}

static const struct
{
	const char *name;
	unsigned type_oid, base_oid; /* of the elements */
	ColumnType type;
} array_types[] = {
	{"integer[]", 23, 23, COLUMN_INT4},
	{"text[]", 25, 25, COLUMN_TEXT},
	{"numeric[]", 1700, 1700, COLUMN_NUMERIC},
	{"timestamp with time zone[]", 1184, 1184, COLUMN_TIMESTAMPTZ},
	{"jsonb[]", 3802, 3802, COLUMN_JSONB},
	{"json[]", 114, 114, COLUMN_JSON},
	{"bytea[]", 17, 17, COLUMN_BYTEA},
	{"double precision[]", 701, 701, COLUMN_FLOAT8},
	{"character(3)[]", 1042, 1042, COLUMN_BPCHAR},
	{"name[]", 19, 19, COLUMN_TEXT},
	{"uuid[]", 2950, 2950, COLUMN_UUID},
	{"boolean[]", 16, 16, COLUMN_BOOL},
	{"mood[]", OID_MOOD, OID_MOOD, COLUMN_ENUM},
	{"positive[]", OID_POSITIVE, 23, COLUMN_INT4},
};

static inline NestedType *
make_nested_type(const char *name)
{
	if (strcmp(name, "pair") == 0)
		return make_pair_type();
	if (strcmp(name, "pair[]") == 0)
		return make_pairs_type();
	if (strcmp(name, "deep") == 0)
		return make_deep_type();
	if (strcmp(name, "empty_type") == 0)
		return nested_type_create(COLUMN_COMPOSITE, 0);
	if (strcmp(name, "ints[]") == 0)
		return make_array_type(OID_INTS, 1007, COLUMN_ARRAY,
							   make_array_type(23, 23, COLUMN_INT4, NULL));
	for (size_t i = 0; i < sizeof(array_types) / sizeof(array_types[0]); i++)
		if (strcmp(array_types[i].name, name) == 0)
			return make_array_type(array_types[i].type_oid, array_types[i].base_oid,
								   array_types[i].type, NULL);
	return NULL;
}

/* One column, "x". */
static inline RowType *
make_nested_row_type(const char *name)
{
	RowType *type = row_type_create(1);
	NestedType *nested = make_nested_type(name);

	row_type_set_column(type, 0, "x", name, OID_MOOD);
	row_type_set_family(type, 0, OID_MOOD, nested->type, nested);
	return type;
}

#endif
