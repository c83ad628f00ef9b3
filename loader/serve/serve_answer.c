#include "serve/serve_answer.h"
#include "serve/body_stream.h"
#include "clock.h"
#include "message.h"
#include "rows/row_format.h"
#include "serve/serve_pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* When the server pauses for this long what is encoded so far goes out: often enough for a person
 * to watch, and never while rows come quickly. */
#define FLUSH_AFTER_MS 20

/* libpq keeps room for the longest row that a connection ever brought: one that was longer than this
 * costs its connection. */
#define KEPT_ROW_BYTES ((size_t) 4 * 1024 * 1024)

/* One answer in the making. */
typedef struct Answer
{
	Exchange *exchange;
	Database *database;
	const ServeAnswerOptions *options;
	const RowFormat *format;
	bool decides_late; /* the status, at the end rather than at the first row */
	int columns;
	RowColumnHead *heads; /* [columns] */
	RowField *fields;     /* [columns] */
	BodyStream *body;
	RowWriter *writer;
	int64_t rows;
	size_t longest_row_bytes;
	int64_t start_ns;
	int64_t start_cpu_ns;
} Answer;

static int64_t
thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t) now.tv_sec * CLOCK_NS_PER_S + now.tv_nsec;
}

/* Ends the exchange; what went wrong on this side is for the operator too, in full. */
static void
fail_with(Answer *answer, int status, const char *detail, const char *for_the_operator)
{
	message_warning("GET /load_from_db: %s after %" PRId64 " rows: %s", serve_status_text(status),
					answer->rows, for_the_operator);
	exchange_fail(answer->exchange, status, detail);
}

static void
fail(Answer *answer, int status, const char *detail)
{
	fail_with(answer, status, detail, detail);
}

/* Lets out what is encoded so far; false when nobody reads any more. */
static bool
flush(Answer *answer)
{
	if (answer->decides_late || answer->rows == 0)
		return true;
	return answer->format->flush(answer->writer) && body_stream_flush(answer->body);
}

/* The client gets the rows that were whole, and then no end. */
static void
fail_by_database(Answer *answer)
{
	const Database *database = answer->database;
	char detail[sizeof(database->message) + 16];

	snprintf(detail, sizeof(detail), "%s%s%s", database->sqlstate,
			 *database->sqlstate == '\0' ? "" : ": ", database->message);
	flush(answer);
	fail(answer,
		 strcmp(database->sqlstate, SQLSTATE_LOCK_NOT_AVAILABLE) == 0 ? SERVE_STATUS_BUSY
																	  : SERVE_STATUS_READING_FAILED,
		 detail);
}

static void
fail_out_of_memory(Answer *answer)
{
	fail(answer, SERVE_STATUS_UNSPECIFIED, "out of memory");
}

/* The writer refused a row: its own trouble is told; a client that has gone is not. */
static void
fail_by_writer(Answer *answer)
{
	const char *problem = answer->format->problem(answer->writer);

	if (*problem != '\0')
		fail(answer, SERVE_STATUS_UNSPECIFIED, problem);
}

/* Back to before the first result. */
static void
close_body(Answer *answer)
{
	answer->format->close(answer->writer);
	answer->writer = NULL;
	body_stream_free(answer->body);
	answer->body = NULL;
	free(answer->heads);
	answer->heads = NULL;
	free(answer->fields);
	answer->fields = NULL;
}

/* Opens the writer once the first result has told what columns there are. */
static bool
open_writer(Answer *answer, const PGresult *result)
{
	const QuerySource *source = answer->options->source;
	const ServeRequest *request = exchange_request(answer->exchange);
	RowWriterOptions options = {
		.columns = source->columns,
		.sink = body_stream_write,
		.max_spool_bytes = answer->options->max_spool_bytes,
	};

	answer->columns = source->columns;
	answer->heads = calloc((size_t) answer->columns, sizeof(RowColumnHead));
	answer->fields = calloc((size_t) answer->columns, sizeof(RowField));
	answer->body = body_stream_create(answer->exchange, request->gzip);
	if (answer->heads == NULL || answer->fields == NULL || answer->body == NULL)
		return false;
	/* the types are those of this very result: the table may have been altered since the start */
	for (int i = 0; i < answer->columns; i++)
	{
		answer->heads[i].name = source->column[i].name;
		answer->heads[i].kind = value_kind_of_type(PQftype(result, i));
	}
	options.heads = answer->heads;
	options.sink_context = answer->body;
	answer->writer = answer->format->open(&options);
	return answer->writer != NULL;
}

static bool
put_row(Answer *answer, const PGresult *row)
{
	size_t bytes = 0;

	for (int i = 0; i < answer->columns; i++)
	{
		RowField *field = &answer->fields[i];

		field->length = (size_t) PQgetlength(row, 0, i);
		/* only what is empty can be null: one call less for the most */
		field->text = field->length == 0 && PQgetisnull(row, 0, i) ? NULL : PQgetvalue(row, 0, i);
		bytes += field->length;
	}
	if (bytes > answer->longest_row_bytes)
		answer->longest_row_bytes = bytes;
	if (!answer->decides_late && answer->rows == 0 &&
		!exchange_decide(answer->exchange, SERVE_STATUS_RESULT))
		return false;
	answer->rows++;
	if (answer->format->row(answer->writer, answer->fields))
		return true;
	fail_by_writer(answer);
	return false;
}

/* query: waiting for and receiving from the database; serialise: making the body, less the time the
 * client let this side wait; cpu: of this thread, both together; spool: temporary files. */
static void
finish_exchange(Answer *answer)
{
	int64_t query_ns = answer->database->waited_ns;
	int64_t spool_ns = answer->format->spool_ns(answer->writer);
	int64_t serialise_ns = clock_now_ns() - answer->start_ns - query_ns - spool_ns -
						   exchange_waited_ns(answer->exchange);
	char timing[160];
	int length =
		snprintf(timing, sizeof(timing), "query;dur=%.3f, serialise;dur=%.3f, cpu;dur=%.3f",
				 clock_ns_to_ms(query_ns), clock_ns_to_ms(serialise_ns),
				 clock_ns_to_ms(thread_cpu_ns() - answer->start_cpu_ns));

	if (spool_ns > 0)
		snprintf(timing + length, sizeof(timing) - (size_t) length, ", spool;dur=%.3f",
				 clock_ns_to_ms(spool_ns));
	exchange_finish(answer->exchange, timing);
}

/* All rows are there, and the transaction has ended well. */
static void
finish_body(Answer *answer)
{
	if ((answer->decides_late || answer->rows == 0) &&
		!exchange_decide(answer->exchange,
						 answer->rows > 0 ? SERVE_STATUS_RESULT : SERVE_STATUS_NO_RESULT))
		return;
	if (answer->format->finish(answer->writer) && body_stream_finish(answer->body))
		finish_exchange(answer);
	else
		fail_by_writer(answer);
}

/* Takes one result, of any of the statements; false when the answer has ended. */
static bool
take_result(Answer *answer, const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_COMMAND_OK)
		return true;
	if (answer->writer == NULL && !open_writer(answer, result))
	{
		fail_out_of_memory(answer);
		return false;
	}
	return status != PGRES_SINGLE_TUPLE || put_row(answer, result);
}

/* Reads what the statements bring; true when the connection is broken and nothing was made of it
 * yet, so that another one may be tried. */
static bool
read_results(Answer *answer)
{
	bool may_wait_quietly = false;

	for (;;)
	{
		PGresult *result;
		bool goes_on;

		switch (database_next(answer->database,
							  may_wait_quietly ? DATABASE_WAIT_FOREVER : FLUSH_AFTER_MS, &result))
		{
			case DATABASE_QUIET:
				may_wait_quietly = true;
				if (!flush(answer))
					return false;
				continue;
			case DATABASE_INTERRUPTED:
				return false;
			case DATABASE_LOST:
				if (answer->rows == 0)
					return true;
				fail_by_database(answer);
				return false;
			case DATABASE_FAILED:
				fail_by_database(answer);
				return false;
			case DATABASE_OK:
				break;
		}
		if (result == NULL)
		{
			finish_body(answer);
			return false;
		}
		may_wait_quietly = false;
		goes_on = take_result(answer, result);
		PQclear(result);
		if (!goes_on)
			return false;
	}
}

static DatabaseResult
open_database(Answer *answer)
{
	Database *database = answer->database;
	DatabaseResult opened =
		database_open(database, answer->options->connection, SERVE_CONNECT_TIMEOUT_MS);

	/* libpq's words name hosts and users: not for everybody who can send a request */
	if (opened == DATABASE_LOST)
		fail_with(answer, SERVE_STATUS_READING_FAILED, "the database cannot be reached",
				  database->message);
	return opened;
}

/* Runs the query on the open connection; true when that has broken before any row came. */
static bool
run_query(Answer *answer, const char *sql)
{
	return database_send(answer->database, sql) == DATABASE_LOST || read_results(answer);
}

/* True when the database could be reached. */
static bool
answer_from_database(Answer *answer, const char *sql)
{
	DatabaseResult opened;

	/* a pooled connection may have died since its last use: that shows now, and is no error yet */
	if (database_is_open(answer->database) && !run_query(answer, sql))
		return true;
	close_body(answer);
	opened = open_database(answer);
	if (opened != DATABASE_OK)
		return opened == DATABASE_INTERRUPTED;
	if (run_query(answer, sql))
		fail_by_database(answer);
	return true;
}

bool
serve_answer(Exchange *exchange, Database *database, const void *context)
{
	const ServeAnswerOptions *options = context;
	const ServeRequest *request = exchange_request(exchange);
	Answer answer = {
		.exchange = exchange,
		.database = database,
		.options = options,
		.format = request->format,
		/* the client of a HEAD is gone as soon as it has its status */
		.decides_late = request->format->writes_late || request->head_only,
		.start_ns = clock_now_ns(),
		.start_cpu_ns = thread_cpu_ns(),
	};
	/* one row tells a HEAD which status a GET would get */
	int64_t limit = request->head_only && request->row_limit > 1 ? 1 : request->row_limit;
	char *sql = query_source_sql(options->source, request->format->is_json, limit, request->offset);
	bool reached = true;

	database->client_fd = exchange_client_fd(exchange);
	database->waited_ns = 0;
	if (sql == NULL)
		fail_out_of_memory(&answer);
	else
		reached = answer_from_database(&answer, sql);
	free(sql);
	close_body(&answer);
	/* whatever it was that did not come to an end above: nobody may be left waiting */
	exchange_fail(exchange, SERVE_STATUS_UNSPECIFIED, "the answer was interrupted");
	database->client_fd = -1;
	database_make_idle(database);
	if (answer.longest_row_bytes > KEPT_ROW_BYTES)
		database_close(database);
	return reached;
}
