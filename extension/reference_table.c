/*
 * reference_table.c - see reference_table.h.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/varlena.h"

#include "extension_objects.h"
#include "reference_table.h"

static void
execute(const char *sql)
{
	int code = SPI_execute(sql, false, 0);

	if (code < 0)
		ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
				errmsg("could not make the reference table: %s", SPI_result_code_string(code)));
}

/* schema.table, both quoted as needed, of the table that CREATE TABLE would make */
static char *
creation_name(const char *name)
{
	List *parts = textToQualifiedNameList(cstring_to_text(name));
	RangeVar *target = makeRangeVarFromNameList(parts);
	Oid schema = RangeVarGetCreationNamespace(target);
	char *schema_name = get_namespace_name(schema);

	if (get_relname_relid(target->relname, schema) != InvalidOid)
		ereport(ERROR, errcode(ERRCODE_DUPLICATE_TABLE),
				errmsg("relation \"%s\" already exists", target->relname),
				errhint("Drop it first, or give another name."));
	return quote_qualified_identifier(schema_name, target->relname);
}

static Oid
relation_oid(const char *qualified_name)
{
	List *parts = textToQualifiedNameList(cstring_to_text(qualified_name));

	return RangeVarGetRelid(makeRangeVarFromNameList(parts), NoLock, false);
}

Oid
reference_table_create(const char *name, int64 n, int64 seed)
{
	char *table = creation_name(name);
	const char *extension = quote_identifier(extension_schema_name());
	char *comment = psprintf(
		"pg_transferbench reference rows, n = " INT64_FORMAT ", seed = " INT64_FORMAT, n, seed);
	Oid relation;

	if (SPI_connect() != SPI_OK_CONNECT)
		ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR), errmsg("SPI_connect failed"));
	execute(psprintf("CREATE TABLE %s (LIKE %s.bench_reference_row)", table, extension));
	execute(psprintf("COMMENT ON TABLE %s IS %s", table, quote_literal_cstr(comment)));
	/* the casts match our function and no other: somebody else may own functions in that schema */
	execute(psprintf("INSERT INTO %s SELECT * FROM %s.bench_rows('" INT64_FORMAT
					 "'::pg_catalog.int8, '" INT64_FORMAT "'::pg_catalog.int8)",
					 table, extension, n, seed));
	execute(psprintf("ALTER TABLE %s ADD PRIMARY KEY (id)", table));
	execute(psprintf("ANALYZE %s", table));
	relation = relation_oid(table);
	SPI_finish();
	return relation;
}

char *
reference_table_query(void)
{
	Oid relation = RelnameGetRelid(REFERENCE_TABLE_NAME);

	/* no view: somebody's view of that name would run with this caller's rights */
	if (!OidIsValid(relation) || get_rel_relkind(relation) != RELKIND_RELATION)
		ereport(
			ERROR, errcode(ERRCODE_UNDEFINED_TABLE),
			errmsg("there is no reference table \"%s\" in the search path", REFERENCE_TABLE_NAME),
			errhint("Make it with SELECT bench_reference_table(1000000), or give a query."));
	return psprintf("SELECT * FROM %s ORDER BY id",
					quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
											   REFERENCE_TABLE_NAME));
}
