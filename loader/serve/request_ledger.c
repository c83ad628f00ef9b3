#include "serve/request_ledger.h"
#include "message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEDGER         "transferbench.request_ledger"
#define LEDGER_COMMENT "made by transferbench serve --create-ledger"

/* A batch takes a few milliseconds; so many of them keep up with 800 new keys a second. */
#define SWEEP_ROWS    1000
#define SWEEP_BATCHES 50
/* For one batch, and for a set-up that may wait for a lock. */
#define SWEEP_TIMEOUT_MS  10000
#define SET_UP_TIMEOUT_MS 10000

#define SET_UP_SETTINGS "SET LOCAL lock_timeout = '5s'; SET LOCAL search_path = pg_catalog; "

/* --- set-up --------------------------------------------------------------------------------- */

static bool
complain(const char *what, const Database *database)
{
	message_error("%s: %s%s%s", what, database->message,
				  *database->sqlstate == '\0' ? "" : ", SQLSTATE ", database->sqlstate);
	return false;
}

/* Runs statements that must succeed; the transaction is left otherwise. */
static bool
run_set_up(Database *database, const char *what, const char *sql, PGresult **result)
{
	DatabaseResult ran = database_run(database, sql, SET_UP_TIMEOUT_MS, result);

	if (ran == DATABASE_OK)
		return true;
	if (ran == DATABASE_QUIET)
		message_error("%s: no answer within %d s", what, SET_UP_TIMEOUT_MS / 1000);
	else
		complain(what, database);
	database_make_idle(database);
	return false;
}

bool
request_ledger_create(Database *database)
{
	/* the comment tells --drop-ledger that the schema may go too; one that was there stays as it is */
	return run_set_up(database, "--create-ledger: " LEDGER " cannot be made",
					  "BEGIN; " SET_UP_SETTINGS "DO $$ BEGIN"
					  " IF pg_catalog.to_regnamespace('transferbench') IS NULL THEN"
					  " CREATE SCHEMA transferbench;"
					  " COMMENT ON SCHEMA transferbench IS '" LEDGER_COMMENT "';"
					  " END IF;"
					  " IF pg_catalog.to_regclass('" LEDGER "') IS NULL THEN"
					  " CREATE TABLE " LEDGER " (key text PRIMARY KEY, body_sha256 bytea NOT NULL,"
					  " rows bigint NOT NULL, answered_at timestamptz NOT NULL);"
					  " CREATE INDEX request_ledger_answered_at ON " LEDGER " (answered_at);"
					  " COMMENT ON TABLE " LEDGER " IS '" LEDGER_COMMENT "';"
					  " END IF; END $$; COMMIT",
					  NULL);
}

bool
request_ledger_drop(Database *database)
{
	return run_set_up(
		database, "--drop-ledger: " LEDGER " cannot be dropped",
		"BEGIN; " SET_UP_SETTINGS "DO $$ BEGIN"
		" IF pg_catalog.to_regclass('" LEDGER "') IS NOT NULL THEN"
		" IF pg_catalog.obj_description('" LEDGER "'::regclass, 'pg_class')"
		" IS DISTINCT FROM '" LEDGER_COMMENT "' THEN"
		" RAISE 'it was not made by transferbench: it does not carry our comment'"
		" USING ERRCODE = 'wrong_object_type';"
		" END IF;"
		" DROP TABLE " LEDGER ";"
		" END IF;"
		" IF pg_catalog.obj_description(pg_catalog.to_regnamespace('transferbench')::oid,"
		" 'pg_namespace') = '" LEDGER_COMMENT "' THEN"
		" BEGIN DROP SCHEMA transferbench;"
		" EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege THEN NULL; END;"
		" END IF; END $$; COMMIT",
		NULL);
}

/* By the catalog's rows, not by the name: that would be an error for a role that may not look into
 * the schema. */
#define FIND_LEDGER                                                                                \
	"SELECT CASE WHEN has_schema_privilege(n.oid, 'USAGE')"                                        \
	" AND has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')"           \
	" AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')"           \
	" THEN (SELECT CASE count(*) WHEN 4 THEN 'usable' ELSE 'other' END FROM pg_attribute a"        \
	" WHERE a.attrelid = c.oid AND attname IN ('key', 'body_sha256', 'rows', 'answered_at'))"      \
	" ELSE 'closed' END FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"             \
	" WHERE n.nspname = 'transferbench' AND c.relname = 'request_ledger'"

bool
request_ledger_find(Database *database, bool *is_usable)
{
	PGresult *found;
	const char *answer;

	*is_usable = false;
	if (!run_set_up(database, LEDGER, "BEGIN READ ONLY; " SET_UP_SETTINGS FIND_LEDGER, &found))
		return false;
	answer = PQntuples(found) == 0 ? "missing" : PQgetvalue(found, 0, 0);
	*is_usable = strcmp(answer, "usable") == 0;
	if (strcmp(answer, "other") == 0)
		message_warning(LEDGER " is another table than --create-ledger makes: Idempotency-Key is "
							   "ignored");
	else if (strcmp(answer, "closed") == 0)
		message_warning("no rights on " LEDGER
						": Idempotency-Key is ignored (GRANT USAGE ON SCHEMA "
						"transferbench; GRANT SELECT, INSERT, UPDATE, DELETE ON " LEDGER ")");
	PQclear(found);
	return run_set_up(database, LEDGER, "COMMIT", NULL);
}

/* --- within a request's transaction ----------------------------------------------------------- */

static DatabaseResult
out_of_memory(Database *database)
{
	return database_fail(database, "out of memory");
}

/* The key is printable ASCII; NULL when out of memory. */
static char *
quote(const char *key, Database *database)
{
	return PQescapeLiteral(database->connection, key, strlen(key));
}

/* Runs one statement made of a format with a key, and perhaps a number before or behind it. */
static DatabaseResult
run(Database *database, char *sql, PGresult **result)
{
	DatabaseResult ran;

	if (sql == NULL)
		return out_of_memory(database);
	ran = database_run(database, sql, DATABASE_WAIT_FOREVER, result);
	free(sql);
	return ran;
}

static char *
insert_sql(const char *quoted_key, int64_t ttl_s)
{
	char *sql;

	/* a conflict with a key that has expired takes it over; with another it changes nothing, and
	 * the row is locked until the end of this transaction, which comes at once then */
	if (asprintf(&sql,
				 "INSERT INTO " LEDGER " AS l (key, body_sha256, rows, answered_at)"
				 " VALUES (%s, '', 0, pg_catalog.now())"
				 " ON CONFLICT (key) DO UPDATE SET body_sha256 = '', rows = 0,"
				 " answered_at = pg_catalog.now() WHERE l.answered_at OPERATOR(pg_catalog.<)"
				 " (pg_catalog.now() OPERATOR(pg_catalog.-)"
				 " pg_catalog.make_interval(secs => %" PRId64 "))",
				 quoted_key, ttl_s) < 0)
		return NULL;
	return sql;
}

static char *
select_sql(const char *quoted_key)
{
	char *sql;

	if (asprintf(&sql,
				 "SELECT pg_catalog.encode(body_sha256, 'hex'), rows FROM " LEDGER
				 " WHERE key OPERATOR(pg_catalog.=) %s",
				 quoted_key) < 0)
		return NULL;
	return sql;
}

static int
hex_digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* False when the ledger does not hold what it should. */
static bool
take_entry(LedgerEntry *entry, const PGresult *rows)
{
	const char *hex;

	if (PQntuples(rows) != 1 || PQgetlength(rows, 0, 0) != 2 * REQUEST_BODY_DIGEST_SIZE)
		return false;
	hex = PQgetvalue(rows, 0, 0);
	for (int i = 0; i < REQUEST_BODY_DIGEST_SIZE; i++)
		entry->digest[i] = (unsigned char) (hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	entry->rows = strtoll(PQgetvalue(rows, 0, 1), NULL, 10);
	return true;
}

static DatabaseResult
find_entry(const char *quoted_key, LedgerEntry *entry, Database *database)
{
	PGresult *rows;
	DatabaseResult result = run(database, select_sql(quoted_key), &rows);

	if (result != DATABASE_OK)
		return result;
	if (!take_entry(entry, rows))
	{
		*database->sqlstate = '\0';
		snprintf(database->message, sizeof(database->message),
				 "the entry of this key in " LEDGER " cannot be read");
		result = DATABASE_FAILED;
	}
	PQclear(rows);
	return result;
}

DatabaseResult
request_ledger_claim(const char *key, int64_t ttl_s, LedgerEntry *entry, Database *database)
{
	char *quoted = quote(key, database);
	PGresult *inserted;
	DatabaseResult result;

	if (quoted == NULL)
		return out_of_memory(database);
	result = run(database, insert_sql(quoted, ttl_s), &inserted);
	if (result == DATABASE_OK)
	{
		entry->is_new = strcmp(PQcmdTuples(inserted), "1") == 0;
		PQclear(inserted);
		if (!entry->is_new)
			result = find_entry(quoted, entry, database);
	}
	PQfreemem(quoted);
	return result;
}

char *
request_ledger_keep_sql(const char *key, const unsigned char digest[REQUEST_BODY_DIGEST_SIZE],
						int64_t rows, Database *database)
{
	char hex[2 * REQUEST_BODY_DIGEST_SIZE + 1];
	char *quoted = quote(key, database);
	char *sql = NULL;

	for (int i = 0; i < REQUEST_BODY_DIGEST_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	if (quoted != NULL &&
		asprintf(&sql,
				 "UPDATE " LEDGER " SET body_sha256 = pg_catalog.decode('%s', 'hex'),"
				 " rows = %" PRId64 " WHERE key OPERATOR(pg_catalog.=) %s",
				 hex, rows, quoted) < 0)
		sql = NULL;
	PQfreemem(quoted);
	return sql;
}

/* --- now and then ------------------------------------------------------------------------------ */

DatabaseResult
request_ledger_sweep(int64_t ttl_s, Database *database)
{
	char sql[640];
	DatabaseResult result = DATABASE_OK;
	bool is_full = true;

	/* keys that a request is just replaying are left for the next time */
	snprintf(sql, sizeof(sql),
			 "DELETE FROM " LEDGER " WHERE key OPERATOR(pg_catalog.=) ANY (ARRAY("
			 "SELECT key FROM " LEDGER " WHERE answered_at OPERATOR(pg_catalog.<)"
			 " (pg_catalog.now() OPERATOR(pg_catalog.-)"
			 " pg_catalog.make_interval(secs => %" PRId64 "))"
			 " ORDER BY answered_at LIMIT %d FOR UPDATE SKIP LOCKED))",
			 ttl_s, SWEEP_ROWS);
	for (int i = 0; result == DATABASE_OK && is_full && i < SWEEP_BATCHES; i++)
	{
		PGresult *deleted;

		result = database_run(database, sql, SWEEP_TIMEOUT_MS, &deleted);
		if (result != DATABASE_OK)
			break;
		is_full = atoi(PQcmdTuples(deleted)) == SWEEP_ROWS;
		PQclear(deleted);
	}
	return result;
}
