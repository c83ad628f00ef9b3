/*
 * query_path.c - see query_path.h.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

#include "parallel_watch.h"
#include "query_path.h"

typedef struct QueryPath
{
	BenchPath base;
	char *select; /* the query's text, one SELECT, without its semicolon */
	bool is_ordered;
	bool parallel;
} QueryPath;

/* hands the executor's rows to the consumer: no tuplestore in between */
typedef struct ConsumerReceiver
{
	DestReceiver base;
	RowConsumer *consumer;
} ConsumerReceiver;

/* --- the query as text --------------------------------------------------------------- */

/* A syntax error's place is one in `query`, not in the statement that the user sent. */
static void
point_into_query(void *query)
{
	int position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery(query);
}

static List *
parse(char *query)
{
	ErrorContextCallback place = {
		.previous = error_context_stack, .callback = point_into_query, .arg = query};
	List *statements;

	error_context_stack = &place;
	statements = raw_parser(query, RAW_PARSE_DEFAULT);
	error_context_stack = place.previous;
	return statements;
}

static SelectStmt *
parse_one_select(const char *query, RawStmt **statement)
{
	List *statements = parse(pstrdup(query));
	SelectStmt *select;

	if (list_length(statements) != 1)
		ereport(
			ERROR, errcode(ERRCODE_SYNTAX_ERROR),
			errmsg("query must be exactly one SELECT, got %d statements", list_length(statements)));
	*statement = linitial_node(RawStmt, statements);
	if (!IsA((*statement)->stmt, SelectStmt))
		ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("query must be a SELECT"),
				errdetail("It is run read-only, as a subquery."));
	select = castNode(SelectStmt, (*statement)->stmt);
	if (select->intoClause != NULL)
		ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				errmsg("query must not create a table (SELECT INTO)"));
	if (select->lockingClause != NIL)
		ereport(ERROR, errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
				errmsg("query must not lock rows (FOR UPDATE, FOR SHARE)"),
				errdetail("It is run read-only."));
	return select;
}

static char *
cut_statement(const char *query, const RawStmt *statement)
{
	const char *start = query + statement->stmt_location;

	/* length 0 means: up to the end of the string */
	return statement->stmt_len > 0 ? pnstrdup(start, statement->stmt_len) : pstrdup(start);
}

/* The line break ends a comment that the query may end with. */
static char *
wrap_select(const QueryPath *path, const char *columns, const char *tail)
{
	return psprintf("SELECT %s FROM (%s\n) AS q %s", columns, path->select, tail);
}

/* --- the conditions of a measurement ------------------------------------------------- */

static void
set_for_run(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
}

/*
 * Opens a nested GUC level; end_conditions closes it, on errors the transaction
 * does. Read-only by the transaction's own flag: SPI's alone would let a
 * volatile function write.
 */
static int
begin_conditions(const QueryPath *path)
{
	int nest_level = NewGUCNestLevel();

	set_for_run("transaction_read_only", "on");
	set_for_run("synchronize_seqscans", "off"); /* else a LIMIT gets other rows each time */
	if (!path->parallel)
	{
		set_for_run("max_parallel_workers_per_gather", "0");
		set_for_run("max_parallel_workers", "0"); /* plans that were made before, in functions */
	}
	return nest_level;
}

/* Rolls back whatever was set since, by a function of the query too: nothing of it is to stay. */
static void
end_conditions(int nest_level)
{
	AtEOXact_GUC(false, nest_level);
}

static SPIPlanPtr
prepare(const char *sql)
{
	SPIPlanPtr plan = SPI_prepare_cursor(sql, 0, NULL, CURSOR_OPT_PARALLEL_OK);

	if (plan == NULL)
		ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
				errmsg("could not prepare the query: %s", SPI_result_code_string(SPI_result)));
	return plan;
}

static CachedPlanSource *
plan_source(SPIPlanPtr plan)
{
	return linitial(SPI_plan_get_plan_sources(plan));
}

static void
connect_spi(void)
{
	int code = SPI_connect();

	if (code != SPI_OK_CONNECT)
		ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
				errmsg("SPI_connect failed: %s", SPI_result_code_string(code)));
}

/* --- the path ------------------------------------------------------------------------ */

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	row_consumer_consume(((ConsumerReceiver *) self)->consumer, slot);
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
	TupleDesc expected = ((ConsumerReceiver *) self)->consumer->row_desc;
	bool same = expected->natts == typeinfo->natts;

	for (int i = 0; same && i < expected->natts; i++)
		same = TupleDescAttr(expected, i)->atttypid == TupleDescAttr(typeinfo, i)->atttypid;
	if (!same)
		ereport(ERROR, errcode(ERRCODE_DATATYPE_MISMATCH),
				errmsg("the query's columns changed between two trials"));
}

static void
receiver_ignore(DestReceiver *self)
{
}

static void
check_execution(int code)
{
	if (code < 0)
		ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
				errmsg("could not execute the query: %s", SPI_result_code_string(code)));
}

static void
query_path_run(BenchPath *base, int64 n, RowConsumer *consumer, BenchTrial *trial)
{
	QueryPath *path = (QueryPath *) base;
	ConsumerReceiver receiver = {
		.base = {.receiveSlot = receive_row,
				 .rStartup = receiver_startup,
				 .rShutdown = receiver_ignore,
				 .rDestroy = receiver_ignore,
				 .mydest = DestNone},
		.consumer = consumer,
	};
	SPIExecuteOptions options = {.read_only = true, .dest = &receiver.base};
	int nest_level = begin_conditions(path);
	uint64 workers_before = parallel_watch_workers();
	SPIPlanPtr plan;

	connect_spi();
	plan = prepare(wrap_select(path, "*", psprintf("LIMIT " INT64_FORMAT, n)));
	check_execution(SPI_execute_plan_extended(plan, &options));
	trial->cpu_is_partial = parallel_watch_workers() > workers_before;
	SPI_finish();
	end_conditions(nest_level);
}

/* Analyses the query and takes its columns into the context that `path` lives in. */
static void
describe(QueryPath *path)
{
	MemoryContext path_context = CurrentMemoryContext;
	TupleDesc result_desc;

	connect_spi();
	result_desc = plan_source(prepare(wrap_select(path, "*", "")))->resultDesc;
	MemoryContextSwitchTo(path_context);
	path->base.row_desc = CreateTupleDescCopy(result_desc);
	SPI_finish();
	if (path->base.row_desc->natts == 0)
		ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("query has no columns"));
}

BenchPath *
query_path_create(const char *query, bool parallel)
{
	QueryPath *path = palloc0(sizeof(QueryPath));
	RawStmt *statement;

	path->is_ordered = parse_one_select(query, &statement)->sortClause != NIL;
	path->select = cut_statement(query, statement);
	path->parallel = parallel;
	path->base.name = "in-server";
	path->base.run = query_path_run;
	describe(path);
	return &path->base;
}

bool
query_path_is_ordered(const BenchPath *path)
{
	return ((const QueryPath *) path)->is_ordered;
}

bool
query_path_has_more_rows(BenchPath *base, int64 n)
{
	QueryPath *path = (QueryPath *) base;
	int nest_level = begin_conditions(path);
	bool more;

	connect_spi();
	check_execution(SPI_execute(
		wrap_select(path, "1", psprintf("OFFSET " INT64_FORMAT " LIMIT 1", n)), true, 1));
	more = SPI_processed > 0;
	SPI_finish();
	end_conditions(nest_level);
	return more;
}

void
query_path_refuse_temporary_tables(BenchPath *base)
{
	QueryPath *path = (QueryPath *) base;
	ListCell *cell;

	connect_spi();
	foreach (cell, plan_source(prepare(wrap_select(path, "*", "")))->relationOids)
	{
		Oid relation = lfirst_oid(cell);

		/* of a temporary view, what it reads counts */
		if (get_rel_persistence(relation) == RELPERSISTENCE_TEMP &&
			get_rel_relkind(relation) != RELKIND_VIEW)
			ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("query reads the temporary table \"%s\"", get_rel_name(relation)),
					errdetail("Other sessions, the endpoint's among them, do not see its rows."));
	}
	SPI_finish();
}
