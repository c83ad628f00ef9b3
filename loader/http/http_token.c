/*
 * http_token.c - bearer tokens, which come from a file or the environment, since all users of a
 * machine can read arguments: http_token_from_file, http_token_from_environment (http_session.h).
 *
 * No message repeats any of a token, not even a byte that it must not have.
 */
#include "http/http_session.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TOKEN_BYTES 8192

/* RFC 6750, section 2.1, has fewer characters; servers differ, but a blank or a control character
 * would end the token or the header. */
static char *
copy_token(const char *option, const char *source, const char *token)
{
	char *copy;

	if (*token == '\0')
	{
		message_error("%s: %s holds no token: expected it on the first line", option, source);
		return NULL;
	}
	for (const char *byte = token; *byte != '\0'; byte++)
	{
		if (*byte > ' ' && *byte <= '~')
			continue;
		message_error("%s: the token in %s has a blank or a character that is not printable ASCII: "
					  "expected the token alone, without \"Bearer\"",
					  option, source);
		return NULL;
	}
	copy = strdup(token);
	if (copy == NULL)
		message_error("out of memory");
	return copy;
}

/* The start of a file, terminated; false with errno set. */
static bool
read_start(int file, char *bytes, size_t size)
{
	size_t length = 0;

	while (length < size - 1)
	{
		ssize_t got = read(file, bytes + length, size - 1 - length);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		if (got == 0)
			break;
		length += (size_t) got;
	}
	bytes[length] = '\0';
	return true;
}

static bool
check_mode(const char *option, const char *path, int file)
{
	struct stat status;

	if (fstat(file, &status) != 0)
	{
		message_error("%s: could not examine \"%s\": %m", option, path);
		return false;
	}
	if (S_ISDIR(status.st_mode))
	{
		message_error("%s: \"%s\" is a directory", option, path);
		return false;
	}
	if ((status.st_mode & 07177) == 0)
		return true;
	message_error("%s: \"%s\" has mode %04o: a token file must be for its owner alone; "
				  "run chmod 600",
				  option, path, (unsigned) status.st_mode & 07777);
	return false;
}

static char *
token_from_descriptor(const char *option, const char *path, int file)
{
	char bytes[MAX_TOKEN_BYTES + 2]; /* a line end, and the terminator */
	size_t length;
	char *token = NULL;

	if (!check_mode(option, path, file))
		return NULL;
	if (!read_start(file, bytes, sizeof(bytes)))
	{
		message_error("%s: could not read \"%s\": %m", option, path);
		return NULL;
	}
	length = strcspn(bytes, "\r\n");
	bytes[length] = '\0';
	if (length > MAX_TOKEN_BYTES)
		message_error("%s: the first line of \"%s\" is longer than a token can be, %d bytes",
					  option, path, MAX_TOKEN_BYTES);
	else
		token = copy_token(option, path, bytes);
	explicit_bzero(bytes, sizeof(bytes));
	return token;
}

char *
http_token_from_file(const char *option, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char *token;

	if (file < 0)
	{
		message_error("%s: could not open \"%s\": %m", option, path);
		return NULL;
	}
	token = token_from_descriptor(option, path, file);
	close(file);
	return token;
}

char *
http_token_from_environment(const char *option, const char *variable)
{
	const char *token = getenv(variable);

	if (token == NULL)
	{
		message_error("%s: the environment has no variable \"%s\"", option, variable);
		return NULL;
	}
	return copy_token(option, variable, token);
}
