/*
 * report_test.c - a run with all that is odd in it, in every format.
 */
#include "measure/report.h"
#include "exit_status.h"
#include "measure/report_formats.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "unit.h"
#include "unit_output.h"

#define URL "http://127.0.0.1:8000/save_to_db"

/* A column whose name is markup in every format. */
#define ODD_COLUMN "we\"ird|<b>,col (12)"

static void
check_text(const char *got, const char *wanted, const char *name)
{
	unit_equal_bytes(got == NULL ? "(null)" : got, got == NULL ? 6 : strlen(got), wanted, name);
}

static void
check_holds(const char *text, const char *wanted, const char *name)
{
	if (!unit_ok(strstr(text, wanted) != NULL, name))
		printf("# not found: %s\n", wanted);
}

static void
check_lacks(const char *text, const char *unwanted, const char *name)
{
	if (!unit_ok(strstr(text, unwanted) == NULL, name))
		printf("# found: %.60s\n", strstr(text, unwanted));
}

/* Figures that are not known must not show as numbers. */
static void
check_no_pretence(const char *text, const char *format)
{
	static const char *const unwanted[] = {"nan", "inf", "-1,", "-1 ", "-1\n", "(null)"};
	char name[64];

	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
	{
		snprintf(name, sizeof(name), "%s: no %.2s", format, unwanted[i]);
		check_lacks(text, unwanted[i], name);
	}
}

static char *
draw(const Run *run, bool (*write)(const Run *run, FILE *out))
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL || !write(run, out) || fclose(out) != 0)
	{
		printf("Bail out! a report could not be written\n");
		exit(2);
	}
	return text;
}

static void
add_setting(Environment *environment, const char *name, const char *value)
{
	EnvironmentSetting *setting = &environment->setting[environment->settings++];

	setting->name = strdup(name);
	setting->value = value == NULL ? NULL : strdup(value);
}

static void
make_environment(Environment *environment, const char *fsync)
{
	environment->setting = calloc(4, sizeof(*environment->setting));
	add_setting(environment, "fsync", fsync);
	add_setting(environment, "full_page_writes", "on");
	add_setting(environment, "synchronous_commit", NULL);
	add_setting(environment, "wal_level", "replica");
	environment->server_version = strdup("15.20");
	environment->is_durable = strcmp(fsync, "on") == 0;
	environment->standbys = -1;
	environment->client_host = strdup("here");
	environment->cores = 2;
	environment->memory_bytes = INT64_C(25300000000);
	environment->program_version = strdup("0.1.0");
	snprintf(environment->started_at, sizeof(environment->started_at), "2024-05-06T07:08:09Z");
}

/* --- a post with failures ---------------------------------------------------------------- */

static Trial
make_trial(int number)
{
	Trial trial;

	trial_init(&trial);
	trial.path = "http-json";
	trial.direction = TRANSFER_WRITE;
	trial.size = 100000;
	trial.number = number;
	trial.block = number;
	trial.rows = 100000;
	trial.bytes = 21200000;
	trial.requests = 10;
	trial.elapsed_ns = 1600000000 + number * INT64_C(400000000);
	trial.phase_ns[PHASE_ENCODE] = 310000000;
	trial.cost.client_cpu_user_us = 500250;
	trial.cost.client_cpu_system_us = 12000;
	trial.cost.api_cpu_us = 800000;
	return trial;
}

static void
make_post(Run *run)
{
	Trial refused = make_trial(2);
	Trial doubtful = make_trial(3);
	Trial good = make_trial(0);
	Trial interrupted = make_trial(4);

	run_init(run, "post");
	make_environment(&run->environment, "off");
	run->table = "public.t";
	run->url = strdup(URL);
	run->jobs = 4;
	run->batch_rows = 10000;
	run_add_trial(run, &good);
	good = make_trial(1);
	good.has_digest = true;
	good.digest = UINT64_C(0xfedcba9876543210);
	run_add_trial(run, &good);
	refused.status = TRIAL_FAILED;
	refused.rows = 90000;
	refused.retries = 3;
	refused.retry_wait_ns = 2100000000;
	row_ranges_add(&refused.refused, 20001, 30000);
	snprintf(refused.problem, sizeof(refused.problem),
			 "HTTP 400 from " URL ": {\"error\": \"type\"}, \033[31mrow 3");
	run_add_trial(run, &refused);
	doubtful.status = TRIAL_FAILED;
	doubtful.rows = 80000;
	row_ranges_add(&doubtful.in_doubt, 50001, 60000);
	row_ranges_add(&doubtful.in_doubt, 80001, 90000);
	snprintf(doubtful.problem, sizeof(doubtful.problem), "answer lost, \xff\xfe");
	run_add_trial(run, &doubtful);
	interrupted.status = TRIAL_INTERRUPTED;
	interrupted.rows = 0;
	interrupted.elapsed_ns = 0;
	run_add_trial(run, &interrupted);
	run_add_note(run, "grant %s", "pg_read_server_files");
	run_add_note(run, "grant %s", "pg_read_server_files");
	run->exit_status = EXIT_INCOMPLETE;
}

static void
check_post_table(const Run *run)
{
	char *text = draw(run, report_table_write);

	check_holds(text, "transferbench post: public.t, " URL "\nINCOMPLETE: ",
				"table: what it is and that it is not complete");
	check_holds(
		text,
		"                                time                                    waited\n"
		"  path         trial     rows     ms  rows/s   MB/s  requests  retries      ms  "
		"status\n"
		"  http-json  warm-up  100,000  1,600  62,500  13.25        10        0       0  ok\n"
		"  http-json        1  100,000  2,000  50,000  10.60        10        0       0  ok\n"
		"  http-json        2   90,000  2,400  37,500   8.83        10        3   2,100  "
		"failed\n",
		"table: a line per trial");
	check_holds(text,
				"  http-json        4        0      -       -      -        10        0       0  "
				"interrupted\n",
				"table: a trial without a time has none");
	check_holds(text,
				"  path         trial  CPU ms\n"
				"  http-json  warm-up     512\n",
				"table: costs that are not known have no column, nor has half a cost");
	check_holds(text,
				"http-json, 100,000 rows, trial 2: rows 20001-30000 refused: HTTP 400 from " URL
				": {\"error\": \"type\"}, ?[31mrow 3\n",
				"table: refused rows, why, and nothing that a terminal obeys");
	check_holds(text,
				"trial 3: rows 50001-60000, 80001-90000 in doubt, they may have been written or "
				"not: answer lost, ??\n",
				"table: rows in doubt");
	check_holds(text, "trial 3: 80,000 of 100,000 rows are committed\n",
				"table: what is committed");
	check_holds(text, "trial 4: interrupted\n", "table: an interrupted trial");
	check_holds(text, "\n  - grant pg_read_server_files\n\nEnvironment\n",
				"table: a note stands there once");
	check_holds(text,
				"\nserver: PostgreSQL 15.20, fsync off, full_page_writes on, "
				"synchronous_commit unknown, wal_level replica\n",
				"table: durability always");
	check_holds(text, "\nclient: here, unknown, 2 cores of unknown, 25.3 GB\n",
				"table: the client");
	check_no_pretence(text, "table of trials");
	free(text);
}

static void
check_medians(void)
{
	Run run;
	char *text;

	run_init(&run, "copy");
	make_environment(&run.environment, "on");
	for (int number = 0; number <= 6; number++)
	{
		Trial trial = make_trial(number);

		trial.path = "copy-binary";
		trial.requests = TRIAL_UNKNOWN;
		run_add_trial(&run, &trial);
	}
	text = draw(&run, report_table_write);
	check_holds(text,
				"\ncopy-binary, 100,000 rows: median 3.00 s (95 % interval 2.00 s - 4.00 s) over 6 "
				"trials, 33,300 rows/s\n",
				"table: the median of several trials, without the warm-up");
	check_holds(text, "transferbench copy\n\n", "table: no table, no URL");
	check_lacks(text, "NOT DURABLE", "table: what is durable is not said not to be");
	check_lacks(text, "requests", "table: a native path has no requests");
	check_lacks(text, "waited", "table: no retry, no column of them");
	check_lacks(text, "Failures", "table: no failure, no list of them");
	free(text);
	run.unlogged = true;
	text = draw(&run, report_table_write);
	check_holds(text, "NOT DURABLE: the table is unlogged\n", "table: an unlogged table");
	free(text);
	run_free(&run);
}

/* Splits a line of CSV at its commas, quotes taken off; the number of fields. */
static int
split_csv(char **line, char **fields, int capacity)
{
	char *read = *line;
	char *write = read;
	bool is_quoted = false;
	int count = 0;

	fields[count++] = write;
	for (;; read++)
	{
		if (*read == '"' && is_quoted && read[1] == '"')
			*write++ = *read++;
		else if (*read == '"')
			is_quoted = !is_quoted;
		else if (*read == ',' && !is_quoted && count < capacity)
		{
			*write++ = '\0';
			fields[count++] = write;
		}
		else if (*read == '\0' || (*read == '\r' && !is_quoted))
			break;
		else
			*write++ = *read;
	}
	*line = *read == '\r' ? read + 2 : read;
	*write = '\0';
	return count;
}

static const char *
find_field(char **names, char **fields, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return fields[i];
	return NULL;
}

static void
check_csv(const Run *run)
{
	char *text = draw(run, report_csv_write);
	char *line = text;
	char *names[64];
	char *fields[64];
	int count;

	check_no_pretence(text, "CSV");
	count = split_csv(&line, names, 64);
	for (int trial = 0; trial < 5; trial++)
	{
		unit_equal_int(split_csv(&line, fields, 64), count, "CSV: as many fields as names");
		if (trial == 1)
		{
			check_text(find_field(names, fields, count, "elapsed_ms"), "2000.000000",
					   "CSV: a time");
			check_text(find_field(names, fields, count, "rows_per_second"), "50000.0",
					   "CSV: a rate");
			check_text(find_field(names, fields, count, "client_cpu_user_ms"), "500.250",
					   "CSV: CPU time");
			check_text(find_field(names, fields, count, "backend_cpu_ms"), "",
					   "CSV: what is not known is empty");
			check_text(find_field(names, fields, count, "digest"), "fedcba9876543210",
					   "CSV: a digest");
		}
		if (trial == 2)
		{
			check_text(find_field(names, fields, count, "problem"),
					   "HTTP 400 from " URL ": {\"error\": \"type\"}, ?[31mrow 3",
					   "CSV: quotes and commas within a text");
			check_text(find_field(names, fields, count, "refused"), "20001-30000",
					   "CSV: refused rows");
			check_text(find_field(names, fields, count, "refused_rows"), "10000",
					   "CSV: their number");
			check_text(find_field(names, fields, count, "in_doubt_rows"), "0",
					   "CSV: none in doubt");
		}
		if (trial == 3)
			check_text(find_field(names, fields, count, "in_doubt"), "50001-60000, 80001-90000",
					   "CSV: rows in doubt");
	}
	check_text(line, "", "CSV: nothing behind the last line");
	free(text);
}

/* --- JSON, read back ---------------------------------------------------------------------- */

/* "trials/1/cost/backend_cpu_ms", as json-c's own text of it. */
static const char *
at(json_object *root, const char *path)
{
	static char key[64];
	json_object *object = root;

	while (*path != '\0')
	{
		size_t length = strcspn(path, "/");

		snprintf(key, sizeof(key), "%.*s", (int) length, path);
		path += length + (path[length] == '/');
		if (json_object_is_type(object, json_type_array))
			object = json_object_array_get_idx(object, (size_t) atoi(key));
		else if (!json_object_object_get_ex(object, key, &object))
			return "(no such member)";
	}
	return json_object_to_json_string_ext(object,
										  JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void
check_at(json_object *root, const char *path, const char *wanted)
{
	check_text(at(root, path), wanted, path);
}

static json_object *
parse(const char *text)
{
	json_object *root = json_tokener_parse(text);

	if (!unit_ok(root != NULL, "JSON: it is"))
		exit(unit_done());
	return root;
}

static void
check_post_json(const Run *run)
{
	char *text = draw(run, report_json_write);
	json_object *root = parse(text);

	check_no_pretence(text, "JSON of trials");
	check_at(root, "schema_version", "1");
	check_at(root, "command", "\"post\"");
	check_at(root, "url", "\"" URL "\"");
	check_at(root, "exit_status", "2");
	check_at(root, "budget", "null");
	check_at(root, "environment/server/settings/fsync", "\"off\"");
	check_at(root, "environment/server/settings/synchronous_commit", "null");
	check_at(root, "environment/server/standbys", "null");
	check_at(root, "environment/server/is_durable", "false");
	check_at(root, "environment/client/memory_bytes", "25300000000");
	check_at(root, "environment/client/kernel", "null");
	check_at(root, "trials/0/warm_up", "true");
	check_at(root, "trials/1/elapsed_ms", "2000");
	check_at(root, "trials/1/wire_bytes", "null");
	check_at(root, "trials/1/digest", "\"fedcba9876543210\"");
	check_at(root, "trials/1/problem", "null");
	check_at(root, "trials/1/phases/encode_ms", "310");
	check_at(root, "trials/1/phases/commit_ms", "null");
	check_at(root, "trials/1/cost/client_cpu_user_ms", "500.25");
	check_at(root, "trials/1/cost/backend_cpu_ms", "null");
	check_at(root, "trials/1/cost/api_cpu_ms", "800");
	check_at(root, "trials/2/status", "\"failed\"");
	check_at(root, "trials/2/refused", "[{\"first_row\":20001,\"last_row\":30000}]");
	check_at(root, "trials/2/in_doubt", "[]");
	check_at(root, "trials/2/retry_wait_ms", "2100");
	check_at(root, "trials/3/problem", "\"answer lost, ??\"");
	check_at(root, "trials/4/elapsed_ms", "null");
	check_at(root, "trials/4/rows_per_second", "null");
	check_at(root, "comparisons", "[]");
	check_at(root, "notes", "[\"grant pg_read_server_files\"]");
	json_object_put(root);
	free(text);
}

/* --- a comparison ---------------------------------------------------------------------------- */

static ComparisonRow
make_row(TransferDirection direction, int64_t size, const char *path, double median_ms,
		 bool is_known)
{
	ComparisonRow row = {
		.direction = direction,
		.size = size,
		.toll = {NAN, NAN, NAN},
		.extra_ms = NAN,
		.extra_us_per_row = NAN,
		.verified = true,
		.rows_equal = true,
	};

	row.summary = (PathSummary){
		.path = path,
		.elapsed_ms = {is_known ? 10 : 3, median_ms, is_known ? median_ms * 0.9 : NAN,
					   is_known ? median_ms * 1.1 : NAN, median_ms, median_ms, median_ms, NAN, 0},
		.rows_per_second = (double) size / median_ms * 1000,
		.bytes = is_known ? size * 129 : -1,
		.client_cpu_ms = NAN,
		.backend_cpu_ms = is_known ? median_ms / 2 : NAN,
		.api_cpu_ms = NAN,
		.machine_cpu_ms = NAN,
		.client_peak_bytes = 1093632,
		.backend_peak_bytes = COST_UNKNOWN,
		.api_peak_bytes = COST_UNKNOWN,
		.trials_ok = is_known ? 10 : 3,
	};
	for (int phase = 0; phase < PHASE_COUNT; phase++)
		row.summary.phase_ms[phase] = NAN;
	return row;
}

static ComparisonRow
against(ComparisonRow row, const ComparisonRow *native)
{
	double native_ms = native->summary.elapsed_ms.median;
	double http_ms = row.summary.elapsed_ms.median;

	row.toll.ratio = http_ms / native_ms;
	row.extra_ms = http_ms - native_ms;
	row.extra_us_per_row = row.extra_ms * 1000 / (double) row.size;
	return row;
}

static void
add_pair(Run *run, TransferDirection direction, int64_t size, double native_ms, double http_ms,
		 bool is_known)
{
	ComparisonRow *row = &run->comparison[run->comparisons];

	row[0] = make_row(direction, size, "copy-binary", native_ms, is_known);
	row[1] = against(make_row(direction, size, "http-json", http_ms, is_known), &row[0]);
	run->comparisons += 2;
}

static void
make_compare(Run *run)
{
	run_init(run, "compare");
	make_environment(&run->environment, "on");
	run->comparison = calloc(8, sizeof(*run->comparison));
	run->has_budget = true;
	run->budget = (CostBudget){COST_BUDGET_RATIO, 2};
	add_pair(run, TRANSFER_READ, 10000, 40, 61.25, true);
	add_pair(run, TRANSFER_READ, 1000000, 344.2, 6000.6, true);
	add_pair(run, TRANSFER_WRITE, 10000, 21, 19.5, false);
	run->comparison[1].toll = (StatisticsRatio){1.53, 1.4, 1.7};
	run->comparison[3].rows_equal = false;
	run->comparison[3].values_changed = 12;
	run->comparison[3].changed_columns = strdup(ODD_COLUMN);
	run->comparison[3].summary.elapsed_ms.outliers = 2;
	run->comparison[3].summary.phase_ms[PHASE_DECODE] = 4000;
	run->comparison[5].verified = false;
	run->comparison[5].summary.trials_failed = 1;
	run->cost = calloc(4, sizeof(*run->cost));
	run->costs = 4;
	run->cost[0] = (PathCost){.direction = TRANSFER_READ, .path = "copy-binary"};
	run->cost[0].fit = (CostFit){0, 0.344, true, 0.0312};
	run->cost[1] = (PathCost){.direction = TRANSFER_READ, .path = "http-json"};
	run->cost[1].fit = (CostFit){2.1, 6.4, true, 0};
	run->cost[1].crossing = (CostCrossing){COST_CROSSING_WITHIN, 12345, 10000, 16012};
	run->cost[2] = (PathCost){.direction = TRANSFER_WRITE, .path = "copy-binary"};
	run->cost[2].fit = (CostFit){NAN, NAN, false, NAN};
	run->cost[3] = run->cost[2];
	run->cost[3].path = "http-json";
	run->cost[3].crossing = (CostCrossing){COST_CROSSING_ABOVE, NAN, NAN, NAN};
	run->exit_status = EXIT_CHANGED;
}

static void
check_compare_table(const Run *run)
{
	char *text = draw(run, report_table_write);

	check_holds(
		text,
		"10,000 rows, 10 trials each, rows equal\n"
		"  path         time ms  95 % interval  toll  95 % interval  more ms  more us/row\n"
		"  copy-binary     40.0    36.0 - 44.0\n"
		"  http-json       61.3    55.1 - 67.4  1.53    1.40 - 1.70    +21.3        +2.13\n",
		"table: times of two paths side by side");
	check_holds(text,
				"                        data  backend   client\n"
				"  path          rows/s    MB   CPU ms  peak MB\n"
				"  copy-binary  250,000  1.29     20.0     1.09\n",
				"table: what they cost; nothing of what is not known");
	check_holds(text, "1,000,000 rows, 10 trials each, rows NOT EQUAL\n",
				"table: rows are not equal");
	check_holds(text, "  - http-json: 12 values changed: " ODD_COLUMN "\n",
				"table: how many values changed, and where");
	check_holds(text, "  - http-json: 2 outliers among the trials, kept\n", "table: outliers");
	check_holds(text, "medians at 1,000,000 rows\n", "table: where the time goes");
	check_holds(text,
				"10,000 rows, rows not compared\n"
				"  path         time ms   toll  more ms  more us/row  ok  failed\n"
				"  copy-binary     21.0                                3       0\n"
				"  http-json       19.5  0.929    -1.50       -0.150   3       1\n",
				"table: failed trials are told");
	check_holds(text, "\n  - copy-binary: 0 ms + 0.344 us per row (medians within 4 % of it)\n",
				"table: a fitted cost");
	check_holds(text,
				"\nHTTP costs more than 2x of copy-binary from about 12,300 rows on "
				"(10,000 or fewer - 16,000)\n",
				"table: the answer, with an interval that was cut");
	check_holds(text, "\n  - http-json: not known from fewer than two sizes\n",
				"table: no fit without sizes");
	check_holds(text,
				"\nHTTP costs more than 2x of copy-binary at no size measured, up to 10,000 rows\n",
				"table: the answer at no size");
	check_no_pretence(text, "table of a comparison");
	free(text);
}

static const char *
answer_of(Run *run, CostCrossing crossing, char *line, size_t size)
{
	char *text;
	const char *answer;

	run->cost[1].crossing = crossing;
	text = draw(run, report_table_write);
	answer = strstr(text, "costs more than");
	answer = answer == NULL ? "" : answer;
	snprintf(line, size, "%.*s", (int) strcspn(answer, "\n"), answer);
	free(text);
	return line;
}

static void
check_answers(Run *run)
{
	char line[256];

	check_text(
		answer_of(run, (CostCrossing){COST_CROSSING_BELOW, NAN, 1e4, 1e4}, line, sizeof(line)),
		"costs more than 2x of copy-binary at every size measured, from 10,000 rows on",
		"answer: at every size");
	check_text(
		answer_of(run, (CostCrossing){COST_CROSSING_WITHIN, 12345, NAN, NAN}, line, sizeof(line)),
		"costs more than 2x of copy-binary from about 12,300 rows on (no interval from fewer "
		"than 6 trials)",
		"answer: without an interval");
	check_text(
		answer_of(run, (CostCrossing){COST_CROSSING_WITHIN, 512345, 23456, 1e6}, line,
				  sizeof(line)),
		"costs more than 2x of copy-binary from about 512,000 rows on (23,500 - 1,000,000 or "
		"more)",
		"answer: an interval that was cut above");
	check_text(
		answer_of(run, (CostCrossing){COST_CROSSING_UNKNOWN, NAN, NAN, NAN}, line, sizeof(line)),
		"costs more than 2x of copy-binary cannot be said: trials are missing", "answer: unknown");
	run->budget = (CostBudget){COST_BUDGET_EXTRA_MS, 20};
	check_text(
		answer_of(run, (CostCrossing){COST_CROSSING_WITHIN, 512345, 23456, 600000}, line,
				  sizeof(line)),
		"costs more than 20 ms over copy-binary from about 512,000 rows on (23,500 - 600,000), "
		"and besides at 10,000",
		"answer: exceeded before, too");
	run->comparison[3].extra_ms = 1;
	check_text(
		answer_of(run, (CostCrossing){COST_CROSSING_ABOVE, NAN, 1e6, 1e6}, line, sizeof(line)),
		"costs more than 20 ms over copy-binary only at 10,000 rows, no longer at 1,000,000",
		"answer: exceeded at small sizes only");
	run->budget.value = 2500;
	check_text(
		answer_of(run, (CostCrossing){COST_CROSSING_ABOVE, NAN, 1e6, 1e6}, line, sizeof(line)),
		"costs more than 2.5 s over copy-binary at no size measured, up to 1,000,000 rows",
		"answer: a budget in seconds");
	run->has_budget = false;
	check_text(
		answer_of(run, (CostCrossing){COST_CROSSING_ABOVE, NAN, 1e6, 1e6}, line, sizeof(line)), "",
		"answer: none without a budget");
}

/* Pipes that part cells: those without a backslash before. */
static int
count_pipes(const char *line)
{
	int pipes = 0;

	for (const char *at_byte = line; *at_byte != '\0' && *at_byte != '\n'; at_byte++)
	{
		if (*at_byte == '\\' && at_byte[1] != '\0')
			at_byte++;
		else
			pipes += *at_byte == '|';
	}
	return pipes;
}

static void
check_markdown(const Run *run)
{
	char *text = draw(run, report_markdown_write);
	int pipes = 0;
	bool are_even = true;

	check_no_pretence(text, "Markdown");
	check_holds(text,
				"## transferbench compare\n\n**VALUES CHANGED: ", "Markdown: title and alarm");
	check_holds(
		text,
		"\n| path | time ms | 95 % interval | toll | 95 % interval | more ms | more us/row |\n"
		"|---|---:|---:|---:|---:|---:|---:|\n"
		"| copy-binary | 40.0 | 36.0 - 44.0 |  |  |  |  |\n"
		"| http-json | 61.3 | 55.1 - 67.4 | 1.53 | 1.40 - 1.70 | +21.3 | +2.13 |\n",
		"Markdown: a table");
	check_holds(text, "\n- http-json: 12 values changed: we\"ird\\|\\<b\\>,col \\(12\\)\n",
				"Markdown: markup in a name is text");
	for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n'))
	{
		line += *line == '\n';
		if (*line == '|' && pipes != 0)
			are_even = are_even && count_pipes(line) == pipes;
		pipes = *line == '|' ? count_pipes(line) : 0;
	}
	unit_ok(are_even, "Markdown: every row of a table has as many cells");
	free(text);
}

static void
check_compare_json(const Run *run)
{
	char *text = draw(run, report_json_write);
	json_object *root = parse(text);

	check_no_pretence(text, "JSON of a comparison");
	check_at(root, "budget", "{\"ratio\":2}");
	check_at(root, "batch_rows", "null");
	check_at(root, "comparisons/0/path", "\"copy-binary\"");
	check_at(root, "comparisons/0/toll/ratio", "null");
	check_at(root, "comparisons/0/elapsed_ms/standard_deviation", "null");
	check_at(root, "comparisons/1/elapsed_ms/median", "61.25");
	check_at(root, "comparisons/1/toll/high", "1.7");
	check_at(root, "comparisons/1/extra_ms", "21.25");
	check_at(root, "comparisons/1/backend_peak_bytes", "null");
	check_at(root, "comparisons/1/client_peak_bytes", "1093632");
	check_at(root, "comparisons/3/rows_equal", "false");
	check_at(root, "comparisons/3/values_changed", "12");
	check_at(root, "comparisons/3/changed_columns", "\"we\\\"ird|<b>,col (12)\"");
	check_at(root, "comparisons/3/phases/decode_ms", "4000");
	check_at(root, "comparisons/4/bytes", "null");
	check_at(root, "comparisons/5/verified", "false");
	check_at(root, "comparisons/5/rows_equal", "null");
	check_at(root, "costs/1/per_row_us", "6.4");
	check_at(root, "costs/1/exceeds_budget/where", "\"within\"");
	check_at(root, "costs/1/exceeds_budget/rows", "12345");
	check_at(root, "costs/2/fixed_ms", "null");
	check_at(root, "costs/2/exceeds_budget/where", "null");
	check_at(root, "costs/3/exceeds_budget/where", "\"above\"");
	check_at(root, "costs/3/exceeds_budget/rows", "null");
	check_at(root, "trials", "[]");
	json_object_put(root);
	free(text);
}

/* --- files ------------------------------------------------------------------------------------- */

static long
size_of(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? (long) status.st_size : -1;
}

static void
check_failing_file(const Run *run, const char *directory)
{
	static Output output;
	char path[512];
	char wanted[1024];
	bool is_written;

	snprintf(path, sizeof(path), "%s/no/such", directory);
	output_begin(&output, stderr);
	is_written = report_write(run, REPORT_JSON, path);
	output_end(&output);
	unit_ok(!is_written, "file: not where there is no directory");
	snprintf(wanted, sizeof(wanted),
			 "transferbench: error: cannot make \"%s.%s.tmp\" for the report: "
			 "No such file or directory\n",
			 path, run->id);
	check_text(output.text, wanted, "file: and that is said");
	output_begin(&output, stderr);
	is_written = report_write(run, REPORT_TABLE, "/dev/full");
	output_end(&output);
	unit_ok(!is_written, "file: a full device is noticed");
	check_text(
		output.text,
		"transferbench: error: cannot write the report to /dev/full: No space left on device\n",
		"file: and that, too, is said");
}

static void
check_files(const Run *run)
{
	char directory[] = "/tmp/report_test.XXXXXX";
	char path[512];
	char link_path[512];
	struct stat status;

	if (mkdtemp(directory) == NULL)
	{
		unit_ok(false, "a directory for files");
		return;
	}
	snprintf(path, sizeof(path), "%s/report", directory);
	snprintf(link_path, sizeof(link_path), "%s/link", directory);
	unit_ok(report_write(run, REPORT_CSV, path), "file: a new one");
	unit_ok(size_of(path) > 0, "file: it holds something");
	unit_ok(chmod(path, 0640) == 0 && symlink("report", link_path) == 0, "file: a link to it");
	unit_ok(report_write(run, REPORT_JSON, link_path), "file: replaced through the link");
	unit_ok(lstat(link_path, &status) == 0 && S_ISLNK(status.st_mode),
			"file: the link is still one");
	unit_ok(stat(path, &status) == 0 && (status.st_mode & 07777) == 0640, "file: rights are kept");
	check_failing_file(run, directory);
	unlink(path);
	unlink(link_path);
	unit_ok(rmdir(directory) == 0, "file: nothing is left beside");
}

static void
check_formats(void)
{
	ReportFormat format = REPORT_TABLE;

	unit_ok(report_format_find("markdown", &format) && format == REPORT_MARKDOWN,
			"format: markdown");
	unit_ok(report_format_find("json", &format) && format == REPORT_JSON, "format: json");
	unit_ok(report_format_find("csv", &format) && format == REPORT_CSV, "format: csv");
	unit_ok(!report_format_find("xml", &format), "format: not xml");
	unit_ok(!report_format_find("", &format), "format: not nothing");
}

static void
check_run(void)
{
	Run run;
	Run other;
	char *text;

	run_init(&run, "fetch");
	run_init(&other, "fetch");
	unit_equal_int((int64_t) strspn(run.id, "0123456789abcdef"), RUN_ID_LENGTH,
				   "run: its id is hex digits");
	unit_ok(strcmp(run.id, other.id) != 0, "run: another has another id");
	text = draw(&run, report_table_write);
	check_holds(text, "transferbench fetch\n\nNo trial was run.\n", "run: nothing measured");
	check_holds(text, "server: not connected to; whether it is durable is not known\n",
				"run: no server");
	check_no_pretence(text, "empty run");
	free(text);
	run_free(&run);
	run_free(&other);
}

int
main(void)
{
	Run run;

	make_post(&run);
	check_post_table(&run);
	check_csv(&run);
	check_post_json(&run);
	check_files(&run);
	run_free(&run);
	check_medians();
	make_compare(&run);
	check_compare_table(&run);
	check_markdown(&run);
	check_compare_json(&run);
	check_answers(&run);
	run_free(&run);
	check_formats();
	check_run();
	return unit_done();
}
