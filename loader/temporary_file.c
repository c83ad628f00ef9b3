#include "temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
temporary_file_open(void)
{
	const char *directory = getenv("TMPDIR");
	char path[PATH_MAX];
	int file;

	if (directory == NULL || *directory == '\0')
		directory = "/tmp";
	file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file >= 0)
		return file;
	/* not every file system has files without a name */
	if (snprintf(path, sizeof(path), "%s/transferbench-XXXXXX", directory) >= (int) sizeof(path))
	{
		errno = ENAMETOOLONG;
		return -1;
	}
	file = mkostemp(path, O_CLOEXEC);
	if (file >= 0)
		unlink(path);
	return file;
}

bool
temporary_file_write(int file, const char *bytes, size_t length, int64_t offset)
{
	while (length > 0)
	{
		ssize_t written = pwrite(file, bytes, length, (off_t) offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		offset += written;
		length -= (size_t) written;
	}
	return true;
}

ssize_t
temporary_file_read(int file, char *bytes, size_t length, int64_t offset)
{
	size_t done = 0;

	while (done < length)
	{
		ssize_t got = pread(file, bytes + done, length - done, (off_t) (offset + (int64_t) done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t) got;
	}
	return (ssize_t) done;
}
