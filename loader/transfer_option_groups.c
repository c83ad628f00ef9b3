#include "transfer_option_groups.h"
#include "message.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ROWS       INT64_C(1000000000000) /* as the extension's limit */
#define MS_PER_S       1000
#define MAX_API_PIDS   1000
#define MAX_PARAMETERS 65535 /* of one statement: the protocol counts them in 16 bits */

/* One line an option: what is said of it here is its contract. */
#define OPTION(k, n, t, a, h)                                                                      \
	.kind = OPTION_KIND_##k, .name = n, .target = t, .argument = a, .help = h
#define HEADING(h)                                                                                 \
	{                                                                                              \
		.kind = OPTION_KIND_HEADING, .help = h                                                     \
	}
#define FLAG(n, t, h)                                                                              \
	{                                                                                              \
		OPTION(FLAG, n, t, NULL, h)                                                                \
	}
#define TEXT(n, t, a, h)                                                                           \
	{                                                                                              \
		OPTION(TEXT, n, t, a, h)                                                                   \
	}
#define LETTER(l, n, t, a, h)                                                                      \
	{                                                                                              \
		OPTION(TEXT, n, t, a, h), .letter = l                                                      \
	}
#define LIST(n, t, a, h)                                                                           \
	{                                                                                              \
		OPTION(LIST, n, t, a, h)                                                                   \
	}
#define CHOICE(n, t, c, a, h)                                                                      \
	{                                                                                              \
		OPTION(CHOICE, n, t, a, h), .choices = c                                                   \
	}
#define CUSTOM(n, t, f, a, h)                                                                      \
	{                                                                                              \
		OPTION(CUSTOM, n, t, a, h), .take = f                                                      \
	}
#define NUMBER(k, n, t, low, high, a, h)                                                           \
	{                                                                                              \
		OPTION(k, n, t, a, h), .minimum = low, .maximum = high                                     \
	}
#define GIVEN_NUMBER(k, n, t, low, high, a, h, g)                                                  \
	{                                                                                              \
		OPTION(k, n, t, a, h), .minimum = low, .maximum = high, .given = g                         \
	}

/* Copies a group's options; the zeroes behind them are the group's end. */
#define FILL(group, specs)                                                                         \
	_Static_assert(sizeof(specs) / sizeof(specs[0]) < TRANSFER_GROUP_SPECS,                        \
				   "no room for the end");                                                         \
	memcpy((group)->spec, specs, sizeof(specs))

static const char *const method_choices[] = {"copy", "insert", NULL};
static const char *const direction_choices[] = {"both", "read", "write", NULL};
static const char *const verify_choices[] = {"full", "count", "none", NULL};
static const char *const body_choices[] = {"array", "ndjson", NULL};

static bool
take_report_format(void *target, const char *option, const char *value)
{
	TransferOptions *options = target;

	if (report_format_find(value, &options->format))
		return true;
	message_error("%s: \"%s\" is none of table, json, csv, markdown", option, value);
	return false;
}

/* One option with two subjects, told apart by the value: COPY's format and the report's. */
static bool
take_copy_format(void *target, const char *option, const char *value)
{
	TransferOptions *options = target;

	if (strcmp(value, "text") == 0 || strcmp(value, "binary") == 0)
		options->copy_format = strcmp(value, "binary") == 0;
	else if (!report_format_find(value, &options->format))
	{
		message_error(
			"%s: \"%s\" is none of text, binary (of COPY), table, json, csv, markdown (of "
			"the report)",
			option, value);
		return false;
	}
	return true;
}

static bool
take_rows(void *target, const char *option, const char *value)
{
	TransferOptions *options = target;

	return option_count(option, value, 0, MAX_ROWS, &options->sizes.value[0]);
}

static bool
take_budget(void *target, const char *option, const char *value)
{
	TransferOptions *options = target;

	options->budget_given = true;
	if (cost_budget_parse(value, &options->budget))
		return true;
	message_error("%s: \"%s\" is no budget: expected a ratio such as 2x or 1.5x, or a time such as "
				  "500ms or 2s",
				  option, value);
	return false;
}

static bool
take_dialect(void *target, const char *option, const char *value)
{
	TransferOptions *options = target;

	options->dialect = api_dialect_find(value);
	if (options->dialect != NULL)
		return true;
	message_error("%s: \"%s\" is none of reference, plumber, postgrest, template", option, value);
	return false;
}

static bool
take_api_pids(void *target, const char *option, const char *value)
{
	TransferOptions *options = target;

	while (*value != '\0')
	{
		size_t length = strcspn(value, ",");
		int64_t pid;
		pid_t *grown = realloc(options->api_pid, ((size_t) options->api_pids + 1) * sizeof(pid_t));

		if (grown == NULL || options->api_pids >= MAX_API_PIDS ||
			!parse_digits(value, length, &pid) || pid < 1 || pid > INT32_MAX)
		{
			if (grown != NULL)
				options->api_pid = grown;
			message_error("%s: \"%s\" is no list of process ids", option, value);
			return false;
		}
		options->api_pid = grown;
		options->api_pid[options->api_pids++] = (pid_t) pid;
		value += length + (value[length] == ',');
	}
	return true;
}

static void
fill_connection(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Connection (as in psql; PG* variables, service file and .pgpass too)"),
		LETTER('h', "host", &o->connection.host, "HOST",
			   "database server host or socket directory"),
		LETTER('p', "port", &o->connection.port, "PORT", "database server port"),
		LETTER('U', "username", &o->connection.user, "NAME", "database user"),
		LETTER('d', "dbname", &o->connection.dbname, "DBNAME",
			   "database, connection string or URI"),
	};

	FILL(group, specs);
}

static void
fill_rows(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Rows"),
		CUSTOM("rows", o, take_rows, "N",
			   "how many: 1000, 1e6, 1M (default 100000, or all of the source)"),
	};

	FILL(group, specs);
}

static void
fill_sizes(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Rows"),
		NUMBER(COUNTS, "sizes", &o->sizes, 1, MAX_ROWS, "LIST",
			   "numbers of rows (default 1e4,1e5,1e6)"),
	};

	FILL(group, specs);
}

static void
fill_origin(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Where the rows that are written come from (default: reference rows)"),
		NUMBER(COUNT, "seed", &o->seed, 0, INT64_MAX, "S", "of the reference rows (default 0)"),
		TEXT("file", &o->file, "FILE", "a file; - is standard input"),
		TEXT("file-format", &o->file_format, "F",
			 "text, csv, csv-header, binary (as COPY writes them), json, ndjson\n(default: by the "
			 "file's ending, else text)"),
		TEXT("from-dsn", &o->from_dsn, "DSN", "a second database to read from"),
		TEXT("from-table", &o->from_table, "NAME",
			 "a table there (without --from-dsn: in the same database)"),
		TEXT("from-query", &o->from_query, "SELECT", "a query there"),
		TEXT("columns", &o->columns, "LIST",
			 "columns of a file's rows, \"id bigint, x numeric(10,2)\" (default: the\nreference "
			 "rows'; with --append: the table's)"),
	};

	FILL(group, specs);
}

static void
fill_source(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("What is read"),
		TEXT("source", &o->source_table, "NAME",
			 "a table or view (default: what the endpoint says that it serves; without\none, "
			 "fetch reads bench_reference, and compare a table made for the run)"),
		TEXT("query", &o->source_query, "SELECT", "a query"),
		TEXT("order-by", &o->order_by, "LIST",
			 "columns to order by (default: the table's primary key)"),
		NUMBER(COUNT, "page-rows", &o->page_rows, 1, MAX_ROWS, "N",
			   "rows per HTTP request (default: all in one)"),
	};

	FILL(group, specs);
}

static void
fill_target(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("The table that is written to (made for the run, and dropped at its end)"),
		TEXT("table", &o->table, "NAME",
			 "its name, schema included (default transferbench_<run id>)"),
		FLAG("append", &o->append,
			 "write to an existing table; it is never emptied or dropped (not in compare);\n"
			 "no warm-up: the rows are appended --trials times"),
		FLAG("keep", &o->keep,
			 "do not drop it at the end, nor by cleanup unless that is told --kept"),
		FLAG("unlogged", &o->unlogged, "an unlogged table: no WAL, and gone after a crash"),
		TEXT("primary-key", &o->primary_key, "LIST", "columns of a primary key (default: none)"),
		TEXT("api-role", &o->api_role, "ROLE",
			 "GRANT SELECT, INSERT on it to this role, which the API uses"),
		NUMBER(BYTES, "max-write-bytes", &o->max_write_bytes, 0, INT64_MAX, "SIZE",
			   "refuse to write more, table and WAL together (default 20GB); of rows whose\nnumber "
			   "is not known beforehand, as of standard input: to send more"),
	};

	FILL(group, specs);
}

static void
fill_copy(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("The native path"),
		CHOICE("method", &o->method, method_choices, "M",
			   "copy (default), or insert: INSERTs of many rows in pipeline mode"),
		CUSTOM("format", o, take_copy_format, "F",
			   "text or binary (default): of COPY; table (default), json, csv or\nmarkdown: of the "
			   "report; may be given twice"),
	};

	FILL(group, specs);
}

static void
fill_write(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Writing"),
		NUMBER(COUNT, "jobs", &o->jobs, 1, 1000, "J",
			   "connections, or requests, at once (default 1)"),
		GIVEN_NUMBER(COUNT, "batch-rows", &o->batch_rows, 1, MAX_ROWS, "B",
					 "rows per transaction, or request (default 10000)", &o->batch_rows_given),
		NUMBER(COUNT, "insert-rows", &o->insert_rows, 1, MAX_PARAMETERS, "R",
			   "rows per INSERT statement of the insert path (default 1000)"),
		FLAG("pregenerate", &o->pregenerate,
			 "make and encode the rows beforehand, in a temporary file; reading it\nback is a "
			 "figure of its own"),
	};

	FILL(group, specs);
}

static void
fill_trials(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Trials"),
		NUMBER(COUNT, "trials", &o->trials, 1, 1000, "T",
			   "timed passes per path and size (default 1; of compare 10)"),
		CHOICE("verify", &o->verify, verify_choices, "LEVEL",
			   "full (default): an untimed pass compares digests of typed values;\ncount: rows are "
			   "only counted; none"),
		FLAG("dry-run", &o->dry_run,
			 "connect, check rights and sizes, tell what would be done, and end"),
	};

	FILL(group, specs);
}

static void
fill_compare(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Comparison"),
		CHOICE("direction", &o->direction, direction_choices, "D", "both (default), read or write"),
		CUSTOM("budget", o, take_budget, "BUDGET",
			   "what HTTP may cost more: a ratio (2x) or a time (500ms) (default 2x)"),
		GIVEN_NUMBER(COUNT, "order-seed", &o->order_seed, 0, INT64_MAX, "S",
					 "of the order of trials (default: drawn, and reported)", &o->order_seed_given),
		FLAG("as-shipped", &o->as_shipped,
			 "each writing path keeps its own batches: COPY all rows in one\ntransaction, HTTP "
			 "what the endpoint takes; the report is labelled so"),
	};

	FILL(group, specs);
}

static void
fill_paths(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		TEXT("paths", &o->paths, "LIST",
			 "of copy-text, copy-binary, select (reading), insert (writing),\nhttp-json; ratios "
			 "are against the first (default copy-binary,http-json)"),
	};

	FILL(group, specs);
}

static void
fill_http(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("The API"),
		TEXT("url", &o->url, "BASE", "base URL; the dialect adds its paths"),
		CUSTOM("api", o, take_dialect, "DIALECT",
			   "reference (default with --url), plumber, postgrest or template\n(default without)"),
		TEXT("get-url", &o->target.get_url, "URL",
			 "for reading, in full; {n} and {offset} are replaced"),
		TEXT("post-url", &o->target.post_url, "URL", "for writing, in full"),
		TEXT("api-schema", &o->target.schema, "NAME",
			 "postgrest: schema of the table, if not its default one"),
		LIST("header", &o->headers, "\"NAME: VALUE\"", "a header of every request; may come again"),
		TEXT("token-file", &o->token_file, "FILE",
			 "bearer token: the first line of a file of mode 0600"),
		TEXT("token-env", &o->token_env, "NAME", "bearer token: this environment variable"),
		TEXT("cacert", &o->http.ca_file, "FILE",
			 "certificates to trust (PEM; default: the system's)"),
		TEXT("cert", &o->http.client_cert, "FILE", "client certificate (PEM)"),
		TEXT("key", &o->http.client_key, "FILE", "its private key (PEM)"),
		FLAG("insecure", &o->http.insecure, "do not check the endpoint's certificate"),
		TEXT("proxy", &o->http.proxy, "URL", "a proxy (never taken from the environment)"),
		FLAG("http1.1", &o->http.http1_only, "no HTTP/2, even where the endpoint offers it"),
		NUMBER(SECONDS, "connect-timeout", &o->connect_timeout_ms, 1, 3600 * MS_PER_S, "TIME",
			   "5, 250ms, 2min (default 10)"),
		NUMBER(SECONDS, "stall-timeout", &o->stall_timeout_ms, 0, 86400 * MS_PER_S, "TIME",
			   "without a byte in either direction (default 60, 0: none)"),
		NUMBER(SECONDS, "request-timeout", &o->request_timeout_ms, 0, INT32_MAX, "TIME",
			   "of a whole request (default 0: none)"),
		NUMBER(BYTES, "max-response-bytes", &o->http.max_response_bytes, 0, INT64_MAX, "SIZE",
			   "of one answer's body, as sent and decompressed (default\n32GB, 0: any)"),
		NUMBER(COUNT, "retries", &o->retries, 0, 1000, "N",
			   "of one request: after 429, 503, no connection; after a lost answer\nonly where "
			   "that cannot write twice (default 5)"),
		NUMBER(SECONDS, "max-retry-wait", &o->max_retry_wait_ms, 1, 3600 * MS_PER_S, "TIME",
			   "the longest wait before one retry, Retry-After too (default 60)"),
		FLAG("gzip", &o->gzip,
			 "compressed bodies: sent where rows are written, asked for where read"),
	};

	FILL(group, specs);
}

static void
fill_post(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Posting"),
		NUMBER(BYTES, "max-body-bytes", &o->max_body_bytes, 1, INT64_MAX, "SIZE",
			   "a batch is cut before its body would be longer (default, and at most:\nwhat the "
			   "endpoint's /info tells; else 8MiB)"),
		CHOICE("body", &o->body_format, body_choices, "FORM", "array (default) or ndjson"),
		TEXT("on-conflict", &o->target.on_conflict, "COLUMNS",
			 "postgrest: rows with these values already there are ignored"),
		FLAG("no-idempotency", &o->no_idempotency,
			 "no Idempotency-Key, though the endpoint honours it"),
	};

	FILL(group, specs);
}

static void
fill_cost(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("Whose cost is counted besides"),
		CUSTOM("api-pid", o, take_api_pids, "LIST",
			   "processes of the API on this machine, with their descendants"),
		TEXT("api-db-user", &o->api_db_user, "NAME", "backends of this role are the API's"),
		TEXT("api-application-name", &o->api_application_name, "NAME",
			 "backends with this application_name are"),
		FLAG("system-memory", &o->system_memory, "the host's memory in use, sampled every 100 ms"),
	};

	FILL(group, specs);
}

static void
fill_report(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		HEADING("The report"),
		TEXT("output", &o->output, "FILE", "write it there instead of standard output"),
		FLAG("quiet", &o->quiet, "no progress, only warnings and errors on stderr"),
	};

	FILL(group, specs);
}

static void
fill_format(TransferGroupSpecs *group, TransferOptions *o)
{
	const OptionSpec specs[] = {
		CUSTOM("format", o, take_report_format, "F", "table (default), json, csv or markdown"),
	};

	FILL(group, specs);
}

/* In the order of the help. */
static const struct
{
	int wanted_by; /* TransferGroup; 0: all */
	void (*fill)(TransferGroupSpecs *group, TransferOptions *options);
} all_groups[TRANSFER_ALL_GROUPS] = {
	{TRANSFER_GROUP_ROWS, fill_rows},
	{TRANSFER_GROUP_SIZES, fill_sizes},
	{TRANSFER_GROUP_PATHS, fill_paths},
	{TRANSFER_GROUP_SOURCE, fill_source},
	{TRANSFER_GROUP_ORIGIN, fill_origin},
	{TRANSFER_GROUP_COPY, fill_copy},
	{TRANSFER_GROUP_WRITE, fill_write},
	{TRANSFER_GROUP_POST, fill_post},
	{TRANSFER_GROUP_HTTP, fill_http},
	{TRANSFER_GROUP_TARGET, fill_target},
	{TRANSFER_GROUP_TRIALS, fill_trials},
	{TRANSFER_GROUP_COMPARE, fill_compare},
	{0, fill_cost},
	{0, fill_report},
	{TRANSFER_GROUP_FORMAT, fill_format},
	{0, fill_connection},
};

int
transfer_option_groups_fill(TransferGroupSpecs *groups, int wanted, TransferOptions *options)
{
	int count = 0;

	for (int i = 0; i < TRANSFER_ALL_GROUPS; i++)
		if (all_groups[i].wanted_by == 0 || (all_groups[i].wanted_by & wanted) != 0)
			all_groups[i].fill(&groups[count++], options);
	return count;
}
