#include "measure/process_stat.h"
#include "measure/proc_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 2048
#define US_PER_S   INT64_C(1000000)

/* numbers of fields, as proc_pid_stat(5) counts them */
enum
{
	FIELD_PARENT_PID = 4,
	FIELD_CHILDREN_FAULTS = 11,
	FIELD_USER_TICKS = 14,
	FIELD_SYSTEM_TICKS = 15,
	FIELD_CHILDREN_USER_TICKS = 16,
	FIELD_CHILDREN_SYSTEM_TICKS = 17,
	FIELD_START_TICKS = 22,
	FIELDS,
};

static bool
parse_number(const char **text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(*text, &end, 10);
	if (end == *text || errno != 0)
		return false;
	*text = end;
	return true;
}

static bool
parse_pid(const char *text, int *pid)
{
	int64_t number;

	if (!parse_number(&text, &number) || number < 1 || number > INT_MAX ||
		strncmp(text, " (", 2) != 0)
		return false;
	*pid = (int) number;
	return true;
}

bool
process_stat_parse(const char *text, ProcessStat *stat)
{
	/* no field after the name holds a parenthesis */
	const char *rest = strrchr(text, ')');
	int64_t field[FIELDS] = {0};

	if (!parse_pid(text, &stat->pid) || rest == NULL || rest[1] != ' ' || rest[2] == '\0' ||
		rest[3] != ' ')
		return false;
	stat->has_ended = strchr("ZXx", rest[2]) != NULL;
	rest += 3;
	for (int i = FIELD_PARENT_PID; i < FIELDS; i++)
		if (!parse_number(&rest, &field[i]))
			return false;
	/* a number that was cut would be another one */
	if (*rest != ' ' && *rest != '\n')
		return false;
	stat->parent_pid = (int) field[FIELD_PARENT_PID];
	stat->cpu_ticks = field[FIELD_USER_TICKS] + field[FIELD_SYSTEM_TICKS];
	stat->children_cpu_ticks =
		field[FIELD_CHILDREN_USER_TICKS] + field[FIELD_CHILDREN_SYSTEM_TICKS];
	stat->children_faults = field[FIELD_CHILDREN_FAULTS];
	stat->start_ticks = field[FIELD_START_TICKS];
	return true;
}

bool
process_stat_read(int pid, ProcessStat *stat)
{
	char line[LINE_BYTES];

	return proc_file_read_of(pid, "stat", line, sizeof(line)) && process_stat_parse(line, stat);
}

int64_t
process_stat_ticks_to_us(int64_t ticks)
{
	long ticks_per_s = sysconf(_SC_CLK_TCK);

	return ticks * (US_PER_S / (ticks_per_s > 0 ? ticks_per_s : 100));
}
