/*
 * json_populate.h - PostgreSQL's own conversion of a JSON array or object into
 * a value of an array, composite, domain or range type, for one column.
 *
 * The server exports it for rows only (json_populate_record), so a column goes
 * through a record of one column.
 */
#ifndef TRANSFERBENCH_JSON_POPULATE_H
#define TRANSFERBENCH_JSON_POPULATE_H

typedef struct JsonPopulate JsonPopulate;

/* For values of one type; lives in the current context. */
extern JsonPopulate *json_populate_create(Oid type, int32 typmod);

/* `json`: text of a JSON value in the database's encoding. Raises what the type raises. */
extern Datum json_populate_value(JsonPopulate *populate, const char *json, bool *is_null);

#endif
