/*
 * row_source_database_test.c - rows of another database, which here is a script of what the
 * connection says; what was asked of it is written down.
 */
#include "row_log.h"

#include "rows/row_source.h"

#define HEADER    "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"
#define ROW(id)   "\0\1\0\0\0\10\0\0\0\0\0\0\0" id
#define TRAILER   "\377\377"
#define MAX_STEPS 8

/* --- the connection ------------------------------------------------------------------------ */

typedef struct Step
{
	DatabaseResult result;
	const char *bytes; /* NULL: the end */
	size_t length;
} Step;

#define PIECE(bytes)                                                                               \
	{                                                                                              \
		DATABASE_OK, (bytes), sizeof(bytes) - 1                                                    \
	}
#define END                                                                                        \
	{                                                                                              \
		DATABASE_OK, NULL, 0                                                                       \
	}

static const Step *steps; /* of COPY */
static DatabaseResult begin_result, copy_result, commit_result;
static bool is_open;
static Log calls;

DatabaseResult
database_run(Database *database, const char *sql, int timeout_ms, PGresult **result)
{
	(void) database;
	log_add(&calls, "run %s%s%s\n", sql, timeout_ms == DATABASE_WAIT_FOREVER ? "" : " with a limit",
			result == NULL ? "" : " for a result");
	return strcmp(sql, "COMMIT") == 0 ? commit_result : begin_result;
}

DatabaseResult
database_copy_out_begin(Database *database, const char *sql)
{
	(void) database;
	log_add(&calls, "copy %s\n", sql);
	return copy_result;
}

DatabaseResult
database_copy_out_next(Database *database, char **bytes, size_t *length)
{
	static char piece[64];
	const Step *step = steps++;

	(void) database;
	*bytes = NULL;
	*length = step->length;
	if (step->bytes != NULL)
		*bytes = memcpy(piece, step->bytes, step->length);
	return step->result;
}

void
database_make_idle(Database *database)
{
	(void) database;
	log_add(&calls, "idle\n");
}

bool
database_is_open(const Database *database)
{
	(void) database;
	return is_open;
}

/* --- the tests ------------------------------------------------------------------------------- */

static Database database;

static void
script(const Step *copy_steps)
{
	steps = copy_steps;
	begin_result = copy_result = commit_result = DATABASE_OK;
	is_open = true;
	strcpy(database.sqlstate, "22012");
	strcpy(database.message, "division by zero");
	log_clear(&calls);
}

static void
expect_rows_of(RowSource *source, const char *wanted, const char *name)
{
	static const char *const names[] = {"rows", "end", "failed", "interrupted"};
	static Log log;
	RowChunk *chunk = row_chunk_create(row_source_type(source));
	RowSourceResult result;

	log_clear(&log);
	while ((result = row_source_next(source, chunk, 2)) == ROW_SOURCE_ROWS)
	{
		for (int i = 0; i < row_chunk_rows(chunk); i++)
			log_row(&log, row_source_type(source), row_chunk_row(chunk, i));
		row_chunk_reset(chunk);
	}
	log_add(&log, "%s", names[result]);
	if (result == ROW_SOURCE_FAILED)
		log_add(&log, ": %s", row_source_problem(source));
	unit_equal_bytes(log.text, log.length, wanted, name);
	row_chunk_free(chunk);
}

static void
expect_calls(const char *wanted, const char *name)
{
	unit_equal_bytes(calls.text, calls.length, wanted, name);
	log_clear(&calls);
}

static void
test_binary(const RowType *type)
{
	static const Step copy[] = {PIECE(HEADER ROW("\1")), PIECE(ROW("\2")), PIECE(ROW("\3")),
								PIECE(TRAILER), END};
	RowSource *source;

	script(copy);
	source = row_source_database(&database, "BEGIN", "SELECT id FROM t", type);
	unit_equal_int(row_source_total(source), -1, "the number of rows is not known beforehand");
	unit_ok(!row_source_can_seek(source), "no seeking");
	expect_calls("", "nothing is asked before a row is wanted");
	expect_rows_of(source, "1\n2\n3\nend", "rows in binary");
	expect_calls("run BEGIN\ncopy COPY (SELECT id FROM t\n) TO STDOUT WITH (FORMAT binary)\n"
				 "run COMMIT\n",
				 "rows in binary: what was asked");
	script(copy);
	unit_ok(row_source_rewind(source), "rewind");
	expect_rows_of(source, "1\n2\n3\nend", "the same rows again");
	script(copy);
	unit_ok(row_source_rewind(source), "rewind");
	is_open = false;
	unit_ok(!row_source_rewind(source), "no rewind once the connection is lost");
	row_source_free(source);
}

static void
test_text(void)
{
	static const TestColumn columns[] = {COLUMN_TEST_ID, {"o", "inet", 869}};
	static const Step copy[] = {PIECE("1\t127.0.0.1\n"), PIECE("2\t\\N\n"), END};
	RowType *type = make_type(columns, 2);
	RowSource *source;

	script(copy);
	source = row_source_database(&database, "BEGIN", "SELECT 1", type);
	expect_rows_of(source, "1|[127.0.0.1]\n2|null\nend", "rows in text, for a type without a form");
	expect_calls("run BEGIN\ncopy COPY (SELECT 1\n) TO STDOUT\nrun COMMIT\n",
				 "rows in text: what was asked");
	row_source_free(source);
	row_type_free(type);
}

static void
test_failures(const RowType *type)
{
	static const Step lost[] = {PIECE(HEADER ROW("\1")), {DATABASE_LOST, NULL, 0}};
	static const Step interrupted[] = {PIECE(HEADER ROW("\1")), {DATABASE_INTERRUPTED, NULL, 0}};
	static const Step cut[] = {PIECE(HEADER ROW("\1")), END};
	static const Step whole[] = {PIECE(HEADER ROW("\1")), PIECE(TRAILER), END};
	RowSource *source = row_source_database(&database, "BEGIN", "SELECT 1", type);

	script(lost);
	expect_rows_of(source, "1\nfailed: the source database: division by zero (SQLSTATE 22012)",
				   "a failure after a row");
	expect_calls("run BEGIN\ncopy COPY (SELECT 1\n) TO STDOUT WITH (FORMAT binary)\n",
				 "nothing is committed then");
	script(interrupted);
	row_source_rewind(source);
	expect_calls("idle\n", "what was left open is undone first");
	expect_rows_of(source, "1\ninterrupted", "an interrupt");
	script(cut);
	row_source_rewind(source);
	expect_rows_of(source,
				   "1\nfailed: the source database: the data ends after row 1 without the trailer",
				   "data without its end");
	script(whole);
	row_source_rewind(source);
	commit_result = DATABASE_FAILED;
	expect_rows_of(source, "1\nfailed: the source database: division by zero (SQLSTATE 22012)",
				   "a commit that fails");
	script(whole);
	row_source_rewind(source);
	copy_result = DATABASE_FAILED;
	database.sqlstate[0] = '\0';
	expect_rows_of(source, "failed: the source database: division by zero",
				   "a query that is refused, without a SQLSTATE");
	script(whole);
	row_source_rewind(source);
	begin_result = DATABASE_INTERRUPTED;
	expect_rows_of(source, "interrupted", "an interrupt at the begin");
	log_clear(&calls);
	row_source_free(source);
	expect_calls("idle\n", "what was left open is undone at the end");
}

int
main(void)
{
	static const TestColumn columns[] = {COLUMN_TEST_ID};
	RowType *type = make_type(columns, 1);

	test_binary(type);
	test_text();
	test_failures(type);
	row_type_free(type);
	return unit_done();
}
