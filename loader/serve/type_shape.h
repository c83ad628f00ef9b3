/*
 * type_shape.h - what of a PostgreSQL type matters for writing a JSON value of it as text.
 *
 * Most types take a value's text, or a number's digits, as it is. Arrays and composites
 * have a syntax of their own around the values of others; a domain is what it is over.
 */
#ifndef TRANSFERBENCH_TYPE_SHAPE_H
#define TRANSFERBENCH_TYPE_SHAPE_H

#include "database/database.h"

typedef enum TypeShapeKind
{
	TYPE_SHAPE_TEXT,
	TYPE_SHAPE_INTEGER, /* input takes digits only, no exponent */
	TYPE_SHAPE_JSON,
	TYPE_SHAPE_ARRAY,
	TYPE_SHAPE_COMPOSITE,
} TypeShapeKind;

typedef struct TypeShape TypeShape;

typedef struct TypeAttribute
{
	char *name; /* UTF-8 */
	const TypeShape *shape;
} TypeAttribute;

struct TypeShape
{
	TypeShapeKind kind;
	char delimiter;           /* ARRAY: between elements */
	const TypeShape *element; /* ARRAY */
	int attributes;           /* COMPOSITE, may be 0 */
	TypeAttribute *attribute; /* [attributes] */
};

/* Deeper than this a type is taken as text: each level doubles the backslashes of its text. */
#define TYPE_SHAPE_MAX_DEPTH 6

/* A list of select expressions over pg_type AS t, and how many columns they are. */
#define TYPE_SHAPE_SELECT                                                                          \
	"t.oid, t.typtype,"                                                                            \
	" CASE WHEN t.typinput::pg_catalog.oid OPERATOR(pg_catalog.=)"                                 \
	" 'pg_catalog.array_in'::pg_catalog.regproc::pg_catalog.oid THEN t.typelem ELSE 0 END,"        \
	" t.typbasetype, t.typrelid, t.typdelim"
#define TYPE_SHAPE_COLUMNS 6

/*
 * Makes the shape of the type whose TYPE_SHAPE_SELECT begins at a column of a row; asks the catalog for
 * what that refers to. OK, INTERRUPTED, FAILED or LOST; *shape is then NULL, or to be freed.
 * Out of memory is FAILED, without an SQLSTATE.
 */
extern DatabaseResult type_shape_make(const TypeShape **shape, const PGresult *rows, int row,
									  int first_column, int depth, Database *database);
extern void type_shape_free(const TypeShape *shape); /* NULL is fine */

#endif
