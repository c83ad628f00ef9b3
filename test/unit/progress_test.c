/*
 * progress_test.c - what a terminal gets to see, and that nobody waits for one that does not read.
 */
#include "progress.h"
#include "message.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "unit.h"

#define TERMINAL_COLUMNS 60
#define LONG_ENOUGH_US   800000 /* for what is not to be drawn */
#define LOOK_EVERY_US    10000
#define LOOKS            1000 /* until what is to be seen is given up */
#define ERASE            "\r\033[K"

typedef struct Terminal
{
	int keyboard, saved_stderr;
	char seen[8192];
} Terminal;

static bool
open_terminal(Terminal *terminal)
{
	struct winsize size = {.ws_row = 24, .ws_col = TERMINAL_COLUMNS};
	int screen;

	terminal->keyboard = posix_openpt(O_RDWR | O_NOCTTY);
	if (terminal->keyboard < 0 || grantpt(terminal->keyboard) != 0 ||
		unlockpt(terminal->keyboard) != 0)
		return false;
	screen = open(ptsname(terminal->keyboard), O_RDWR | O_NOCTTY);
	if (screen < 0 || ioctl(screen, TIOCSWINSZ, &size) != 0)
		return false;
	terminal->saved_stderr = dup(STDERR_FILENO);
	dup2(screen, STDERR_FILENO);
	close(screen);
	setenv("TERM", "xterm", 1);
	return fcntl(terminal->keyboard, F_SETFL, O_NONBLOCK) == 0;
}

static bool
ends_with(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static bool
contains(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

static bool
is_as_long(const char *text, const char *wanted)
{
	return strlen(text) >= strlen(wanted);
}

/* What was written since the last time, once it is as wanted: a terminal hands on what it got a little
 * later, and a machine that is busy draws later. */
static const char *
look(Terminal *terminal, bool (*is_enough)(const char *, const char *), const char *wanted)
{
	size_t length = 0;

	terminal->seen[0] = '\0';
	for (int looks = 0; looks < LOOKS && !is_enough(terminal->seen, wanted); looks++)
	{
		ssize_t got =
			read(terminal->keyboard, terminal->seen + length, sizeof(terminal->seen) - 1 - length);

		if (got <= 0)
			usleep(LOOK_EVERY_US);
		else
			terminal->seen[length += (size_t) got] = '\0';
	}
	return terminal->seen;
}

static void
check_seen(Terminal *terminal, const char *wanted, const char *name)
{
	const char *seen = look(terminal, is_as_long, wanted);

	unit_equal_bytes(seen, strlen(seen), wanted, name);
}

static void
check_nothing_seen(Terminal *terminal, const char *name)
{
	char byte;

	unit_ok(read(terminal->keyboard, &byte, 1) < 0, name);
}

static void
check_drawing(Terminal *terminal)
{
	const char *seen;

	progress_begin("copy-text", 2000);
	progress_add(400);
	progress_add(600);
	seen = look(terminal, contains, " left");
	unit_ok(strncmp(seen, ERASE "copy-text  [", strlen(ERASE "copy-text  [")) == 0,
			"a bar is drawn over the line");
	unit_ok(contains(seen, "=>") && contains(seen, "  50 %"), "its share is told");
	unit_ok(contains(seen, " left"), "the time left is told");
	message_warning("a warning");
	unit_ok(contains(look(terminal, contains, "a warning\r\n"),
					 ERASE "transferbench: warning: a warning\r\n"),
			"a message erases the line first");
	unit_ok(contains(look(terminal, contains, "copy-text"), "copy-text"),
			"the line is drawn again");
	progress_end();
	unit_ok(ends_with(look(terminal, ends_with, ERASE), ERASE), "the end erases it");
	message_warning("another");
	check_seen(terminal, "transferbench: warning: another\r\n",
			   "then a message has nothing to erase");
}

static void
check_width(Terminal *terminal)
{
	const char *seen;

	progress_begin("a transfer whose name is too long for \303\251very terminal of sixty columns",
				   -1);
	look(terminal, contains, " six");
	progress_end();
	seen = terminal->seen;
	unit_equal_bytes(seen, strcspn(seen + 1, "\r") + 1,
					 ERASE "a transfer whose name is too long for \303\251very terminal of six",
					 "a line is cut to the width, in characters");
	look(terminal, ends_with, ERASE);
}

static void
check_short_and_quiet(Terminal *terminal)
{
	progress_begin("short", 10);
	progress_end();
	usleep(LONG_ENOUGH_US);
	check_nothing_seen(terminal, "what is soon over is not drawn");
	message_set_quiet(true);
	progress_begin("quiet", 10);
	usleep(LONG_ENOUGH_US);
	progress_end();
	message_set_quiet(false);
	check_nothing_seen(terminal, "nothing is drawn when quiet");
}

/* A screen that nobody reads takes some tens of kB, and then nothing. */
static void
check_blocked(void)
{
	char filling[256];
	int flags = fcntl(STDERR_FILENO, F_GETFL);

	memset(filling, 'x', sizeof(filling));
	fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK);
	while (write(STDERR_FILENO, filling, sizeof(filling)) > 0)
		;
	fcntl(STDERR_FILENO, F_SETFL, flags);
	progress_begin("blocked", 100);
	usleep(LONG_ENOUGH_US);
	progress_add(50);
	progress_end();
	unit_ok(true, "a transfer begins and ends though the terminal takes nothing");
}

int
main(void)
{
	static Terminal terminal;

	if (!unit_ok(open_terminal(&terminal), "a terminal to draw on"))
		return unit_done();
	check_drawing(&terminal);
	check_width(&terminal);
	check_short_and_quiet(&terminal);
	check_blocked();
	dup2(terminal.saved_stderr, STDERR_FILENO);
	return unit_done();
}
