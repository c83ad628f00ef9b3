/*
 * report_json.c - all of a run as one document.
 *
 * Unknown figures are null. Doubles have as many digits as it takes to read the same one back.
 */
#include "measure/report.h"
#include "measure/report_figures.h"
#include "measure/report_formats.h"
#include "printable_text.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_DIGITS 15
#define EXACT_DIGITS 17

typedef struct Document
{
	bool failed; /* out of memory: something is missing */
} Document;

/* Takes `value` over. */
static void
add(Document *document, json_object *object, const char *name, json_object *value)
{
	if (value != NULL && object != NULL && json_object_object_add(object, name, value) == 0)
		return;
	json_object_put(value);
	document->failed = true;
}

static json_object *
add_object(Document *document, json_object *object, const char *name)
{
	json_object *child = json_object_new_object();

	add(document, object, name, child);
	return document->failed ? NULL : child;
}

static json_object *
add_array(Document *document, json_object *object, const char *name)
{
	json_object *child = json_object_new_array();

	add(document, object, name, child);
	return document->failed ? NULL : child;
}

static json_object *
append_object(Document *document, json_object *array)
{
	json_object *child = json_object_new_object();

	if (child != NULL && array != NULL && json_object_array_add(array, child) == 0)
		return child;
	json_object_put(child);
	document->failed = true;
	return NULL;
}

static void
add_null(Document *document, json_object *object, const char *name)
{
	if (object == NULL || json_object_object_add(object, name, NULL) != 0)
		document->failed = true;
}

static void
add_integer(Document *document, json_object *object, const char *name, int64_t value)
{
	add(document, object, name, json_object_new_int64(value));
}

/* A negative figure is one that is not known. */
static void
add_figure(Document *document, json_object *object, const char *name, int64_t value)
{
	if (value < 0)
		add_null(document, object, name);
	else
		add_integer(document, object, name, value);
}

static void
add_bool(Document *document, json_object *object, const char *name, bool value)
{
	add(document, object, name, json_object_new_boolean(value));
}

static void
add_double(Document *document, json_object *object, const char *name, double value)
{
	char digits[32];

	if (!isfinite(value))
	{
		add_null(document, object, name);
		return;
	}
	for (int precision = SHORT_DIGITS; precision <= EXACT_DIGITS; precision++)
	{
		snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	add(document, object, name, json_object_new_double_s(value, digits));
}

/* JSON is UTF-8; somebody's server need not be. */
static json_object *
new_text(const char *text)
{
	json_object *object = NULL;
	char *printable = strdup(text);

	if (printable != NULL)
	{
		printable_text_make(printable);
		object = json_object_new_string(printable);
	}
	free(printable);
	return object;
}

/* NULL is null. */
static void
add_text(Document *document, json_object *object, const char *name, const char *text)
{
	if (text == NULL)
		add_null(document, object, name);
	else
		add(document, object, name, new_text(text));
}

static void
add_settings(Document *document, json_object *object, const Environment *environment)
{
	json_object *settings = add_object(document, object, "settings");

	for (size_t i = 0; i < environment->settings; i++)
		add_text(document, settings, environment->setting[i].name, environment->setting[i].value);
}

static void
add_server(Document *document, json_object *object, const Environment *environment)
{
	json_object *server;

	if (environment->server_version == NULL)
	{
		add_null(document, object, "server");
		return;
	}
	server = add_object(document, object, "server");
	add_text(document, server, "version", environment->server_version);
	add_bool(document, server, "is_durable", environment->is_durable);
	add_figure(document, server, "standbys", environment->standbys);
	add_bool(document, server, "archives", environment->archives);
	add_bool(document, server, "in_recovery", environment->in_recovery);
	add_settings(document, server, environment);
}

static void
add_environment(Document *document, json_object *root, const Environment *environment)
{
	json_object *object = add_object(document, root, "environment");
	json_object *client;

	add_text(document, object, "started_at", environment->started_at);
	add_server(document, object, environment);
	client = add_object(document, object, "client");
	add_text(document, client, "host", environment->client_host);
	add_text(document, client, "kernel", environment->kernel);
	add_text(document, client, "cpu", environment->cpu);
	add_figure(document, client, "cores", environment->cores);
	add_figure(document, client, "memory_bytes", environment->memory_bytes);
	add_text(document, client, "transferbench", environment->program_version);
	add_text(document, client, "libpq", environment->libpq_version);
	add_text(document, client, "libcurl", environment->libcurl_version);
	add_text(document, client, "json_c", environment->json_c_version);
}

static void
add_budget(Document *document, json_object *root, const Run *run)
{
	json_object *budget;

	if (!run->has_budget)
	{
		add_null(document, root, "budget");
		return;
	}
	budget = add_object(document, root, "budget");
	add_double(document, budget, run->budget.kind == COST_BUDGET_RATIO ? "ratio" : "extra_ms",
			   run->budget.value);
}

static void
add_options(Document *document, json_object *root, const Run *run)
{
	add_text(document, root, "table", run->table);
	add_text(document, root, "url", run->url);
	add_integer(document, root, "order_seed", run->order_seed);
	if (run->batch_rows > 0)
		add_integer(document, root, "batch_rows", run->batch_rows);
	else
		add_null(document, root, "batch_rows");
	add_bool(document, root, "as_shipped", run->as_shipped);
	add_integer(document, root, "jobs", run->jobs);
	add_bool(document, root, "unlogged", run->unlogged);
	add_budget(document, root, run);
}

static void
add_figures(Document *document, json_object *object, const ReportFigure *figures,
			const Trial *trial)
{
	for (; figures->name != NULL; figures++)
	{
		if (figures->divisor == 1)
			add_figure(document, object, figures->name, report_figure_raw(figures, trial));
		else
			add_double(document, object, figures->name, report_figure(figures, trial));
	}
}

/* [[first, last], ...] */
static void
add_ranges(Document *document, json_object *object, const char *name, const RowRanges *ranges)
{
	json_object *array = add_array(document, object, name);

	for (size_t i = 0; i < ranges->count && !document->failed; i++)
	{
		json_object *range = append_object(document, array);

		add_integer(document, range, "first_row", ranges->range[i].first);
		add_integer(document, range, "last_row", ranges->range[i].last);
	}
}

/* A string: as a number it would be changed by readers that know doubles only. */
static void
add_digest(Document *document, json_object *object, const Trial *trial)
{
	char digits[17];

	snprintf(digits, sizeof(digits), "%016" PRIx64, trial->digest);
	add_text(document, object, "digest", trial->has_digest ? digits : NULL);
}

static void
add_trial(Document *document, json_object *trials, const Trial *trial)
{
	json_object *object = append_object(document, trials);

	add_text(document, object, "direction", transfer_direction_name(trial->direction));
	add_text(document, object, "path", trial->path);
	add_integer(document, object, "size", trial->size);
	add_integer(document, object, "trial", trial->number);
	add_bool(document, object, "warm_up", trial->number == 0);
	add_integer(document, object, "block", trial->block);
	add_text(document, object, "status", trial_status_name(trial->status));
	add_text(document, object, "problem", *trial->problem != '\0' ? trial->problem : NULL);
	add_integer(document, object, "rows", trial->rows);
	add_double(document, object, "elapsed_ms", report_elapsed_ms(trial));
	add_double(document, object, "rows_per_second", report_rows_per_second(trial));
	add_figures(document, object, report_trial_figures, trial);
	add_figures(document, add_object(document, object, "phases"), report_phase_figures, trial);
	add_figures(document, add_object(document, object, "cost"), report_cost_figures, trial);
	add_digest(document, object, trial);
	add_ranges(document, object, "refused", &trial->refused);
	add_ranges(document, object, "in_doubt", &trial->in_doubt);
}

static void
add_times(Document *document, json_object *object, const StatisticsSummary *elapsed_ms)
{
	json_object *times = add_object(document, object, "elapsed_ms");

	add_integer(document, times, "samples", (int64_t) elapsed_ms->samples);
	add_double(document, times, "median", elapsed_ms->median);
	add_double(document, times, "low", elapsed_ms->low);
	add_double(document, times, "high", elapsed_ms->high);
	add_double(document, times, "mean", elapsed_ms->mean);
	add_double(document, times, "minimum", elapsed_ms->minimum);
	add_double(document, times, "maximum", elapsed_ms->maximum);
	add_double(document, times, "standard_deviation", elapsed_ms->standard_deviation);
	add_integer(document, times, "outliers", (int64_t) elapsed_ms->outliers);
}

static void
add_summary(Document *document, json_object *object, const PathSummary *summary)
{
	json_object *phases;

	add_times(document, object, &summary->elapsed_ms);
	add_double(document, object, "rows_per_second", summary->rows_per_second);
	add_figure(document, object, "bytes", summary->bytes);
	add_double(document, object, "client_cpu_ms", summary->client_cpu_ms);
	add_double(document, object, "backend_cpu_ms", summary->backend_cpu_ms);
	add_double(document, object, "api_cpu_ms", summary->api_cpu_ms);
	add_double(document, object, "machine_cpu_ms", summary->machine_cpu_ms);
	add_figure(document, object, "client_peak_bytes", summary->client_peak_bytes);
	add_figure(document, object, "backend_peak_bytes", summary->backend_peak_bytes);
	add_figure(document, object, "api_peak_bytes", summary->api_peak_bytes);
	phases = add_object(document, object, "phases");
	for (int phase = 0; phase < PHASE_COUNT; phase++)
		add_double(document, phases, report_phase_figures[phase].name, summary->phase_ms[phase]);
	add_integer(document, object, "trials_ok", summary->trials_ok);
	add_integer(document, object, "trials_failed", summary->trials_failed);
}

static void
add_verification(Document *document, json_object *object, const ComparisonRow *row)
{
	add_bool(document, object, "verified", row->verified);
	if (!row->verified)
	{
		add_null(document, object, "rows_equal");
		add_null(document, object, "values_changed");
		add_null(document, object, "changed_columns");
		return;
	}
	add_bool(document, object, "rows_equal", row->rows_equal);
	add_figure(document, object, "values_changed", row->values_changed);
	add_text(document, object, "changed_columns", row->changed_columns);
}

static void
add_comparison(Document *document, json_object *comparisons, const ComparisonRow *row)
{
	json_object *object = append_object(document, comparisons);
	json_object *toll;

	add_text(document, object, "direction", transfer_direction_name(row->direction));
	add_integer(document, object, "size", row->size);
	add_text(document, object, "path", row->summary.path);
	add_summary(document, object, &row->summary);
	toll = add_object(document, object, "toll");
	add_double(document, toll, "ratio", row->toll.ratio);
	add_double(document, toll, "low", row->toll.low);
	add_double(document, toll, "high", row->toll.high);
	add_double(document, object, "extra_ms", row->extra_ms);
	add_double(document, object, "extra_us_per_row", row->extra_us_per_row);
	add_verification(document, object, row);
}

static void
add_crossing(Document *document, json_object *object, const CostCrossing *crossing)
{
	static const char *const kinds[] = {
		[COST_CROSSING_UNKNOWN] = NULL,
		[COST_CROSSING_BELOW] = "below",
		[COST_CROSSING_WITHIN] = "within",
		[COST_CROSSING_ABOVE] = "above",
	};
	bool is_within = crossing->kind == COST_CROSSING_WITHIN;
	bool is_known = crossing->kind != COST_CROSSING_UNKNOWN;
	json_object *child = add_object(document, object, "exceeds_budget");

	add_text(document, child, "where", kinds[crossing->kind]);
	add_double(document, child, "rows", is_within ? crossing->rows : NAN);
	add_double(document, child, "low", is_known ? crossing->low : NAN);
	add_double(document, child, "high", is_known ? crossing->high : NAN);
}

static void
add_cost(Document *document, json_object *costs, const PathCost *cost)
{
	json_object *object = append_object(document, costs);
	bool is_known = cost->fit.known;

	add_text(document, object, "direction", transfer_direction_name(cost->direction));
	add_text(document, object, "path", cost->path);
	add_double(document, object, "fixed_ms", is_known ? cost->fit.fixed_ms : NAN);
	add_double(document, object, "per_row_us", is_known ? cost->fit.per_row_us : NAN);
	add_double(document, object, "worst_relative_error",
			   is_known ? cost->fit.worst_relative_error : NAN);
	add_crossing(document, object, &cost->crossing);
}

static void
add_lists(Document *document, json_object *root, const Run *run)
{
	json_object *array = add_array(document, root, "trials");

	for (size_t i = 0; i < run->trials; i++)
		add_trial(document, array, &run->trial[i]);
	array = add_array(document, root, "comparisons");
	for (size_t i = 0; i < run->comparisons; i++)
		add_comparison(document, array, &run->comparison[i]);
	array = add_array(document, root, "costs");
	for (size_t i = 0; i < run->costs; i++)
		add_cost(document, array, &run->cost[i]);
	array = add_array(document, root, "notes");
	for (size_t i = 0; i < run->notes && !document->failed; i++)
	{
		json_object *note = new_text(run->note[i]);

		if (note == NULL || json_object_array_add(array, note) != 0)
			document->failed = true;
	}
}

static void
add_run(Document *document, json_object *root, const Run *run)
{
	add_integer(document, root, "schema_version", REPORT_SCHEMA_VERSION);
	add_text(document, root, "run_id", run->id);
	add_text(document, root, "command", run->command);
	add_options(document, root, run);
	add_integer(document, root, "exit_status", run->exit_status);
	add_environment(document, root, &run->environment);
	add_lists(document, root, run);
}

bool
report_json_write(const Run *run, FILE *out)
{
	Document document = {0};
	json_object *root = json_object_new_object();
	const char *text = NULL;

	add_run(&document, root, run);
	if (!document.failed)
		text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
														JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text != NULL)
		fprintf(out, "%s\n", text);
	json_object_put(root);
	return text != NULL;
}
