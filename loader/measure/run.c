#include "measure/run.h"
#include "clock.h"
#include "splitmix64.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Different for runs that start at once on several machines, or on one. */
static uint64_t
draw_id(void)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) == (ssize_t) sizeof(id))
		return id;
	return splitmix64_mix((uint64_t) clock_now_ns() ^ splitmix64_mix((uint64_t) time(NULL)) ^
						  (uint64_t) getpid() << 32);
}

void
run_init(Run *run, const char *command)
{
	char digits[17];

	*run = (Run){.command = command};
	snprintf(digits, sizeof(digits), "%016" PRIx64, draw_id());
	memcpy(run->id, digits, RUN_ID_LENGTH);
}

void
run_free(Run *run)
{
	for (size_t i = 0; i < run->trials; i++)
		trial_free(&run->trial[i]);
	for (size_t i = 0; i < run->comparisons; i++)
		free(run->comparison[i].changed_columns);
	for (size_t i = 0; i < run->notes; i++)
		free(run->note[i]);
	free(run->trial);
	free(run->comparison);
	free(run->cost);
	free(run->note);
	free(run->url);
	environment_free(&run->environment);
	*run = (Run){0};
}

/* Room for one more of `count` elements; arrays double where their count is a power of two. */
static bool
make_room(void **elements, size_t count, size_t element_size)
{
	void *grown;

	if ((count & (count - 1)) != 0)
		return true;
	grown = reallocarray(*elements, count == 0 ? 1 : count * 2, element_size);
	if (grown == NULL)
		return false;
	*elements = grown;
	return true;
}

bool
run_add_trial(Run *run, const Trial *trial)
{
	void *trials = run->trial;

	if (!make_room(&trials, run->trials, sizeof(*run->trial)))
		return false;
	run->trial = trials;
	run->trial[run->trials++] = *trial;
	return true;
}

static bool
has_note(const Run *run, const char *note)
{
	for (size_t i = 0; i < run->notes; i++)
		if (strcmp(run->note[i], note) == 0)
			return true;
	return false;
}

bool
run_add_note(Run *run, const char *format, ...)
{
	va_list arguments;
	char *note;
	void *notes = run->note;
	int length;

	va_start(arguments, format);
	length = vasprintf(&note, format, arguments);
	va_end(arguments);
	if (length < 0)
		return false;
	/* what is true of every trial is said once */
	if (has_note(run, note))
	{
		free(note);
		return true;
	}
	if (!make_room(&notes, run->notes, sizeof(*run->note)))
	{
		free(note);
		return false;
	}
	run->note = notes;
	run->note[run->notes++] = note;
	return true;
}
