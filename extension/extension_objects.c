/*
 * extension_objects.c - see extension_objects.h.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "extension_objects.h"

#define EXTENSION_NAME "pg_transferbench"

/* No cache is keyed by extension (until PostgreSQL 18), so read the catalog. */
static Oid
extension_schema_oid(void)
{
	Relation catalog = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;
	Oid schema = InvalidOid;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum(EXTENSION_NAME));
	scan = systable_beginscan(catalog, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	if (!OidIsValid(schema))
		ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT),
				errmsg("extension \"%s\" does not exist", EXTENSION_NAME),
				errhint("Run CREATE EXTENSION %s.", EXTENSION_NAME));
	return schema;
}

char *
extension_schema_name(void)
{
	return get_namespace_name(extension_schema_oid());
}

Oid
extension_type_oid(const char *name)
{
	Oid schema = extension_schema_oid();
	Oid type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
							   ObjectIdGetDatum(schema));

	if (!OidIsValid(type))
		ereport(ERROR, errcode(ERRCODE_UNDEFINED_OBJECT),
				errmsg("type \"%s\" of extension \"%s\" does not exist", name, EXTENSION_NAME),
				errhint("Run ALTER EXTENSION %s UPDATE, or drop and create it.", EXTENSION_NAME));
	return type;
}
