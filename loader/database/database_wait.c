#include "database/database_internal.h"
#include "clock.h"

#include <poll.h>

/* Waits for the server once; TIMEOUT may come early. */
static DatabaseWait
wait_once(Database *database, short events, int timeout_ms, short *ready)
{
	struct pollfd fds[3] = {
		{.fd = PQsocket(database->connection), .events = events},
		{.fd = database->interrupt_fd, .events = POLLIN},
		{.fd = database->client_fd, .events = POLLRDHUP},
	};

	if (poll(fds, 3, timeout_ms) < 0)
		return DATABASE_WAIT_TIMEOUT; /* EINTR, ENOMEM: come again */
	if (fds[1].revents != 0 || fds[2].revents != 0)
		return DATABASE_WAIT_INTERRUPTED;
	*ready = fds[0].revents;
	return *ready != 0 ? DATABASE_WAIT_READY : DATABASE_WAIT_TIMEOUT;
}

DatabaseWait
database_wait(Database *database, short events, int64_t deadline_ns, short *ready)
{
	short ignored;
	DatabaseWait result;
	int64_t now_ns = 0;

	do
	{
		int timeout_ms = DATABASE_WAIT_FOREVER;

		if (deadline_ns != DATABASE_NO_DEADLINE)
		{
			now_ns = clock_now_ns();
			timeout_ms =
				now_ns >= deadline_ns
					? 0
					: (int) ((deadline_ns - now_ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS);
		}
		result = wait_once(database, events, timeout_ms, ready != NULL ? ready : &ignored);
	} while (result == DATABASE_WAIT_TIMEOUT &&
			 (deadline_ns == DATABASE_NO_DEADLINE || now_ns < deadline_ns));
	if (result == DATABASE_WAIT_INTERRUPTED)
		database_keep_message(database, NULL, "interrupted");
	return result;
}

DatabaseResult
database_wait_for_result(Database *database, int64_t deadline_ns)
{
	PGconn *connection = database->connection;

	while (PQisBusy(connection))
	{
		short events = PQflush(connection) > 0 ? POLLIN | POLLOUT : POLLIN;
		short ready = 0;

		/* a failure is found by PQgetResult, with all that arrived before it */
		if (!database_is_open(database))
			break;
		switch (database_wait(database, events, deadline_ns, &ready))
		{
			case DATABASE_WAIT_INTERRUPTED:
				return DATABASE_INTERRUPTED;
			case DATABASE_WAIT_TIMEOUT:
				return DATABASE_QUIET;
			case DATABASE_WAIT_READY:
				break;
		}
		if (ready != POLLOUT)
			PQconsumeInput(connection);
	}
	return DATABASE_OK;
}

DatabaseResult
database_await(Database *database, int64_t deadline_ns)
{
	int64_t start_ns;
	DatabaseResult waited;

	if (!PQisBusy(database->connection))
		return DATABASE_OK;
	start_ns = clock_now_ns();
	waited = database_wait_for_result(database, deadline_ns);
	database->waited_ns += clock_now_ns() - start_ns;
	return waited;
}
