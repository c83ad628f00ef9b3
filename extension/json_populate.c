/*
 * json_populate.c - see json_populate.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "json_populate.h"

#define COLUMN_NAME "v"

struct JsonPopulate
{
	FmgrInfo function; /* json_populate_record(record, json) */
	Datum empty_record;
};

/* json_populate_record asks its call expression for the first argument's type */
static Node *
call_expression(void)
{
	List *arguments = list_make2(makeNullConst(RECORDOID, -1, InvalidOid),
								 makeNullConst(JSONOID, -1, InvalidOid));

	return (Node *) makeFuncExpr(F_JSON_POPULATE_RECORD, RECORDOID, arguments, InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

JsonPopulate *
json_populate_create(Oid type, int32 typmod)
{
	JsonPopulate *populate = palloc0(sizeof(JsonPopulate));
	TupleDesc record_desc = CreateTemplateTupleDesc(1);
	Datum no_value = (Datum) 0;
	bool is_null = true;

	TupleDescInitEntry(record_desc, 1, COLUMN_NAME, type, typmod, 0);
	record_desc = BlessTupleDesc(record_desc);
	populate->empty_record = HeapTupleGetDatum(heap_form_tuple(record_desc, &no_value, &is_null));
	fmgr_info(F_JSON_POPULATE_RECORD, &populate->function);
	fmgr_info_set_expr(call_expression(), &populate->function);
	return populate;
}

Datum
json_populate_value(JsonPopulate *populate, const char *json, bool *is_null)
{
	char *object = psprintf("{\"" COLUMN_NAME "\":%s}", json);
	Datum record =
		FunctionCall2(&populate->function, populate->empty_record, CStringGetTextDatum(object));

	return GetAttributeByNum(DatumGetHeapTupleHeader(record), 1, is_null);
}
