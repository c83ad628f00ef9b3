#include "measure/process_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

typedef struct ProcessList
{
	ProcessStat *process;
	size_t count, capacity;
} ProcessList;

static int
compare_pids(const void *left, const void *right)
{
	int left_pid = ((const ProcessStat *) left)->pid;
	int right_pid = ((const ProcessStat *) right)->pid;

	return (left_pid > right_pid) - (left_pid < right_pid);
}

static const ProcessStat *
find_pid(const ProcessStat *process, size_t count, int pid)
{
	const ProcessStat key = {.pid = pid};

	return count == 0 ? NULL : bsearch(&key, process, count, sizeof(key), compare_pids);
}

static bool
is_root(int pid, const pid_t *roots, size_t root_count)
{
	for (size_t i = 0; i < root_count; i++)
		if (roots[i] == pid)
			return true;
	return false;
}

/* Goes up from parent to parent. A listing that changed while it was read may hold a circle: the
 * number of steps is bounded. */
static bool
is_member(const ProcessStat *process, size_t count, const ProcessStat *member, const pid_t *roots,
		  size_t root_count)
{
	for (size_t steps = 0; member != NULL && steps <= count; steps++)
	{
		if (is_root(member->pid, roots, root_count))
			return true;
		member = find_pid(process, count, member->parent_pid);
	}
	return false;
}

size_t
process_tree_select(ProcessStat *process, size_t count, const pid_t *roots, size_t root_count)
{
	bool *selected = calloc(count + 1, sizeof(bool));
	size_t kept = 0;

	if (selected == NULL)
		return 0;
	if (count > 0)
		qsort(process, count, sizeof(ProcessStat), compare_pids);
	for (size_t i = 0; i < count; i++)
		selected[i] = is_member(process, count, &process[i], roots, root_count);
	for (size_t i = 0; i < count; i++)
		if (selected[i])
			process[kept++] = process[i];
	free(selected);
	return kept;
}

static bool
add_process(ProcessList *list, const ProcessStat *process)
{
	if (list->count == list->capacity)
	{
		size_t capacity = list->capacity == 0 ? 256 : list->capacity * 2;
		ProcessStat *grown = realloc(list->process, capacity * sizeof(ProcessStat));

		if (grown == NULL)
			return false;
		list->process = grown;
		list->capacity = capacity;
	}
	list->process[list->count++] = *process;
	return true;
}

/* A process that ends meanwhile is left out. */
static bool
list_processes(ProcessList *list)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool whole = true;

	if (proc == NULL)
		return false;
	while (whole && (entry = readdir(proc)) != NULL)
	{
		ProcessStat process;

		if (isdigit((unsigned char) entry->d_name[0]) &&
			process_stat_read((int) strtol(entry->d_name, NULL, 10), &process))
			whole = add_process(list, &process);
	}
	closedir(proc);
	return whole;
}

bool
process_tree_read(const pid_t *roots, size_t root_count, ProcessStat **process, size_t *count)
{
	ProcessList list = {0};
	bool whole = list_processes(&list);

	if (whole)
		list.count = process_tree_select(list.process, list.count, roots, root_count);
	for (size_t i = 0; whole && i < root_count; i++)
		whole = find_pid(list.process, list.count, roots[i]) != NULL;
	if (!whole)
	{
		free(list.process);
		return false;
	}
	*process = list.process;
	*count = list.count;
	return true;
}
