#include "database/database_internal.h"
#include "clock.h"
#include "database/database_cancel.h"

#include <poll.h>

/* For the rest of a cancelled result; a new connection costs less than a longer wait. */
#define MAKE_IDLE_MS 2000

/* For a server that is in the middle of a COPY FROM to hear of its end. */
#define LISTEN_MS 500

#define GIVEN_UP "the transfer was given up"

/* Takes and drops the rest of a COPY TO; false when time is over. */
static bool
drain_copy_out(Database *database, int64_t deadline_ns)
{
	char *row;
	int length;

	while ((length = PQgetCopyData(database->connection, &row, true)) >= 0)
	{
		if (length > 0)
			PQfreemem(row);
		else if (!database_is_open(database) ||
				 database_wait(database, POLLIN, deadline_ns, NULL) != DATABASE_WAIT_READY)
			return false;
		else
			PQconsumeInput(database->connection);
		if (clock_now_ns() > deadline_ns)
			return false;
	}
	return length == -1;
}

/* Takes and drops results until there are none; false when time is over. */
static bool
drain(Database *database, int64_t deadline_ns)
{
	for (;;)
	{
		ExecStatusType status;
		PGresult *result;

		if (database_wait_for_result(database, deadline_ns) != DATABASE_OK ||
			clock_now_ns() > deadline_ns)
			return false;
		result = PQgetResult(database->connection);
		if (result == NULL)
			return true;
		status = PQresultStatus(result);
		PQclear(result);
		if (status == PGRES_COPY_IN && PQputCopyEnd(database->connection, GIVEN_UP) < 0)
			return false;
		if (status == PGRES_COPY_OUT && !drain_copy_out(database, deadline_ns))
			return false;
	}
}

static bool
leave_pipeline(Database *database, int64_t deadline_ns)
{
	PGconn *connection = database->connection;

	/* what was sent without one is not answered before it */
	if (!PQpipelineSync(connection))
		return false;
	while (PQpipelineStatus(connection) != PQ_PIPELINE_OFF)
	{
		PGresult *result;

		if (database_wait_for_result(database, deadline_ns) != DATABASE_OK ||
			!database_is_open(database) || clock_now_ns() > deadline_ns)
			return false;
		result = PQgetResult(connection);
		/* refused as long as the answer to another one is to come */
		if (PQresultStatus(result) == PGRES_PIPELINE_SYNC)
			PQexitPipelineMode(connection);
		PQclear(result);
	}
	return true;
}

/* Ends a COPY FROM in so many words, if there is one and the server listens: a cancel costs it a
 * connection. */
static bool
end_copy_in(Database *database, int64_t deadline_ns)
{
	/* refused where there is none */
	return PQputCopyEnd(database->connection, GIVEN_UP) == 1 && drain(database, deadline_ns);
}

static bool
make_idle(Database *database, int64_t deadline_ns)
{
	PGconn *connection = database->connection;
	int64_t listens_ns = clock_now_ns() + LISTEN_MS * CLOCK_NS_PER_MS;

	if (PQtransactionStatus(connection) == PQTRANS_ACTIVE && !end_copy_in(database, listens_ns))
		database_cancel(connection, deadline_ns);
	if (PQpipelineStatus(connection) != PQ_PIPELINE_OFF && !leave_pipeline(database, deadline_ns))
		return false;
	if (!drain(database, deadline_ns))
		return false;
	if (PQtransactionStatus(connection) != PQTRANS_IDLE &&
		(!PQsendQuery(connection, "ROLLBACK") || !drain(database, deadline_ns)))
		return false;
	return PQtransactionStatus(connection) == PQTRANS_IDLE;
}

void
database_make_idle(Database *database)
{
	int interrupt_fd = database->interrupt_fd, client_fd = database->client_fd;

	if (!database_is_open(database))
	{
		database_close(database);
		return;
	}
	if (PQtransactionStatus(database->connection) == PQTRANS_IDLE &&
		PQpipelineStatus(database->connection) == PQ_PIPELINE_OFF)
		return;
	/* nobody is to interrupt what is meant to leave order behind */
	database->interrupt_fd = database->client_fd = -1;
	if (!make_idle(database, clock_now_ns() + MAKE_IDLE_MS * CLOCK_NS_PER_MS))
		database_close(database);
	database->interrupt_fd = interrupt_fd;
	database->client_fd = client_fd;
}
