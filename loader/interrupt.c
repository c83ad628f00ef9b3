#include "interrupt.h"
#include "clock.h"
#include "exit_status.h"
#include "message.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static atomic_bool is_requested;
static int event_fd = -1;

/* A reader of stderr that has stopped reading must not keep the program from ending. */
static void
say_from_handler(const char *line, size_t length)
{
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) != 0)
		(void) !write(STDERR_FILENO, line, length);
}

/* Only what signal-safety(7) allows. */
static void
handle_signal(int signal_number)
{
	/* the line breaks end a line of progress, or the terminal's ^C */
	static const char notice[] = "\ntransferbench: stopping when what is under way has ended; a "
								 "second signal stops at once\n";
	static const char farewell[] = "\ntransferbench: stopped at once; \"transferbench cleanup\" "
								   "drops a table that this run may have left\n";
	const uint64_t one = 1;
	int saved_errno = errno;

	(void) signal_number;
	if (atomic_exchange(&is_requested, true))
	{
		say_from_handler(farewell, sizeof(farewell) - 1);
		_exit(EXIT_INCOMPLETE);
	}
	(void) !write(event_fd, &one, sizeof(one));
	say_from_handler(notice, sizeof(notice) - 1);
	errno = saved_errno;
}

bool
interrupt_install(void)
{
	struct sigaction action = {.sa_handler = handle_signal, .sa_flags = SA_RESTART};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction hangup;

	sigemptyset(&action.sa_mask);
	sigemptyset(&ignore.sa_mask);
	if (event_fd < 0)
		event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0)
	{
		message_error("cannot make an eventfd for signals: %m");
		return false;
	}
	if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0 ||
		sigaction(SIGPIPE, &ignore, NULL) != 0 || sigaction(SIGXFSZ, &ignore, NULL) != 0)
	{
		message_error("cannot install signal handlers: %m");
		return false;
	}
	/* a terminal that is gone stops a run as Ctrl-C does, unless nohup said otherwise */
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	return true;
}

bool
interrupt_requested(void)
{
	return atomic_load_explicit(&is_requested, memory_order_relaxed);
}

int
interrupt_fd(void)
{
	return event_fd;
}

bool
interrupt_sleep_ms(int milliseconds)
{
	int64_t deadline_ns = clock_now_ns() + milliseconds * CLOCK_NS_PER_MS;
	struct pollfd stop = {.fd = event_fd, .events = POLLIN};

	while (!interrupt_requested())
	{
		int64_t left_ns = deadline_ns - clock_now_ns();

		if (left_ns <= 0)
			break;
		/* rounded up, so that the last step is not spent spinning */
		poll(&stop, 1, (int) ((left_ns + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS));
	}
	return interrupt_requested();
}
