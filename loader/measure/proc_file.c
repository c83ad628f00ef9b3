#include "measure/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PATH_BYTES 64

bool
proc_file_read(const char *path, char *buffer, size_t capacity)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got = -1;

	while (fd >= 0 && used < capacity - 1)
	{
		got = read(fd, buffer + used, capacity - 1 - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t) got;
	}
	if (fd >= 0)
		close(fd);
	if (got < 0)
		used = 0;
	buffer[used] = '\0';
	return got >= 0;
}

bool
proc_file_read_of(int pid, const char *name, char *buffer, size_t capacity)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return proc_file_read(path, buffer, capacity);
}
