#include "measure/machine_usage.h"
#include "measure/proc_file.h"
#include "measure/process_stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The sum of all processors comes first in /proc/stat, the totals first in /proc/meminfo. */
#define HEAD_BYTES 512
#define MAX_KB     (INT64_MAX / 1024)

/* columns of the line 'cpu' (proc_stat(5)) */
enum
{
	COLUMN_USER, /* guests are counted in it */
	COLUMN_NICE,
	COLUMN_SYSTEM,
	COLUMN_IDLE,
	COLUMN_IOWAIT,
	COLUMN_IRQ,
	COLUMN_SOFTIRQ,
	COLUMNS,
};

int64_t
machine_busy_ticks_parse(const char *stat)
{
	int64_t column[COLUMNS];
	char *end;

	if (strncmp(stat, "cpu ", 4) != 0)
		return MACHINE_USAGE_UNKNOWN;
	stat += 4;
	for (int i = 0; i < COLUMNS; i++)
	{
		errno = 0;
		column[i] = strtoll(stat, &end, 10);
		if (end == stat || errno != 0 || column[i] < 0)
			return MACHINE_USAGE_UNKNOWN;
		stat = end;
	}
	return column[COLUMN_USER] + column[COLUMN_NICE] + column[COLUMN_SYSTEM] + column[COLUMN_IRQ] +
		   column[COLUMN_SOFTIRQ];
}

int64_t
machine_busy_us(void)
{
	char text[HEAD_BYTES];
	int64_t ticks;

	if (!proc_file_read("/proc/stat", text, sizeof(text)))
		return MACHINE_USAGE_UNKNOWN;
	ticks = machine_busy_ticks_parse(text);
	return ticks < 0 ? MACHINE_USAGE_UNKNOWN : process_stat_ticks_to_us(ticks);
}

/* 'NAME: <digits> kB' at the start of a line */
static int64_t
parse_kb(const char *meminfo, const char *name)
{
	const char *line = meminfo;
	char *end;
	long long kb;

	while (line != NULL && strncmp(line, name, strlen(name)) != 0)
	{
		line = strchr(line, '\n');
		line = line == NULL ? NULL : line + 1;
	}
	if (line == NULL)
		return MACHINE_USAGE_UNKNOWN;
	line += strlen(name);
	errno = 0;
	kb = strtoll(line, &end, 10);
	if (end == line || errno != 0 || kb < 0 || kb > MAX_KB || strncmp(end, " kB", 3) != 0)
		return MACHINE_USAGE_UNKNOWN;
	return kb * 1024;
}

int64_t
machine_memory_bytes_parse(const char *meminfo)
{
	int64_t total = parse_kb(meminfo, "MemTotal:");
	int64_t available = parse_kb(meminfo, "MemAvailable:");

	if (total < 0 || available < 0 || available > total)
		return MACHINE_USAGE_UNKNOWN;
	return total - available;
}

int64_t
machine_memory_bytes(void)
{
	char text[HEAD_BYTES];

	if (!proc_file_read("/proc/meminfo", text, sizeof(text)))
		return MACHINE_USAGE_UNKNOWN;
	return machine_memory_bytes_parse(text);
}
