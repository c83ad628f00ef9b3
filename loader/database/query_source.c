#include "database/query_source.h"
#include "json_encode.h"
#include "message.h"
#include "database/exact_settings.h"
#include "database/order_by.h"
#include "database/type_catalog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * With synchronized scans LIMIT without ORDER BY would start anywhere in the table; and parallel
 * workers would work at a cost that is counted nowhere. Somebody's lock is waited for, but not for
 * ever.
 */
#define BEGIN_EXACT                                                                                \
	"BEGIN TRANSACTION READ ONLY;" EXACT_OUTPUT_SETTINGS " SET LOCAL lock_timeout = '5s';"         \
	" SET LOCAL synchronize_seqscans = off;"                                                       \
	" SET LOCAL max_parallel_workers_per_gather = 0; "

void
query_source_free(QuerySource *source)
{
	for (int i = 0; source->column != NULL && i < source->columns; i++)
	{
		free(source->column[i].name);
		free(source->column[i].type_name);
	}
	free(source->column);
	row_type_free(source->type);
	free(source->table);
	free(source->bare_name);
	free(source->query);
	free(source->order);
	free(source->server_version);
	free(source->json_list);
	free(source->text_list);
	free(source->readable_list);
	free(source->comparable_list);
	*source = (QuerySource){0};
}

static bool
out_of_memory(void)
{
	message_error("out of memory");
	return false;
}

static const char *
purpose(const QuerySourceOptions *options)
{
	return options->option == NULL ? "served" : "read";
}

/* A query is not repeated: it may hold what is not for a log. */
static bool
refuse(const QuerySourceOptions *options, const Database *database)
{
	const char *sqlstate = database->sqlstate;

	if (options->query != NULL)
		message_error("%s cannot be %s: %s%s%s (it must be one SELECT)",
					  options->option == NULL ? "--query" : options->option, purpose(options),
					  database->message, *sqlstate ? ", SQLSTATE " : "", sqlstate);
	else
		message_error("%s \"%s\" cannot be %s: %s%s%s",
					  options->option == NULL ? "--table" : options->option, options->table,
					  purpose(options), database->message, *sqlstate ? ", SQLSTATE " : "",
					  sqlstate);
	return false;
}

/*
 * Queries of the catalog name schemas and operators in full: whatever the search
 * path is, and whoever may plant things on it.
 */
#define IS " OPERATOR(pg_catalog.=) "

/* Finds the table by its name as SQL reads it, schema and quotes included. */
static bool
examine_table(QuerySource *source, const QuerySourceOptions *options, Database *database)
{
	PGresult *found = database_execute(
		database,
		"SELECT pg_catalog.format('%I.%I', n.nspname, c.relname),"
		" c.relkind" IS "ANY ('{r,p,v,m,f}'::pg_catalog.\"char\"[]), c.relname,"
		" (c.relkind" IS "ANY ('{r,p}'::pg_catalog.\"char\"[]) AND NOT c.relrowsecurity)"
		" OR pg_catalog.pg_get_userbyid(c.relowner)" IS "CURRENT_USER"
		" FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid" IS "c.relnamespace"
		" WHERE c.oid" IS "$1::pg_catalog.regclass::pg_catalog.oid",
		1, &options->table);
	bool is_readable, is_harmless;

	if (found == NULL || PQntuples(found) != 1)
	{
		PQclear(found);
		return refuse(options, database);
	}
	is_readable = *PQgetvalue(found, 0, 1) == 't';
	is_harmless = *PQgetvalue(found, 0, 3) == 't' || !options->named_by_stranger;
	source->table = strdup(PQgetvalue(found, 0, 0));
	source->bare_name = strdup(PQgetvalue(found, 0, 2));
	PQclear(found);
	if (!is_readable)
	{
		message_error("%s \"%s\" cannot be %s: it is neither a table nor a view",
					  options->option == NULL ? "--table" : options->option, options->table,
					  purpose(options));
		return false;
	}
	if (!is_harmless)
	{
		message_error(
			"%s \"%s\" is not read only because the endpoint names it: reading a view, or a "
			"table with row policies, runs what its owner wrote; name it with --source if "
			"that is meant",
			options->option, options->table);
		return false;
	}
	return (source->table != NULL && source->bare_name != NULL) || out_of_memory();
}

/* A query must be one statement of its own before it is put into parentheses. */
static bool
examine_query(QuerySource *source, const QuerySourceOptions *options, Database *database)
{
	size_t length = strlen(options->query);

	if (!database_parse(database, options->query))
		return refuse(options, database);
	while (length > 0 && strchr("; \t\r\n", options->query[length - 1]) != NULL)
		length--;
	source->query = strndup(options->query, length);
	return source->query != NULL || out_of_memory();
}

/* What stands in FROM. The line break ends a comment that a query may end with. */
static void
put_from(FILE *sql, const QuerySource *source)
{
	if (source->table != NULL)
		fprintf(sql, "%s AS s", source->table);
	else
		fprintf(sql, "(%s\n) AS s", source->query);
}

/* Arrays and composites (and domains over them, whose base type is what the server reports): as
 * text they would be a syntax of PostgreSQL's own within a JSON string. */
static bool
read_type(QueryColumn *column, Database *database, Oid type, int modifier)
{
	char type_text[16], modifier_text[16];
	const char *values[2] = {type_text, modifier_text};
	PGresult *found;

	column->type_oid = type;
	snprintf(type_text, sizeof(type_text), "%u", type);
	snprintf(modifier_text, sizeof(modifier_text), "%d", modifier);
	found =
		database_execute(database,
						 "SELECT pg_catalog.format_type(oid, $2::pg_catalog.int4), typcategory" IS
						 "'A'::pg_catalog.\"char\""
						 " OR typtype" IS "'c'::pg_catalog.\"char\""
						 " OR oid" IS "'pg_catalog.record'::pg_catalog.regtype::pg_catalog.oid"
						 " FROM pg_catalog.pg_type WHERE oid" IS "$1::pg_catalog.oid",
						 2, values);
	if (found != NULL && PQntuples(found) == 1)
	{
		column->type_name = strdup(PQgetvalue(found, 0, 0));
		column->as_json = *PQgetvalue(found, 0, 1) == 't';
		column->kind = column->as_json ? VALUE_JSON : value_kind_of_type(type);
	}
	PQclear(found);
	return column->type_name != NULL;
}

static bool
check_name(const QuerySource *source, int index)
{
	const char *name = source->column[index].name;

	if (!json_encode_is_utf8(name, strlen(name)))
	{
		message_error("the name of column %d is not UTF-8", index + 1);
		return false;
	}
	for (int i = 0; i < index; i++)
	{
		if (strcmp(source->column[i].name, name) == 0)
		{
			message_error("column \"%s\" comes twice: a JSON object has each key once", name);
			return false;
		}
	}
	return true;
}

static bool
take_columns(QuerySource *source, const QuerySourceOptions *options, Database *database,
			 const PGresult *shape)
{
	source->columns = PQnfields(shape);
	if (source->columns == 0)
	{
		message_error("what is to be served has no columns");
		return false;
	}
	source->column = calloc((size_t) source->columns, sizeof(QueryColumn));
	if (source->column == NULL)
		return out_of_memory();
	for (int i = 0; i < source->columns; i++)
	{
		source->column[i].name = strdup(PQfname(shape, i));
		if (source->column[i].name == NULL)
			return out_of_memory();
		if (!check_name(source, i))
			return false;
		if (!read_type(&source->column[i], database, PQftype(shape, i), PQfmod(shape, i)))
			return refuse(options, database);
	}
	return true;
}

static bool
make_type(QuerySource *source, const QuerySourceOptions *options, Database *database)
{
	source->type = row_type_create(source->columns);
	if (source->type == NULL)
		return out_of_memory();
	for (int i = 0; i < source->columns; i++)
	{
		const QueryColumn *column = &source->column[i];

		if (!row_type_set_column(source->type, i, column->name, column->type_name,
								 column->type_oid))
			return out_of_memory();
	}
	return type_catalog_describe(source->type, database) || refuse(options, database);
}

/* Runs the source for no row: that also shows whether the role may read it. */
static bool
examine_columns(QuerySource *source, const QuerySourceOptions *options, Database *database)
{
	char *sql = NULL;
	size_t length;
	FILE *text = open_memstream(&sql, &length);
	PGresult *shape;
	bool taken;

	if (text == NULL)
		return out_of_memory();
	fputs("SELECT * FROM ", text);
	put_from(text, source);
	fputs(" LIMIT 0", text);
	if (fclose(text) != 0)
	{
		free(sql);
		return out_of_memory();
	}
	shape = database_execute(database, sql, 0, NULL);
	free(sql);
	if (shape == NULL)
		return refuse(options, database);
	taken = take_columns(source, options, database, shape) && make_type(source, options, database);
	PQclear(shape);
	return taken;
}

static bool
put_identifier(FILE *text, Database *database, const char *name)
{
	char *quoted = PQescapeIdentifier(database->connection, name, strlen(name));

	if (quoted == NULL)
		return false;
	fputs(quoted, text);
	PQfreemem(quoted);
	return true;
}

/* One column of a list, under its own name. */
static bool
put_column(FILE *text, const QuerySource *source, int index, QueryList list, Database *database)
{
	const QueryColumn *column = &source->column[index];
	bool has_binary = column_type_has_binary(source->type->column[index].type);
	bool as_json = column->as_json &&
				   (list == QUERY_LIST_JSON || (list == QUERY_LIST_COMPARABLE && !has_binary));
	bool as_text =
		(list == QUERY_LIST_READABLE || list == QUERY_LIST_COMPARABLE) && !as_json && !has_binary;
	bool whole;

	fputs(as_json ? "pg_catalog.to_json(q." : "q.", text);
	whole = put_identifier(text, database, column->name);
	if (!as_json && !as_text)
		return whole;
	fputs(as_json ? ") AS " : "::pg_catalog.text AS ", text);
	return put_identifier(text, database, column->name) && whole;
}

static bool
make_select_list(char **to, const QuerySource *source, QueryList list, Database *database)
{
	size_t length;
	FILE *text = open_memstream(to, &length);
	bool whole = true;

	if (text == NULL)
		return out_of_memory();
	for (int i = 0; i < source->columns; i++)
	{
		fputs(i == 0 ? "" : ", ", text);
		whole &= put_column(text, source, i, list, database);
	}
	return (fclose(text) == 0 && whole) || out_of_memory();
}

static bool
has_column(const QuerySource *source, const char *name)
{
	for (int i = 0; i < source->columns; i++)
		if (strcmp(source->column[i].name, name) == 0)
			return true;
	return false;
}

static bool
put_order(FILE *text, const QuerySource *source, Database *database, const char *list)
{
	OrderByItem item = {0};
	const char *rest = list;
	bool first = true;

	while (order_by_next(&rest, &item))
	{
		bool known = has_column(source, item.name);

		if (!known)
			message_error("--order-by: there is no column \"%s\"", item.name);
		fputs(first ? "" : ", ", text);
		known = known && put_identifier(text, database, item.name);
		fprintf(text, "%s%s", item.descending ? " DESC" : "",
				item.nulls < 0   ? " NULLS FIRST"
				: item.nulls > 0 ? " NULLS LAST"
								 : "");
		free(item.name);
		if (!known)
			return false;
		if (*rest == '\0')
			return true;
		first = false;
	}
	free(item.name);
	message_error("--order-by: \"%s\" is not a list of columns", list);
	return false;
}

static bool
order_by_list(QuerySource *source, const char *list, Database *database)
{
	size_t length;
	FILE *text = open_memstream(&source->order, &length);
	bool whole;

	if (text == NULL)
		return out_of_memory();
	whole = put_order(text, source, database, list);
	return fclose(text) == 0 ? whole : out_of_memory();
}

static bool
order_by_primary_key(QuerySource *source, const QuerySourceOptions *options, Database *database)
{
	const char *values[1] = {source->table};
	PGresult *key = database_execute(
		database,
		"SELECT pg_catalog.string_agg(pg_catalog.format('%I', a.attname), ', ' ORDER BY k.place)"
		" FROM pg_catalog.pg_index i,"
		" ROWS FROM (pg_catalog.unnest(i.indkey::pg_catalog.int2[])) WITH ORDINALITY"
		" AS k(number, place), pg_catalog.pg_attribute a"
		" WHERE i.indrelid" IS "$1::pg_catalog.regclass::pg_catalog.oid AND i.indisprimary"
		" AND a.attrelid" IS "i.indrelid AND a.attnum" IS "k.number"
		/* beyond these come the columns that the index only INCLUDEs */
		" AND k.place OPERATOR(pg_catalog.<=) i.indnkeyatts::pg_catalog.int8",
		1, values);

	if (key == NULL)
		return refuse(options, database);
	if (!PQgetisnull(key, 0, 0))
	{
		source->order = strdup(PQgetvalue(key, 0, 0));
		PQclear(key);
		return source->order != NULL || out_of_memory();
	}
	PQclear(key);
	if (!options->order_is_told)
		message_warning("%s has no primary key: rows come in no particular order, and pages may "
						"overlap (see --order-by)",
						source->table);
	return true;
}

static bool
examine_order(QuerySource *source, const QuerySourceOptions *options, Database *database)
{
	if (options->order_by != NULL)
		return order_by_list(source, options->order_by, database);
	if (source->table != NULL)
		return order_by_primary_key(source, options, database);
	return true;
}

static void
put_select(FILE *text, const QuerySource *source, QueryList list, int64_t limit, int64_t offset)
{
	fprintf(text, "SELECT %s FROM (SELECT * FROM ",
			list == QUERY_LIST_JSON       ? source->json_list
			: list == QUERY_LIST_PLAIN    ? source->text_list
			: list == QUERY_LIST_READABLE ? source->readable_list
										  : source->comparable_list);
	put_from(text, source);
	if (source->order != NULL)
		fprintf(text, " ORDER BY %s", source->order);
	fprintf(text, " LIMIT %" PRId64 " OFFSET %" PRId64 ") AS q", limit, offset);
}

char *
query_source_select(const QuerySource *source, QueryList list, int64_t limit, int64_t offset)
{
	char *sql = NULL;
	size_t length;
	FILE *text = open_memstream(&sql, &length);

	if (text == NULL)
		return NULL;
	put_select(text, source, list, limit, offset);
	if (fclose(text) == 0)
		return sql;
	free(sql);
	return NULL;
}

const char *
query_source_begin_sql(void)
{
	return BEGIN_EXACT;
}

/* What every request will send must pass now: an order by a type that has none would not. */
static bool
examine_select(const QuerySource *source, const QuerySourceOptions *options, Database *database,
			   QueryList list)
{
	char *sql = query_source_select(source, list, 0, 0);
	bool is_fit;

	if (sql == NULL)
		return out_of_memory();
	is_fit = database_parse(database, sql);
	free(sql);
	return is_fit || refuse(options, database);
}

bool
query_source_none(QuerySource *source, Database *database)
{
	const char *version = PQparameterStatus(database->connection, "server_version");

	*source = (QuerySource){.server_version = strdup(version == NULL ? "" : version)};
	return source->server_version != NULL || out_of_memory();
}

bool
query_source_examine(QuerySource *source, const QuerySourceOptions *options, Database *database)
{
	PGresult *begun = database_execute(database, "BEGIN TRANSACTION READ ONLY", 0, NULL);

	*source = (QuerySource){0};
	if (begun == NULL)
		return refuse(options, database);
	PQclear(begun);
	if (!query_source_none(source, database))
		return false;
	return (options->query != NULL ? examine_query(source, options, database)
								   : examine_table(source, options, database)) &&
		   examine_columns(source, options, database) && examine_order(source, options, database) &&
		   make_select_list(&source->json_list, source, QUERY_LIST_JSON, database) &&
		   make_select_list(&source->text_list, source, QUERY_LIST_PLAIN, database) &&
		   make_select_list(&source->readable_list, source, QUERY_LIST_READABLE, database) &&
		   make_select_list(&source->comparable_list, source, QUERY_LIST_COMPARABLE, database) &&
		   examine_select(source, options, database, QUERY_LIST_JSON) &&
		   examine_select(source, options, database, QUERY_LIST_PLAIN) &&
		   examine_select(source, options, database, QUERY_LIST_READABLE) &&
		   examine_select(source, options, database, QUERY_LIST_COMPARABLE);
}

char *
query_source_sql(const QuerySource *source, bool as_json, int64_t limit, int64_t offset)
{
	char *sql = NULL;
	size_t length;
	FILE *text = open_memstream(&sql, &length);

	if (text == NULL)
		return NULL;
	fputs(BEGIN_EXACT, text);
	put_select(text, source, as_json ? QUERY_LIST_JSON : QUERY_LIST_PLAIN, limit, offset);
	/* nothing was written; and what a function of the query may have set is not to stay */
	fputs("; ROLLBACK", text);
	if (fclose(text) == 0)
		return sql;
	free(sql);
	return NULL;
}
