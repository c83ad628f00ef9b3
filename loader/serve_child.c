#include "serve_child.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LISTENING     "listening on "
#define MAX_ARGUMENTS 32

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
fill_arguments(Arguments *arguments, const ServeChildOptions *options, const char *writers)
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
	add(arguments, "--write-connections", writers);
}

/* In the child, after the fork: only what is safe there. */
static void
become_server(int output, pid_t parent, char *const *arguments)
{
	sigset_t none;

	/* Ctrl-C is the parent's to deal with, and it stops the child when the last request is over */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent || dup2(output, STDOUT_FILENO) < 0)
		_exit(EXIT_FAILURE);
	execv("/proc/self/exe", arguments);
	_exit(EXIT_FAILURE);
}

/* The line that tells the URL; false when the child ended without it. */
static bool
read_url(ServeChild *child, int input)
{
	FILE *stream = fdopen(input, "r");
	char line[sizeof(LISTENING) + sizeof(child->url)];
	bool found = false;

	if (stream == NULL)
	{
		close(input);
		return false;
	}
	if (fgets(line, sizeof(line), stream) != NULL &&
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
serve_child_start(ServeChild *child, const ServeChildOptions *options)
{
	Arguments arguments;
	char writers[16];
	int fds[2];
	pid_t parent = getpid();

	*child = (ServeChild){0};
	snprintf(writers, sizeof(writers), "%d", options->writers);
	fill_arguments(&arguments, options, writers);
	if (pipe2(fds, O_CLOEXEC) != 0)
	{
		message_error("an endpoint cannot be started: %m");
		return false;
	}
	child->pid = fork();
	if (child->pid == 0)
		become_server(fds[1], parent, (char *const *) arguments.value);
	close(fds[1]);
	if (child->pid < 0)
	{
		child->pid = 0;
		message_error("an endpoint cannot be started: %m");
		close(fds[0]);
		return false;
	}
	if (read_url(child, fds[0]))
		return true;
	message_error(
		"the endpoint that was started for this run (transferbench serve) did not come up; "
		"name one with --url");
	serve_child_stop(child);
	return false;
}

void
serve_child_stop(ServeChild *child)
{
	int status;

	if (child->pid == 0)
		return;
	kill(child->pid, SIGTERM);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
}
