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

/*
 * Finds the shapes of types: at once of the most common ones; the catalog is asked once for all
 * others together, and again for what they consist of. `depth` is 0. OK, INTERRUPTED, FAILED or
 * LOST; shapes[count] are in any case NULL or to be freed. Out of memory is FAILED, without an
 * SQLSTATE.
 */
extern DatabaseResult type_shapes_load(const TypeShape **shapes, const Oid *types, int count,
									   int depth, Database *database);
extern void type_shape_free(const TypeShape *shape); /* NULL is fine */

#endif
