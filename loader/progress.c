/*
 * progress.c - a thread that draws now and then, and stays for the next transfer.
 *
 * Two locks. stderr's own (flockfile) is held while something is written; a terminal that
 * does not read can keep it for long. `state_mutex` is never held meanwhile, so that a transfer
 * can begin and end whatever stderr does.
 */
#include "progress.h"
#include "clock.h"
#include "quantity_text.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 200

/* What is over sooner is not worth a line that flickers. */
#define FIRST_DRAW_AFTER_MS 300
#define LINE_EVERY_MS       5000

/* How long the end of a transfer waits for somebody who is just writing. */
#define ERASE_PATIENCE_MS 100

#define ERASE_LINE    "\r\033[K"
#define MAX_LINE      512 /* below PIPE_BUF: a pipe that has room takes it whole */
#define DEFAULT_WIDTH 80
#define MIN_BAR       5
#define MAX_BAR       30
#define MAX_FIGURES   160

typedef struct Transfer
{
	const char *what;
	int64_t total_rows;
	int64_t begun_ns;
} Transfer;

static alignas(64) atomic_int_fast64_t rows_done;
static atomic_bool is_quiet;

static pthread_mutex_t state_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t something_to_do = PTHREAD_COND_INITIALIZER;
static Transfer transfer; /* what == NULL: none */
static bool has_thread;
static int64_t last_line_ns;

/* Changed with stderr locked. */
static atomic_bool is_drawn;
static bool is_terminal;

void
progress_set_quiet(bool quiet)
{
	atomic_store(&is_quiet, quiet);
}

/* Writes nothing rather than wait. With stderr locked. */
static bool
write_if_room(const char *text, size_t length)
{
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0)
		return false;
	return write(STDERR_FILENO, text, length) > 0;
}

static int
terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return DEFAULT_WIDTH;
	return size.ws_col;
}

/* Copies as much as fits into `columns`; the length in bytes. A byte that continues a character
 * takes no column. */
static size_t
cut_to_columns(char *text, int columns)
{
	size_t length = 0;

	for (; text[length] != '\0'; length++)
		if (((unsigned char) text[length] & 0xc0) != 0x80 && columns-- == 0)
			break;
	text[length] = '\0';
	return length;
}

/* "  [=====>    ]  52 %"; where there is no room for a bar, the number alone. */
static void
bar_text(double share, int room, char *text, size_t size)
{
	int width = room < MAX_BAR ? room : MAX_BAR;
	int filled = (int) (share * width);
	char bar[MAX_BAR + 1];

	if (width < MIN_BAR)
	{
		snprintf(text, size, "  %3d %%", (int) (share * 100));
		return;
	}
	for (int i = 0; i < width; i++)
		bar[i] = i < filled ? '=' : i == filled ? '>' : ' ';
	bar[width] = '\0';
	snprintf(text, size, "  [%s] %3d %%", bar, (int) (share * 100));
}

static double
share_done(const Transfer *now, int64_t rows)
{
	if (now->total_rows <= 0)
		return 0;
	return rows >= now->total_rows ? 1 : (double) rows / (double) now->total_rows;
}

/* ", 0:12 left" at the rate so far, after `before`; "" while there is none. */
static void
time_left_text(const Transfer *now, int64_t rows, double elapsed_s, const char *before, char *text,
			   size_t size)
{
	int64_t rows_left = now->total_rows > rows ? now->total_rows - rows : 0;

	*text = '\0';
	if (now->total_rows > 0 && rows > 0)
		snprintf(text, size, "%s%s left", before,
				 quantity_time_left(elapsed_s * (double) rows_left / (double) rows).text);
}

static void
figures_text(const Transfer *now, int64_t rows, double elapsed_s, bool with_rows, char *text)
{
	char left[48];
	char moved[48] = "";

	time_left_text(now, rows, elapsed_s, "  ", left, sizeof(left));
	if (with_rows)
		snprintf(moved, sizeof(moved), "  %s rows", quantity_count(rows).text);
	snprintf(text, MAX_FIGURES, "%s  %s rows/s%s", moved,
			 quantity_rounded((double) rows / elapsed_s).text, left);
}

/* The bar is worth more than the number of rows: in a narrow terminal that goes first. */
static size_t
terminal_line(const Transfer *now, int64_t rows, double elapsed_s, char *line)
{
	char figures[MAX_FIGURES];
	char bar[MAX_BAR + 16] = "";
	int columns = terminal_width() - 1;
	int bar_width = 0;

	figures_text(now, rows, elapsed_s, true, figures);
	if (now->total_rows > 0)
	{
		int taken = (int) (strlen(now->what) + strlen("  [] 100 %"));

		if (columns - taken - (int) strlen(figures) < MIN_BAR)
			figures_text(now, rows, elapsed_s, false, figures);
		bar_width = columns - taken - (int) strlen(figures);
		bar_text(share_done(now, rows), bar_width, bar, sizeof(bar));
	}
	snprintf(line, MAX_LINE, ERASE_LINE "%s%s%s", now->what, bar, figures);
	return strlen(ERASE_LINE) + cut_to_columns(line + strlen(ERASE_LINE), columns);
}

static size_t
log_line(const Transfer *now, int64_t rows, double elapsed_s, char *line)
{
	char left[48];
	char share[16] = "";
	int length;

	time_left_text(now, rows, elapsed_s, ", ", left, sizeof(left));
	if (now->total_rows > 0)
		snprintf(share, sizeof(share), " (%d %%)", (int) (share_done(now, rows) * 100));
	length = snprintf(line, MAX_LINE, "transferbench: %.256s: %s rows%s, %s rows/s%s\n", now->what,
					  quantity_count(rows).text, share,
					  quantity_rounded((double) rows / elapsed_s).text, left);
	return (size_t) length;
}

/* The line to be written now; 0: none. With state_mutex, since `what` is only lent. */
static size_t
compose_line(char *line)
{
	int64_t now_ns = clock_now_ns();
	int64_t rows = atomic_load_explicit(&rows_done, memory_order_relaxed);
	double elapsed_s = (double) (now_ns - transfer.begun_ns) / CLOCK_NS_PER_S;

	if (transfer.what == NULL)
		return 0;
	if (is_terminal)
	{
		if (now_ns - transfer.begun_ns < FIRST_DRAW_AFTER_MS * CLOCK_NS_PER_MS)
			return 0;
		return terminal_line(&transfer, rows, elapsed_s, line);
	}
	if (now_ns - last_line_ns < LINE_EVERY_MS * CLOCK_NS_PER_MS)
		return 0;
	last_line_ns = now_ns;
	return log_line(&transfer, rows, elapsed_s, line);
}

/* With stderr locked. */
static void
erase_if_drawn(void)
{
	if (atomic_load(&is_drawn) && write_if_room(ERASE_LINE, strlen(ERASE_LINE)))
		atomic_store(&is_drawn, false);
}

/* Composed with stderr locked, so that no line of a transfer follows its end. */
static void
tick(void)
{
	char line[MAX_LINE];
	size_t length;
	bool is_over;

	if (ftrylockfile(stderr) != 0)
		return;
	pthread_mutex_lock(&state_mutex);
	is_over = transfer.what == NULL;
	length = compose_line(line);
	pthread_mutex_unlock(&state_mutex);
	if (is_over)
		erase_if_drawn();
	else if (length > 0 && write_if_room(line, length))
		atomic_store(&is_drawn, is_terminal);
	funlockfile(stderr);
}

static void *
draw(void *unused)
{
	const struct timespec pause = {.tv_nsec = TICK_MS * CLOCK_NS_PER_MS};

	for (;;)
	{
		pthread_mutex_lock(&state_mutex);
		while (transfer.what == NULL && !atomic_load(&is_drawn))
			pthread_cond_wait(&something_to_do, &state_mutex);
		pthread_mutex_unlock(&state_mutex);
		nanosleep(&pause, NULL);
		tick();
	}
	return unused;
}

/* Signals are for the threads that wait for something. */
static bool
start_thread(void)
{
	sigset_t all;
	sigset_t before;
	pthread_attr_t attributes;
	pthread_t thread;
	bool is_started;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	is_started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
				 pthread_create(&thread, &attributes, draw, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return is_started;
}

static bool
can_draw_over(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

void
progress_begin(const char *what, int64_t total_rows)
{
	if (atomic_load(&is_quiet))
		return;
	pthread_mutex_lock(&state_mutex);
	if (!has_thread)
	{
		is_terminal = can_draw_over();
		last_line_ns = clock_now_ns();
		has_thread = start_thread();
	}
	if (has_thread)
	{
		atomic_store(&rows_done, 0);
		transfer = (Transfer){.what = what, .total_rows = total_rows, .begun_ns = clock_now_ns()};
		pthread_cond_signal(&something_to_do);
	}
	pthread_mutex_unlock(&state_mutex);
}

void
progress_add(int64_t rows)
{
	atomic_fetch_add_explicit(&rows_done, rows, memory_order_relaxed);
}

/* False when somebody has been writing for too long. */
static bool
lock_stderr_patiently(void)
{
	const struct timespec pause = {.tv_nsec = CLOCK_NS_PER_MS};

	for (int waited_ms = 0; ftrylockfile(stderr) != 0; waited_ms++)
	{
		if (waited_ms == ERASE_PATIENCE_MS)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

void
progress_end(void)
{
	pthread_mutex_lock(&state_mutex);
	transfer.what = NULL;
	pthread_mutex_unlock(&state_mutex);
	/* otherwise the thread does it as soon as it can */
	if (lock_stderr_patiently())
	{
		erase_if_drawn();
		funlockfile(stderr);
	}
}

/* The message waits for room, if it must: so may this. */
void
progress_before_message(void)
{
	if (atomic_exchange(&is_drawn, false))
		(void) write_if_room(ERASE_LINE, strlen(ERASE_LINE));
}
