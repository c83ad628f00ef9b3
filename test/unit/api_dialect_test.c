/*
 * api_dialect_test.c - what each dialect sends, byte by byte, and what it takes for an answer; what
 * /info and /usage tell.
 */
#include "http/api_dialect.h"

#include "unit.h"
#include "scripted_server.h"

#include <signal.h>

static void
equal_text(const char *got, const char *wanted, const char *name)
{
	unit_equal_bytes(got, strlen(got), wanted, name);
}

/* A request on one line: the URL, then its headers. */
static void
equal_request(bool made, ApiRequest *request, const char *wanted, const char *name)
{
	char line[2000];
	size_t length = 0;

	if (!made)
	{
		unit_ok(false, name);
		return;
	}
	length += (size_t) snprintf(line, sizeof(line), "%s", request->url);
	for (int i = 0; i < request->headers; i++)
		length +=
			(size_t) snprintf(line + length, sizeof(line) - length, " | %s", request->header[i]);
	equal_text(line, wanted, name);
	api_request_free(request);
}

static void
equal_get(const ApiDialect *dialect, const ApiTarget *target, int64_t limit, int64_t offset,
		  const char *wanted, const char *name)
{
	ApiRequest request;
	bool made = dialect->get(target, limit, offset, &request);

	equal_request(made, &request, wanted, name);
}

static RowColumn columns[3];
static const RowType row_type = {3, columns};

static void
equal_post(const ApiDialect *dialect, const ApiTarget *target, bool ndjson, const char *key,
		   const char *wanted, const char *name)
{
	ApiRequest request;
	bool made = dialect->post(target, &row_type, ndjson, key, &request);

	equal_request(made, &request, wanted, name);
}

static void
name_columns(char *first, char *second, char *third)
{
	columns[0].name = first;
	columns[1].name = second;
	columns[2].name = third;
}

/* --- what is sent ------------------------------------------------------------------------ */

static void
test_reference(void)
{
	const ApiTarget target = {.base_url = "http://h:8080/api"};
	const ApiTarget in_full = {.get_url = "http://h/rows?limit={n}&skip={offset}&again={n}",
							   .post_url = "http://h/put?{n}"};

	equal_get(&api_dialect_reference, &target, 1000, 0,
			  "http://h:8080/api/load_from_db?row_limit=1000&offset=0 | Accept: application/json",
			  "reference: GET");
	equal_get(&api_dialect_reference, &target, INT64_MAX, INT64_MAX,
			  "http://h:8080/api/load_from_db?row_limit=9223372036854775807"
			  "&offset=9223372036854775807 | Accept: application/json",
			  "reference: large numbers");
	equal_get(&api_dialect_reference, &in_full, 10, 20,
			  "http://h/rows?limit=10&skip=20&again=10 | Accept: application/json",
			  "reference: a URL in full");
	equal_post(&api_dialect_reference, &target, false, "k-1",
			   "http://h:8080/api/save_to_db | Content-Type: application/json | "
			   "Idempotency-Key: k-1",
			   "reference: POST");
	equal_post(&api_dialect_reference, &target, true, NULL,
			   "http://h:8080/api/save_to_db | Content-Type: application/x-ndjson",
			   "reference: POST of lines, without a key");
	equal_post(&api_dialect_reference, &in_full, false, NULL,
			   "http://h/put?{n} | Content-Type: application/json",
			   "reference: POST to a URL in full");
}

static void
test_plumber(void)
{
	const ApiTarget target = {.base_url = "http://h"};

	equal_get(&api_dialect_plumber, &target, 5, 7,
			  "http://h/load_from_db?row_limit=5&offset=7 | Accept: application/json",
			  "plumber: GET");
	equal_post(&api_dialect_plumber, &target, true, "k-1",
			   "http://h/save_to_db | Content-Type: application/json",
			   "plumber: POST, never lines nor a key");
}

static void
test_postgrest_get(void)
{
	ApiTarget target = {.base_url = "http://h:3000", .table = "films"};

	equal_get(&api_dialect_postgrest, &target, 100, 200,
			  "http://h:3000/films?limit=100&offset=200 | Accept: application/json",
			  "postgrest: GET");
	target.order = "id";
	target.schema = "api";
	equal_get(&api_dialect_postgrest, &target, 1, 0,
			  "http://h:3000/films?limit=1&offset=0&order=id | Accept: application/json | "
			  "Accept-Profile: api",
			  "postgrest: GET with an order and a schema");
	target.order = "a,\"b c\".desc.nullslast";
	target.schema = "a\r\nb";
	target.table = "Odd table/\xc3\xa9?&#%+.x";
	equal_get(&api_dialect_postgrest, &target, 1, 0,
			  "http://h:3000/Odd%20table%2F%C3%A9%3F%26%23%25%2B.x?limit=1&offset=0"
			  "&order=a,%22b%20c%22.desc.nullslast | Accept: application/json | "
			  "Accept-Profile: a??b",
			  "postgrest: odd names");
	target.get_url = "http://h/v?limit={n}&offset={offset}";
	target.schema = NULL;
	equal_get(&api_dialect_postgrest, &target, 3, 4,
			  "http://h/v?limit=3&offset=4 | Accept: application/json", "postgrest: a URL in full");
}

static void
test_postgrest_post(void)
{
	ApiTarget target = {.base_url = "http://h:3000", .table = "films"};
	char id[] = "id", camel[] = "camelCase_2", note[] = "note", dot[] = "a.b,c", space[] = "a b",
		 quoted[] = "q\"\\\xc3\xa9-:(";

	name_columns(id, camel, note);
	equal_post(&api_dialect_postgrest, &target, false, "k-1",
			   "http://h:3000/films?columns=id,camelCase_2,note | Content-Type: application/json | "
			   "Prefer: return=minimal,missing=default",
			   "postgrest: POST");
	target.on_conflict = "id,\"a b\"";
	target.schema = "api";
	equal_post(&api_dialect_postgrest, &target, false, NULL,
			   "http://h:3000/films?columns=id,camelCase_2,note&on_conflict=id,%22a%20b%22 | "
			   "Content-Type: application/json | "
			   "Prefer: return=minimal,missing=default,resolution=ignore-duplicates | "
			   "Content-Profile: api",
			   "postgrest: POST that ignores duplicates");
	target.on_conflict = target.schema = NULL;
	name_columns(dot, space, quoted);
	equal_post(&api_dialect_postgrest, &target, false, NULL,
			   "http://h:3000/films?columns=%22a.b%2Cc%22,%22a%20b%22,"
			   "%22q%5C%22%5C%5C%C3%A9-%3A%28%22 | Content-Type: application/json | "
			   "Prefer: return=minimal,missing=default",
			   "postgrest: odd column names");
	target.post_url = "http://h/rpc/put";
	equal_post(&api_dialect_postgrest, &target, true, NULL,
			   "http://h/rpc/put | Content-Type: application/json | "
			   "Prefer: return=minimal,missing=default",
			   "postgrest: POST to a URL in full");
}

static void
test_template(void)
{
	const ApiTarget target = {.get_url = "http://h/{offset}/{n}{n}?{x}={n",
							  .post_url = "https://h/in"};

	equal_get(&api_dialect_template, &target, 10, 20,
			  "http://h/20/1010?{x}={n | Accept: application/json", "template: GET");
	equal_post(&api_dialect_template, &target, false, NULL,
			   "https://h/in | Content-Type: application/json", "template: POST");
	equal_post(&api_dialect_template, &target, true, "k-1",
			   "https://h/in | Content-Type: application/x-ndjson | Idempotency-Key: k-1",
			   "template: POST of lines with a key");
}

static void
test_find(void)
{
	unit_ok(api_dialect_find("reference") == &api_dialect_reference, "find reference");
	unit_ok(api_dialect_find("plumber") == &api_dialect_plumber, "find plumber");
	unit_ok(api_dialect_find("postgrest") == &api_dialect_postgrest, "find postgrest");
	unit_ok(api_dialect_find("template") == &api_dialect_template, "find template");
	unit_ok(api_dialect_find("Reference") == NULL, "there is no other");
}

static void
test_repeatable(void)
{
	const ApiTarget none = {0};
	const ApiTarget key = {.idempotency_key = true};
	const ApiTarget conflict = {.on_conflict = "id"};
	const ApiTarget conflict_in_full = {.on_conflict = "id", .post_url = "http://h/x"};

	unit_ok(!api_post_is_repeatable(&api_dialect_reference, &none), "reference without a key");
	unit_ok(api_post_is_repeatable(&api_dialect_reference, &key), "reference with a key");
	unit_ok(!api_post_is_repeatable(&api_dialect_reference, &conflict),
			"reference with on_conflict");
	unit_ok(!api_post_is_repeatable(&api_dialect_plumber, &key), "plumber never");
	unit_ok(!api_post_is_repeatable(&api_dialect_postgrest, &key), "postgrest with a key");
	unit_ok(api_post_is_repeatable(&api_dialect_postgrest, &conflict),
			"postgrest with on_conflict");
	unit_ok(!api_post_is_repeatable(&api_dialect_postgrest, &conflict_in_full),
			"postgrest with on_conflict and a URL in full");
	unit_ok(api_post_is_repeatable(&api_dialect_template, &key), "template with a key");
	unit_ok(!api_post_is_repeatable(&api_dialect_template, &none), "template without");
}

/* --- what is taken for an answer --------------------------------------------------------- */

static void
test_statuses(void)
{
	static const int statuses[] = {200, 201, 202, 204, 206, 302, 400, 413, 416, 500};
	static const struct
	{
		const ApiDialect *dialect;
		const char *get, *post; /* one digit for each of the above */
	} cases[] = {
		{&api_dialect_reference, "1100000000", "1100000000"},
		{&api_dialect_plumber, "1100000000", "1100000000"},
		{&api_dialect_postgrest, "1000100000", "1100000000"},
		{&api_dialect_template, "1101100000", "1101000000"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char get[11] = "", post[11] = "", name[60], problem[200];

		for (int k = 0; k < 10; k++)
		{
			const HttpAnswer answer = {.status = statuses[k]};

			get[k] =
				cases[i].dialect->check_get(&answer, 10, 0, problem, sizeof(problem)) ? '1' : '0';
			post[k] = cases[i].dialect->post_committed(statuses[k]) ? '1' : '0';
		}
		snprintf(name, sizeof(name), "%s: statuses of a GET", cases[i].dialect->name);
		equal_text(get, cases[i].get, name);
		snprintf(name, sizeof(name), "%s: statuses of a POST", cases[i].dialect->name);
		equal_text(post, cases[i].post, name);
	}
}

/* Whether a success is one: 100 rows were sent. */
static void
test_confirmed(void)
{
	static const char html[] = "text/html", json[] = "application/json";
	static const struct
	{
		const char *type, *body;
		const char *wanted; /* reference, template */
		const char *name;
	} cases[] = {
		{json, "{\"rows\":100}", "11", "the rows that were sent"},
		{json, "{\"rows\":99}", "00", "fewer rows"},
		{json, "{\"rows\":-5}", "00", "a negative number of rows"},
		{json, "{\"rows\":\"100\"}", "01", "rows as a text"},
		{json, "{\"rows\":100.0}", "01", "rows as a fraction"},
		{json, "{\"rows\":100", "01", "half an object"},
		{json, "[100]", "01", "an array"},
		{json, "", "01", "nothing"},
		{"", "", "01", "nothing of no type"},
		{json, "{\"error\":\"no\"}", "00", "an error"},
		{json, "{\"rows\":100,\"error\":\"no\"}", "00", "an error beside rows"},
		{json, "{\"errors\":[{}]}", "00", "errors"},
		{json, "{\"rows\":100,\"error\":null,\"errors\":[]}", "11", "errors that are none"},
		{json, "{\"rows\":100,\"error\":false,\"errors\":{}}", "11", "errors that are none either"},
		{html, "{\"rows\":100}", "00", "HTML"},
		{"application/xhtml+xml", "", "00", "XHTML"},
	};
	const ApiDialect *dialects[] = {&api_dialect_reference, &api_dialect_template};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char got[3] = "", name[80], problem[200];
		HttpAnswer answer = {.status = 200};

		snprintf(answer.media_type, sizeof(answer.media_type), "%s", cases[i].type);
		for (int k = 0; k < 2; k++)
			got[k] = api_post_is_confirmed(dialects[k], &answer, cases[i].body, 100, problem,
										   sizeof(problem))
						 ? '1'
						 : '0';
		snprintf(name, sizeof(name), "a success with %s", cases[i].name);
		equal_text(got, cases[i].wanted, name);
	}
}

/* Whether a POST that was answered so may be sent again, whatever else. */
static void
test_turned_away(void)
{
	static const struct
	{
		int status;
		const char *retry_after, *body;
		const char *wanted; /* reference, plumber, postgrest, template */
		const char *name;
	} cases[] = {
		{429, "", "", "1111", "429"},
		{503, "2", "<html>", "1111", "503 with Retry-After"},
		{503, "", "", "1000", "503 without"},
		{503, "2", "{\"code\":\"PGRST000\",\"details\":null}", "1111", "no connection"},
		{503, "2", "{\"code\":\"53300\"}", "1111", "too many connections"},
		{503, "2", "{\"code\":\"PGRST001\",\"details\":null}", "1101", "a connection that broke"},
		{503, "2", "{\"code\":\"57P01\"}", "1101", "a backend that was terminated"},
		{503, "2", "{\"code\":\"08006\"}", "1101", "a connection that failed"},
		{500, "2", "", "0000", "500"},
	};
	static const ApiDialect *const dialects[] = {&api_dialect_reference, &api_dialect_plumber,
												 &api_dialect_postgrest, &api_dialect_template};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		HttpAnswer answer = {.status = cases[i].status};
		char got[5] = "", name[80];

		snprintf(answer.retry_after, sizeof(answer.retry_after), "%s", cases[i].retry_after);
		for (int k = 0; k < 4; k++)
			got[k] = dialects[k]->post_turned_away(&answer, cases[i].body) ? '1' : '0';
		snprintf(name, sizeof(name), "turned away, by dialect: %s", cases[i].name);
		equal_text(got, cases[i].wanted, name);
	}
}

static void
test_status_in_words(void)
{
	const HttpAnswer plain = {.status = 502};
	const HttpAnswer closed = {.status = 401, .www_authenticate = "Bearer"};
	char problem[200];

	api_dialect_reference.check_get(&plain, 1, 0, problem, sizeof(problem));
	equal_text(problem, "HTTP status 502", "a status in words");
	api_dialect_postgrest.check_get(&closed, 1, 0, problem, sizeof(problem));
	equal_text(problem, "HTTP status 401 (WWW-Authenticate: Bearer): see --token-file, --token-env",
			   "and what it asks for");
}

static void
test_content_range(void)
{
	static const struct
	{
		const char *range;
		int64_t limit, offset;
		const char *problem; /* NULL: fine */
	} cases[] = {
		{"", 10, 0, NULL},
		{"0-9/*", 10, 0, NULL},
		{"0-4/*", 10, 0, NULL},
		{"20-29/30", 10, 20, NULL},
		{"*/*", 10, 0, NULL},
		{"*/0", 10, 0, NULL},
		{"*/20", 10, 20, NULL},
		{"*/20", 0, 5, NULL},
		{"9223372036854775806-9223372036854775806/9223372036854775807", 1, INT64_MAX - 1, NULL},
		{"0-9223372036854775806/*", INT64_MAX, 0, NULL},
		{"0-9/*", 10, 1, "is not what was asked for: 10 rows from 1 on"},
		{"0-10/*", 10, 0, "is not what was asked for: 10 rows from 0 on"},
		{"1-1/*", 0, 1, "is not what was asked for"},
		{"*/21", 10, 20, "is not what was asked for"},
		{"9-0/*", 10, 9, "is no range of rows"},
		{"0-9/9", 10, 0, "is no range of rows"},
		{"0-9", 10, 0, "is no range of rows"},
		{"0/9", 10, 0, "is no range of rows"},
		{"-9/*", 10, 0, "is no range of rows"},
		{"0-/*", 10, 0, "is no range of rows"},
		{"/", 10, 0, "is no range of rows"},
		{"0-9/x", 10, 0, "is no range of rows"},
		{"0-9/", 10, 0, "is no range of rows"},
		{"bytes 0-9/*", 10, 0, "is no range of rows"},
		{"0-99999999999999999999/*", 10, 0, "is no range of rows"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		HttpAnswer answer = {.status = 206};
		char problem[200] = "", name[200];
		bool passed;

		strcpy(answer.content_range, cases[i].range);
		passed = api_dialect_postgrest.check_get(&answer, cases[i].limit, cases[i].offset, problem,
												 sizeof(problem));
		snprintf(name, sizeof(name), "Content-Range '%s' of %" PRId64 " from %" PRId64,
				 cases[i].range, cases[i].limit, cases[i].offset);
		if (!unit_ok(cases[i].problem == NULL
						 ? passed
						 : !passed && strstr(problem, cases[i].problem) != NULL &&
							   strstr(problem, cases[i].range) != NULL,
					 name))
			printf("# %s\n", problem);
	}
	unit_ok(api_dialect_template.check_get(&(HttpAnswer){.status = 206, .content_range = "x"}, 1, 0,
										   (char[1]){0}, 1),
			"template: whatever it means by it");
}

/* --- /info and /usage -------------------------------------------------------------------- */

static const HttpOptions options = {.connect_timeout_ms = 5000, .stall_timeout_ms = 5000};

/* A base URL that makes /json answer with this body to whatever is appended. */
static void
make_base(char *base, size_t size, int port, const char *path)
{
	snprintf(base, size, "http://127.0.0.1:%d%s&appended=", port, path);
}

static void
test_info(HttpSession *session, int port)
{
	char base[1000], problem[200];
	ApiInfo info;

	make_base(base, sizeof(base), port,
			  "/json?body={\"program\":\"transferbench%20serve\",\"version\":\"0.1.0\","
			  "\"max_body_bytes\":8388608,\"max_writers\":3,\"idempotency\":true,\"ndjson\":true,"
			  "\"database_user\":\"api%09us%c2%9b%c3%a9r\",\"application_name\":\"transferbench%"
			  "20serve\","
			  "\"limits\":{\"new\":[1]}}%0a");
	unit_ok(api_info_get(session, base, &info, problem, sizeof(problem)), "/info");
	equal_text(info.server, "transferbench serve 0.1.0", "who serves");
	unit_equal_int(info.max_body_bytes, 8388608, "max_body_bytes");
	unit_equal_int(info.max_writers, 3, "max_writers");
	unit_ok(info.idempotency && info.ndjson, "what it can");
	equal_text(info.database_user, "api?us??\303\251r", "database_user, printable");
	equal_text(info.application_name, "transferbench serve", "application_name");

	make_base(base, sizeof(base), port,
			  "/json?body={\"max_body_bytes\":-5,\"max_writers\":\"3\",\"idempotency\":1,"
			  "\"ndjson\":null,\"database_user\":7,\"version\":\"1\"}");
	unit_ok(api_info_get(session, base, &info, problem, sizeof(problem)), "/info of another kind");
	unit_ok(info.max_body_bytes == -1 && info.max_writers == -1 && !info.idempotency &&
				!info.ndjson && *info.database_user == '\0' && *info.application_name == '\0',
			"what is not as it should be is not told");
	equal_text(info.server, "1", "a version alone");
}

static void
test_no_info(HttpSession *session, int port)
{
	static const struct
	{
		const char *path, *problem;
	} cases[] = {
		{"/status/404?x", "HTTP status 404"},
		{"/json?body=[]", "the answer is no JSON object"},
		{"/json?body=", "the answer is no JSON object"},
		{"/json?body={\"a\":1}x", "the answer is no JSON object"},
		{"/json?body={\"a\":1", "the answer is no JSON object"},
		{"/status/200?body=<html>", "the answer is no JSON object"},
		{"/big?bytes=70000", "the answer is no JSON object"},
		{"/big?bytes=4194287", "the answer is no JSON object"},
		{"/big?bytes=4194288", "the answer is longer than 4194304 bytes"},
		{"/short?length=1000", "broke off"},
		{"/close?x", "gave no answer"},
	};
	ApiInfo info;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char base[1000], problem[300] = "", name[100];
		bool got;

		make_base(base, sizeof(base), port, cases[i].path);
		got = api_info_get(session, base, &info, problem, sizeof(problem));
		snprintf(name, sizeof(name), "no /info: %s", cases[i].path);
		if (!unit_ok(!got && strstr(problem, cases[i].problem) != NULL && info.max_body_bytes == -1,
					 name))
			printf("# %s\n", problem);
	}
}

static void
test_usage(HttpSession *session, int port)
{
	char base[1000];
	int64_t cpu_us, resident_bytes, peak_bytes;

	make_base(base, sizeof(base), port,
			  "/json?body={\"pid\":7,\"cpu_us\":123456,\"resident_bytes\":1048576,"
			  "\"peak_bytes\":2097152,\"backend_pids\":[1,2]}");
	unit_ok(api_usage_get(session, base, false, &cpu_us, &resident_bytes, &peak_bytes), "/usage");
	unit_ok(cpu_us == 123456 && resident_bytes == 1048576 && peak_bytes == 2097152, "its figures");
	unit_ok(api_usage_get(session, base, true, &cpu_us, &resident_bytes, &peak_bytes),
			"/usage by POST");
	make_base(base, sizeof(base), port, "/json?body={\"cpu_us\":1}");
	unit_ok(api_usage_get(session, base, false, &cpu_us, &resident_bytes, &peak_bytes) &&
				cpu_us == 1 && resident_bytes == -1 && peak_bytes == -1,
			"what it does not tell is -1");
	make_base(base, sizeof(base), port, "/status/404?x");
	unit_ok(!api_usage_get(session, base, false, &cpu_us, &resident_bytes, &peak_bytes) &&
				cpu_us == -1,
			"no /usage");
}

static void
test_documents(void)
{
	ScriptedServer server;
	HttpSession *session;

	if (!scripted_server_start(&server, NULL, NULL))
	{
		unit_ok(true, "/info # SKIP no scripted server: wants python3, and to be run from the top");
		return;
	}
	session = http_session_create(&options, -1);
	test_info(session, server.port);
	test_no_info(session, server.port);
	test_usage(session, server.port);
	http_session_free(session);
	scripted_server_stop(&server);
}

int
main(void)
{
	char id[] = "id", x[] = "x", note[] = "note";

	signal(SIGPIPE, SIG_IGN);
	if (!http_global_init())
		return 2;
	name_columns(id, x, note);
	test_reference();
	test_plumber();
	test_postgrest_get();
	test_postgrest_post();
	test_template();
	test_find();
	test_repeatable();
	test_statuses();
	test_confirmed();
	test_turned_away();
	test_status_in_words();
	test_content_range();
	test_documents();
	return unit_done();
}
