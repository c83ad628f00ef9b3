#include "process_usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RESET_HIGH_WATER "5" /* proc(5), /proc/pid/clear_refs */
/* Linux has none above (PID_MAX_LIMIT, proc(5)); a clock's id would not hold it, and be
 * another's. */
#define MAX_PID             INT64_C(4194304)
#define PATH_BYTES          64
#define STATUS_BUFFER_BYTES 4096
#define MAX_KB              (INT64_MAX / 1024)
#define NS_PER_S            INT64_C(1000000000)

static int
open_process_file(int pid, const char *name, int flags)
{
	char path[PATH_BYTES];

	if (pid == PROCESS_SELF)
		snprintf(path, sizeof(path), "/proc/self/%s", name);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return open(path, flags | O_CLOEXEC);
}

static ssize_t
read_retrying(int fd, char *buffer, size_t capacity)
{
	ssize_t got;

	do
		got = read(fd, buffer, capacity);
	while (got < 0 && errno == EINTR);
	return got;
}

int64_t
process_cpu_ns(int pid)
{
	struct timespec time;
	clockid_t clock;

	if (pid < 0 || pid > MAX_PID || clock_getcpuclockid(pid, &clock) != 0 ||
		clock_gettime(clock, &time) != 0)
		return PROCESS_USAGE_UNKNOWN;
	return (int64_t) time.tv_sec * NS_PER_S + time.tv_nsec;
}

/* '<blanks><digits> kB' as bytes; anything else is unknown. */
static int64_t
parse_kb(const char *text, const char *end)
{
	static const char unit[] = " kB";
	const char *digits;
	int64_t kb = 0;

	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	for (digits = text; text < end && *text >= '0' && *text <= '9'; text++)
	{
		if (kb > (MAX_KB - 9) / 10)
			return PROCESS_USAGE_UNKNOWN;
		kb = kb * 10 + (*text - '0');
	}
	if (text == digits || (size_t) (end - text) != strlen(unit) ||
		memcmp(text, unit, strlen(unit)) != 0)
		return PROCESS_USAGE_UNKNOWN;
	return kb * 1024;
}

static void
parse_status_line(const char *line, const char *end, ProcessMemory *memory)
{
	const struct
	{
		const char *name;
		int64_t *bytes;
	} fields[] = {
		{"VmHWM:", &memory->high_water_bytes},
		{"VmRSS:", &memory->resident_bytes},
		{"RssShmem:", &memory->shared_bytes},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
	{
		size_t length = strlen(fields[i].name);

		if ((size_t) (end - line) >= length && memcmp(line, fields[i].name, length) == 0)
			*fields[i].bytes = parse_kb(line + length, end);
	}
}

/* Parses the whole lines of the buffer; returns how many bytes they were. */
static size_t
parse_status_lines(const char *buffer, size_t used, ProcessMemory *memory)
{
	const char *line = buffer;
	const char *end;

	while ((end = memchr(line, '\n', used - (size_t) (line - buffer))) != NULL)
	{
		parse_status_line(line, end, memory);
		line = end + 1;
	}
	return (size_t) (line - buffer);
}

/* In pieces: the list of groups, which comes before the memory, has no bound. A line longer than
 * the buffer is dropped piece by piece; none of the lines wanted is that long. */
static void
read_status_lines(int fd, ProcessMemory *memory)
{
	char buffer[STATUS_BUFFER_BYTES];
	size_t used = 0;
	ssize_t got;

	while ((got = read_retrying(fd, buffer + used, sizeof(buffer) - used)) > 0)
	{
		size_t parsed;

		used += (size_t) got;
		parsed = parse_status_lines(buffer, used, memory);
		if (parsed == 0 && used == sizeof(buffer))
			parsed = used;
		used -= parsed;
		memmove(buffer, buffer + parsed, used);
	}
}

static void
set_unknown(ProcessMemory *memory)
{
	memory->resident_bytes = PROCESS_USAGE_UNKNOWN;
	memory->shared_bytes = PROCESS_USAGE_UNKNOWN;
	memory->high_water_bytes = PROCESS_USAGE_UNKNOWN;
}

void
process_memory_read(int pid, ProcessMemory *memory)
{
	int fd = open_process_file(pid, "status", O_RDONLY);

	set_unknown(memory);
	if (fd < 0)
		return;
	read_status_lines(fd, memory);
	close(fd);
}

void
process_memory_parse(const char *status, size_t length, ProcessMemory *memory)
{
	set_unknown(memory);
	parse_status_lines(status, length, memory);
}

bool
process_memory_reset_high_water(int pid)
{
	const size_t length = strlen(RESET_HIGH_WATER);
	int fd = open_process_file(pid, "clear_refs", O_WRONLY);
	ssize_t written;

	if (fd < 0)
		return false;
	do
		written = write(fd, RESET_HIGH_WATER, length);
	while (written < 0 && errno == EINTR);
	close(fd);
	return written == (ssize_t) length;
}

int64_t
process_memory_private(int64_t bytes, int64_t shared_bytes)
{
	if (bytes < 0 || shared_bytes < 0)
		return PROCESS_USAGE_UNKNOWN;
	return bytes > shared_bytes ? bytes - shared_bytes : 0;
}
