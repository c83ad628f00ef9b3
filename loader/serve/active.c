#include "serve/active.h"
#include "serve/serve_reply.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

void
active_list_init(ActiveList *list, int64_t limit)
{
	*list = (ActiveList){.limit = limit};
	pthread_mutex_init(&list->lock, NULL);
}

void
active_list_destroy(ActiveList *list)
{
	pthread_mutex_destroy(&list->lock);
}

void
active_list_close(ActiveList *list)
{
	pthread_mutex_lock(&list->lock);
	list->closing = true;
	pthread_mutex_unlock(&list->lock);
}

int
active_list_count(ActiveList *list)
{
	int count;

	pthread_mutex_lock(&list->lock);
	count = (int) list->count;
	pthread_mutex_unlock(&list->lock);
	return count;
}

void
active_list_cut(ActiveList *list)
{
	pthread_mutex_lock(&list->lock);
	for (Active *active = list->first; active != NULL; active = active->next)
		exchange_cut(active->exchange, SERVE_STATUS_BUSY, "the server is stopping");
	pthread_mutex_unlock(&list->lock);
}

static void
suspend(void *connection)
{
	MHD_suspend_connection(connection);
}

static void
resume(void *connection)
{
	MHD_resume_connection(connection);
}

int
active_duplicate_socket(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info == NULL ? -1 : fcntl(info->connect_fd, F_DUPFD_CLOEXEC, 0);
}

bool
active_has_left(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	char next;

	return info != NULL && recv(info->connect_fd, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static Active *
create(struct MHD_Connection *connection, const ExchangeOptions *options, bool has_chunks)
{
	Active *active = calloc(1, sizeof(Active));
	ExchangeOptions all = *options;

	/* a second descriptor: the first may be closed, and its number used again, while a worker looks */
	all.client_fd = active_duplicate_socket(connection);
	all.sleep = suspend;
	all.wake = resume;
	all.http_side = connection;
	if (active != NULL && all.client_fd >= 0)
	{
		active->has_chunks = has_chunks;
		active->exchange = exchange_create(&all);
		if (active->exchange != NULL)
			return active;
	}
	if (all.client_fd >= 0)
		close(all.client_fd);
	free(active);
	return NULL;
}

/* Whether one more may count; the lock is held. Those whose answer is decided while their body is
 * still coming stop counting as soon as it matters. */
static bool
has_room(ActiveList *list)
{
	if (list->counted < list->limit)
		return true;
	for (Active *active = list->first; active != NULL; active = active->next)
	{
		if (!active->counts || exchange_upload(active->exchange) == NULL ||
			exchange_is_wanted(active->exchange))
			continue;
		active->counts = false;
		list->counted--;
	}
	return list->counted < list->limit;
}

/* The lock is held. */
static void
start_counting(Active *active)
{
	active->counts = true;
	active->list->counted++;
}

/* Under one lock: whoever closes the doors sees either this request, or none that follows. */
static Admission
enter(ActiveList *list, Active *active)
{
	Admission admission = ADMITTED;

	pthread_mutex_lock(&list->lock);
	if (list->closing)
		admission = ADMISSION_CLOSING;
	else if (!has_room(list))
		admission = ADMISSION_FULL;
	else
	{
		active->list = list;
		list->count++;
		if (exchange_upload(active->exchange) == NULL)
			start_counting(active);
		active->next = list->first;
		if (active->next != NULL)
			active->next->previous = active;
		list->first = active;
	}
	pthread_mutex_unlock(&list->lock);
	return admission;
}

Admission
active_admit(ActiveList *list, struct MHD_Connection *connection, const ExchangeOptions *options,
			 bool has_chunks, Active **active)
{
	Active *created = create(connection, options, has_chunks);
	Admission admission;

	if (created == NULL)
		return ADMISSION_OUT_OF_MEMORY;
	admission = enter(list, created);
	if (admission == ADMITTED)
	{
		*active = created;
		return admission;
	}
	exchange_release(created->exchange);
	free(created);
	return admission;
}

bool
active_count_upload(Active *active)
{
	ActiveList *list = active->list;
	bool may_count;

	pthread_mutex_lock(&list->lock);
	may_count = has_room(list);
	if (may_count)
		start_counting(active);
	pthread_mutex_unlock(&list->lock);
	return may_count;
}

enum MHD_Result
active_refuse(struct MHD_Connection *connection, Admission admission)
{
	switch (admission)
	{
		case ADMISSION_CLOSING:
			return serve_reply_error(connection, SERVE_STATUS_BUSY, "the server is stopping");
		case ADMISSION_FULL:
			return serve_reply_error(connection, SERVE_STATUS_TOO_MANY, ACTIVE_FULL);
		default:
			return serve_reply_error(connection, SERVE_STATUS_UNSPECIFIED,
									 "out of memory or file descriptors");
	}
}

void
active_forget(Active *active)
{
	ActiveList *list = active->list;

	exchange_abandon(active->exchange);
	pthread_mutex_lock(&list->lock);
	list->count--;
	list->counted -= active->counts;
	if (active->previous != NULL)
		active->previous->next = active->next;
	else
		list->first = active->next;
	if (active->next != NULL)
		active->next->previous = active->previous;
	pthread_mutex_unlock(&list->lock);
	exchange_release(active->exchange);
	free(active);
}
