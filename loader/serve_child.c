#include "serve_child.h"
#include "interrupt.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LISTENING        "listening on "
#define MAX_ARGUMENTS    32
#define START_TIMEOUT_MS 60000
#define STOP_STEP_NS     5000000 /* 5 ms */
#define STOP_STEPS       2000    /* 10 s in all: open transactions are rolled back meanwhile */

typedef struct Arguments
{
	const char *value[MAX_ARGUMENTS + 1];
	int count;
} Arguments;

static void
add(Arguments *arguments, const char *option, const char *value)
{
	if (value == NULL)
		return;
	arguments->value[arguments->count++] = option;
	arguments->value[arguments->count++] = value;
}

/* What a person would have typed: the same connection, by the same words. */
static void
fill_arguments(Arguments *arguments, const ServeChildOptions *options, const char *readers,
			   const char *writers, const char *token_path)
{
	*arguments = (Arguments){.value = {"transferbench", "serve", "--quiet"}, .count = 3};
	add(arguments, "--port", "0");
	add(arguments, "-h", options->connection->host);
	add(arguments, "-p", options->connection->port);
	add(arguments, "-U", options->connection->user);
	add(arguments, "-d", options->connection->dbname);
	add(arguments, "--table", options->table);
	add(arguments, "--query", options->query);
	add(arguments, "--order-by", options->order_by);
	add(arguments, "--save-table", options->save_table);
	add(arguments, "--connections", readers);
	add(arguments, "--write-connections", writers);
	add(arguments, "--token-file", token_path);
}

/* In the child, after the fork: only what is safe there. */
static void
become_server(int output, int token_file, pid_t parent, char *const *arguments)
{
	sigset_t none;

	/* Ctrl-C is the parent's to deal with, and it stops the child when the last request is over */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent || dup2(output, STDOUT_FILENO) < 0 || fcntl(token_file, F_SETFD, 0) < 0)
		_exit(EXIT_FAILURE);
	execv("/proc/self/exe", arguments);
	_exit(EXIT_FAILURE);
}

/* The line that tells the URL; false when the child ended without it. */
static bool
read_url(ServeChild *child, int input)
{
	struct pollfd fds[2] = {{.fd = input, .events = POLLIN},
							{.fd = interrupt_fd(), .events = POLLIN}};
	FILE *stream = fdopen(input, "r");
	char line[sizeof(LISTENING) + sizeof(child->url)];
	bool found = false;

	if (stream == NULL)
	{
		close(input);
		return false;
	}
	if (poll(fds, 2, START_TIMEOUT_MS) > 0 && fds[0].revents != 0 &&
		fgets(line, sizeof(line), stream) != NULL &&
		strncmp(line, LISTENING, strlen(LISTENING)) == 0)
	{
		line[strcspn(line, "\n")] = '\0';
		found = snprintf(child->url, sizeof(child->url), "%s", line + strlen(LISTENING)) <
				(int) sizeof(child->url);
	}
	fclose(stream);
	return found;
}

bool
serve_child_draw_token(char token[SERVE_CHILD_TOKEN_BYTES])
{
	unsigned char random[(SERVE_CHILD_TOKEN_BYTES - 1) / 2];

	if (getrandom(random, sizeof(random), 0) != (ssize_t) sizeof(random))
	{
		message_error("a token for the endpoint of this run cannot be drawn: %m");
		return false;
	}
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return true;
}

/* A file in memory, which the child inherits: a token belongs neither into its arguments nor, where other
 * programs would inherit it, into the environment. */
static int
keep_token(const char *token)
{
	int file = memfd_create("token", MFD_CLOEXEC);
	size_t length = strlen(token);

	if (file >= 0 && fchmod(file, 0600) == 0 && write(file, token, length) == (ssize_t) length)
		return file;
	message_error("an endpoint cannot be started: %m");
	if (file >= 0)
		close(file);
	return -1;
}

bool
serve_child_start(ServeChild *child, const ServeChildOptions *options)
{
	Arguments arguments;
	char readers[16], writers[16], token_path[32];
	int token_file = keep_token(options->token);
	int fds[2];
	pid_t parent = getpid();

	*child = (ServeChild){0};
	if (token_file < 0)
		return false;
	snprintf(token_path, sizeof(token_path), "/proc/self/fd/%d", token_file);
	snprintf(writers, sizeof(writers), "%d", options->writers);
	snprintf(readers, sizeof(readers), "%d", SERVE_CHILD_READERS);
	fill_arguments(&arguments, options, readers, writers, token_path);
	if (pipe2(fds, O_CLOEXEC) != 0)
	{
		message_error("an endpoint cannot be started: %m");
		close(token_file);
		return false;
	}
	child->pid = fork();
	if (child->pid == 0)
		become_server(fds[1], token_file, parent, (char *const *) arguments.value);
	close(fds[1]);
	close(token_file);
	if (child->pid < 0)
	{
		child->pid = 0;
		message_error("an endpoint cannot be started: %m");
		close(fds[0]);
		return false;
	}
	if (read_url(child, fds[0]))
		return true;
	if (interrupt_requested())
		message_error("interrupted");
	else
		message_error("the endpoint that was started for this run (transferbench serve) did not "
					  "come up; name one with --url");
	serve_child_stop(child);
	return false;
}

/* Takes its end note of; how it ended is in *status. */
static bool
has_ended(ServeChild *child, int *status)
{
	pid_t ended = waitpid(child->pid, status, WNOHANG);

	if (ended == 0 || (ended < 0 && errno == EINTR))
		return false;
	child->pid = 0;
	return true;
}

bool
serve_child_is_alive(ServeChild *child)
{
	int status = 0;

	if (child->pid == 0)
		return false;
	if (!has_ended(child, &status))
		return true;
	if (WIFSIGNALED(status))
		message_error("the endpoint of this run was ended by signal %d (%s)", WTERMSIG(status),
					  strsignal(WTERMSIG(status)));
	else
		message_error("the endpoint of this run ended, with exit status %d", WEXITSTATUS(status));
	return false;
}

void
serve_child_stop(ServeChild *child)
{
	const struct timespec step = {.tv_nsec = STOP_STEP_NS};
	int status;

	if (child->pid == 0)
		return;
	kill(child->pid, SIGTERM);
	for (int i = 0; i < STOP_STEPS; i++)
	{
		if (has_ended(child, &status))
			return;
		nanosleep(&step, NULL);
	}
	message_warning("the endpoint of this run does not end when it is asked to: killing it");
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
}
