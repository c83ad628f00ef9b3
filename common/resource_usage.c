/*
 * resource_usage.c - reads getrusage and /proc/self.
 *
 * The kernel batches its counts of resident pages per thread or per CPU, so a
 * figure may be off by some hundred kB (proc(5), 'VmRSS').
 */
#include "resource_usage.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#define STATUS_PATH           "/proc/self/status"
#define CLEAR_REFS_PATH       "/proc/self/clear_refs"
#define RESET_HIGH_WATER_MARK "5" /* proc(5), /proc/pid/clear_refs, since Linux 4.0 */
#define STATUS_BUFFER_BYTES   4096
#define MAX_KB                (INT64_MAX / 1024)
#define US_PER_S              INT64_C(1000000)

/* bytes, or RESOURCE_USAGE_UNKNOWN */
typedef struct StatusMemory
{
	int64_t high_water_mark;
	int64_t resident;
	int64_t shared;
} StatusMemory;

static ssize_t
read_retrying(int fd, char *buffer, size_t capacity)
{
	ssize_t got;

	do
		got = read(fd, buffer, capacity);
	while (got < 0 && errno == EINTR);
	return got;
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
			return RESOURCE_USAGE_UNKNOWN;
		kb = kb * 10 + (*text - '0');
	}
	if (text == digits || (size_t) (end - text) != strlen(unit) ||
		memcmp(text, unit, strlen(unit)) != 0)
		return RESOURCE_USAGE_UNKNOWN;
	return kb * 1024;
}

static void
parse_status_line(const char *line, const char *end, StatusMemory *memory)
{
	const struct
	{
		const char *name;
		int64_t *bytes;
	} fields[] = {
		{"VmHWM:", &memory->high_water_mark},
		{"VmRSS:", &memory->resident},
		{"RssShmem:", &memory->shared},
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
parse_status_lines(const char *buffer, size_t used, StatusMemory *memory)
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
read_status_lines(int fd, StatusMemory *memory)
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
read_status_memory(StatusMemory *memory)
{
	int fd = open(STATUS_PATH, O_RDONLY | O_CLOEXEC);

	memory->high_water_mark = RESOURCE_USAGE_UNKNOWN;
	memory->resident = RESOURCE_USAGE_UNKNOWN;
	memory->shared = RESOURCE_USAGE_UNKNOWN;
	if (fd < 0)
		return;
	read_status_lines(fd, memory);
	close(fd);
}

static bool
reset_high_water_mark(void)
{
	const size_t length = strlen(RESET_HIGH_WATER_MARK);
	int fd = open(CLEAR_REFS_PATH, O_WRONLY | O_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return false;
	do
		written = write(fd, RESET_HIGH_WATER_MARK, length);
	while (written < 0 && errno == EINTR);
	close(fd);
	return written == (ssize_t) length;
}

/* Unknown when either is. */
static int64_t
without_shared(int64_t bytes, int64_t shared)
{
	if (bytes < 0 || shared < 0)
		return RESOURCE_USAGE_UNKNOWN;
	return bytes > shared ? bytes - shared : 0;
}

static int64_t
timeval_to_us(struct timeval time)
{
	return (int64_t) time.tv_sec * US_PER_S + time.tv_usec;
}

static void
read_cpu(int64_t *user_us, int64_t *system_us)
{
	struct rusage usage;

	*user_us = *system_us = RESOURCE_USAGE_UNKNOWN;
	if (getrusage(RUSAGE_SELF, &usage) == 0)
	{
		*user_us = timeval_to_us(usage.ru_utime);
		*system_us = timeval_to_us(usage.ru_stime);
	}
}

/* Growth, 0 if it shrank; unknown when either end is. */
static int64_t
growth(int64_t from, int64_t to)
{
	if (from < 0 || to < 0)
		return RESOURCE_USAGE_UNKNOWN;
	return to > from ? to - from : 0;
}

/* What malloc keeps of memory that was freed before would hide as much of the span's own. */
static void
give_back_freed_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void
resource_usage_start(ResourceUsageStart *start)
{
	StatusMemory memory;

	give_back_freed_memory();
	start->high_water_mark_was_reset = reset_high_water_mark();
	read_status_memory(&memory);
	start->memory_bytes = without_shared(memory.resident, memory.shared);
	read_cpu(&start->cpu_user_us, &start->cpu_system_us);
}

void
resource_usage_finish(const ResourceUsageStart *start, ResourceUsage *usage)
{
	StatusMemory memory;
	int64_t user_us;
	int64_t system_us;

	read_cpu(&user_us, &system_us);
	usage->cpu_user_us = growth(start->cpu_user_us, user_us);
	usage->cpu_system_us = growth(start->cpu_system_us, system_us);

	/* a mark from before the span would be that of somebody else's peak */
	usage->peak_memory_bytes = RESOURCE_USAGE_UNKNOWN;
	if (!start->high_water_mark_was_reset)
		return;
	read_status_memory(&memory);
	usage->peak_memory_bytes =
		growth(start->memory_bytes, without_shared(memory.high_water_mark, memory.shared));
}
