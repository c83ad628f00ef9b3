/*
 * row_type.h - what a row consists of, and one typed value, as every path of the
 * loader delivers or takes it.
 *
 * A path ends in, or begins with, values of this kind: an integer is an int64, a
 * timestamp a count of microseconds, whatever text or bytes it travelled as.
 */
#ifndef TRANSFERBENCH_ROW_TYPE_H
#define TRANSFERBENCH_ROW_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The family a column's base type belongs to; decides which member of a Value is in use. */
typedef enum ColumnType
{
	COLUMN_BOOL, /* boolean */
	COLUMN_INT2, /* integer, and so the next two */
	COLUMN_INT4,
	COLUMN_INT8,
	COLUMN_FLOAT4,    /* real, exactly widened */
	COLUMN_FLOAT8,    /* real */
	COLUMN_NUMERIC,   /* text: a JSON number, digits and scale as they came (1.50; from JSON 1e+05
	                   * too), or NaN, Infinity, -Infinity; within numeric's range */
	COLUMN_MONEY,     /* integer: hundredths, as lc_monetary C has them */
	COLUMN_TEXT,      /* text: UTF-8; varchar and name too */
	COLUMN_BPCHAR,    /* text: UTF-8, padding as it came */
	COLUMN_BYTEA,     /* text: the bytes themselves */
	COLUMN_DATE,      /* integer: days since 2000-01-01; -infinity, infinity are INT32_MIN, _MAX */
	COLUMN_TIME,      /* integer: microseconds since midnight, 24:00:00 included */
	COLUMN_TIMESTAMP, /* integer: microseconds since 2000-01-01; infinities are INT64_MIN, _MAX */
	COLUMN_TIMESTAMPTZ, /* integer: the same, UTC */
	COLUMN_UUID,        /* uuid */
	COLUMN_JSON,        /* text: UTF-8 JSON, as it came */
	COLUMN_JSONB,       /* text: likewise */
	COLUMN_ENUM,        /* text: UTF-8, the label */
	COLUMN_ARRAY,       /* text: the bytes of PostgreSQL's binary form (nested_type.h) */
	COLUMN_COMPOSITE,   /* text: likewise */
	COLUMN_OTHER,       /* text: UTF-8, PostgreSQL's output text under the pinned settings */
} ColumnType;

typedef struct NestedType NestedType; /* nested_type.h */

typedef struct RowColumn
{
	char *name;        /* UTF-8, terminated */
	char *type_name;   /* as format_type writes it, modifier included: numeric(12,2) */
	unsigned type_oid; /* of the base type; 0 when unknown */
	ColumnType type;
	NestedType *nested; /* of an ARRAY or a COMPOSITE, owned; else NULL */
	bool is_compound; /* OTHER, and an array or a composite all the same: of parts not known here */
} RowColumn;

typedef struct RowType
{
	int columns;       /* at least 1 */
	RowColumn *column; /* [columns] */
} RowType;

typedef struct Value
{
	bool is_null;
	bool is_missing; /* null because the key was not there (JSON only) */
	union
	{
		bool boolean;
		int64_t integer;
		double real;
		struct
		{
			const char *bytes; /* not terminated */
			size_t length;
		} text;
		uint8_t uuid[16];
	};
} Value;

/* By a base type's OID (domains are reported as what they are over); OTHER for all the rest, of which
 * the catalog may know more (database/type_catalog.h). */
extern ColumnType column_type_of_oid(unsigned type_oid);
/* Whether a Value of this type uses `text`. */
extern bool column_type_is_text(ColumnType type);
/* Whether the binary format of the type is known here: all but OTHER. */
extern bool column_type_has_binary(ColumnType type);

/* Makes a column of a type's name as SQL writes it (int, bigint, numeric(12,2), character
 * varying(10), timestamp with time zone, ...); OTHER when the name is not a built-in's. */
extern ColumnType column_type_of_name(const char *type_name);

/* Columns without names, all OTHER. NULL when out of memory. */
extern RowType *row_type_create(int columns);
/* Copies both strings. The family goes by the OID, which, when 0, is looked for by the type's name
 * among the built-in types. False when out of memory: the column is then as it was. */
extern bool row_type_set_column(RowType *type, int index, const char *name, const char *type_name,
								unsigned type_oid);
/* What the catalog says of a column that was OTHER: its base type and family, and of an ARRAY or a
 * COMPOSITE what it consists of, which is taken over. */
extern void row_type_set_family(RowType *type, int index, unsigned type_oid, ColumnType family,
								NestedType *nested);
/* All of it; NULL when out of memory. */
extern RowType *row_type_copy(const RowType *type);
extern void row_type_free(RowType *type); /* NULL is fine */

/* Whether values of one column are values of the other, whatever their names are. */
extern bool row_column_is_same(const RowColumn *one, const RowColumn *other);

/* The reference rows' (common/reference_row.h): id bigint, ..., note text. */
extern RowType *row_type_reference(void);

#endif
