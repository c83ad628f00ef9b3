#include "transfer_options.h"
#include "message.h"
#include "transfer_option_groups.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define MS_PER_S           1000
#define DEFAULT_BATCH_ROWS 10000
#define RETRY_BASE_MS      200

void
transfer_options_init(TransferOptions *options)
{
	*options = (TransferOptions){
		.copy_format = 1,
		.jobs = 1,
		.batch_rows = DEFAULT_BATCH_ROWS,
		.insert_rows = 1000,
		.trials = 1,
		.budget = {.kind = COST_BUDGET_RATIO, .value = 2},
		.connect_timeout_ms = 10 * MS_PER_S,
		.stall_timeout_ms = 60 * MS_PER_S,
		.http = {.max_response_bytes = INT64_C(32000000000)},
		.retries = 5,
		.max_retry_wait_ms = 60 * MS_PER_S,
		.max_body_bytes = -1,
		.max_write_bytes = INT64_C(20) * 1000 * 1000 * 1000,
	};
}

static bool
refuse_together(const char *one, bool one_given, const char *other, bool other_given)
{
	if (one_given && other_given)
		message_error("%s and %s exclude each other", one, other);
	return one_given && other_given;
}

static bool
refuse_without(const char *option, bool given, const char *other, bool other_given)
{
	if (given && !other_given)
		message_error("%s makes no sense without %s", option, other);
	return given && !other_given;
}

static bool
contradicts_itself(const TransferOptions *o)
{
	bool from = o->from_table != NULL || o->from_query != NULL;

	return refuse_together("--file", o->file != NULL, "--from-table or --from-query", from) ||
		   refuse_together("--from-table", o->from_table != NULL, "--from-query",
						   o->from_query != NULL) ||
		   refuse_without("--from-dsn", o->from_dsn != NULL, "--from-table or --from-query",
						  from) ||
		   refuse_without("--file-format", o->file_format != NULL, "--file", o->file != NULL) ||
		   refuse_without("--columns", o->columns != NULL, "--file", o->file != NULL) ||
		   refuse_together("--columns", o->columns != NULL, "--append", o->append) ||
		   refuse_together("--source", o->source_table != NULL, "--query",
						   o->source_query != NULL) ||
		   refuse_without("--append", o->append, "--table", o->table != NULL) ||
		   refuse_together("--append", o->append, "--unlogged", o->unlogged) ||
		   refuse_together("--append", o->append, "--primary-key", o->primary_key != NULL) ||
		   refuse_together("--token-file", o->token_file != NULL, "--token-env",
						   o->token_env != NULL) ||
		   refuse_without("--key", o->http.client_key != NULL, "--cert",
						  o->http.client_cert != NULL);
}

/* A URL in full may lead to any API; of one that is not known nothing is promised, such as that its
 * errors mean that nothing was written. */
static void
settle_dialect(TransferOptions *o)
{
	bool in_full = o->url == NULL && (o->target.get_url != NULL || o->target.post_url != NULL);

	if (o->dialect == NULL)
		o->dialect = in_full ? &api_dialect_template : &api_dialect_reference;
}

/* Trials of a size are told apart by it. */
static bool
repeats_a_size(const OptionCounts *sizes)
{
	for (size_t i = 0; i < sizes->count; i++)
		for (size_t j = 0; j < i; j++)
			if (sizes->value[i] == sizes->value[j])
			{
				message_error("--sizes: %lld comes twice", (long long) sizes->value[i]);
				return true;
			}
	return false;
}

static bool
fits_dialect(const TransferOptions *o)
{
	if (o->body_format == 1 && !o->dialect->takes_ndjson)
		message_error("--body ndjson: an API of dialect %s takes an array only", o->dialect->name);
	else if (o->target.on_conflict != NULL && o->dialect != &api_dialect_postgrest)
		message_error("--on-conflict is for --api postgrest");
	else if (o->target.schema != NULL && o->dialect != &api_dialect_postgrest)
		message_error("--api-schema is for --api postgrest");
	else if (o->dialect == &api_dialect_template && o->url != NULL)
		message_error("--url: --api template has no paths of its own to add: use --get-url and "
					  "--post-url");
	else
		return true;
	return false;
}

static bool
check_urls(const TransferOptions *o)
{
	if (o->url != NULL && strpbrk(o->url, "?#") != NULL)
	{
		message_error("--url: a base has no query and no fragment: the dialect adds its paths (see "
					  "--get-url and --post-url)");
		return false;
	}
	return (o->url == NULL || http_url_check("--url", o->url)) &&
		   (o->target.get_url == NULL || http_url_check("--get-url", o->target.get_url)) &&
		   (o->target.post_url == NULL || http_url_check("--post-url", o->target.post_url)) &&
		   (o->http.proxy == NULL || http_proxy_check("--proxy", o->http.proxy));
}

/* The dialects add paths that begin with a slash. */
static bool
settle_base_url(TransferOptions *o)
{
	size_t length = o->url == NULL ? 0 : strlen(o->url);

	if (o->url == NULL)
		return true;
	while (length > 0 && o->url[length - 1] == '/')
		length--;
	o->base_url = strndup(o->url, length);
	o->url = o->base_url;
	if (o->base_url == NULL)
		message_error("out of memory");
	return o->base_url != NULL;
}

/* Else each request would find out, and be tried again. */
static bool
check_file(const char *option, const char *path)
{
	if (path == NULL || access(path, R_OK) == 0)
		return true;
	message_error("%s: cannot read \"%s\": %m", option, path);
	return false;
}

static bool
has_name(const char *header, const char *name)
{
	size_t length = strlen(name);

	return strncasecmp(header, name, length) == 0 && header[length] == ':';
}

/* They are sent as they are, but not in silence: ps shows them, and the shell's history keeps them. */
static void
warn_of_secret(const char *header)
{
	static const char *const names[] = {"Authorization", "Proxy-Authorization", "Cookie",
										"apikey",        "X-Api-Key",           "X-Auth-Token"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (has_name(header, names[i]))
			message_warning("--header: all users of this machine can read %s where it stands; a "
							"bearer token is better given by --token-file or --token-env",
							names[i]);
}

/* What the sessions are given. */
static bool
settle_http(TransferOptions *o)
{
	for (size_t i = 0; i < o->headers.count; i++)
	{
		if (!http_header_check("--header", o->headers.text[i]))
			return false;
		warn_of_secret(o->headers.text[i]);
	}
	if (!check_file("--cacert", o->http.ca_file) || !check_file("--cert", o->http.client_cert) ||
		!check_file("--key", o->http.client_key))
		return false;
	if (o->token_file != NULL)
		o->http.token = http_token_from_file("--token-file", o->token_file);
	if (o->token_env != NULL)
		o->http.token = http_token_from_environment("--token-env", o->token_env);
	if (o->http.token == NULL && (o->token_file != NULL || o->token_env != NULL))
		return false;
	o->http.headers = o->headers.text;
	o->http.header_count = (int) o->headers.count;
	o->http.accept_gzip = o->gzip;
	o->http.connect_timeout_ms = (int) o->connect_timeout_ms;
	o->http.stall_timeout_ms = (int) o->stall_timeout_ms;
	o->http.request_timeout_ms = (int) o->request_timeout_ms;
	o->retry = (RetryPolicy){.max_retries = (int) o->retries,
							 .base_ms = RETRY_BASE_MS,
							 .max_wait_ms = (int) o->max_retry_wait_ms};
	return true;
}

static bool
settle(TransferOptions *o)
{
	message_set_quiet(o->quiet);
	settle_dialect(o);
	return !contradicts_itself(o) && !repeats_a_size(&o->sizes) &&
		   connection_options_check(&o->connection, "-d") &&
		   connection_options_check(&(ConnectionOptions){.dbname = o->from_dsn}, "--from-dsn") &&
		   fits_dialect(o) && check_urls(o) && settle_base_url(o) && settle_http(o);
}

static bool
init_sizes(TransferOptions *options, int groups)
{
	if ((groups & TRANSFER_GROUP_ROWS) == 0)
		return true;
	options->sizes.value = malloc(sizeof(int64_t));
	if (options->sizes.value == NULL)
		return false;
	options->sizes.value[0] = -1;
	options->sizes.count = 1;
	return true;
}

OptionsResult
transfer_options_read(TransferOptions *options, int groups, const char *usage, int argc,
					  char **argv)
{
	TransferGroupSpecs *group = calloc(TRANSFER_ALL_GROUPS, sizeof(TransferGroupSpecs));
	const OptionSpec *list[TRANSFER_ALL_GROUPS + 1] = {NULL};
	OptionsResult result;
	int count;

	if (group == NULL || !init_sizes(options, groups))
	{
		message_error("out of memory");
		free(group);
		return OPTIONS_REFUSED;
	}
	count = transfer_option_groups_fill(group, groups, options);
	for (int i = 0; i < count; i++)
		list[i] = group[i].spec;
	result = option_table_read(&(OptionTable){.usage = usage, .groups = list}, argc, argv);
	free(group);
	return result != OPTIONS_OK || settle(options) ? result : OPTIONS_REFUSED;
}

bool
transfer_options_name_api(const TransferOptions *options)
{
	return options->url != NULL || options->target.get_url != NULL ||
		   options->target.post_url != NULL;
}

void
transfer_options_free(TransferOptions *options)
{
	option_list_free(&options->headers);
	option_counts_free(&options->sizes);
	free(options->api_pid);
	free(options->base_url);
	if (options->http.token != NULL)
		explicit_bzero(options->http.token, strlen(options->http.token));
	free(options->http.token);
}
