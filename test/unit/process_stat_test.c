/*
 * process_stat_test.c - stat lines with any name in them, cut ones, and who descends from whom.
 */
#include "measure/process_stat.h"
#include "measure/process_tree.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* fields 5 to 22: user 30, system 12, children 7 and 5, their faults 99, start 123456 */
#define REST         " 1 1 0 -1 4194304 700 99 0 0 30 12 7 5 20 0 3 0 123456"
#define NO_PID       2147483647
#define CHILD_LIFE_S 60

static void
check_line(const char *line, const char *name)
{
	ProcessStat stat = {0};

	if (!unit_ok(process_stat_parse(line, &stat), name))
		return;
	unit_equal_int(stat.pid, 4242, "its pid");
	unit_equal_int(stat.parent_pid, 17, "its parent");
	unit_equal_int(stat.cpu_ticks, 42, "its CPU, user and system");
	unit_equal_int(stat.children_cpu_ticks, 12, "its children's CPU");
	unit_equal_int(stat.children_faults, 99, "its children's faults");
	unit_equal_int(stat.start_ticks, 123456, "its start");
	unit_ok(!stat.has_ended, "it is no zombie");
}

static void
check_lines(void)
{
	check_line("4242 (postgres) S 17" REST " 1000 200\n", "a plain name");
	check_line("4242 (a) b (c) R 17" REST " 1000\n", "a name with parentheses and blanks");
	check_line("4242 () S 1 (x) Z 3) D 17" REST "\n", "a name that looks like the rest of a line");
	check_line("4242 () S 17" REST "\n", "an empty name");
	check_line("4242 (two\nlines) S 17" REST "\n", "a name with a line break");
}

static void
check_refused(const char *line, const char *name)
{
	ProcessStat stat;

	unit_ok(!process_stat_parse(line, &stat), name);
}

static void
check_malformed(void)
{
	ProcessStat stat;

	check_refused("", "nothing is no stat line");
	check_refused("4242 (postgres", "a name without an end");
	check_refused("4242 (postgres)", "nothing after the name");
	check_refused("4242 (postgres) S", "nothing after the state");
	check_refused("4242 (postgres) S 17 1 1 0 -1 4194304 700\n", "a line that ends early");
	check_refused("4242 (postgres) S 17" REST, "a last number that may have been cut");
	check_refused("4242 (postgres) S x" REST "\n", "a parent that is no number");
	check_refused("postgres (postgres) S 17" REST "\n", "a pid that is no number");
	check_refused("0 (postgres) S 17" REST "\n", "a pid of 0");
	check_refused("99999999999 (postgres) S 17" REST "\n", "a pid out of range");
	unit_ok(process_stat_parse("4242 (x) Z 17" REST "\n", &stat) && stat.has_ended, "a zombie");
	unit_equal_int(process_stat_ticks_to_us(3), 3 * (1000000 / sysconf(_SC_CLK_TCK)),
				   "ticks in microseconds");
	unit_ok(!process_stat_read(NO_PID, &stat), "no process has no stat");
	unit_ok(process_stat_read(getpid(), &stat) && stat.parent_pid == getppid(), "this process");
}

static void
check_selection(void)
{
	ProcessStat process[] = {
		{.pid = 50, .parent_pid = 40}, {.pid = 1, .parent_pid = 0},   {.pid = 40, .parent_pid = 30},
		{.pid = 30, .parent_pid = 1},  {.pid = 41, .parent_pid = 40}, {.pid = 60, .parent_pid = 1},
		{.pid = 71, .parent_pid = 70}, {.pid = 70, .parent_pid = 71},
	};
	const pid_t roots[] = {40, 60};
	const pid_t absent[] = {99};
	const size_t count = sizeof(process) / sizeof(process[0]);
	size_t kept = process_tree_select(process, count, roots, 2);

	if (!unit_ok(kept == 4, "the roots and their descendants are kept, and no circle holds it up"))
		return;
	unit_equal_int(process[0].pid, 40, "a root");
	unit_equal_int(process[1].pid, 41, "its child");
	unit_equal_int(process[2].pid, 50, "its other child, listed before it");
	unit_equal_int(process[3].pid, 60, "the other root");
	unit_equal_int((int64_t) process_tree_select(process, kept, absent, 1), 0, "a root not there");
	unit_equal_int((int64_t) process_tree_select(process, 0, roots, 2), 0, "no processes");
}

/* A child with a child of its own, both waiting to be killed. */
static pid_t
start_family(void)
{
	int ready[2];
	char byte;
	pid_t child = -1;

	if (pipe(ready) != 0 || (child = fork()) < 0)
		exit(1);
	if (child == 0)
	{
		pid_t grandchild;

		/* both die with the group, and by themselves if nobody kills it */
		setpgid(0, 0);
		grandchild = fork();
		alarm(CHILD_LIFE_S);
		if (grandchild >= 0 && (grandchild == 0 ? write(ready[1], "", 1) == 1 : true))
			pause();
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		exit(1);
	return child;
}

static void
check_family(void)
{
	const pid_t missing[] = {getpid(), NO_PID};
	pid_t child = start_family();
	ProcessStat *process = NULL;
	size_t count = 0;

	unit_ok(process_tree_read(&child, 1, &process, &count), "a child's tree is read");
	unit_equal_int((int64_t) count, 2, "the child and its child");
	free(process);
	unit_ok(!process_tree_read(missing, 2, &process, &count), "a root that is missing is told");
	kill(-child, SIGKILL);
	waitpid(child, NULL, 0);
}

int
main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0); /* children are not to repeat what is buffered */
	check_lines();
	check_malformed();
	check_selection();
	check_family();
	return unit_done();
}
