#include "serve/lingering.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define LINGER_NS    (5 * CLOCK_NS_PER_S)
#define LINGER_BYTES (64 * 1024 * 1024)
#define PIECE_BYTES  (64 * 1024)

typedef struct Socket
{
	int fd;
	int64_t deadline_ns;
	int64_t bytes;
} Socket;

struct Lingering
{
	pthread_t thread;
	int wake_fd;

	pthread_mutex_t lock;         /* over all that follows */
	Socket socket[LINGERING_MAX]; /* the thread's too, but for those added since it looked */
	int count;
	bool stopping;
};

/* Reads what is there; false when the socket has nothing more to give, or gives too much. */
static bool
drain(Socket *from)
{
	char piece[PIECE_BYTES];
	ssize_t got = recv(from->fd, piece, sizeof(piece), MSG_DONTWAIT);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	from->bytes += got;
	return got > 0 && from->bytes <= LINGER_BYTES;
}

/* The lock is held. */
static void
drop(Lingering *lingering, int index)
{
	close(lingering->socket[index].fd);
	lingering->socket[index] = lingering->socket[--lingering->count];
}

/* Waits for bytes, a deadline or an addition; fds[0] is the waking one. Returns how many sockets. */
static int
wait_for_bytes(Lingering *lingering, struct pollfd fds[LINGERING_MAX + 1])
{
	int64_t now_ns = clock_now_ns(), next_ns = INT64_MAX;
	int count, timeout_ms = -1;

	fds[0] = (struct pollfd){.fd = lingering->wake_fd, .events = POLLIN};
	pthread_mutex_lock(&lingering->lock);
	count = lingering->count;
	for (int i = 0; i < count; i++)
	{
		fds[i + 1] = (struct pollfd){.fd = lingering->socket[i].fd, .events = POLLIN};
		if (lingering->socket[i].deadline_ns < next_ns)
			next_ns = lingering->socket[i].deadline_ns;
	}
	pthread_mutex_unlock(&lingering->lock);
	if (count > 0)
		timeout_ms = next_ns <= now_ns ? 0 : (int) ((next_ns - now_ns) / CLOCK_NS_PER_MS) + 1;
	/* whatever it fails with, the sockets are looked at below and come round again */
	if (poll(fds, (nfds_t) count + 1, timeout_ms) < 0)
		fds[0].revents = 0;
	return count;
}

static void *
run(void *context)
{
	Lingering *lingering = context;
	struct pollfd fds[LINGERING_MAX + 1];
	bool stopping = false;

	while (!stopping)
	{
		int count = wait_for_bytes(lingering, fds);
		int64_t now_ns = clock_now_ns();
		uint64_t additions;

		if ((fds[0].revents & POLLIN) != 0 &&
			read(lingering->wake_fd, &additions, sizeof(additions)) < 0)
			continue;
		pthread_mutex_lock(&lingering->lock);
		/* from the end, so that whatever takes a dropped one's place was looked at already */
		for (int i = count - 1; i >= 0; i--)
		{
			Socket *socket = &lingering->socket[i];

			if (now_ns >= socket->deadline_ns || (fds[i + 1].revents != 0 && !drain(socket)))
				drop(lingering, i);
		}
		stopping = lingering->stopping;
		pthread_mutex_unlock(&lingering->lock);
	}
	return NULL;
}

static int
start(Lingering *lingering)
{
	int problem;

	lingering->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (lingering->wake_fd < 0)
		return errno;
	pthread_mutex_init(&lingering->lock, NULL);
	problem = pthread_create(&lingering->thread, NULL, run, lingering);
	if (problem != 0)
	{
		pthread_mutex_destroy(&lingering->lock);
		close(lingering->wake_fd);
	}
	return problem;
}

Lingering *
lingering_start(void)
{
	Lingering *lingering = calloc(1, sizeof(Lingering));
	int problem = lingering == NULL ? ENOMEM : start(lingering);

	if (problem == 0)
		return lingering;
	free(lingering);
	errno = problem;
	return NULL;
}

static void
wake(Lingering *lingering)
{
	const uint64_t one = 1;

	/* an eventfd takes it unless its counter is full, and then it is readable anyway */
	if (write(lingering->wake_fd, &one, sizeof(one)) < 0)
		return;
}

void
lingering_add(Lingering *lingering, int fd)
{
	bool is_full;

	pthread_mutex_lock(&lingering->lock);
	is_full = lingering->count == LINGERING_MAX;
	if (!is_full)
		lingering->socket[lingering->count++] =
			(Socket){.fd = fd, .deadline_ns = clock_now_ns() + LINGER_NS};
	pthread_mutex_unlock(&lingering->lock);
	if (is_full)
		close(fd);
	else
		wake(lingering);
}

void
lingering_stop(Lingering *lingering)
{
	if (lingering == NULL)
		return;
	pthread_mutex_lock(&lingering->lock);
	lingering->stopping = true;
	pthread_mutex_unlock(&lingering->lock);
	wake(lingering);
	pthread_join(lingering->thread, NULL);
	while (lingering->count > 0)
		drop(lingering, 0);
	pthread_mutex_destroy(&lingering->lock);
	close(lingering->wake_fd);
	free(lingering);
}
