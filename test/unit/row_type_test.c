/*
 * row_type_test.c - families of types by OID and by name, and row types.
 */
#include "rows/row_type.h"

#include "reference_row.h"
#include "unit.h"

static const struct
{
	unsigned oid;
	const char *name; /* as format_type writes it */
	ColumnType type;
} types[] = {
	{16, "boolean", COLUMN_BOOL},
	{21, "smallint", COLUMN_INT2},
	{23, "integer", COLUMN_INT4},
	{20, "bigint", COLUMN_INT8},
	{700, "real", COLUMN_FLOAT4},
	{701, "double precision", COLUMN_FLOAT8},
	{1700, "numeric", COLUMN_NUMERIC},
	{1700, "numeric(12,2)", COLUMN_NUMERIC},
	{790, "money", COLUMN_MONEY},
	{25, "text", COLUMN_TEXT},
	{19, "name", COLUMN_TEXT},
	{1043, "character varying", COLUMN_TEXT},
	{1043, "character varying(10)", COLUMN_TEXT},
	{1042, "character(3)", COLUMN_BPCHAR},
	{1042, "bpchar", COLUMN_BPCHAR},
	{17, "bytea", COLUMN_BYTEA},
	{1082, "date", COLUMN_DATE},
	{1083, "time without time zone", COLUMN_TIME},
	{1083, "time(3) without time zone", COLUMN_TIME},
	{1114, "timestamp without time zone", COLUMN_TIMESTAMP},
	{1114, "timestamp(0) without time zone", COLUMN_TIMESTAMP},
	{1184, "timestamp with time zone", COLUMN_TIMESTAMPTZ},
	{1184, "timestamp(6) with time zone", COLUMN_TIMESTAMPTZ},
	{2950, "uuid", COLUMN_UUID},
	{114, "json", COLUMN_JSON},
	{3802, "jsonb", COLUMN_JSONB},
	{1186, "interval", COLUMN_OTHER},
	{1266, "time with time zone", COLUMN_OTHER},
	{1007, "integer[]", COLUMN_OTHER},
	{1231, "numeric(12,2)[]", COLUMN_OTHER},
	{18, "\"char\"", COLUMN_OTHER},
	{26, "oid", COLUMN_OTHER},
	{16384, "public.mood", COLUMN_OTHER},
	{0, "", COLUMN_OTHER},
};

static const struct
{
	const char *name;
	ColumnType type;
} other_names[] = {
	{"int", COLUMN_INT4},
	{"INT8", COLUMN_INT8},
	{"  Double \t Precision ", COLUMN_FLOAT8},
	{"float", COLUMN_FLOAT8},
	{"float(24)", COLUMN_FLOAT4},
	{"float(25)", COLUMN_FLOAT8},
	{"decimal (10, 3)", COLUMN_NUMERIC},
	{"varchar(20)", COLUMN_TEXT},
	{"char", COLUMN_BPCHAR},
	{"timestamptz", COLUMN_TIMESTAMPTZ},
	{"timestamp", COLUMN_TIMESTAMP},
	{"doubleprecision", COLUMN_OTHER},
	{"numeric(12", COLUMN_OTHER},
	{"(", COLUMN_OTHER},
	{"a name of a type that is longer than the name of any built-in type", COLUMN_OTHER},
};

static void
test_families(void)
{
	char name[160];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
	{
		snprintf(name, sizeof(name), "OID %u: family", types[i].oid);
		unit_equal_int(column_type_of_oid(types[i].oid), types[i].type, name);
		snprintf(name, sizeof(name), "'%s': family", types[i].name);
		unit_equal_int(column_type_of_name(types[i].name), types[i].type, name);
	}
	for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++)
	{
		snprintf(name, sizeof(name), "'%s': family", other_names[i].name);
		unit_equal_int(column_type_of_name(other_names[i].name), other_names[i].type, name);
	}
}

static void
test_properties(void)
{
	unit_ok(column_type_is_text(COLUMN_NUMERIC), "numeric is held as text");
	unit_ok(column_type_is_text(COLUMN_BYTEA), "bytea is held as text");
	unit_ok(column_type_is_text(COLUMN_OTHER), "any other type is held as text");
	unit_ok(!column_type_is_text(COLUMN_MONEY), "money is not held as text");
	unit_ok(!column_type_is_text(COLUMN_UUID), "uuid is not held as text");
	unit_ok(column_type_has_binary(COLUMN_JSONB), "the binary form of jsonb is known");
	unit_ok(!column_type_has_binary(COLUMN_OTHER), "that of any other type is not");
}

static void
test_row_type(void)
{
	RowType *type = row_type_create(3);

	unit_ok(type != NULL, "a row type is made");
	unit_equal_int(type->columns, 3, "it has its columns");
	unit_equal_int(type->column[2].type, COLUMN_OTHER, "a column not set is of no known family");
	unit_ok(row_type_set_column(type, 0, "a", "numeric(12,2)", 1700), "a column by its OID");
	unit_ok(row_type_set_column(type, 1, "b", "Timestamp(3) With Time Zone", 0),
			"a column by its name");
	unit_ok(row_type_set_column(type, 1, "c", "timestamptz", 0), "and set again");
	unit_ok(row_type_set_column(type, 2, "d", "mood", 0), "a column of an unknown name");
	unit_equal_int(type->column[0].type, COLUMN_NUMERIC, "by OID: family");
	unit_ok(strcmp(type->column[0].type_name, "numeric(12,2)") == 0, "by OID: name kept");
	unit_equal_int(type->column[1].type, COLUMN_TIMESTAMPTZ, "by name: family");
	unit_equal_int(type->column[1].type_oid, 1184, "by name: OID found");
	unit_ok(strcmp(type->column[1].name, "c") == 0, "set again: the later name");
	unit_equal_int(type->column[2].type, COLUMN_OTHER, "unknown name: family");
	unit_equal_int(type->column[2].type_oid, 0, "unknown name: no OID");
	row_type_free(type);
	row_type_free(NULL);
}

static void
test_reference(void)
{
	static const ColumnType wanted[REFERENCE_ROW_COLUMNS] = {
		COLUMN_INT8,   COLUMN_INT8, COLUMN_TIMESTAMPTZ, COLUMN_NUMERIC,
		COLUMN_FLOAT8, COLUMN_BOOL, COLUMN_TEXT,        COLUMN_TEXT};
	RowType *type = row_type_reference();

	unit_equal_int(type->columns, REFERENCE_ROW_COLUMNS, "reference rows: columns");
	for (int i = 0; i < REFERENCE_ROW_COLUMNS; i++)
	{
		unit_equal_int(type->column[i].type, wanted[i], reference_row_column_names[i]);
		unit_ok(strcmp(type->column[i].name, reference_row_column_names[i]) == 0,
				"and it has its name");
	}
	unit_ok(strcmp(type->column[3].type_name, "numeric(12,2)") == 0, "amount is numeric(12,2)");
	row_type_free(type);
}

int
main(void)
{
	test_families();
	test_properties();
	test_row_type();
	test_reference();
	return unit_done();
}
