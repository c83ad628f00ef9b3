/*
 * scripted_server.h - the misbehaving server of the TAP tests, test/lib/scripted_http_server.py,
 * for a unit test: started from the top of the tree, and gone with the test, since it ends with its
 * input.
 */
#ifndef TRANSFERBENCH_SCRIPTED_SERVER_H
#define TRANSFERBENCH_SCRIPTED_SERVER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct ScriptedServer
{
	int port;
	int unanswered_port; /* a connection to it is neither accepted nor refused */
	int input;
	pid_t pid;
} ScriptedServer;

static inline void
scripted_server_run(const int input[2], const int output[2], char *const *arguments)
{
	dup2(input[0], STDIN_FILENO);
	dup2(output[1], STDOUT_FILENO);
	for (int i = 0; i < 2; i++)
	{
		close(input[i]);
		close(output[i]);
	}
	execvp("python3", arguments);
	_exit(127);
}

/* `certificate` and `key` for TLS, or NULL. False when there is no server to be had. */
static inline bool
scripted_server_start(ScriptedServer *server, char *certificate, char *key)
{
	char program[] = "test/lib/scripted_http_server.py";
	char *arguments[] = {"python3",   program, certificate == NULL ? NULL : "--tls",
						 certificate, key,     NULL};
	int input[2], output[2];
	FILE *lines;
	bool is_there;

	if (access(program, R_OK) != 0 || pipe(input) != 0 || pipe(output) != 0)
		return false;
	server->pid = fork();
	if (server->pid == 0)
		scripted_server_run(input, output, arguments);
	close(input[0]);
	close(output[1]);
	server->input = input[1];
	lines = fdopen(output[0], "r");
	is_there = server->pid > 0 && lines != NULL &&
			   fscanf(lines, " listening on %d unanswered on %d", &server->port,
					  &server->unanswered_port) == 2;
	if (lines != NULL)
		fclose(lines);
	return is_there;
}

static inline void
scripted_server_stop(const ScriptedServer *server)
{
	close(server->input);
	waitpid(server->pid, NULL, 0);
}

#endif
