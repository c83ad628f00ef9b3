#include "measure/report_parts.h"
#include "quantity_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define MAX_LINE 512

/* What can be lost when the machine fails, by these settings. */
static const char *const durability_settings[] = {"fsync", "full_page_writes", "synchronous_commit",
												  NULL};

/* Told beside, where the server shows them. */
static const char *const other_settings[] = {"wal_level", "shared_buffers", NULL};

typedef struct Line
{
	char text[MAX_LINE];
	size_t length;
} Line;

static void add(Line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What does not fit is cut. */
static void
add(Line *line, const char *format, ...)
{
	va_list arguments;

	if (line->length >= sizeof(line->text))
		return;
	va_start(arguments, format);
	line->length += (size_t) vsnprintf(line->text + line->length, sizeof(line->text) - line->length,
									   format, arguments);
	va_end(arguments);
}

static const char *
or_unknown(const char *text)
{
	return text != NULL ? text : "unknown";
}

static bool
has_written(const Run *run)
{
	for (size_t i = 0; i < run->trials; i++)
		if (run->trial[i].direction == TRANSFER_WRITE)
			return true;
	return false;
}

static bool
is_off(const Environment *environment, const char *name)
{
	const char *value = environment_setting(environment, name);

	return value != NULL && strcmp(value, "off") == 0;
}

void
report_draw_durability(ReportPage *page, const Run *run)
{
	const Environment *environment = &run->environment;
	bool is_known = environment->server_version != NULL;
	Line why = {0};

	if (!has_written(run) || (!run->unlogged && (!is_known || environment->is_durable)))
		return;
	for (const char *const *name = durability_settings; is_known && *name != NULL; name++)
		if (is_off(environment, *name))
			add(&why, "%s%s is off", why.length > 0 ? ", " : "", *name);
	if (run->unlogged)
		add(&why, "%sthe table is unlogged", why.length > 0 ? ", " : "");
	report_page_put(page, page->alarm, "NOT DURABLE: %s",
					why.length > 0 ? why.text : "of the settings below not all are known to be on");
	page->gap(page->out);
}

static void
add_setting(Line *line, const Environment *environment, const char *name, bool is_needed)
{
	const char *value = environment_setting(environment, name);

	if (value != NULL || is_needed)
		add(line, ", %s %s", name, or_unknown(value));
}

static void
draw_server(ReportPage *page, const Environment *environment)
{
	Line line = {0};

	if (environment->server_version == NULL)
	{
		page->line(page->out, "server: not connected to; whether it is durable is not known");
		return;
	}
	add(&line, "server: PostgreSQL %s", environment->server_version);
	for (const char *const *name = durability_settings; *name != NULL; name++)
		add_setting(&line, environment, *name, true);
	for (const char *const *name = other_settings; *name != NULL; name++)
		add_setting(&line, environment, *name, false);
	if (environment->standbys > 0)
		add(&line, ", %d standby%s", environment->standbys, environment->standbys == 1 ? "" : "s");
	if (environment->archives)
		add(&line, ", archiving");
	if (environment->in_recovery)
		add(&line, ", in recovery");
	report_page_put(page, page->line, "%s", line.text);
}

static void
draw_client(ReportPage *page, const Environment *environment)
{
	report_page_put(page, page->line, "client: %s, %s, %d %s of %s, %s",
					or_unknown(environment->client_host), or_unknown(environment->kernel),
					environment->cores, environment->cores == 1 ? "core" : "cores",
					or_unknown(environment->cpu),
					quantity_bytes((double) environment->memory_bytes).text);
}

static void
draw_run(ReportPage *page, const Run *run)
{
	Line line = {0};

	add(&line, "run: %s, %s, transferbench %s, order seed %" PRId64, run->id,
		run->environment.started_at, or_unknown(run->environment.program_version), run->order_seed);
	if (run->jobs > 1)
		add(&line, ", %d jobs", run->jobs);
	if (run->as_shipped)
		add(&line, ", rows per transaction as each path ships them");
	else if (run->batch_rows > 0)
		add(&line, ", %s rows per transaction", quantity_count(run->batch_rows).text);
	if (run->unlogged)
		add(&line, ", unlogged table");
	report_page_put(page, page->line, "%s", line.text);
}

void
report_draw_environment(ReportPage *page, const Run *run)
{
	page->heading(page->out, "Environment");
	draw_server(page, &run->environment);
	draw_client(page, &run->environment);
	draw_run(page, run);
}
